"""Endings: is a position of weak play, its stock just dealt out, decided within some CPU seconds?

    python benchmarks/endings.py                      1,000 positions each of one, two and four suits, 5 s each
    python benchmarks/endings.py --count 50 --out none

The positions.  Ending n of a mode is played from PySolFC's deal ms-n under strict rules with automatic removal:

* one of the legal moves, in the order of `solver.legal_moves`, is played, the deal of a row among them, all with one
  probability;
* the ending is the position right after the last row.

Draws come from ``random.Random(f"{n}/{suits}").random()`` alone, whose stream is the same in every version of Python,
one a move.  Play-outs in which no move is left while rows remain give no ending, and the next number takes its place,
so the numbers are the seeds.  Weak play leaves most endings of one suit won, most of four lost.

Solving.  `solver.solve` with its budget of wall time so large that CPU time decides: a solve is stopped from its
progress call once this process has used `--seconds` of CPU time for it.  Decided is a win, whose line the
referee replayed, or a loss that an exhausted search proves.

Checking.  ``--check 200``: the first endings of each mode are searched by ``tests/naive.py``, plain Python that
shares nothing with the solver, breadth first up to `--limit` positions; where it ends the verdicts must agree.

Writes ``results/endings.json`` (a record an ending) and ``results/endings.md``.
"""

from __future__ import annotations

import contextlib
import random
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import count as count_from
from itertools import islice
from pathlib import Path
from typing import Any

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import Budget, Position, Solution, deal_from_id, legal_moves, make_rules, solve
from solver.referee import apply
from solver.search import Progress
from solver.winrate.stats import percentile

MODES = (1, 2, 4)
HEADINGS = (
    "suits", "endings", "won", "lost", "undecided", "decided", "mean s", "median s", "p90 s", "p99 s", "max s",
    "median positions", "p99 positions", "checked", "agree",
)  # fmt: skip


class OutOfTime(Exception):
    """The CPU seconds of an ending are used."""


def play_out(number: int, suits: int) -> Position | None:
    """Return the ending of that number, None when its play-out is stuck before the stock is empty."""
    rules = make_rules(suits=suits)
    stream = random.Random(f"{number}/{suits}")
    position = deal_from_id(f"ms{number}", suits).position()
    while position.rows:
        moves = legal_moves(position, rules)
        if not moves:
            return None
        move = moves[int(stream.random() * len(moves))]
        position = apply(position, move, rules)
    return position


def endings(suits: int) -> Iterator[tuple[int, Position]]:
    """Yield the endings of a mode with their numbers."""
    for number in count_from(1):
        position = play_out(number, suits)
        if position is not None:
            yield number, position


def solve_one(position: Position, suits: int, seconds: float, memory: int) -> dict[str, Any]:
    """Solve an ending within so many CPU seconds; return what is recorded of it."""
    begun = time.process_time()

    def stop(progress: Progress) -> None:
        if time.process_time() - begun >= seconds:
            raise OutOfTime

    solution: Solution | None = None
    with contextlib.suppress(OutOfTime):
        solution = solve(position, make_rules(suits=suits), Budget(seconds=20 * seconds, memory=memory), progress=stop)
    used = time.process_time() - begun
    record: dict[str, Any] = {"verdict": "timeout", "by": "", "positions": 0, "cpu_seconds": round(used, 4)}
    if solution is not None:
        by = next((tried.name for tried in solution.attempts if tried.outcome == "win" or tried.is_proof), "rules")
        record |= {
            # A verdict that came too late is none.
            "verdict": solution.verdict if used <= seconds else "timeout",
            "by": by,
            "positions": sum(tried.positions for tried in solution.attempts),
            "moves": solution.moves,
        }
    return record


def check_one(position: Position, suits: int, limit: int) -> str | None:
    """Return the verdict of the naive search, None when it reached its limit."""
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    import naive

    return naive.exhaust(position, make_rules(suits=suits), limit)


