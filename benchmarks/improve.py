"""How much shorter lines become with some seconds more: `solver.improve` on a fixed set of deals, one core.

    python benchmarks/improve.py                              PySolFC 1001..1100, four suits, 2 s a deal
    python benchmarks/improve.py --suits 1 --suits 2 --deals 1001-1030 --out none
    python benchmarks/improve.py --beam 200 --out none        one beam from the start instead, by its own

Seconds are CPU time of this process; kernels are warm before the first deal.  Fixed: deals, vectors, seed.  Lengths are
tableau moves; with the rows dealt a line has five steps more.  Writes ``results/<name>.json`` and
``results/<name>.md``.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import Budget, deal_from_id, make_rules, solve
from solver.improve import VECTORS, improve
from solver.referee import replay
from solver.rules import PRESETS
from solver.winrate.stats import percentile

HEADINGS = (
    "suits", "deals", "won", "mean before", "mean after", "median before", "median after", "p90 after", "max after",
    "CPU s a deal",
)  # fmt: skip
NO_BOUND = 400
"""Moves that a beam by its own may take."""


def improve_one(number: str, suits: int, preset: str, budget: Budget, seconds: float) -> dict[str, Any]:
    """Solve one deal, make its line shorter and return what is recorded of it."""
    deal, rules = deal_from_id(number, suits), make_rules(preset, suits=suits)
    solution = solve(deal, rules, budget)
    record = {"deal": number, "suits": suits, "verdict": solution.verdict, "moves_before": solution.moves}
    if solution.verdict != "win":
        return record
    begun = time.process_time()
    shorter = improve(deal, solution.line, rules, seconds=seconds, memory=budget.memory, clock=time.process_time)
    return record | {
        "moves": solution.moves - shorter.saved,
        "steps": len(shorter.line),
        "work": shorter.work,
        "cpu_seconds": round(time.process_time() - begun, 3),
    }


def beam_one(number: str, suits: int, preset: str, width: int, budget: Budget) -> dict[str, Any]:
    """Run one beam from the start of a deal and return what is recorded of it."""
    from solver.beam import Beam, Ground

    position, rules = deal_from_id(number, suits).position(), make_rules(preset, suits=suits)
    begun = time.process_time()
    beam = Beam(Ground(position, rules), position, VECTORS[0], width=width, bound=NO_BOUND, memory=budget.memory << 20)
    end = None
    while end is None and time.process_time() - begun < budget.seconds:
        end = beam.step(1 << 62)
    record = {"deal": number, "suits": suits, "verdict": end or "timeout", "work": beam.expansions}
    record["cpu_seconds"] = round(time.process_time() - begun, 3)
    if end == "win":
        line = beam.line()
        assert replay(position, line, rules).is_won
        record["moves"] = record["moves_before"] = sum(move.kind == "move" for move in line)
        record["steps"] = len(line)
    return record


def table_row(suits: int, records: list[dict[str, Any]]) -> list[str]:
    """Return the cells of `HEADINGS` for the deals of one mode; lengths of the deals that were won."""
    won = [record for record in records if record["verdict"] == "win"]
    before, after = ([record[name] for record in won] for name in ("moves_before", "moves"))
    seconds = [record["cpu_seconds"] for record in records if "cpu_seconds" in record]
    return [
        str(suits),
        str(len(records)),
        str(len(won)),
        *(
            cell
            for measure in (statistics.mean, statistics.median)
            for cell in (f"{measure(before):.1f}", f"{measure(after):.1f}")
        ),
        f"{percentile(after, 0.90):.0f}",
        str(max(after)),
        f"{statistics.mean(seconds):.2f}",
    ]


@click.command(help=__doc__)
@click.option("--suits", type=int, multiple=True, default=(4,), show_default=True)
@click.option("--deals", default="1001-1100", show_default=True, help="Range of PySolFC's ms numbers.")
@click.option("--rules", type=click.Choice(list(PRESETS)), default="standard", show_default=True)
@click.option("--seconds", type=float, default=2.0, show_default=True, help="CPU seconds a line is improved for.")
@click.option("--beam", type=int, help="One beam of this width from the start, and nothing else.")
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds a deal is searched for.")
@click.option("--memory", type=int, default=1024, show_default=True, help="MiB.")
@click.option("--out", default="improve", show_default=True, help="Name of the result files, or none.")
def main(
    suits: tuple[int, ...],
    deals: str,
    rules: str,
    seconds: float,
    beam: int | None,
    timeout: float,
    memory: int,
    out: str,
) -> None:
    low, high = map(int, deals.split("-"))
    budget = Budget(seconds=timeout, memory=memory)
    where = environment()  # of the code that runs, whatever changes meanwhile
    improve_one("ms1", 4, rules, budget, 0.5)
    records: dict[int, list[dict[str, Any]]] = {}
    for mode in suits:
        records[mode] = [
            improve_one(f"ms{number}", mode, rules, budget, seconds)
            if beam is None
            else beam_one(f"ms{number}", mode, rules, beam, budget)
            for number in tqdm(range(low, high + 1), desc=f"{mode} suits", disable=None)
        ]
    table = markdown(HEADINGS, [table_row(mode, records[mode]) for mode in suits])
    command = command_line()
    title = f"{seconds:g} s of improvement a deal" if beam is None else f"one beam of width {beam}"
    report = (
        f"# Length of lines of PySolFC ms{low}..ms{high}, rules {rules}, {title}, one core\n\n"
        f"`{command}`\n\n{environment_line(where)}\n\n"
        "Tableau moves, rows dealt not counted; CPU seconds of the process, kernels warm, without the first search.\n\n"
        f"{table}\n"
    )
    everything = [record for mode in suits for record in records[mode]]
    publish_report(out, report, {"command": command, **where, "records": everything})


if __name__ == "__main__":
    main()
