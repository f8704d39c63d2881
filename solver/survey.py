"""A survey: how far every position that a best-first search expanded has come, and the line to any of them.

A search for a win throws away what it learnt of a game that is lost; a survey looks at it.  Like `solver.attempt` it
imports numba and is loaded when it is first needed.  It is a file of its own because the text of attempt.py decides
which search a stored result is from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.attempt import Attempt
from solver.kernel.bestfirst import TRAIL_LEVEL, TRAIL_PARENT, TRAIL_RUNS
from solver.kernel.layout import (
    NIBBLE_SHIFT,
    SLOT_BITS,
    SLOT_MASK,
    SLOTS,
    STAGE_NIBBLE,
    WORDS,
    I64Array,
    U64Array,
)
from solver.kernel.moves import RUN_LEVELS

CHUNK = 4096
"""Positions that are unpacked at a time, some 4 MiB."""


@dataclass(frozen=True)
class Expanded:
    """The positions that a search expanded, in its order, the root first; (n,) int64 each."""

    runs: I64Array
    """Runs completed since the root."""
    turned: I64Array
    """Cards turned up since the root."""
    rows: I64Array
    """Rows dealt since the root."""
    depths: I64Array
    """Moves from the root, on the way that was found first; a macro counts as one."""
    on_table: I64Array
    """Cards of the tableau."""


class Survey(Attempt):
    """A best-first search whose positions can be looked at."""

    def standings(self) -> Expanded:
        """Return how far the positions that were expanded have come."""
        states, trail = self.expanded()
        runs = trail[:, TRAIL_RUNS].astype(np.int64)
        depths = np.zeros(len(trail), np.int64)
        # A parent comes before its children, so one pass is enough.
        for state, parent in enumerate(trail[1:, TRAIL_PARENT].tolist(), start=1):
            depths[state] = depths[parent] + 1
        return Expanded(
            runs=runs,
            turned=trail[:, TRAIL_LEVEL] - RUN_LEVELS * runs,
            rows=(states[:, STAGE_NIBBLE] >> NIBBLE_SHIFT).astype(np.int64),
            depths=depths,
            on_table=_count(states, lambda slots: slots != 0),
        )

    def links(self) -> I64Array:
        """Return for each expanded position how many cards lie on the next card of their suit, (n,) int64.

        Face-down cards count as well.
        """
        return _count(self.expanded()[0], lambda slots: (slots[:, :-1] == slots[:, 1:] + 1) & (slots[:, 1:] != 0))


def _count(states: U64Array, test: Callable[[I64Array], NDArray[np.bool_]]) -> I64Array:
    """Return for each packed position, (n, WORDS) uint64, at how many of its slots a test holds.

    The test gets the slots of some positions, (m, WORDS * SLOTS) int64, and returns one bool or less for each.
    """
    shifts = np.arange(SLOTS, dtype=np.uint64) * SLOT_BITS
    counts = np.zeros(len(states), np.int64)
    for first in range(0, len(states), CHUNK):
        words = states[first : first + CHUNK]
        slots = (words[:, :, None] >> shifts & SLOT_MASK).astype(np.int64).reshape(len(words), WORDS * SLOTS)
        counts[first : first + CHUNK] = test(slots).sum(axis=1)
    return counts
