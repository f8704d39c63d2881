"""The main benchmark: solve a fixed set of deals one by one on one core, and tabulate.

    python benchmarks/solve.py                    PySolFC 1001..1300, one, two and four suits, 30 s each
    python benchmarks/solve.py --suits 4 --deals 1001-1100 --rules relaxed --out none

Every number is CPU time of this process; kernels are warm before the first deal.  Fixed: deals, budgets, seed.
Writes ``results/<name>.json`` (a record a deal) and ``results/<name>.md`` (the table).
"""

from __future__ import annotations

import resource
import statistics
import time
from typing import Any

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import Budget, deal_from_id, make_rules, solve
from solver.rules import PRESETS
from solver.winrate.stats import percentile

HEADINGS = (
    "suits", "deals", "won", "lost", "timeout", "first try", "mean s", "median s", "p90 s", "p99 s", "max s",
    "children/s", "moves", "expansions/move",
)  # fmt: skip


def solve_one(number: str, suits: int, rules: str, budget: Budget) -> dict[str, Any]:
    """Solve one deal and return what is recorded of it."""
    begun = time.process_time()
    solution = solve(deal_from_id(number, suits), make_rules(rules, suits=suits), budget)
    return {
        "deal": number,
        "suits": suits,
        "verdict": solution.verdict,
        "tries": solution.tries,
        "member": solution.attempts[-1].name,
        "moves": solution.moves,
        "expansions": solution.expansions,
        "children": solution.children,
        "cpu_seconds": round(time.process_time() - begun, 4),
    }


def table_row(suits: int, records: list[dict[str, Any]]) -> list[str]:
    """Return the cells of `HEADINGS` for the deals of one mode."""
    seconds = [record["cpu_seconds"] for record in records]
    won = [record for record in records if record["verdict"] == "win"]
    verdicts = [record["verdict"] for record in records]
    first = sum(record["tries"] == 1 for record in won)
    return [
        str(suits),
        str(len(records)),
        str(len(won)),
        str(verdicts.count("loss")),
        str(verdicts.count("timeout")),
        f"{first} ({100 * first / len(records):.1f} %)",
        f"{statistics.mean(seconds):.4f}",
        f"{statistics.median(seconds):.4f}",
        f"{percentile(seconds, 0.90):.3f}",
        f"{percentile(seconds, 0.99):.3f}",
        f"{max(seconds):.2f}",
        f"{sum(record['children'] for record in records) / sum(seconds):,.0f}",
        f"{statistics.mean(record['moves'] for record in won):.1f}" if won else "-",
        f"{statistics.median(record['expansions'] / record['moves'] for record in won):.1f}" if won else "-",
    ]


@click.command(help=__doc__)
@click.option("--suits", type=int, multiple=True, default=(1, 2, 4), show_default=True)
@click.option("--deals", default="1001-1300", show_default=True, help="Range of PySolFC's ms numbers.")
@click.option("--rules", type=click.Choice(list(PRESETS)), default="standard", show_default=True)
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds a deal.")
@click.option("--memory", type=int, default=1024, show_default=True, help="MiB.")
@click.option("--out", default="solve", show_default=True, help="Name of the result files, or none.")
def main(suits: tuple[int, ...], deals: str, rules: str, timeout: float, memory: int, out: str) -> None:
    low, high = map(int, deals.split("-"))
    budget = Budget(seconds=timeout, memory=memory)
    for mode in suits:
        solve_one("ms1", mode, rules, budget)
    records = {}
    for mode in suits:
        numbers = tqdm(range(low, high + 1), desc=f"{mode} suits", disable=None)
        records[mode] = [solve_one(f"ms{number}", mode, rules, budget) for number in numbers]
    table = markdown(HEADINGS, [table_row(mode, records[mode]) for mode in suits])
    command = command_line()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    where = environment()
    hard = sorted((record for mode in suits for record in records[mode]), key=lambda record: -record["cpu_seconds"])
    hardest = ", ".join(f"{r['deal']} ({r['suits']} suits) {r['verdict']} {r['cpu_seconds']:.1f} s" for r in hard[:10])
    report = (
        f"# Solving PySolFC ms{low}..ms{high}, rules {rules}, {timeout:g} s a deal, one core\n\n"
        f"`{command}`\n\n{environment_line(where)}\n\nCPU seconds of the process, kernels warm; "
        f"peak memory of the whole process {peak} MiB.\n\n{table}\n\nHardest: {hardest}\n"
    )
    everything = [record for mode in suits for record in records[mode]]
    publish_report(out, report, {"command": command, **where, "records": everything})


if __name__ == "__main__":
    main()
