"""IDA* from a position, run slice by slice: the Python side of kernel/idastar.py.

Like `solver.attempt` it imports numba and is loaded when it is first needed.
"""

from __future__ import annotations

import numpy as np

from solver.attempt import KEYS, KINGS, decode_move, make_board, make_game
from solver.kernel.idastar import (
    BUCKET,
    CLASSES,
    INFINITE,
    TABLE_FULL,
    WALK,
    WON,
    Bounds,
    Path,
    begin,
    copy_bounds,
    walk_on,
)
from solver.kernel.layout import new_record
from solver.kernel.moves import MAX_MOVES
from solver.kernel.table import FREE
from solver.move import Line
from solver.position import Position
from solver.record import Outcome
from solver.rules import Rules

SLICE = 3_000
"""Expansions between two looks at the clock, some 50 ms."""
FIRST_TABLE = 1 << 12
LOAD = 0.75
"""Slots that are taken before the table grows: few buckets are full then."""
NO_MOST = 1 << 62


class Deepening:
    """A search for a line of fewer than `below` steps from a position that is not won.

    `memory` bounds the table in bytes; what is allocated while it is copied to a larger one counts.  A table that
    may not grow forgets, so memory is never an outcome.
    """

    def __init__(self, position: Position, rules: Rules, *, below: int, memory: int) -> None:
        self._game = make_game(position, rules, lossless=True, wide=True)
        self._board = make_board(position)
        self._below = below
        self._memory = memory
        self._walk = new_record(WALK)
        self._walk.limit = -1
        self._walk.depth = -1
        self._table = _new_bounds(FIRST_TABLE)
        self._most = int(LOAD * FIRST_TABLE)
        self._path = _new_path(1)
        self._bound = self._begin()

    @property
    def bound(self) -> int:
        """Steps that a line has at least, proved by the iterations that have ended."""
        return self._bound

    @property
    def limit(self) -> int:
        """Steps of the lines that the present iteration looks for, -1 before the first."""
        return int(self._walk.limit)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated, once for every iteration that did."""
        return int(self._walk.expansions)

    @property
    def children(self) -> int:
        """Moves judged."""
        return int(self._walk.children)

    @property
    def memory_used(self) -> int:
        """Bytes of the table."""
        return sum(array.nbytes for array in self._table)

    def step(self) -> Outcome | None:
        """Search on for one slice; return the outcome once there is one.

        After ``win`` `line` is a shortest one, after ``exhausted`` no line has fewer than `below` steps.
        """
        walk = self._walk
        until = walk.expansions + SLICE
        while True:
            if walk.depth < 0:
                if self._bound >= self._below:
                    return "exhausted"
                walk.limit = self._bound
                self._path = _new_path(self._bound + 2)
                self._begin()
            reason = walk_on(self._table, self._path, walk, self._board, self._game, KEYS, until, self._most)
            if reason == WON:
                return "win"
            if reason == TABLE_FULL:
                self._grow()
            elif walk.depth < 0:
                self._bound = int(self._path.lows[0])
            else:
                return None

    def line(self) -> Line:
        """Return the winning line, after the outcome was a win."""
        rows = range(self._walk.depth + 1)
        return tuple(decode_move(int(self._path.moves[row, self._path.nexts[row] - 1])) for row in rows)

    def _begin(self) -> int:
        return begin(self._table, self._path, self._walk, self._board, self._game, KEYS)

    def _grow(self) -> None:
        # Old and new exist together while one is copied.
        if 3 * self.memory_used > self._memory:
            self._most = NO_MOST
            return
        slots = 2 * self._table.bounds.shape[0]
        table = _new_bounds(slots)
        self._walk.used = copy_bounds(self._table, table)
        self._table = table
        self._most = int(LOAD * slots)


def _new_bounds(slots: int) -> Bounds:
    return Bounds(
        keys=np.full((slots, 2), FREE, np.uint64), bounds=np.zeros(slots, np.int16), gains=np.zeros(slots, np.int16)
    )


def _new_path(rows: int) -> Path:
    column = [np.zeros(rows, np.int32) for _ in range(5)]
    return Path(
        moves=np.zeros((rows, MAX_MOVES), np.int32),
        ends=np.zeros((rows, CLASSES), np.int32),
        nexts=column[0],
        effects=column[1],
        bases=column[2],
        estimates=column[3],
        lows=column[4],
        keys=np.zeros((rows, 2), np.uint64),
    )


def compile_kernels() -> None:
    """Make the machine code of the search."""
    Deepening(KINGS, Rules(), below=INFINITE, memory=0).step()
    copy_bounds(_new_bounds(BUCKET), _new_bounds(2 * BUCKET))
