"""How far an exhaustive search comes: the positions of a deal by stage, until memory or time run out.

    python benchmarks/exhaust.py ms14934                         4 suits, half of the free memory, ten minutes
    python benchmarks/exhaust.py ms14934 --memory 16384 --seconds 7200

Depth first over the lossless list with 128-bit keys, as a solve does when it proves (`solver.exhaustion`); no other try
comes first.  A deal that is exhausted is lost; one that is not says nothing.

Adds a line to ``results/exhaust.md`` for every run.
"""

from __future__ import annotations

import resource
import time

import click
from common import RESULTS, command_line, environment, environment_line
from tqdm import tqdm

from solver import deal_from_id, make_rules
from solver.machine_code import load_kernels
from solver.rules import PRESETS

MIB = 1 << 20
HEAD = """# How far an exhaustive search comes

Positions met by a depth-first search over the lossless list (`benchmarks/exhaust.py`), by rows dealt. Memory is that of
the arrays; "peak" is the whole process. An outcome other than exhausted and win decides nothing.

| deal | suits | rules | outcome | positions | by rows dealt | deepest | memory MiB | peak MiB | CPU s | positions/s |
| --- | --: | --- | --- | --: | --- | --: | --: | --: | --: | --: |
"""


def half_of_free_memory() -> int:
    """Return half of the memory that Linux has to give, in MiB; 2048 where it does not say."""
    try:
        with open("/proc/meminfo") as lines:
            values = dict(line.split(":") for line in lines)
        return int(values["MemAvailable"].split()[0]) // 2048
    except (OSError, KeyError):
        return 2048


@click.command(help=__doc__)
@click.argument("deal", default="ms14934")
@click.option("--suits", type=int, default=4, show_default=True)
@click.option("--rules", type=click.Choice(list(PRESETS)), default="standard", show_default=True)
@click.option("--memory", type=int, default=half_of_free_memory, help="MiB of the arrays; half of what is free.")
@click.option("--seconds", type=float, default=600.0, show_default=True)
@click.option("--out", default="exhaust", show_default=True, help="Name of the result file, or none.")
def main(deal: str, suits: int, rules: str, memory: int, seconds: float, out: str) -> None:
    load_kernels("search")
    from solver.exhaustion import Exhaustion

    search = Exhaustion(deal_from_id(deal, suits).position(), make_rules(rules, suits=suits), memory=memory * MIB)
    begun = time.perf_counter()
    cpu_begun = time.process_time()
    outcome = None
    with tqdm(unit="position", unit_scale=True, disable=None) as bar:
        while outcome is None and time.perf_counter() - begun < seconds:
            outcome = search.step()
            bar.update(search.positions - bar.n)
    cpu = time.process_time() - cpu_begun
    stages = ", ".join(f"{count:,}" for count in search.positions_by_stage)
    rate = search.positions / max(cpu, 0.01)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    row = (
        f"| {deal} | {suits} | {rules} | {outcome or 'time'} | {search.positions:,} | {stages} | {search.deepest:,} | "
        f"{search.memory_used // MIB:,} of {memory:,} | {peak:,} | {cpu:.0f} | {rate:,.0f} |"
    )
    click.echo(HEAD + row)
    if out != "none":
        path = RESULTS / f"{out}.md"
        text = path.read_text() if path.exists() else HEAD
        table, _, runs = text.rstrip("\n").partition("\n\nRuns:\n")
        note = f"* {deal}: `{command_line()}`, {environment_line(environment())}"
        path.write_text("\n".join([table.rstrip("\n"), row, "", "Runs:", *([runs] if runs else [""]), note, ""]))


if __name__ == "__main__":
    main()
