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
from typing import Literal

from solver.notation import format_line
from solver.numbering import NumberError, deal_from_id
from solver.referee import IllegalMove, count_line, replay
from solver.rules import Rules
from solver.winrate.lines import LineFileError, is_line_file, read_lines, unpack_line, unpack_places
from solver.winrate.run import PARCELS_IN_WORK, POLL_SECONDS, BatchError
from solver.winrate.store import open_to_read

CHUNK = 50
"""Lines that a worker replays at a time, some 0.2 s."""


@dataclass(frozen=True)
class Claim:
    """A line that is said to win."""

    id: str
    rules: Rules
    text: str
    form: Literal["compact", "places"]
    """How the line is written, see `solver.winrate.lines`."""
    counts: tuple[int, int, int] | None
    """Tableau moves, rows dealt and runs removed that are stored with it, if they are."""


@dataclass(frozen=True)
class Checked:
    """A line that was replayed."""

    id: str
    moves: str
    """The moves as text; empty when they were not asked for or cannot be read."""
    problem: str | None
    """What is wrong; None when the line wins."""


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


def check_claim(claim: Claim, *, with_moves: bool = False) -> Checked:
    """Replay one line."""
    moves = ""
    problem = None
    try:
        deal = deal_from_id(claim.id, claim.rules.suits)
        line = unpack_line(claim.text) if claim.form == "compact" else unpack_places(deal, claim.text, claim.rules)
        moves = format_line(line) if with_moves else ""
        final = replay(deal, line, claim.rules)
        counts = count_line(deal, line, claim.rules)
    except (NumberError, LineFileError, IllegalMove) as error:
        problem = str(error)
    else:
        found = (counts.tableau_moves, counts.rows_dealt, counts.runs_removed)
        if not final.is_won:
            problem = f"cards are left at the end of its {len(line)} moves"
        elif claim.counts not in (None, found):
            problem = f"it has {found} moves, rows and runs, stored are {claim.counts}"
    return Checked(claim.id, moves, problem and f"{claim.id} under {claim.rules.describe()}: {problem}")


def check_claims(claims: list[Claim], with_moves: bool) -> list[Checked]:
    """Replay some lines: what a worker does."""
    return [check_claim(claim, with_moves=with_moves) for claim in claims]


def verify_file(
    path: Path,
    executor: Executor,
    workers: int,
    *,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda _lines: None,
    show: Callable[[Checked], None] | None = None,
) -> Verified:
    """Replay every line of a store, or of a file of lines; `progress` is told how many more are done.

    `show` gets every line with its moves, in the order of the file within some dozens.

    Raises `StoreError` and `LineFileError` for a file that is neither, and `BatchError` when a worker dies.
    """
    verified = Verified()
    claims = _claims(path, verified)
    running: dict[Future[list[Checked]], int] = {}
    while not stopped():
        while len(running) < PARCELS_IN_WORK * workers and (chunk := list(islice(claims, CHUNK))):
            running[executor.submit(check_claims, chunk, show is not None)] = len(chunk)
        if not running:
            break
        done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            lines = running.pop(future)
            try:
                checked = future.result()
            except BrokenExecutor:
                raise BatchError("a worker process died: run the same command again") from None
            verified.failures += [line.problem for line in checked if line.problem is not None]
            if show is not None:
                for line in checked:
                    show(line)
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
            yield Claim(f"{file.scheme}:{number}", file.rules, line, "places", None)
        return
    with open_to_read(path) as store:
        for run_number, run in store.runs().items():
            for result, _ in store.results(run_number):
                if result.verdict == "win":
                    counts = (result.moves, result.rows_dealt, result.runs_removed)
                    yield Claim(f"{run.scheme}:{result.deal}", run.rules, result.line, "compact", counts)
                elif result.verdict == "loss":
                    verified.losses += 1
                else:
                    verified.undecided += 1
