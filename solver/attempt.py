"""One try: a position goes into the kernels, and what they found comes out as moves.

The only file that knows both sides.  It imports numba, so `solver.search` loads it when the first search starts,
after `kernel.cache` has said where machine code is kept.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from solver.cards import KING, SPADES, make_card
from solver.kernel import bestfirst
from solver.kernel.bestfirst import (
    EXHAUSTED,
    NODES_FULL,
    SEARCH,
    STATES_FULL,
    TABLE_FULL,
    TRAIL_FIELDS,
    TRAIL_MOVE,
    TRAIL_PARENT,
    TRAIL_RUNS,
    WON,
    Space,
)
from solver.kernel.endings import LISTS, NO_ENDING, Ending, is_ending
from solver.kernel.layout import BOARD, GAME, WORDS, new_record, unpack
from solver.kernel.macros import MACRO
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, DEAL_COUNT, RUN_LEVELS, TAKE_COUNT, TARGET_SHIFT
from solver.kernel.queues import NODE_FIELDS, NONE
from solver.kernel.score import new_keys
from solver.kernel.table import new_table, rehash
from solver.macros import unfold
from solver.move import DEAL, Line, Move, tableau_move, take
from solver.portfolio import MEMBERS, Member
from solver.position import Position
from solver.record import Outcome, Reach
from solver.rules import Rules

SLICE = 4096
"""Expansions between two looks at the clock, some 20 ms."""

# A search starts small, so that an easy deal stays in the processor's caches, and doubles what is full.
FIRST_STATES = 1 << 12
FIRST_NODES = 1 << 14
FIRST_TABLE = 1 << 15
assert 2 * (1 + bestfirst.VISIT_NODES) <= FIRST_TABLE
assert bestfirst.VISIT_NODES <= FIRST_NODES

NO_RUNS = 1 << 20
"""Runs to complete when the cards are no whole runs: more than any position has."""

MAX_ROWS_OF_ARRAY = 1 << 31
"""States and nodes are numbered in 32 bits."""

KEYS = new_keys()

KINGS = Position(columns=((make_card(KING, SPADES),),) * 10, face_down=(0,) * 10)
"""The smallest search, which serves to compile the kernels."""


def make_game(position: Position, rules: Rules, *, lossless: bool, wide: bool) -> Any:
    """Return the `GAME` record for searches from a position; the weights are left zero."""
    game = new_record(GAME)
    game.columns = rules.columns
    game.ranks = rules.ranks
    game.strict = not rules.deal_onto_empty
    game.automatic = rules.removal == "automatic"
    game.rows = len(position.rows)
    cards = position.cards_in_columns + sum(map(len, position.rows))
    game.runs = cards // rules.ranks if cards % rules.ranks == 0 else NO_RUNS
    game.lossless = lossless
    game.wide = wide
    for number, row in enumerate(position.rows):
        game.row_cards[number, : len(row)] = row
    return game


def make_board(position: Position) -> Any:
    """Return the `BOARD` record of a position, not derived, with its own counts right."""
    board = new_record(BOARD)
    for column, (cards, down) in enumerate(zip(position.columns, position.face_down, strict=True)):
        board.cards[column, : len(cards)] = cards
        board.length[column] = len(cards)
        board.down[column] = down
    board.on_table = position.cards_in_columns
    board.empty = sum(not cards for cards in position.columns)
    return board


def decode_move(code: int) -> Move:
    """Return the move that a kernel's code stands for."""
    count = code >> COUNT_SHIFT
    source = code & COLUMN_MASK
    if count == DEAL_COUNT:
        return DEAL
    if count == TAKE_COUNT:
        return take(source)
    return tableau_move(source, code >> TARGET_SHIFT & COLUMN_MASK, count)


