"""The shortest line of a position, proved, or how far the proof came.

A *step* is a tableau move, a row dealt or, under optional removal, a run taken: every move of a line.  IDA* shows limit
by limit that no line has so few steps, until it finds one or the limit has come up to a line that is known::

    at least 41 ... 42 ... 43                  a line of 43 found: the shortest, proved
    at least 41 ... 42 ... 43, a line of 43 known: the shortest, proved
    at least 41 ... 42, time is spent          best found 57, at least 42

Where the proof does not come through, `shorten` spends half of the time on a short line (see improve.py) and not on a
bound that hardly rises any more.

Importing this module loads no numba; the search does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from solver import referee
from solver.machine_code import load_kernels
from solver.move import Line
from solver.position import Deal, Position
from solver.rules import Rules
from solver.search import MIB, PROGRESS_SECONDS, SearchError, Solution, memory_of_arrays, replay_win

PROOF_SHARE = 0.5
"""Of the time of `shorten`, for the proof; what a bound gains comes early."""


@dataclass(frozen=True)
class Shortest:
    """The shortest line that is known, and the number of steps that every line has at least."""

    line: Line
    at_least: int
    expansions: int
    """Positions whose moves were generated, counted anew for each limit."""
    children: int
    seconds: float
    """Wall time; compiling in the first run does not count."""
    cpu_seconds: float

    @property
    def steps(self) -> int:
        """Steps of the line."""
        return len(self.line)

    @property
    def is_proved(self) -> bool:
        """Whether no line is shorter."""
        return self.at_least == self.steps


@dataclass(frozen=True)
class ShortestProgress:
    """Where the search stands."""

    at_least: int
    steps: int
    """Those of the line that is known."""
    expansions: int
    seconds: float


def shortest(
    start: Deal | Position,
    rules: Rules,
    line: Line,
    *,
    seconds: float = 60.0,
    memory: int = 1024,
    progress: Callable[[ShortestProgress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> Shortest:
    """Find a shortest winning line, given one that wins, or a bound on its steps.

    `memory` is in MiB, Python and the machine code included; at least what a `Budget` asks for.  Some bound is found
    in no time at all.  `progress` is called about ten times a second, `on_compile` once before machine code has to be
    made.

    Raises `IllegalMove` or `ValueError` when the line does not win.
    """
    position = start.position() if isinstance(start, Deal) else start
    if not referee.replay(position, line, rules).is_won:
        raise ValueError("the line does not win: cards are left at its end")
    if not line:
        return Shortest(line, 0, 0, 0, 0.0, 0.0)
    load_kernels("deepening", on_compile=on_compile)
    from solver.deepening import Deepening

    begun, cpu_begun, reported = time.perf_counter(), time.process_time(), 0.0
    search = Deepening(position, rules, below=len(line), memory=memory_of_arrays(memory) * MIB)
    outcome = None
    spent = 0.0
    while outcome is None and spent < seconds:
        outcome = search.step()
        spent = time.perf_counter() - begun
        if progress is not None and spent - reported >= PROGRESS_SECONDS:
            reported = spent
            progress(ShortestProgress(search.bound, len(line), search.expansions, spent))
    at_least = min(search.bound, len(line))
    if outcome == "win":
        line = search.line()
        replay_win(position, line, rules)
        if len(line) != at_least:
            raise SearchError("the search for a shortest line found one that is not as long as it says")
    cpu_seconds = time.process_time() - cpu_begun
    return Shortest(line, at_least, search.expansions, search.children, spent, cpu_seconds)


def shorten(
    start: Deal | Position,
    solution: Solution,
    *,
    seconds: float,
    memory: int = 1024,
    progress: Callable[[ShortestProgress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> tuple[Solution, Shortest]:
    """Return a win with the shortest line that could be found in the time and with the time added; and what is proved.

    Arguments and errors are those of `shortest`.
    """
    from solver.improve import ImproveProgress, improve

    found = shortest(
        start,
        solution.rules,
        solution.line,
        seconds=seconds * PROOF_SHARE,
        memory=memory,
        progress=progress,
        on_compile=on_compile,
    )
    if not found.is_proved:

        def report(standing: ImproveProgress) -> None:
            assert progress is not None
            steps = found.steps - standing.saved
            progress(ShortestProgress(found.at_least, steps, found.expansions, found.seconds + standing.seconds))

        cpu_begun = time.process_time()
        shorter = improve(
            start,
            found.line,
            solution.rules,
            seconds=seconds * (1 - PROOF_SHARE),
            memory=memory,
            progress=None if progress is None else report,
            on_compile=on_compile,
        )
        found = replace(
            found,
            line=shorter.line,
            seconds=found.seconds + shorter.seconds,
            cpu_seconds=found.cpu_seconds + time.process_time() - cpu_begun,
        )
    counts = referee.count_line(start, found.line, solution.rules)
    shortened = replace(
        solution,
        line=found.line,
        moves=counts.tableau_moves,
        rows_dealt=counts.rows_dealt,
        runs_removed=counts.runs_removed,
        seconds=solution.seconds + found.seconds,
        cpu_seconds=solution.cpu_seconds + found.cpu_seconds,
    )
    return shortened, found
