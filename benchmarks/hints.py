"""Hints: what they take from the clock, whether they win, and what a check of a long record takes.

    python benchmarks/hints.py                       PySolFC 2001..2100, four suits
    python benchmarks/hints.py --deals 2001-2010 --out none

Three measurements, all cards known (``--peek``), kernels warm, one core:

* every deal is played by hints alone, with a folder of plans of its own: is it won, does a position come twice;
* a hint without a plan, for the positions of that game right after each row was dealt (stages 0..5) and half-way;
* ``check`` of the game with its last moves replaced by legal ones at random, so that it ends as such records do.

CPU seconds of this process are given beside wall seconds: where other processes run, the latter are longer.

Writes ``results/hints.json`` and ``results/hints.md``.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import Budget, Deal, Position, Rules, deal_from_id, legal_moves, make_rules, solve
from solver.analysis import Hint, hint
from solver.history import check
from solver.judge import Judge
from solver.move import Line, Move
from solver.plans import NoPlans, PlanFolder
from solver.position import stage_of
from solver.referee import apply
from solver.search import MIN_MEMORY
from solver.seen import view_of
from solver.start import Start
from solver.winrate.stats import percentile

RECORD = 180
"""Moves of a record that is checked."""
CHECK_SECONDS = 45.0
"""The default of the command; all are spent where a position is not decided."""
HEADINGS = ("stage", "hints", "median CPU s", "p90 CPU s", "max CPU s", "median wall s", "p90 wall s", "max wall s")
BUSY = 1.1
"""Wall seconds for each CPU second above which other processes must have run."""
KEPT = 120
"""Moves of it that follow the hints; the others are drawn at random."""


class Taken(NamedTuple):
    """What something took, in seconds."""

    wall: float
    cpu: float


class Watch:
    """Takes the time from when it is made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def taken(self) -> Taken:
        """Return what it took until now."""
        return Taken(time.perf_counter() - self._wall, time.process_time() - self._cpu)


def ask(position: Position, rules: Rules, plans: PlanFolder | NoPlans, seconds: float) -> tuple[Hint, Taken]:
    """Return a hint and the time that it took."""
    watch = Watch()
    found = hint(view_of(Start("benchmark", position, rules), peek=True, samples=1), rules, plans, seconds=seconds)
    return found, watch.taken()


def play(deal: Deal, rules: Rules, seconds: float) -> tuple[dict[str, Any], Line]:
    """Play a deal by hints alone; return what is recorded of it, and the moves."""
    position = deal.position()
    seen = {position}
    moves: list[Move] = []
    times: list[Taken] = []
    plans = 0
    repeated = 0
    with tempfile.TemporaryDirectory() as folder:
        while not position.is_won:
            found, taken = ask(position, rules, PlanFolder(Path(folder)), seconds)
            times.append(taken)
            plans += not found.is_continued
            if found.standing != "win" or found.step is None:
                # Each further hint would take all of its time as well.
                break
            moves.append(found.step.move)
            position = apply(position, found.step.move, rules)
            repeated += position in seen
            seen.add(position)
    record = {
        "won": position.is_won,
        "hints": len(times),
        "plans": plans,
        "repeated": repeated,
        "first_seconds": round(times[0].wall, 4),
        "median_seconds": round(statistics.median(taken.wall for taken in times), 4),
        "max_seconds": round(max(taken.wall for taken in times), 4),
        "median_cpu_seconds": round(statistics.median(taken.cpu for taken in times), 4),
        "max_cpu_seconds": round(max(taken.cpu for taken in times), 4),
    }
    return record, tuple(moves)


