"""Shortest lines: how far IDA* gets on late positions of real deals.

    python benchmarks/shortest.py                     PySolFC ms1001..ms1006, four suits, strict
    python benchmarks/shortest.py --deals 1001-1020 --ends 20,40 --out none

The positions lie so many steps before the end of the line that `solve` finds for a deal.  For each the table says what
is proved after the two times: the length of a shortest line, or two numbers that it lies between, the bound and the
steps that the line of `solve` takes.  All times are CPU seconds of this process, kernels warm.  Fixed: deals, seed.
Writes ``results/<name>.md``.
"""

from __future__ import annotations

import resource
import statistics
import time
from dataclasses import dataclass

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import Budget, deal_from_id, make_rules, replay, solve
from solver.machine_code import load_kernels
from solver.position import Position
from solver.rules import PRESETS, Rules


@dataclass(frozen=True)
class Proof:
    """What is known of a position after a time."""

    least: int
    most: int


@dataclass(frozen=True)
class Record:
    """One position, searched."""

    deal: str
    end: int
    """Steps that the line of `solve` has left."""
    rows: int
    first: int
    """Lower bound of the position, before any search."""
    proofs: list[Proof]
    """One for each time."""
    seconds: float
    expansions: int
    children: int
    table: int
    """Bytes of the table."""


def search(deal: str, position: Position, rules: Rules, end: int, times: list[float], memory: int) -> Record:
    """Search a position until a shortest line is proved or the last time has passed."""
    from solver.deepening import Deepening

    begun = time.process_time()
    deepening = Deepening(position, rules, below=end, memory=memory)
    first = deepening.bound
    proofs: list[Proof] = []
    most = end
    outcome = None
    while len(proofs) < len(times):
        outcome = deepening.step() if outcome is None else outcome
        spent = time.process_time() - begun
        if outcome == "win":
            most = len(deepening.line())
            assert replay(position, deepening.line(), rules).is_won
        while len(proofs) < len(times) and (outcome is not None or spent >= times[len(proofs)]):
            proofs.append(Proof(min(deepening.bound, most), most))
        if outcome is not None:
            break
    return Record(
        deal,
        end,
        len(position.rows),
        first,
        proofs,
        spent,
        deepening.expansions,
        deepening.children,
        deepening.memory_used,
    )


def cell(proof: Proof) -> str:
    """Return a proof as one cell of the table."""
    return f"**{proof.most}**" if proof.least == proof.most else f"{proof.least} to {proof.most}"


def table(records: list[Record], times: list[float]) -> str:
    """Return a row for each position."""
    heads = ["deal", "line of solve", "rows left", "bound at once", *(f"after {seconds:g} s" for seconds in times)]
    heads += ["CPU s", "positions expanded", "moves judged"]
    rows = []
    for record in records:
        cells = [record.deal, str(record.end), str(record.rows), str(record.first)]
        cells += [*map(cell, record.proofs), f"{record.seconds:.2f}", f"{record.expansions:,}", f"{record.children:,}"]
        rows.append(cells)
    return markdown(heads, rows, first=":--")


def summary(records: list[Record], times: list[float]) -> str:
    """Return a row for each distance from the end."""
    heads = ["line of solve", "positions", *(f"proved after {seconds:g} s" for seconds in times), "steps saved, mean"]
    rows = []
    for end in sorted({record.end for record in records}):
        group = [record for record in records if record.end == end]
        counts = [
            sum(record.proofs[number].least == record.proofs[number].most for record in group)
            for number in range(len(times))
        ]
        saved = [end - record.proofs[-1].most for record in group if record.proofs[-1].least == record.proofs[-1].most]
        mean = f"{statistics.mean(saved):.1f}" if saved else "-"
        rows.append([str(end), str(len(group)), *map(str, counts), mean])
    return markdown(heads, rows)


@click.command(help=__doc__)
@click.option("--deals", default="1001-1006", show_default=True, help="Range of PySolFC's ms numbers.")
@click.option("--suits", type=int, default=4, show_default=True)
@click.option("--rules", "preset", type=click.Choice(list(PRESETS)), default="standard", show_default=True)
@click.option("--ends", default="10,20,30,40,60", show_default=True, help="Steps before the end of the line.")
@click.option("--times", default="5,30", show_default=True, help="CPU seconds, ascending.")
@click.option("--memory", type=int, default=512, show_default=True, help="MiB of the table.")
@click.option("--out", default="shortest", show_default=True, help="Name of the result file, or none.")
def main(deals: str, suits: int, preset: str, ends: str, times: str, memory: int, out: str) -> None:
    low, high = map(int, deals.split("-"))
    rules = make_rules(preset, suits=suits)
    seconds = [float(word) for word in times.split(",")]
    tasks: list[tuple[str, Position, int]] = []
    for number in range(low, high + 1):
        deal = f"ms{number}"
        start = deal_from_id(deal, suits)
        line = solve(start, rules, Budget(seconds=60)).line
        distances = [int(word) for word in ends.split(",") if int(word) <= len(line)]
        tasks += [(deal, replay(start, line[: len(line) - end], rules), end) for end in distances]
    load_kernels("deepening")
    records = [
        search(deal, position, rules, end, seconds, memory << 20)
        for deal, position, end in tqdm(tasks, disable=None, desc="positions")
    ]
    hard = [record for record in records if record.seconds >= 1]
    spent = sum(record.seconds for record in hard)
    rates = (
        f"{sum(record.expansions for record in hard) / spent:,.0f} positions expanded and "
        f"{sum(record.children for record in hard) / spent:,.0f} moves judged a second"
        if hard
        else "too short to tell the rate"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    report = (
        f"# Shortest lines from late positions, PySolFC ms{low}..ms{high}, {suits} suits, rules {preset}\n\n"
        f"`{command_line()}`\n\n{environment_line(environment())}\n\n"
        "Each position lies so many steps (tableau moves and rows) before the end of the line that `solve` finds. Bold "
        "is the length of a shortest line, proved; else the two numbers that it lies between: no line has fewer steps "
        "than the first, and the line of `solve` has the second. CPU seconds of one process, kernels warm; positions "
        f"are counted anew for each limit of IDA*. On the searches of a second and more: {rates}; the largest "
        f"table took {max(record.table for record in records) >> 20} MiB, the whole process {peak} MiB at most.\n\n"
        f"{summary(records, seconds)}\n\n{table(records, seconds)}\n"
    )
    publish_report(out, report)


if __name__ == "__main__":
    main()