class Attempt:
    """A best-first search from a position, run slice by slice.

    `memory` bounds the arrays in bytes; what is allocated while an array is copied to a larger one counts.  Where the
    position is an ending, positions are left that the relaxations of `ending` prove lost.
    """

    def __init__(
        self, position: Position, rules: Rules, member: Member, *, memory: int, ending: Ending = NO_ENDING
    ) -> None:
        self._game = make_game(position, rules, lossless=member.lossless, wide=False)
        self._game.weights[:] = member.weights
        self._board = make_board(position)
        self._face_down = sum(position.face_down)
        self._memory = memory
        search = self._search = new_record(SEARCH)
        search.breadth = member.breadth
        search.sweep = member.sweep
        # All moves and all macros would be too many while rows remain.
        search.macros = member.macros and not (member.lossless and position.rows)
        search.noise = member.noise
        search.noise_seed = member.noise_seed
        stages = len(position.rows) + 1
        levels = self._face_down + 1 + RUN_LEVELS * (0 if self._game.runs == NO_RUNS else int(self._game.runs))
        if self._game.runs == NO_RUNS:
            # Runs may leave all the same, only never all cards.
            levels += RUN_LEVELS * (position.cards_in_columns + sum(map(len, position.rows)) // rules.ranks)
        if is_ending(ending):
            stages = LISTS
            levels += position.cards_in_columns
        self._ending = ending
        self._space = Space(
            states=np.empty((FIRST_STATES, WORDS), np.uint64),
            trail=np.empty((FIRST_STATES, TRAIL_FIELDS), np.int32),
            nodes=np.empty((FIRST_NODES, NODE_FIELDS), np.int32),
            table=new_table(FIRST_TABLE, 1),
            roots=np.full((stages, levels), NONE, np.int32),
        )
        bestfirst.start(self._space, search, ending, self._board, self._game, KEYS)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""
        return int(self._search.expansions)

    @property
    def children(self) -> int:
        """Moves judged."""
        return int(self._search.children)

    @property
    def positions(self) -> int:
        """Different positions met."""
        return int(self._search.key_count)

    @property
    def memory_used(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._space)

    def step(self, limit: int) -> Outcome | None:
        """Search on for one slice, up to `limit` expansions in all; return the outcome once there is one."""
        search = self._search
        until = min(search.expansions + SLICE, limit)
        while True:
            reason = bestfirst.run(self._space, search, self._ending, self._board, self._game, KEYS, until)
            if reason == WON:
                return "win"
            if reason == EXHAUSTED:
                return "exhausted"
            if reason in (STATES_FULL, NODES_FULL, TABLE_FULL):
                if not self._grow(reason):
                    return "memory"
            else:
                return "budget" if search.expansions >= limit else None

    def reach(self) -> Reach:
        """Return how far the most advanced position is."""
        search = self._search
        runs = int(self._space.trail[search.best_state, TRAIL_RUNS])
        level, rows_dealt = divmod(int(search.best_rank), 16)
        return Reach(rows_dealt, runs, self._face_down - (level - RUN_LEVELS * runs))

    def expanded(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Return the packed positions that were expanded, and their entries of the trail."""
        count = int(self._search.state_count)
        return self._space.states[:count], self._space.trail[:count]

    @property
    def winning_state(self) -> int:
        """The expanded position that the winning move leaves from, -1 before there is one."""
        return int(self._search.win_state)

    def line(self) -> Line:
        """Return the winning line, after the outcome was a win."""
        return (*self.line_to(self.winning_state), decode_move(int(self._search.win_move)))

    def line_to(self, state: int) -> Line:
        """Return the moves that lead to an expanded position, given its index."""
        board = self._board
        line: list[Move] = []
        while self._space.trail[state, TRAIL_PARENT] != NONE:
            code = int(self._space.trail[state, TRAIL_MOVE])
            state = int(self._space.trail[state, TRAIL_PARENT])
            if code & MACRO:
                unpack(self._space.states[state], board)
                columns = [cards[:n] for cards, n in zip(board.cards.tolist(), board.length.tolist(), strict=True)]
                moves = unfold(columns[: self._game.columns], board.down.tolist(), int(self._game.ranks), code)
                line += reversed(moves)
            else:
                line.append(decode_move(code))
        return tuple(reversed(line))

    def _grow(self, full: int) -> bool:
        """Double the arrays that are full; return False when the memory does not allow it."""
        grows = {STATES_FULL: ("states", "trail"), NODES_FULL: ("nodes",), TABLE_FULL: ("table",)}[full]
        for name in grows:
            old: NDArray[Any] = getattr(self._space, name)
            # Old and new exist together while one is copied, so the new one comes on top of all.
            if self.memory_used + 2 * old.nbytes > self._memory or 2 * old.shape[0] > MAX_ROWS_OF_ARRAY:
                return False
            if name == "table":
                new = new_table(2 * old.shape[0], 1)
                rehash(old, new)
            else:
                new = np.empty((2 * old.shape[0], old.shape[1]), old.dtype)
                new[: old.shape[0]] = old
            self._space = self._space._replace(**cast("Any", {name: new}))
        return True


def compile_kernels() -> None:
    """Make the machine code of a search, by one on a table of ten kings: what is compiled does not depend on it."""
    Attempt(KINGS, Rules(), MEMBERS[0], memory=64 << 20).step(SLICE)
    rehash(new_table(2, 1), new_table(4, 1))
