"""Beams, from a deal or along a winning line, and the dropping of moves: the Python side of kernel/beam.py and trim.py.

Like `solver.attempt` it imports numba and is loaded when it is first needed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from solver.attempt import KEYS, KINGS, decode_move, make_board, make_game
from solver.kernel import beam as kernel
from solver.kernel import trim
from solver.kernel.beam import (
    BEAM,
    CANDIDATE_FIELDS,
    ENTRY_FIELDS,
    ENTRY_LEVEL,
    ENTRY_RUNS,
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
from solver.kernel.layout import COLUMNS, WEIGHTS, WORDS, I64Array, U64Array, new_record
from solver.kernel.moves import COUNT_SHIFT, DEAL_COUNT, MAX_MOVES, RUN_LEVELS, TAKE_COUNT, TARGET_SHIFT
from solver.kernel.table import new_table, rehash
from solver.kernel.trim import COUNTS, MAX_CARDS, Pile, Script
from solver.move import Line, Move
from solver.portfolio import TUNED, Member
from solver.position import Position
from solver.record import Outcome, Reach
from solver.rules import Rules

End: TypeAlias = Literal["win", "empty", "budget", "memory"]
"""A win; no position left within the bound; the expansions spent; the memory full."""

SLICE = 8192
"""Expansions between two looks at the clock, some 20 ms."""
FIRST_TABLE = 1 << 14
assert 2 * (1 + MAX_MOVES) <= FIRST_TABLE
MOST_MOVES = 600
"""Bound of the lines of a beam that is a member of the portfolio: more than any that one has found."""
NO_WEIGHTS = (0,) * WEIGHTS
TRIM_SLICE = 400_000
"""Moves replayed between two looks at the clock, some 20 ms."""
REPLAYED_MOVES = 80
"""Moves that the trimming replays in the time of one expansion, for budgets of work."""


def encode_move(move: Move) -> int:
    """Return the kernel's code of a move."""
    if move.kind == "deal":
        return DEAL_COUNT << COUNT_SHIFT
    if move.kind == "take":
        return TAKE_COUNT << COUNT_SHIFT | move.source
    return move.count << COUNT_SHIFT | move.target << TARGET_SHIFT | move.source


class Ground:
    """What all searches along one line share: the game from the position in which the line starts.

    Positions later in the line are searched as that game goes on, so that keys mean the same everywhere.
    """

    def __init__(self, position: Position, rules: Rules) -> None:
        self.start = position
        self.rules = rules

    def game(self, weights: Sequence[int] = NO_WEIGHTS) -> Any:
        """Return the record of the game, for one search."""
        game = make_game(self.start, self.rules, lossless=False, wide=False)
        game.weights[:] = weights
        return game

    def board(self, position: Position) -> Any:
        """Return the record of a position that the start leads to."""
        board = make_board(position)
        board.stage = len(self.start.rows) - len(position.rows)
        board.runs = len(position.completed) - len(self.start.completed)
        return board

    def keys(self, line: Line) -> U64Array:
        """Return the keys of the positions of a legal line, (length + 1,) uint64."""
        keys = np.empty(len(line) + 1, np.uint64)
        kernel.line_keys(self.board(self.start), self.game(), KEYS, _codes(line), keys)
        return keys


class Beam:
    """One beam, from a position that the start of the ground leads to.

    `width` positions a stage are kept, and a line has `bound` moves at most.  `memory` bounds the arrays in bytes, what
    is allocated while an array is copied to a larger one included.  `goals` are the keys of a known line, of which the
    position is at `place`.
    """

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
        goals: U64Array | None = None,
        place: int = 0,
    ) -> None:
        self._game = ground.game(weights)
        self._board = ground.board(position)
        self._memory = memory
        self._face_down = sum(position.face_down)
        self._reach = Reach(0, 0, self._face_down)
        beam = self._beam = new_record(BEAM)
        beam.width = width
        beam.bound = bound
        beam.gifts = gifts
        beam.root_place = place
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
        if goals is not None:
            if len(goals) > MAX_GOALS:
                raise ValueError(f"{len(goals)} positions of a line: a beam has room for {MAX_GOALS}")
            for number, key in enumerate(goals):
                kernel.add_goal(self._layers.goal_keys, self._layers.goal_places, key, number)
        kernel.begin(self._layers, beam, self._board, self._game, KEYS)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""
        return int(self._beam.expansions)

    @property
    def children(self) -> int:
        """Moves judged."""
        return int(self._beam.children)

    @property
    def positions(self) -> int:
        """Different positions met."""
        return int(self._beam.key_count)

    @property
    def dropped(self) -> bool:
        """Whether positions were left out because others were better."""
        return bool(self._beam.dropped > 0)

    @property
    def memory_used(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._layers)

    def step(self, limit: int) -> End | None:
        """Search on for one slice, up to `limit` expansions in all; return how it ended once it did."""
        beam = self._beam
        if self.memory_used > self._memory:
            return "memory"
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
        """Return the winning moves from the position, after the end was a win."""
        return self._line(int(self._beam.win_trail), int(self._beam.win_move))

    def reach(self) -> Reach:
        """Return how far the position of the highest level in the last finished layer is."""
        counts = self._layers.counts[self._beam.depth & 1]
        for stage in reversed(range(len(counts))):
            if counts[stage] > 0:
                first = stage * self._beam.width
                entries = self._layers.entries[self._beam.depth & 1, first : first + counts[stage]]
                best = entries[entries[:, ENTRY_LEVEL].argmax()]
                runs = int(best[ENTRY_RUNS])
                self._reach = Reach(stage, runs, self._face_down - (int(best[ENTRY_LEVEL]) - RUN_LEVELS * runs))
                break
        return self._reach

    def shortcut(self) -> tuple[Line, int] | None:
        """Return the moves to a later position of the known line and its place there, if that saves moves.

        Once the stock is empty the position may have its columns in another order.
        """
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


