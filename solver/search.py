"""Solve: budgets, restarts, verdicts.

A solve tries the members of the portfolio in turn until one wins or the budget is spent.  Three verdicts, never merged:

``win``      a line was found, and the referee replayed it from the start under the stated rules
``loss``     a search over the lossless move list was exhausted, or the rules end the game at once
``timeout``  the time, the expansions or the memory were spent first; this says nothing about the deal

An exhausted *reduced* search proves nothing, but says that the space is small: the lossless list is searched then,
with 128-bit keys.  Importing this module loads no numba; the first search does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from solver import referee
from solver.move import Line
from solver.portfolio import MEMBERS, Member, members
from solver.position import Deal, Position, check_position, stage_of
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.attempt import Attempt as KernelAttempt

Verdict: TypeAlias = Literal["win", "loss", "timeout"]

BASE_MEMORY = 192
"""MiB that Python, numpy, numba and the machine code take before a search allocates anything."""
MIN_MEMORY = BASE_MEMORY + 16
"""MiB of the smallest budget: a search that outgrows the rest at once would decide nothing."""
MIB = 1 << 20
PROGRESS_SECONDS = 0.1
KEY_BITS = 128
"""Width of the keys in a search that may end as a proof."""


class BudgetError(ValueError):
    """A budget that no search can keep."""


class SearchError(RuntimeError):
    """The kernels and the referee disagree: a fault of this program, never of the input."""


@dataclass(frozen=True)
class Budget:
    """What a solve may spend.  Raises `BudgetError` when a figure is not possible."""

    seconds: float = 60.0
    """Wall time."""
    memory: int = 1024
    """MiB of the whole process, `MIN_MEMORY` at least."""
    expansions: int | None = None
    """Positions expanded in all tries together; a limit that, unlike time, gives the same result everywhere."""
    seed: int = 0
    """What the random members are drawn from."""

    def __post_init__(self) -> None:
        if not 0 < self.seconds < float("inf"):
            raise BudgetError(f"seconds is {self.seconds}: it must be positive")
        if self.memory < MIN_MEMORY:
            raise BudgetError(
                f"memory is {self.memory} MiB: Python and the compiled kernels take {BASE_MEMORY} of them, "
                f"so give {MIN_MEMORY} at least"
            )
        if self.expansions is not None and self.expansions <= 0:
            raise BudgetError(f"expansions is {self.expansions}: it must be positive")


@dataclass(frozen=True)
class Progress:
    """Where a solve stands; the last three describe the most advanced position of the present try."""

    tries: int
    expansions: int
    children: int
    rows_dealt: int
    runs_removed: int
    face_down: int
    seconds: float


@dataclass(frozen=True)
class Attempt:
    """One try of a solve, for the record."""

    name: str
    """Member, and ``lossless`` when every move that matters was considered."""
    outcome: str
    """``win``, ``exhausted``, ``budget`` or ``memory``."""
    expansions: int
    children: int
    positions: int
    """Different positions met."""
    seconds: float


@dataclass(frozen=True)
class Solution:
    """The answer to one question, with the rules it holds under."""

    verdict: Verdict
    line: Line
    """The moves that win; empty unless the verdict is ``win``."""
    rules: Rules
    reason: str
    """One sentence: what the verdict rests on."""
    moves: int
    """Tableau moves of the line."""
    rows_dealt: int
    runs_removed: int
    expansions: int
    children: int
    attempts: tuple[Attempt, ...]
    seconds: float
    """Wall time."""
    cpu_seconds: float

    @property
    def tries(self) -> int:
        """How many searches it took."""
        return len(self.attempts)


def solve(
    start: Deal | Position,
    rules: Rules,
    budget: Budget | None = None,
    *,
    loose: bool = False,
    progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> Solution:
    """Find a winning line of a deal or of a position in mid-game, or prove that there is none.

    `loose` accepts positions whose cards are no full pack.  `progress` is called about ten times a second,
    `on_compile` once before machine code has to be made, which takes some seconds.

    Raises `PositionError` when the position cannot occur under the rules.
    """
    position = start.position() if isinstance(start, Deal) else start
    check_position(position, rules, loose=loose)
    return _Solve(position, rules, budget or Budget(), progress, on_compile).run()


@dataclass
class _Solve:
    """One solve while it runs."""

    position: Position
    rules: Rules
    budget: Budget
    progress: Callable[[Progress], None] | None
    on_compile: Callable[[], None] | None
    attempts: list[Attempt] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)
    cpu_started: float = field(default_factory=time.process_time)
    reported: float = 0.0

    def run(self) -> Solution:
        if self.position.is_won:
            return self._solution("win", (), "no card is left")
        dead = referee.is_dead(self.position, self.rules)
        if dead is not None:
            return self._solution("loss", (), dead)
        for member, lossless in self._plan():
            line = self._try(member, lossless=lossless)
            if line is not None:
                return self._win(line)
            if self.attempts[-1].outcome == "exhausted" and lossless:
                return self._solution("loss", (), self._proof())
            if self._is_spent():
                break
        return self._solution("timeout", (), self._why_timeout())

    def _plan(self) -> Iterator[tuple[Member, bool]]:
        """Yield what to try next, each member with whether to search the lossless list."""
        # Without rows the two lists are one under automatic removal, so the first try may end as a proof.
        same_lists = not self.position.rows and self.rules.removal == "automatic"
        for number, member in enumerate(members(self.budget.seed)):
            lossless = same_lists and number == 0
            yield member, lossless
            if self.attempts[-1].outcome == "exhausted" and not lossless:
                # The other members would exhaust the same list.
                yield MEMBERS[0], True
                return

    def _try(self, member: Member, *, lossless: bool) -> Line | None:
        """Run one try and record it; return its line if it won."""
        from solver.kernel import cache

        folder = cache.import_kernels()
        compiled = cache.is_compiled(folder)
        if not compiled and not self.attempts and self.on_compile is not None:
            self.on_compile()
        from solver.attempt import Attempt as KernelAttempt

        exhaustive = lossless and bool(self.attempts)
        spent = sum(attempt.expansions for attempt in self.attempts)
        limit = 1 << 62 if exhaustive else member.expansions
        if self.budget.expansions is not None:
            limit = min(limit, self.budget.expansions - spent)
        begun = time.perf_counter()
        attempt = KernelAttempt(
            self.position,
            self.rules,
            member,
            lossless=lossless,
            wide=lossless,
            memory=(self.budget.memory - BASE_MEMORY) * MIB,
        )
        outcome = None
        while outcome is None:
            outcome = attempt.step(limit)
            if outcome is None and self._seconds() >= self.budget.seconds:
                outcome = "budget"
            self._report(attempt)
        self.attempts.append(
            Attempt(
                f"{member.name} lossless" if lossless else member.name,
                outcome,
                attempt.expansions,
                attempt.children,
                attempt.positions,
                time.perf_counter() - begun,
            )
        )
        if not compiled:
            cache.mark_compiled(folder)
        return attempt.line() if outcome == "win" else None

    def _report(self, attempt: KernelAttempt) -> None:
        now = self._seconds()
        if self.progress is None or now - self.reported < PROGRESS_SECONDS:
            return
        self.reported = now
        reach = attempt.reach()
        self.progress(
            Progress(
                tries=len(self.attempts) + 1,
                expansions=sum(done.expansions for done in self.attempts) + attempt.expansions,
                children=sum(done.children for done in self.attempts) + attempt.children,
                rows_dealt=stage_of(self.position, self.rules) + reach.rows_dealt,
                runs_removed=len(self.position.completed) + reach.runs_removed,
                face_down=reach.face_down,
                seconds=now,
            )
        )

    def _win(self, line: Line) -> Solution:
        try:
            final = referee.replay(self.position, line, self.rules)
        except referee.IllegalMove as error:
            raise SearchError(f"the referee refuses a line that the search found: {error}") from error
        if not final.is_won:
            raise SearchError("the referee replayed a line that the search found, and cards are left at its end")
        return self._solution("win", line, "the referee replayed the line to its end")

    def _proof(self) -> str:
        positions = self.attempts[-1].positions
        return f"all {positions:,} positions that can be reached were searched ({KEY_BITS}-bit keys), none is won"

    def _is_spent(self) -> bool:
        spent = sum(attempt.expansions for attempt in self.attempts)
        return self._seconds() >= self.budget.seconds or (
            self.budget.expansions is not None and spent >= self.budget.expansions
        )

    def _why_timeout(self) -> str:
        last = self.attempts[-1]
        if last.outcome == "memory":
            return f"the memory of {self.budget.memory} MiB was full; this does not mean lost"
        return "the budget was spent before a win was found or a loss was proved; this does not mean lost"

    def _solution(self, verdict: Verdict, line: Line, reason: str) -> Solution:
        counts = referee.count_line(self.position, line, self.rules)
        return Solution(
            verdict=verdict,
            line=line,
            rules=self.rules,
            reason=reason,
            moves=counts.tableau_moves,
            rows_dealt=counts.rows_dealt,
            runs_removed=counts.runs_removed,
            expansions=sum(attempt.expansions for attempt in self.attempts),
            children=sum(attempt.children for attempt in self.attempts),
            attempts=tuple(self.attempts),
            seconds=self._seconds(),
            cpu_seconds=time.process_time() - self.cpu_started,
        )

    def _seconds(self) -> float:
        return time.perf_counter() - self.started
