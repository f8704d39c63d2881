"""A beam from a position, run slice by slice: the Python side of kernel/beam.py.

Like `solver.attempt` it imports numba and is loaded when it is first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from solver.attempt import KEYS, KINGS, decode_move, make_board, make_game
from solver.kernel import beam as kernel
from solver.kernel.beam import (
    BEAM,
    CANDIDATE_FIELDS,
    ENTRY_FIELDS,
    GOAL_SLOTS,
    MAX_GOALS,
    NONE,
    TABLE_FULL,
    TRAIL_FIELDS,
    TRAIL_FULL,
    TRAIL_MOVE,
    TRAIL_PARENT,
    WON,
    Layers,
)
from solver.kernel.layout import WORDS, new_record
from solver.kernel.score import derive, full_key
from solver.kernel.table import new_table, rehash
from solver.move import Line
from solver.position import Position
from solver.rules import Rules

End: TypeAlias = Literal["win", "empty", "budget", "memory"]
"""A win; no position left within the bound; the expansions spent; the memory full."""

SLICE = 8192
"""Expansions between two looks at the clock, some 20 ms."""
FIRST_TABLE = 1 << 14


class Ground:
    """What all beams along one line share: the game from the position in which the line starts.

    Positions later in the line are searched as that game goes on, so that keys mean the same everywhere.
    """

    def __init__(self, position: Position, rules: Rules) -> None:
        self.start = position
        self.rules = rules
        self.game = make_game(position, rules, lossless=False, wide=False)

    def board(self, position: Position) -> Any:
        """Return the record of a position that the start leads to."""
        board = make_board(position)
        board.stage = len(self.start.rows) - len(position.rows)
        board.runs = len(position.completed) - len(self.start.completed)
        return board

    def key(self, position: Position) -> np.uint64:
        """Return the key of a position that the start leads to."""
        board = self.board(position)
        derive(board, self.game, KEYS)
        return np.uint64(full_key(board, KEYS, 0))


class Beam:
    """One beam.  `memory` bounds its arrays in bytes."""

    def __init__(
        self,
        ground: Ground,
        position: Position,
        weights: Sequence[int],
        *,
        width: int,
        bound: int,
        memory: int,
        gifts: int = 1,
        level_weight: int = 0,
        place: int = 0,
        goals: Sequence[np.uint64] = (),
    ) -> None:
        self._game = ground.game
        self._game.weights[:] = weights
        self._board = ground.board(position)
        self._memory = memory
        beam = self._beam = new_record(BEAM)
        beam.width = width
        beam.bound = bound
        beam.gifts = gifts
        beam.level_weight = level_weight
        beam.lines_place = place
        stages = int(self._game.rows) + 1
        self._layers = Layers(
            states=np.empty((2, stages * width, WORDS), np.uint64),
            entries=np.empty((2, stages * width, ENTRY_FIELDS), np.int32),
            counts=np.zeros((2, stages), np.int64),
            offered=np.zeros(stages, np.int64),
            priorities=np.empty((stages, width), np.int64),
            places=np.empty((stages, width), np.int32),
            candidates=np.empty((stages, width, CANDIDATE_FIELDS), np.int32),
            trail=np.empty((4 * stages * width + 1, TRAIL_FIELDS), np.int32),
            table=new_table(FIRST_TABLE, 1),
            goal_keys=np.zeros(GOAL_SLOTS, np.uint64),
            goal_places=np.zeros(GOAL_SLOTS, np.int64),
        )
        for number, key in enumerate(goals[-MAX_GOALS:], start=max(len(goals) - MAX_GOALS, 0)):
            kernel.add_goal(self._layers.goal_keys, self._layers.goal_places, key, number)
        kernel.begin(self._layers, beam, self._board, self._game, KEYS)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""
        return int(self._beam.expansions)

    @property
    def memory_used(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._layers)

    def step(self, limit: int) -> End | None:
        """Search on for one slice, up to `limit` expansions in all; return how it ended once it did."""
        beam = self._beam
        until = min(beam.expansions + SLICE, limit)
        while True:
            reason = kernel.run(self._layers, beam, self._board, self._game, KEYS, until)
            if reason == WON:
                return "win"
            if reason == kernel.EMPTY:
                return "empty"
            if reason in (TRAIL_FULL, TABLE_FULL):
                if not self._grow(reason):
                    return "memory"
            else:
                return "budget" if beam.expansions >= limit else None

    def line(self) -> Line:
        """Return the winning moves, after the end was a win."""
        return self._line(int(self._beam.win_trail), int(self._beam.win_move))

    def shortcut(self) -> tuple[Line, int] | None:
        """Return the moves to a later position of the line and its place there, if that saves moves."""
        if self._beam.goal_trail == NONE:
            return None
        return self._line(int(self._beam.goal_trail), int(self._beam.goal_move)), int(self._beam.goal_place)

    def _line(self, entry: int, last: int) -> Line:
        trail = self._layers.trail
        codes = [last]
        while trail[entry, TRAIL_PARENT] != NONE:
            codes.append(int(trail[entry, TRAIL_MOVE]))
            entry = int(trail[entry, TRAIL_PARENT])
        return tuple(decode_move(code) for code in reversed(codes))

    def _grow(self, full: int) -> bool:
        old: Any = self._layers.table if full == TABLE_FULL else self._layers.trail
        # Old and new exist together while one is copied.
        if self.memory_used + 2 * old.nbytes > self._memory:
            return False
        if full == TABLE_FULL:
            table = new_table(2 * old.shape[0], 1)
            rehash(old, table)
            self._layers = self._layers._replace(table=table)
        else:
            self._layers = self._layers._replace(trail=np.concatenate([old, np.empty_like(old)]))
        return True
