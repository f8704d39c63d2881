"""A proof by exhaustion from a position, run slice by slice: the Python side of kernel/exhaust.py.

Like `solver.attempt` it imports numba and is loaded when it is first needed.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from solver import attempt
from solver.attempt import KEYS, KINGS, decode_move, make_board, make_game
from solver.kernel.endings import NO_ENDING, Ending, is_ending
from solver.kernel.exhaust import EXHAUSTED, STACK_FULL, TABLE_FULL, WALK, WON, Path, begin, walk_on
from solver.kernel.layout import new_record
from solver.kernel.moves import MAX_MOVES
from solver.kernel.table import new_table, rehash_wide
from solver.move import Line
from solver.position import Position
from solver.record import Outcome, Reach
from solver.rules import Rules

SLICE = 20_000
"""Positions between two looks at the clock, some 30 ms."""
RELAXED_SLICE = 2_000
FIRST_TABLE = 1 << 12
FIRST_STACK = 1 << 10
TABLE_SHARE = 0.75
"""Share of the memory that the table may take; the rest is for the stack, and for both while one is copied."""
LAST_GROWTH = 6
"""A table that is at most one part in so many of its final size grows to that at once: old and new exist together, so
doubling to the end would leave up to half of the memory unused.  Pages that no key has touched cost nothing."""
LOAD = 0.75
"""Keys a slot: a probe is 8 slots long on the mean then, two cache lines, for a third less memory than at one half."""
MAX_SLOTS = (1 << 32) - 1
"""Bound of the indexing, see `insert_wide`."""
assert MAX_MOVES < LOAD * FIRST_TABLE


class Exhaustion:
    """A depth-first search over the lossless list with 128-bit keys.

    `memory` bounds the arrays in bytes; what is allocated while an array is copied to a larger one counts.  Where the
    position is an ending, positions are left that the relaxations of `ending` prove lost.
    """

    def __init__(self, position: Position, rules: Rules, *, memory: int, ending: Ending = NO_ENDING) -> None:
        self._game = make_game(position, rules, lossless=True, wide=True)
        self._board = make_board(position)
        self._memory = memory
        self._walk = new_record(WALK)
        self._table = new_table(FIRST_TABLE, 2)
        self._path = Path(*(np.empty(FIRST_STACK, np.int32) for _ in Path._fields))
        self._ending = ending
        self._slice = RELAXED_SLICE if is_ending(ending) else SLICE
        begin(self._table, self._path, self._walk, self._board, self._game, KEYS)

    @property
    def positions(self) -> int:
        """Different positions met."""
        return int(self._walk.positions)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""
        return int(self._walk.expansions)

    @property
    def children(self) -> int:
        """Moves judged."""
        return int(self._walk.children)

    @property
    def positions_by_stage(self) -> tuple[int, ...]:
        """Different positions met, by rows dealt since the start."""
        return tuple(int(count) for count in self._walk.per_stage[: self._game.rows + 1])

    @property
    def relaxed(self) -> int:
        """Positions that a relaxation proved lost."""
        return int(self._walk.proved)

    @property
    def deepest(self) -> int:
        """Moves of the longest way from the start that was walked."""
        return int(self._walk.deepest)

    @property
    def memory_used(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in (self._table, *self._path))

    def step(self) -> Outcome | None:
        """Search on for one slice; return the outcome once there is one."""
        until = self.positions + self._slice
        while True:
            most = int(LOAD * self._table.shape[0])
            reason = walk_on(
                self._table,
                self._path,
                self._walk,
                self._ending,
                self._board,
                self._game,
                KEYS,
                until,
                most,
            )
            if reason == WON:
                return "win"
            if reason == EXHAUSTED:
                return "exhausted"
            if reason not in (STACK_FULL, TABLE_FULL):
                return None
            if not self._grow(reason):
                return "memory"

    def reach(self) -> Reach:
        """Return how far the position at hand is."""
        board = self._board
        return Reach(int(board.stage), int(board.runs), int(sum(board.down)))

    @property
    def line_length(self) -> int:
        """Moves of the winning line, after the outcome was a win."""
        return int(self._walk.depth) + 1

    def line(self) -> Line:
        """Return the winning line, after the outcome was a win; it may be very long."""
        return tuple(decode_move(int(code)) for code in self._path.moves[: self.line_length])

    def _grow(self, full: int) -> bool:
        # Old and new exist together while one is copied.
        left = self._memory - self.memory_used
        if full == TABLE_FULL:
            old = self._table
            slot = old.nbytes // old.shape[0]
            final = min(int(TABLE_SHARE * self._memory) // slot, MAX_SLOTS)
            slots = 2 * old.shape[0] if LAST_GROWTH * 2 * old.shape[0] <= final else final
            if slots <= old.shape[0] or slots * slot > left:
                return False
            table = new_table(slots, 2)
            rehash_wide(old, table)
            self._table = table
            return True
        # One array after the other, so that only one of them exists twice.
        # Added in the end: the size of each; while the last is copied: two such sizes for it, one for each before.
        if (len(self._path) + 1) * self._path.moves.nbytes > left:
            return False
        for name in Path._fields:
            array: Any = getattr(self._path, name)
            self._path = self._path._replace(**cast("Any", {name: np.concatenate([array, np.empty_like(array)])}))
        return True


def compile_kernels() -> None:
    """Make the machine code of every search, this one and the best-first one."""
    attempt.compile_kernels()
    Exhaustion(KINGS, Rules(), memory=0).step()
    rehash_wide(new_table(2, 2), new_table(4, 2))
