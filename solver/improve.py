"""Shorter lines: a line that wins is made shorter for as long as one likes.

Four things are done to the best line so far, again and again::

    loops      a position that comes twice: what lies between is left out
    trimming   moves without which the rest still wins are dropped, see kernel/trim.py
    beams      from the start and from places along the line, ever wider, see kernel/beam.py: they find other lines that
               win, and shortcuts from one position of the line to a later one
    tails      the end of the line becomes a shortest one, by IDA*, as far back as little work proves it

The length of a line is its number of moves, rows and takes included; rows and takes are as many in every line that
wins, so the tableau moves decide.  The result is never longer than what was given, and the referee has replayed it.
It is short, not shortest: nothing here proves that there is no shorter one.

With a budget of work instead of time the same line comes out everywhere.  Importing this module loads no numba.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from solver import referee
from solver.machine_code import load_kernels
from solver.move import Line, Move
from solver.portfolio import BREAKS, TUNED, TUNED_B, TUNED_BEAM, TUNED_QUICK, random_member
from solver.position import Deal, Position
from solver.record import Outcome
from solver.rules import Rules
from solver.search import MIB, PROGRESS_SECONDS, SearchError, memory_of_arrays

if TYPE_CHECKING:
    from solver.beam import Beam, Ground, Trimming

VECTORS = (TUNED_BEAM, BREAKS, TUNED, TUNED_QUICK, TUNED_B)
"""Weights of the beams."""
GIFTS = {1: 3, 2: 1, 3: 1, 4: 1}
"""Links that a dealt row may make by chance, see kernel/beam.py, by the number of suits: with few of them more do.
One suit, ms2001..ms2008, one second: 89.3, 87.6, 88.0 moves and rows with 1, 3, 10; two suits 103.9, 104.3, 104.5."""
FIRST_WIDTH = 100
TAILS = (0.5, 0.25, 0.75)
"""Where along the line beams begin, beside its start."""
FIRST_TAIL = 20
TAIL_STEP = 8
"""Moves that the tail of the next proof is longer."""
TAIL_EXPANSIONS = 12_000
"""Positions that a proof may expand, under a tenth of a second; a longer tail takes several times as many."""
MAX_LENGTH = 1000
"""Longer lines, such as an exhaustive search may find, are only replaced by whole ones of a beam."""
PAIRS_LENGTH = 300
"""Longest line of which pairs of moves are tried, which takes time with the cube of its length."""


@dataclass(frozen=True)
class Improvement:
    """A line that wins, and what it was made from."""

    line: Line
    length_before: int
    """Length of the line that was given."""
    work: int
    """What was spent: positions expanded, and what took as long."""
    seconds: float
    """Wall time; compiling in the first run does not count."""

    @property
    def saved(self) -> int:
        """How many moves the line is shorter."""
        return self.length_before - len(self.line)


@dataclass(frozen=True)
class ImproveProgress:
    """Where an improvement stands."""

    length: int
    """Length of the best line so far."""
    saved: int
    seconds: float


def improve(
    start: Deal | Position,
    line: Line,
    rules: Rules,
    *,
    seconds: float | None = None,
    work: int | None = None,
    memory: int = 1024,
    progress: Callable[[ImproveProgress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Improvement:
    """Make a winning line shorter within a time by `clock`, a budget of work, or both; `memory` in MiB.

    It ends early where wider beams can find nothing more.  `progress` is called about ten times a second, `on_compile`
    once before machine code has to be made.

    Raises `IllegalMove` when the line is not legal, `ValueError` when it does not win or nothing bounds the effort.
    """
    if seconds is None and work is None:
        raise ValueError("neither seconds nor work is given: an improvement has no end of its own")
    position = start.position() if isinstance(start, Deal) else start
    if not referee.replay(position, line, rules).is_won:
        raise ValueError("the line does not win: cards are left at its end")
    if not line:
        return Improvement((), 0, 0, 0.0)
    load_kernels("beam", "deepening", on_compile=on_compile)
    effort = _Effort(seconds, work, clock)
    improving = _Improving(position, line, rules, effort, memory_of_arrays(memory) * MIB, progress)
    improving.run()
    return Improvement(improving.line, len(line), effort.spent, effort.seconds)


@dataclass
class _Effort:
    """What may be spent, and what was."""

    limit_seconds: float | None
    limit_work: int | None
    clock: Callable[[], float]
    spent: int = 0
    begun: float = 0.0

    def __post_init__(self) -> None:
        self.begun = self.clock()

    @property
    def seconds(self) -> float:
        return self.clock() - self.begun

    @property
    def work_left(self) -> int:
        return 1 << 62 if self.limit_work is None else self.limit_work - self.spent

    @property
    def is_spent(self) -> bool:
        return self.work_left <= 0 or (self.limit_seconds is not None and self.seconds >= self.limit_seconds)


@dataclass
class _Improving:
    """One improvement while it runs."""

    start: Position
    line: Line
    rules: Rules
    effort: _Effort
    memory: int
    progress: Callable[[ImproveProgress], None] | None
    length_before: int = 0
    reported: float = 0.0
    widest: int = 1 << 62
    """Width that the memory allows, as far as is known."""
    gifts: int = 0
    left_out: bool = False
    """Whether the last beam did not look at all that its bound allows."""
    tail_of: Line = ()
    """The line whose tail was last looked at."""
    positions: list[Position] = field(default_factory=list)
    """Those along the line, start and end included; of a line that is too long only the start."""

    def __post_init__(self) -> None:
        from solver.beam import Ground

        self.ground: Ground = Ground(self.start, self.rules)
        self.length_before = len(self.line)
        self.gifts = GIFTS[self.rules.suits]
        self._adopt(self.line)

    def run(self) -> None:
        """Shorten the line until the effort is spent or wider beams are pointless."""
        self._polish(pairs=False)
        for round_number in count():
            width = min(FIRST_WIDTH << round_number, self.widest)
            exhausted = True
            for weights in self._vectors(round_number):
                for part in (0.0, *TAILS):
                    if self.effort.is_spent:
                        return
                    if self._beam(int(part * len(self.line)), width, weights):
                        self._polish(pairs=True)
                        exhausted = False
                    elif part == 0 and self.left_out:
                        exhausted = False
                self._shorten_tail()
            if exhausted and self.gifts >= self.rules.columns:
                return
            if exhausted:
                # The bound may have cut off what a row makes possible: once more, with no more than what is sure.
                self.gifts = self.rules.columns

    def _vectors(self, round_number: int) -> Iterator[Sequence[int]]:
        """Yield the weights of a round; when beams cannot get wider, other ones every time."""
        if FIRST_WIDTH << round_number <= self.widest:
            yield from VECTORS
        else:
            yield from (random_member(round_number, number).weights for number in range(1, len(VECTORS) + 1))

    def _polish(self, *, pairs: bool) -> None:
        """Cut loops and drop moves until nothing changes."""
        from solver.beam import Trimming

        if len(self.line) > MAX_LENGTH:
            return
        self._cut_loops()
        trimming: Trimming = Trimming(self.ground, self.line, pairs=pairs and len(self.line) <= PAIRS_LENGTH)
        before = 0
        for _ in trimming.steps():
            self.effort.spent += trimming.work - before
            before = trimming.work
            self._report()
            if self.effort.is_spent:
                break
        if len(trimming.line) < len(self.line):
            self._adopt(trimming.line)
            self._cut_loops()

    def _cut_loops(self) -> None:
        """Leave out what lies between a position and its return."""
        place = 0
        while place < len(self.line):
            keys = self.keys.tolist()
            last = {key: index for index, key in enumerate(keys)}
            place = next((index for index in range(place, len(keys)) if last[keys[index]] > index), len(keys))
            if place < len(keys):
                self._adopt(self._joined(place, (), last[keys[place]]))

    def _beam(self, place: int, width: int, weights: Sequence[int]) -> bool:
        """Search from a place in the line; return whether the line became shorter."""
        from solver.beam import Beam

        length = len(self.line)
        whole = length > MAX_LENGTH
        if whole:
            place = 0
        bound = min(length, MAX_LENGTH + 1) - place - 1
        self.left_out = False
        # A beam costs one at least, so that a budget of work comes to its end.
        self.effort.spent += 1
        if bound < 1:
            return False
        beam: Beam = Beam(
            self.ground,
            self.positions[place],
            weights,
            width=width,
            bound=bound,
            memory=self.memory,
            gifts=self.gifts,
            goals=None if whole else self.keys,
            place=place,
        )
        most = self.effort.work_left
        before = 0
        end = None
        while end is None and not self.effort.is_spent:
            end = beam.step(most)
            self.effort.spent += beam.expansions - before
            before = beam.expansions
            self._report()
        self.left_out = beam.dropped or end != "empty"
        if end == "memory":
            self.widest = max(width // 2, 1)
        found = []
        if end == "win":
            found.append((*self.line[:place], *beam.line()))
        shortcut = beam.shortcut()
        if shortcut is not None:
            found.append(self._joined(place, *shortcut))
        best = min(found, key=len, default=self.line)
        if len(best) >= length:
            return False
        self._adopt(best)
        return True

    def _shorten_tail(self) -> None:
        """Make the end of the line a shortest one, the stock being empty: while rows remain a proof takes too long."""
        from solver.deepening import Deepening

        if self.line == self.tail_of or len(self.line) > MAX_LENGTH:
            return
        tail = min(FIRST_TAIL, len(self.line))
        outcome: Outcome | None = "exhausted"
        while outcome is not None and not self.effort.is_spent:
            place = len(self.line) - tail
            if self.positions[place].rows:
                break
            search: Deepening = Deepening(self.positions[place], self.rules, below=tail, memory=self.memory)
            most = min(TAIL_EXPANSIONS, self.effort.work_left)
            outcome = None
            while outcome is None and search.expansions < most and not self.effort.is_spent:
                outcome = search.step()
                self._report()
            self.effort.spent += search.expansions
            if outcome == "win":
                self._adopt((*self.line[:place], *search.line()))
            if place == 0:
                break
            tail = min(len(self.line) - place + TAIL_STEP, len(self.line))
        self.tail_of = self.line

    def _joined(self, place: int, moves: Line, later: int) -> Line:
        """Return the line with other moves from one place to a later one."""
        position = self.positions[place]
        for move in moves:
            position = referee.apply(position, move, self.rules)
        return (*self.line[:place], *moves, *renamed(self.line[later:], self.positions[later], position))

    def _adopt(self, line: Line) -> None:
        """Make a line the best, after the referee has replayed it."""
        positions = [self.start]
        position = self.start
        try:
            for move in line:
                position = referee.apply(position, move, self.rules)
                if len(line) <= MAX_LENGTH:
                    positions.append(position)
        except referee.IllegalMove as error:
            raise SearchError(f"the referee refuses a line that was made shorter: {error}") from error
        if not position.is_won:
            raise SearchError("the referee replayed a line that was made shorter, and cards are left at its end")
        self.line = line
        self.positions = positions
        self.keys = self.ground.keys(line)

    def _report(self) -> None:
        seconds = self.effort.seconds
        if self.progress is not None and seconds - self.reported >= PROGRESS_SECONDS:
            self.reported = seconds
            self.progress(ImproveProgress(len(self.line), self.length_before - len(self.line), seconds))


def renamed(line: Line, old: Position, new: Position) -> Line:
    """Return a line played from `old` as it goes from `new`, the same position with its columns in another order."""
    name = dict(zip(_order(old), _order(new), strict=True))
    if all(a == b for a, b in name.items()):
        return line
    return tuple(Move(move.kind, name.get(move.source, -1), name.get(move.target, -1), move.count) for move in line)


def _order(position: Position) -> list[int]:
    """Return the columns sorted by what they hold; equal ones stay in order."""
    columns = range(len(position.columns))
    return sorted(columns, key=lambda column: (position.columns[column], position.face_down[column]))