class BeamAttempt:
    """A try of a member that is a beam, from a position; `memory` bounds the arrays in bytes."""

    def __init__(self, position: Position, rules: Rules, member: Member, *, memory: int) -> None:
        ground = Ground(position, rules)
        self._beam = Beam(ground, position, member.weights, width=member.width, bound=MOST_MOVES, memory=memory)

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""
        return self._beam.expansions

    @property
    def children(self) -> int:
        """Moves judged."""
        return self._beam.children

    @property
    def positions(self) -> int:
        """Different positions met."""
        return self._beam.positions

    def step(self, limit: int) -> Outcome | None:
        """Search on for one slice; return the outcome once there is one.

        A beam that has no position left has left positions out, so that nothing follows: its budget is spent.
        """
        end = self._beam.step(limit)
        return "budget" if end == "empty" else end

    def reach(self) -> Reach:
        """Return how far the most advanced position of the present layer is."""
        return self._beam.reach()

    def line(self) -> Line:
        """Return the winning line, after the outcome was a win."""
        return self._beam.line()


class Trimming:
    """The dropping of needless moves from a winning line, slice by slice; `line` is the best so far.

    First single moves are tried until none can be spared, then, if `pairs` says so, pairs of them.
    """

    def __init__(self, ground: Ground, line: Line, *, pairs: bool) -> None:
        self._game = ground.game()
        self._root = new_pile()
        self._pile = new_pile()
        trim.set_up(self._root, ground.board(ground.start), self._game)
        self._pairs = pairs
        self._moves = _codes(line)
        self.work = 0
        """Moves replayed, in expansions of equal time."""

    @property
    def line(self) -> Line:
        """The line as it is now."""
        return tuple(decode_move(int(code)) for code in self._moves)

    def steps(self) -> Iterator[None]:
        """Drop moves; yields between slices."""
        yield from self._pass(pairs=False)
        if self._pairs:
            # What a pair makes possible single moves exploit, so they are tried again after each success.
            while (yield from self._pass(pairs=True)):
                yield from self._pass(pairs=False)

    def _pass(self, *, pairs: bool) -> Generator[None, None, bool]:
        """Try every move once after the last success (single moves), or up to the first (pairs); return whether any."""
        script = self._script()
        first = untried = len(self._moves)
        success = False
        while untried > 0:
            length = len(self._moves)
            if first >= length:
                first = 0
            trials = length if pairs else 2
            last = min(first + max(TRIM_SLICE // (length * trials), 1), length)
            moves = np.empty(length, np.int64)
            count = trim.shorten(script, length, self._pile, self._root, self._game, first, last, pairs, moves)
            self.work += 1 + (last - first) * trials * length // (2 * REPLAYED_MOVES)
            if count > 0:
                success = True
                self._moves = moves[:count]
                script = self._script()
                if pairs:
                    return True
                untried = count
            else:
                untried -= last - first
                first = last
            yield
        return success

    def _script(self) -> Script:
        length = len(self._moves)
        script = Script(*(np.empty(length, np.int64) for _ in Script._fields))
        trim.read(script, self._pile, self._root, self._game, self._moves, length)
        return script


def new_pile() -> Pile:
    """Return an empty table of told-apart cards."""
    return Pile(
        codes=np.zeros(MAX_CARDS, np.int8),
        cards=np.zeros((COLUMNS, MAX_CARDS), np.int64),
        length=np.zeros(COLUMNS, np.int64),
        down=np.zeros(COLUMNS, np.int64),
        column=np.zeros(MAX_CARDS, np.int64),
        counts=np.zeros(COUNTS, np.int64),
    )


def _codes(line: Line) -> I64Array:
    return np.array([encode_move(move) for move in line], np.int64)


def compile_kernels() -> None:
    """Make the machine code of beams and of trimming: what is compiled does not depend on the position."""
    ground = Ground(KINGS, Rules())
    line = (Move("move", 0, 1, 1),)
    Beam(ground, KINGS, TUNED, width=1, bound=2, memory=1 << 20, goals=ground.keys(())).step(1)
    for _ in Trimming(ground, line, pairs=True).steps():
        pass
    rehash(new_table(2, 1), new_table(4, 1))
