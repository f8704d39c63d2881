"""The moves that a macro of the search stands for; what macros there are is told in kernel/macros.py.

Lists and no records: reading an array from Python is slow, and an easy deal is won in some milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from solver.cards import Card
from solver.kernel.macros import COUNT_MASK, SWAP_SHIFT
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, TARGET_SHIFT
from solver.kernel.score import RANK_MASK
from solver.move import Move, tableau_move


def unfold(columns: Sequence[Sequence[Card]], down: Sequence[int], ranks: int, code: int) -> list[Move]:
    """Return the moves that do what a macro does to columns, of which so many cards lie face-down."""
    source = code & COLUMN_MASK
    target = code >> TARGET_SHIFT & COLUMN_MASK
    x = code >> COUNT_SHIFT & COUNT_MASK
    y = code >> SWAP_SHIFT & COUNT_MASK
    empty = [number for number, cards in enumerate(columns) if not cards and number != target]

    def run_length(number: int) -> int:
        cards = columns[number]
        start = len(cards) - 1
        while start > down[number] and cards[start] + 1 == cards[start - 1]:
            start -= 1
        return len(cards) - start

    def places(number: int, count: int) -> list[int]:
        """Return where the last run of a column can wait."""
        head = columns[number][-count]
        found = list(empty)
        for other, cards in enumerate(columns):
            if other in (source, target) or not cards or cards[-1] & RANK_MASK != (head & RANK_MASK) + 1:
                continue
            # A run that is completed there would leave.
            if cards[-1] != head + 1 or run_length(other) + count < ranks:
                found.append(other)
        return found

    if y > 0:
        a, b = source, target
        if not places(a, x):
            a, b, x, y = b, a, y, x
        place = places(a, x)[0]
        return [tableau_move(a, place, x), tableau_move(b, a, y), tableau_move(place, b, x)]

    moved = columns[source][-x:]
    runs = [1]
    for upper, lower in pairwise(moved):
        if lower + 1 == upper:
            runs[-1] += 1
        else:
            runs.append(1)
    return _shift(runs, source, target, empty or places(source, runs[-1]))


def _shift(runs: list[int], source: int, target: int, empty: list[int]) -> list[Move]:
    """Return the moves of runs from one column to another: as many as can wait on an empty one wait there."""
    if len(runs) == 1:
        return [tableau_move(source, target, runs[0])]
    first, *others = empty
    stay = max(1, len(runs) - 2 ** len(others))
    return [
        *_shift(runs[stay:], source, first, others),
        *_shift(runs[:stay], source, target, others),
        *_shift(runs[stay:], first, target, others),
    ]
