"""Replay stored lines with the referee, in parallel: a store, or a file of lines, proves itself.

A win is right when its line, played from its deal under its rules, leaves no card, and has the counts that are stored
with it.  A loss rests on a search and cannot be replayed; it is counted, not checked.  No kernel takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from solver.numbering import NumberError, deal_from_id
from solver.referee import IllegalMove, count_line, replay
from solver.rules import Rules
from solver.winrate.lines import LineFileError, is_line_file, read_lines, unpack_line
from solver.winrate.run import POLL_SECONDS, BatchError, window_for
from solver.winrate.store import open_to_read

CHUNK = 50
"""Lines that a worker replays at a time, some 0.2 s."""


@dataclass(frozen=True)
class Claim:
    """A line that is said to win."""

    id: str
    rules: Rules
    line: str
    """Compact text."""
    counts: tuple[int, int, int] | None
    """Tableau moves, rows dealt and runs removed that are stored with it, if they are."""


@dataclass
class Verified:
    """What a verification found."""

    lines: int = 0
    """Replayed, right or wrong."""
    losses: int = 0
    """Stored losses, which cannot be replayed."""
    undecided: int = 0
    failures: list[str] = field(default_factory=list)
    """What is wrong with each line that failed."""

    @property
    def passed(self) -> bool:
        """Whether every line wins."""
        return not self.failures


def why_wrong(claim: Claim) -> str | None:
    """Return what is wrong with a line, or None when it wins."""
    try:
        deal = deal_from_id(claim.id, claim.rules.suits)
        line = unpack_line(claim.line)
        final = replay(deal, line, claim.rules)
    except (NumberError, LineFileError, IllegalMove) as error:
        return str(error)
    if not final.is_won:
        return f"cards are left at the end of its {len(line)} moves"
    counts = count_line(deal, line, claim.rules)
    found = (counts.tableau_moves, counts.rows_dealt, counts.runs_removed)
    if claim.counts not in (None, found):
        return f"it has {found} moves, rows and runs, stored are {claim.counts}"
    return None


def check_claims(claims: list[Claim]) -> list[str]:
    """Return what is wrong with the lines that fail: what a worker does."""
    return [
        f"{claim.id} under {claim.rules.describe()}: {problem}"
        for claim in claims
        if (problem := why_wrong(claim)) is not None
    ]


def verify_file(
    path: Path,
    executor: Executor,
    workers: int,
    *,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda _lines: None,
) -> Verified:
    """Replay every line of a store, or of a file of lines; `progress` is told how many more are done.

    Raises `StoreError` and `LineFileError` for a file that is neither, and `BatchError` when a worker dies.
    """
    verified = Verified()
    claims = _claims(path, verified)
    running: dict[Future[list[str]], int] = {}
    while not stopped():
        while len(running) < window_for(workers) and (chunk := list(islice(claims, CHUNK))):
            running[executor.submit(check_claims, chunk)] = len(chunk)
        if not running:
            break
        done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            lines = running.pop(future)
            try:
                verified.failures += future.result()
            except BrokenExecutor:
                raise BatchError("a worker process died: run the same command again") from None
            verified.lines += lines
            progress(lines)
    return verified


def count_lines(path: Path) -> int:
    """Return how many lines there are to replay."""
    if is_line_file(path):
        return len(read_lines(path).lines)
    with open_to_read(path) as store:
        return store.count_wins()


def _claims(path: Path, verified: Verified) -> Iterator[Claim]:
    """Yield the lines of a file, and count what is none."""
    if is_line_file(path):
        file = read_lines(path)
        for number, line in file.lines:
            yield Claim(f"{file.scheme}:{number}", file.rules, line, None)
        return
    with open_to_read(path) as store:
        for run_number, run in store.runs().items():
            for result, _ in store.results(run_number):
                if result.verdict == "win":
                    counts = (result.moves, result.rows_dealt, result.runs_removed)
                    yield Claim(f"{run.scheme}:{result.deal}", run.rules, result.line, counts)
                elif result.verdict == "loss":
                    verified.losses += 1
                else:
                    verified.undecided += 1