def fresh_hints(deal: Deal, line: Line, rules: Rules, seconds: float) -> list[tuple[int, Taken]]:
    """Return stage and time of hints that have no plan to go on with."""
    position = deal.position()
    rows = [-1, *(index for index, move in enumerate(line) if move.kind == "deal"), len(line)]
    wanted = {start + 1 for start in rows[:-1]} | {(start + 1 + end) // 2 for start, end in pairwise(rows)}
    times = []
    for index, move in enumerate(line):
        if index in wanted:
            times.append((stage_of(position, rules), ask(position, rules, NoPlans(), seconds)[1]))
        position = apply(position, move, rules)
    return times


def check_seconds(deal: Deal, line: Line, rules: Rules, rng: random.Random) -> tuple[Taken, str, int]:
    """Return the time of a check of a record that ends at random, its last verdict, and its length."""
    moves = list(line[:KEPT])
    position = deal.position()
    for move in moves:
        position = apply(position, move, rules)
    while len(moves) < RECORD and (legal := legal_moves(position, rules)):
        moves.append(rng.choice(legal))
        position = apply(position, moves[-1], rules)
    watch = Watch()
    checked = check(deal.position(), tuple(moves), Judge(rules, seconds=CHECK_SECONDS))
    return watch.taken(), checked.verdicts[-1], len(moves)


@click.command(help=__doc__)
@click.option("--suits", type=int, default=4, show_default=True)
@click.option("--deals", default="2001-2100", show_default=True, help="Range of PySolFC's ms numbers.")
@click.option("--timeout", type=float, default=10.0, show_default=True, help="Seconds a hint.")
@click.option(
    "--checks", type=int, default=10, show_default=True, help="Deals whose record is checked, the first ones."
)
@click.option("--out", default="hints", show_default=True, help="Name of the result files, or none.")
def main(suits: int, deals: str, timeout: float, checks: int, out: str) -> None:
    low, high = map(int, deals.split("-"))
    rules = make_rules(suits=suits)
    solve(deal_from_id("ms1", suits), rules, Budget(memory=MIN_MEMORY))
    records = []
    stages: dict[int, list[Taken]] = {}
    checked: list[tuple[Taken, str, int]] = []
    for number in tqdm(range(low, high + 1), disable=None):
        deal = deal_from_id(f"ms{number}", suits)
        record, line = play(deal, rules, timeout)
        records.append({"deal": f"ms{number}"} | record)
        if not record["won"]:
            # Hints ought to win what a search wins within the same time.
            records[-1]["solve"] = solve(deal, rules, Budget(seconds=timeout)).verdict
            continue
        for stage, taken in fresh_hints(deal, line, rules, timeout):
            stages.setdefault(stage, []).append(taken)
        if len(checked) < checks:
            checked.append(check_seconds(deal, line, rules, random.Random(number)))
    where = environment()
    command = command_line()
    text = report(command, where, records, stages, checked, f"PySolFC ms{low}..ms{high}, {suits} suits, strict")
    everything = {"records": records, "stages": stages, "checks": checked}
    publish_report(out, text, {"command": command, **where, **everything})


def report(
    command: str,
    where: dict[str, Any],
    records: list[dict[str, Any]],
    stages: dict[int, list[Taken]],
    checks: list[tuple[Taken, str, int]],
    title: str,
) -> str:
    """Return the results as text."""
    won = [record for record in records if record["won"]]
    failed = ", ".join(f"{record['deal']} (solve: {record['solve']})" for record in records if not record["won"])
    rows = []
    for stage, times in sorted(stages.items()):
        figures = [
            figure
            for seconds in ([taken.cpu for taken in times], [taken.wall for taken in times])
            for figure in (
                f"{statistics.median(seconds):.3f}",
                f"{percentile(seconds, 0.9):.3f}",
                f"{max(seconds):.2f}",
            )
        ]
        rows.append([str(stage), str(len(times)), *figures])
    every = [taken for times in stages.values() for taken in times]
    ratio = sum(taken.wall for taken in every) / sum(taken.cpu for taken in every)
    followed, followed_wall = (
        statistics.median(record[field] for record in records) for field in ("median_cpu_seconds", "median_seconds")
    )
    fresh, fresh_wall = statistics.median(t.cpu for t in every), statistics.median(t.wall for t in every)
    cpu, wall = [taken.cpu for taken, _, _ in checks], [taken.wall for taken, _, _ in checks]
    verdicts = [verdict for _, verdict, _ in checks]
    lengths = statistics.median(length for _, _, length in checks) if checks else 0
    lines = [
        f"# Hints, {title}",
        "",
        f"`{command}`",
        "",
        environment_line(where),
        "",
        f"CPU seconds of the process, and wall seconds, which are {ratio:.1f} times as many: "
        f"{'other processes ran' if ratio > BUSY else 'the machine was else idle'}. All cards known, kernels warm.",
        "",
        f"* Played by hints alone: {len(won)} of {len(records)} deals won, {sum(r['hints'] for r in records)} hints, "
        f"{sum(r['repeated'] for r in records)} positions that came twice, {max(r['plans'] for r in records)} plans a "
        f"deal at most. Not won: {failed or 'none'}.",
        f"* A hint that goes on with its plan: median {followed:.3f} CPU s, {followed_wall:.3f} wall s.",
        f"* A hint without a plan: median {fresh:.3f} CPU s, {fresh_wall:.3f} wall s over all stages.",
        "",
        markdown(HEADINGS, rows),
        "",
        f"* `check` of {len(checks)} records of {KEPT} hints and random moves (median {lengths:g} in all): median "
        f"{statistics.median(cpu):.2f} CPU s, max {max(cpu):.2f} CPU s ({max(wall):.2f} wall s); last verdicts: "
        f"{verdicts.count('win')} win, "
        f"{verdicts.count('loss')} loss, {verdicts.count('timeout')} timeout.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