def table_row(suits: int, records: list[dict[str, Any]]) -> list[str]:
    """Return the cells of `HEADINGS` for one mode."""
    seconds = [record["cpu_seconds"] for record in records]
    verdicts = [record["verdict"] for record in records]
    positions = [record["positions"] for record in records if record["verdict"] != "timeout"]
    decided = len(records) - verdicts.count("timeout")
    checked = [record for record in records if record.get("naive")]
    # An undecided ending contradicts nothing.
    agree = sum(record["naive"] == record["verdict"] for record in checked if record["verdict"] != "timeout")
    compared = sum(record["verdict"] != "timeout" for record in checked)
    return [
        str(suits),
        str(len(records)),
        str(verdicts.count("win")),
        str(verdicts.count("loss")),
        str(verdicts.count("timeout")),
        f"{100 * decided / len(records):.1f} %",
        f"{statistics.mean(seconds):.3f}",
        f"{statistics.median(seconds):.4f}",
        f"{percentile(seconds, 0.90):.3f}",
        f"{percentile(seconds, 0.99):.2f}",
        f"{max(seconds):.2f}",
        f"{statistics.median(positions):,.0f}" if positions else "-",
        f"{percentile(positions, 0.99):,.0f}" if positions else "-",
        str(compared),
        str(agree),
    ]


@click.command(help=__doc__)
@click.option("--suits", type=int, multiple=True, default=MODES, show_default=True)
@click.option("--count", type=int, default=1000, show_default=True, help="Endings of each mode.")
@click.option("--seconds", type=float, default=5.0, show_default=True, help="CPU seconds an ending.")
@click.option("--memory", type=int, default=1024, show_default=True, help="MiB.")
@click.option("--check", type=int, default=0, show_default=True, help="Endings of each mode to search naively too.")
@click.option("--limit", type=int, default=30_000, show_default=True, help="Positions of the naive search.")
@click.option("--out", default="endings", show_default=True, help="Name of the result files, or none.")
def main(suits: tuple[int, ...], count: int, seconds: float, memory: int, check: int, limit: int, out: str) -> None:
    solve(deal_from_id("ms1", 4), make_rules(), Budget(memory=memory))
    records: dict[int, list[dict[str, Any]]] = {}
    for mode in suits:
        records[mode] = []
        wanted = islice(endings(mode), count)
        for index, (number, position) in enumerate(tqdm(wanted, desc=f"{mode} suits", total=count, disable=None)):
            record = {"ending": number, "suits": mode} | solve_one(position, mode, seconds, memory)
            if index < check:
                record["naive"] = check_one(position, mode, limit)
            records[mode].append(record)
    everything = [record for mode in suits for record in records[mode]]
    wrong = [
        record for record in everything if record.get("naive") and record["verdict"] not in ("timeout", record["naive"])
    ]
    undecided = {
        mode: ", ".join(str(record["ending"]) for record in records[mode] if record["verdict"] == "timeout") or "none"
        for mode in suits
    }
    where = environment()
    command = command_line()
    report = "\n".join(
        [
            f"# Endings of weak play, {seconds:g} CPU s each, one core",
            "",
            f"`{command}`",
            "",
            environment_line(where),
            "",
            "How the endings are made is written at the top of `benchmarks/endings.py`; ending n comes from PySolFC's "
            "ms-n. CPU seconds of the process, kernels warm. Positions: of all tries of the decided endings. Checked: "
            f"decided endings of the first {check} of each mode where a naive search in plain Python ended within "
            f"{limit:,} positions.",
            "",
            markdown(HEADINGS, [table_row(mode, records[mode]) for mode in suits]),
            "",
            *(f"Undecided of {mode} suit{'s' if mode > 1 else ''}: {undecided[mode]}." for mode in suits),
            "",
            f"Contradicted by the naive search: {', '.join(str(r['ending']) for r in wrong) or 'none'}.",
            "",
        ]
    )
    publish_report(out, report, {"command": command, **where, "records": everything})
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
