"""Solve: budgets, restarts, verdicts.

A solve tries the members of the portfolio in turn until one wins or the budget is spent.  Three verdicts, never merged:

``win``      a line was found, and the referee replayed it from the start under the stated rules
``loss``     a search over the lossless move list was exhausted, or the rules end the game at once, or what can ever
             move was bounded and does not suffice (blockade.py)
``timeout``  the time, the expansions or the memory were spent first; this says nothing about the deal

With ``jobs`` above 1 the first member has its try alone, for most deals need no more, and the rest race in processes.
An exhausted *reduced* search proves nothing, but says that the space is small: the lossless list is searched then, and
what the best-first search does not win an exhaustive one decides, with 128-bit keys.  Importing this module loads no
numba; the first search does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from solver import referee
from solver.blockade import Blockade, find_blockade
from solver.machine_code import load_kernels
from solver.move import Line
from solver.portfolio import MEMBERS, Member, ending_members, members
from solver.position import Deal, Position, check_position, stage_of
from solver.record import BLOCKADE, EXHAUSTIVE, PROOF_KEY_BITS, Attempt, Outcome, Reach
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.exhaustion import Exhaustion
    from solver.kernel.endings import Ending

Verdict: TypeAlias = Literal["win", "loss", "timeout"]

BASE_MEMORY = 240
"""MiB that Python, numpy, numba and the machine code take before a search allocates anything."""
COMPILER_MEMORY = 112
"""MiB more in the process that compiled the kernels."""
SEARCH_MEMORY = 16
"""MiB that a search gets at least: one that outgrows it at once would decide nothing."""
MIN_MEMORY = BASE_MEMORY + SEARCH_MEMORY
"""MiB of the smallest budget; a first run, which compiles, needs `COMPILER_MEMORY` more."""
MIB = 1 << 20
PROGRESS_SECONDS = 0.1
FIRST_PROOF = 2_000
"""Positions that the exhaustive search of an ending looks at before the first try: most losses need no more."""
PROOF_SHARE = 4
"""Later it meets a position for so many that members expand, in some twentieth of the time."""
SHORT_LINE = 2_000
"""Moves of a line of the exhaustive search that is told at once."""
LONG_LINE_EXPANSIONS = 1_000_000
"""Expansions of the members after which a longer one is."""
LOSSLESS_EXPANSIONS = 200_000
"""Budget of the best-first search over all moves that matter, before everything is searched."""


class BudgetError(ValueError):
    """A budget that no search can keep."""


class SearchError(RuntimeError):
    """The kernels and the referee disagree: a fault of this program, never of the input."""


@dataclass(frozen=True)
class Budget:
    """What a solve may spend.  Raises `BudgetError` when a figure is not possible."""

    seconds: float = 60.0
    """Wall time; compiling in the first run does not count."""
    memory: int = 1024
    """MiB of all processes together, `MIN_MEMORY` at least for each."""
    expansions: int | None = None
    """Positions expanded in all tries together; a limit that, unlike time, gives the same result everywhere."""
    seed: int = 0
    """What the random members are drawn from."""
    jobs: int = 1
    """Processes that search one deal; the result is deterministic with 1 only."""

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise BudgetError(f"jobs is {self.jobs}: it must be positive")
        if not 0 < self.seconds < float("inf"):
            raise BudgetError(f"seconds is {self.seconds}: it must be positive")
        processes = 1 if self.jobs == 1 else self.jobs + 1
        if self.memory < MIN_MEMORY * processes:
            each = "" if processes == 1 else f" in each of {processes} processes"
            raise BudgetError(
                f"memory is {self.memory} MiB: Python and the compiled kernels take {BASE_MEMORY} of them{each}, "
                f"so give {MIN_MEMORY * processes} at least"
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
    """Wall time; compiling in the first run does not count."""
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
    prove: bool = False,
    progress: Callable[[Progress], None] | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> Solution:
    """Find a winning line of a deal or of a position in mid-game, or prove that there is none.

    `loose` accepts positions whose cards are no full pack.  `prove` gives all but the first try to the search for a
    proof, which otherwise begins only when a try has exhausted its moves.  `progress` is called about ten times a
    second, `on_attempt` when a try has ended, `on_compile` once before machine code has to be made, which takes some
    seconds.

    Raises `PositionError` when the position cannot occur under the rules.
    """
    position = start.position() if isinstance(start, Deal) else start
    check_position(position, rules, loose=loose)
    return _Solve(position, rules, budget or Budget(), prove, progress, on_attempt, on_compile).run()


def memory_of_arrays(memory: int, processes: int = 1) -> int:
    """Return the MiB that a search in each of so many processes may take of a budget; imports the kernels' cache."""
    from solver.kernel import cache

    left = memory - (COMPILER_MEMORY if cache.compiled_here() else 0)
    return max(left // processes - BASE_MEMORY, SEARCH_MEMORY)


def replay_win(position: Position, line: Line, rules: Rules) -> Position:
    """Have the referee replay a line that a search found; return the position at its end.

    Raises `SearchError` when the referee refuses the line or cards are left.
    """
    try:
        final = referee.replay(position, line, rules)
    except referee.IllegalMove as error:
        raise SearchError(f"the referee refuses a line that the search found: {error}") from error
    if not final.is_won:
        raise SearchError("the referee replayed a line that the search found, and cards are left at its end")
    return final


@dataclass
class _Solve:
    """One solve while it runs."""

    position: Position
    rules: Rules
    budget: Budget
    prove: bool
    progress: Callable[[Progress], None] | None
    on_attempt: Callable[[Attempt], None] | None
    on_compile: Callable[[], None] | None
    attempts: list[Attempt] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)
    cpu_started: float = field(default_factory=time.process_time)
    search_started: float = 0.0
    """When the budget of time began: loading and compiling the kernels is not the deal's fault."""
    workers_cpu: float = 0.0
    reported: float = 0.0
    proof: Exhaustion | None = None
    """The exhaustive search while it runs, or waits for a member."""
    proof_outcome: Outcome | None = None
    proof_seconds: float = 0.0
    blockade: Blockade | None = None
    ending: Ending | None = None

    def run(self) -> Solution:
        if self.position.is_won:
            return self._solution("win", (), "no card is left")
        dead = referee.is_dead(self.position, self.rules)
        if dead is not None:
            return self._solution("loss", (), dead)
        self._load_kernels()
        line = self._search()
        if line is not None:
            return self._win(line)
        if self.attempts[-1].is_proof:
            return self._solution("loss", (), self._proof())
        return self._solution("timeout", (), self._why_timeout())

    def _search(self) -> Line | None:
        """Try members until one wins, the space is exhausted or the budget is spent."""
        if self.position.rows:
            portfolio = members(self.budget.seed)
        else:
            portfolio = ending_members(self.budget.seed)
            self._begin_proof()
            if self._advance_proof(FIRST_PROOF) in ("exhausted", "budget"):
                return None
        if self.prove and self._is_blocked():
            return None
        line = self._try(next(portfolio))
        # Few deals are blocked, and most of the rest are won at once: they need not wait for this.  Where the moves
        # ran dry an exhaustive search will do, whose proof is the plainer one.
        if line is None and not self.prove and self.attempts[-1].outcome != "exhausted" and self._is_blocked():
            return None
        if line is None and self.budget.jobs > 1 and not self._is_over():
            line = self._race(portfolio)
        while line is None and not self._is_over():
            # An ending may be lost, and then no member ever ends.
            if self.proof is not None and self._advance_proof(self._share_of_proof()) in ("exhausted", "budget"):
                return None
            if self._should_take_long_line():
                break
            if not self._is_spent():
                line = self._try(self._next_member(portfolio))
        if line is None and not self._is_spent() and not self._has_exhausted(lossless=True):
            # The best-first search first: should there be a win after all, its line is the shorter by far.
            line = self._try(replace(MEMBERS[0], expansions=LOSSLESS_EXPANSIONS, lossless=True, macros=False))
        if line is None and not self._is_spent():
            line = self._exhaust()
        if line is None and self.proof is not None and self.proof_outcome == "win":
            line = self.proof.line()
        self._end_proof()
        return line

    def _is_blocked(self) -> bool:
        """Whether it is easily seen that no run can ever be completed; record the proof if so."""
        begun = time.perf_counter()
        self.blockade = find_blockade(self.position, self.rules)
        if self.blockade is not None:
            self._end_proof()
            self._record(Attempt(BLOCKADE, True, "exhausted", 0, 0, 0, time.perf_counter() - begun))
        return self.blockade is not None

    def _share_of_proof(self) -> int:
        """Return how many positions the proof of an ending may meet by now.

        Few endings that are not lost at once are proved lost later, so members have most of the time.
        """
        return self._spent_by_members() // PROOF_SHARE

    def _should_take_long_line(self) -> bool:
        """Whether the exhaustive search has won, and members had their chance to win in fewer moves."""
        if self.proof is None or self.proof_outcome != "win":
            return False
        return self.proof.line_length <= SHORT_LINE or self._spent_by_members() >= LONG_LINE_EXPANSIONS

    def _is_over(self) -> bool:
        """Whether further members are pointless: their list exhausted, a proof wanted, or the budget spent."""
        # An ending has members for either list.
        exhausted = self._has_exhausted(lossless=not self.position.rows)
        return self.prove or exhausted or self._is_spent()

    def _has_exhausted(self, *, lossless: bool) -> bool:
        """Whether a member has exhausted its list, or a lossless one."""
        return any(tried.outcome == "exhausted" and (tried.lossless or not lossless) for tried in self.attempts)

    def _next_member(self, portfolio: Iterator[Member]) -> Member:
        """Return the next member whose list is not exhausted."""
        exhausted = self._has_exhausted(lossless=False)
        return next(member for member in portfolio if member.lossless or not exhausted)

    def _load_kernels(self) -> None:
        load_kernels("search", on_compile=self.on_compile)
        self.search_started = time.perf_counter()

    def _load_beams(self) -> None:
        """Load what only hard positions need; the time is not theirs either."""
        begun = time.perf_counter()
        load_kernels("beam", on_compile=self.on_compile)
        self.search_started += time.perf_counter() - begun

    def _memory(self, processes: int = 1) -> int:
        """Return the bytes that a search in each of so many processes may take."""
        memory = memory_of_arrays(self.budget.memory, processes) * MIB
        if processes > 1 or self.position.rows:
            return memory
        # The proof of an ending keeps its table while members search.
        from solver.ending import memory_used

        return (memory - memory_used(self._ending())) // 2

    def _ending(self) -> Ending:
        """Return what the searches of an ending share."""
        from solver.ending import make_ending

        if self.ending is None:
            self.ending = make_ending(self.position, self.rules, memory=memory_of_arrays(self.budget.memory) * MIB)
        return self.ending

    def _try(self, member: Member) -> Line | None:
        """Run one try and record it; return its line if it won."""
        if member.width > 0:
            self._load_beams()
        from solver.tries import begin_try

        until = member.expansions
        if self.budget.expansions is not None:
            until = min(until, self.budget.expansions - self._spent())
        begun = time.perf_counter()
        attempt = begin_try(self.position, self.rules, member, memory=self._memory(), ending=self._ending())
        outcome: Outcome | None = None
        while outcome is None:
            outcome = attempt.step(until)
            if outcome is None and self._searched() >= self.budget.seconds:
                outcome = "budget"
            if self._report_is_due():
                self._report([attempt.reach()], attempt.expansions, attempt.children)
        seconds = time.perf_counter() - begun
        self._record(
            Attempt(
                member.name,
                member.lossless,
                outcome,
                attempt.expansions,
                attempt.children,
                attempt.positions,
                seconds,
            )
        )
        return attempt.line() if outcome == "win" else None

    def _exhaust(self) -> Line | None:
        """Search everything, whatever it takes of the budget; return a line if there is one after all."""
        if self.proof is None:
            self._begin_proof()
        proof = self.proof
        assert proof is not None
        outcome = self._advance_proof(None)
        return proof.line() if outcome == "win" else None

    def _begin_proof(self) -> None:
        from solver.exhaustion import Exhaustion

        self.proof = Exhaustion(self.position, self.rules, memory=self._memory(), ending=self._ending())
        self.proof_seconds = 0.0
        self.proof_outcome = None

    def _advance_proof(self, positions: int | None) -> Outcome | None:
        """Go on with the exhaustive search up to a number of positions, or to its end; record it when it ends.

        None means that it may go on.  So it does after a win: its line is long, and members may find a shorter one.
        """
        proof = self.proof
        assert proof is not None
        begun = time.perf_counter()
        most = 1 << 62 if self.budget.expansions is None else self.budget.expansions - self._spent_by_members()
        outcome = self.proof_outcome
        while outcome is None and (positions is None or proof.positions < positions):
            outcome = proof.step()
            if outcome is None and (self._searched() >= self.budget.seconds or proof.expansions >= most):
                outcome = "budget"
            if self._report_is_due():
                self._report([proof.reach()], 0, 0)
        self.proof_seconds += time.perf_counter() - begun
        self.proof_outcome = outcome
        if outcome in ("exhausted", "budget") or (outcome is not None and positions is None):
            self._end_proof()
        return outcome

    def _end_proof(self) -> None:
        """Record the exhaustive search, if one has begun."""
        proof = self.proof
        if proof is None:
            return
        self.proof = None
        self._record(
            Attempt(
                EXHAUSTIVE,
                True,
                self.proof_outcome or "budget",
                proof.expansions,
                proof.children,
                proof.positions,
                self.proof_seconds,
                proof.positions_by_stage,
                proof.relaxed,
            )
        )

    def _race(self, portfolio: Iterator[Member]) -> Line | None:
        """Let members race in processes; return the line of the first that wins."""
        from solver.race import Race

        self._load_beams()
        jobs = self.budget.jobs
        memory = self._memory(processes=jobs + 1)
        with Race(self.position, self.rules, jobs, memory) as race:
            for finished in race.run(portfolio):
                if finished is not None:
                    self.workers_cpu += finished.cpu_seconds
                    self._record(finished.attempt)
                    if finished.line:
                        return finished.line
                standings = race.standings.values()
                expansions = sum(standing.expansions for standing in standings)
                over_expansions = self.budget.expansions is not None and (
                    self._spent() + expansions >= self.budget.expansions
                )
                if self._is_over() or over_expansions:
                    return None
                if standings and self._report_is_due():
                    reaches = [standing.reach for standing in standings]
                    self._report(reaches, expansions, sum(standing.children for standing in standings))
        return None

    def _record(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        if self.on_attempt is not None:
            self.on_attempt(attempt)

    def _report_is_due(self) -> bool:
        return self.progress is not None and self._seconds() - self.reported >= PROGRESS_SECONDS

    def _report(self, reaches: Sequence[Reach], expansions: int, children: int) -> None:
        """Tell of the tries that run: how far the best is, and their sums."""
        assert self.progress is not None
        self.reported = self._seconds()
        best = max(reaches, key=lambda reach: (reach.runs_removed, -reach.face_down, reach.rows_dealt))
        self.progress(
            Progress(
                tries=len(self.attempts) + len(reaches),
                expansions=self._spent() + expansions,
                children=self._judged() + children,
                rows_dealt=stage_of(self.position, self.rules) + best.rows_dealt,
                runs_removed=len(self.position.completed) + best.runs_removed,
                face_down=best.face_down,
                seconds=self.reported,
            )
        )

    def _win(self, line: Line) -> Solution:
        final = replay_win(self.position, line, self.rules)
        return self._solution("win", line, "the referee replayed the line to its end", final)

    def _proof(self) -> str:
        if self.blockade is not None:
            return self.blockade.reason()
        proof = self.attempts[-1]
        if proof.positions == proof.relaxed == 1:
            return "no line wins even in a relaxation of the game, which was searched to its end"
        stages = ", ".join(f"{count:,}" for count in proof.positions_by_stage)
        relaxed = f"; {proof.relaxed:,} of them have no line even in a relaxation of the game" if proof.relaxed else ""
        return (
            f"all {proof.positions:,} positions that could matter were searched (by rows dealt: {stages}; "
            f"{PROOF_KEY_BITS}-bit keys{relaxed}), and none is won"
        )

    def _spent(self) -> int:
        return self._spent_by_members() + (0 if self.proof is None else self.proof.expansions)

    def _spent_by_members(self) -> int:
        """Return the expansions of what has ended, which is all but an exhaustive search that waits."""
        return sum(attempt.expansions for attempt in self.attempts)

    def _judged(self) -> int:
        return sum(attempt.children for attempt in self.attempts) + (0 if self.proof is None else self.proof.children)

    def _is_spent(self) -> bool:
        expansions = self.budget.expansions
        return self._searched() >= self.budget.seconds or (expansions is not None and self._spent() >= expansions)

    def _why_timeout(self) -> str:
        last = self.attempts[-1]
        why = "the budget was spent before a win was found or a loss was proved"
        if last.outcome == "memory":
            why = f"the memory of {self.budget.memory} MiB was full after {last.positions:,} positions"
        proof = next((tried for tried in reversed(self.attempts) if tried.positions_by_stage), None)
        if proof is None:
            return f"{why}; this does not mean lost"
        stages = ", ".join(f"{count:,}" for count in proof.positions_by_stage)
        return (
            f"{why}; the exhaustive search met {proof.positions:,} positions (by rows dealt: {stages}); "
            "this does not mean lost"
        )

    def _solution(self, verdict: Verdict, line: Line, reason: str, final: Position | None = None) -> Solution:
        counts = referee.counts_between(self.position, line, final or self.position)
        return Solution(
            verdict=verdict,
            line=line,
            rules=self.rules,
            reason=reason,
            moves=counts.tableau_moves,
            rows_dealt=counts.rows_dealt,
            runs_removed=counts.runs_removed,
            expansions=self._spent(),
            children=self._judged(),
            attempts=tuple(self.attempts),
            seconds=self._seconds(),
            cpu_seconds=time.process_time() - self.cpu_started + self.workers_cpu,
        )

    def _seconds(self) -> float:
        return time.perf_counter() - self.started

    def _searched(self) -> float:
        return time.perf_counter() - self.search_started
