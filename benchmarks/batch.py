"""What a batch costs beside the search: scaling, overhead of runner and store, resuming, bytes a deal.

    python benchmarks/batch.py                    some minutes on two idle cores; writes results/batch.md
    python benchmarks/batch.py --deals 60 --out none

The searches have a budget of expansions, so every run does the same work.  Workers are started and warm before the
clock runs.  What the runner and the store cost is the CPU time of all processes of a batch less that of a plain loop
over the same deals, which deals, checks, searches and packs them as well.  Needs Linux: the CPU time of the workers is
read while they live.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
from common import command_line, environment, environment_line, publish_report

from solver.rules import make_rules
from solver.search import Budget
from solver.winrate.pool import LocalPool
from solver.winrate.program import machine, program_signature
from solver.winrate.run import Task, make_task, run_batch, solve_task, warm_up
from solver.winrate.store import Result, Run, Session, create_or_open, open_to_read

BUDGET = Budget(seconds=600.0, memory=1024, expansions=200_000)
RESUMED_DEALS = 10_000
ISSUE_RATE = 50
"""Deals per second at which the overhead is judged."""
REPEATS = 3


@dataclass(frozen=True)
class Measured:
    """One batch."""

    suits: int
    workers: int
    deals: int
    seconds: float
    loop: float
    """CPU seconds of a plain loop over the same deals."""
    cpu: float
    """CPU seconds of all processes."""
    store_bytes: int

    @property
    def rate(self) -> float:
        """Deals per second."""
        return self.deals / self.seconds

    @property
    def bytes_a_deal(self) -> float:
        """Size of the store, the empty tables included."""
        return self.store_bytes / self.deals

    @property
    def overhead(self) -> float:
        """CPU seconds a deal of the runner and the store."""
        return (self.cpu - self.loop) / self.deals


def cpu_of(pids: Sequence[int]) -> float:
    """Return the CPU seconds that processes have used so far."""
    # The scheduler's own count, of every thread: ticks of the clock are too coarse for work that comes in milliseconds.
    counts = (path.read_text().split()[0] for pid in pids for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(map(int, counts)) / 1e9


def tasks_of(run: Run, number: int, deals: int) -> Iterator[Task]:
    """Yield the tasks of a batch."""
    return (make_task(run, number, f"ms{deal}") for deal in range(1, deals + 1))


def run_of(suits: int) -> Run:
    """Return the run that is measured."""
    return Run("pysolfc", make_rules("standard", suits=suits), BUDGET, program_signature())


def loop_seconds(suits: int, deals: int) -> float:
    """Return the CPU seconds that a plain loop takes, the best of some."""
    warm_up()
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for task in tasks_of(run_of(suits), 1, deals):
            solve_task(task)
        times.append(time.process_time() - begun)
    return min(times)


def start_and_hold() -> None:
    """Get a worker ready, and keep it busy until the others are started too."""
    warm_up()
    time.sleep(0.5)


def measure(path: Path, suits: int, workers: int, deals: int, loop: float) -> Measured:
    """Run one batch into a new store."""
    run = run_of(suits)
    pool = LocalPool(workers)
    try:
        executor = pool.executor()
        for future in [executor.submit(start_and_hold) for _ in range(workers)]:
            future.result()
        pids = [os.getpid(), *(child.pid for child in multiprocessing.active_children() if child.pid is not None)]
        with create_or_open(path) as store:
            number = store.add_run(run)
            session = store.add_session(Session("benchmarks/batch.py", machine(), "", workers))

            def record(results: Sequence[tuple[Task, Result]]) -> None:
                store.record(session, ((task.run, result) for task, result in results))

            cpu, begun = cpu_of(pids), time.perf_counter()
            run_batch(tasks_of(run, number, deals), record, executor, workers=workers)
            seconds, cpu = time.perf_counter() - begun, cpu_of(pids) - cpu
    finally:
        pool.kill()
    return Measured(suits, workers, deals, seconds, loop, cpu, path.stat().st_size)


def best(folder: Path, suits: int, workers: int, deals: int, loop: float) -> Measured:
    """Return the fastest of some runs: the one that others on the machine disturbed least."""
    paths = [folder / f"{suits}-{workers}-{repeat}.sqlite" for repeat in range(REPEATS)]
    return min((measure(path, suits, workers, deals, loop) for path in paths), key=lambda one: one.seconds)


def resume_seconds(folder: Path, solved: Path) -> float:
    """Return how long the command takes to find that a batch of 10,000 deals is done."""
    path = folder / "resume.sqlite"
    with open_to_read(solved) as store:
        ((number, run),) = store.runs().items()
        results = [result for result, _ in store.results(number)]
    run = replace(run, budget=Budget(seconds=20.0, memory=1024))
    with create_or_open(path) as store:
        number, session = store.add_run(run), store.add_session(Session("", machine(), "", 1))
        rows = (
            (number, replace(results[deal % len(results)], deal=f"ms{deal}")) for deal in range(1, RESUMED_DEALS + 1)
        )
        store.record(session, rows)
    command = [
        sys.executable, "-m", "solver", "batch", "--deals", f"ms1-ms{RESUMED_DEALS}", "--suits", str(run.rules.suits),
        "--out", str(path),
    ]  # fmt: skip
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        times.append(time.perf_counter() - begun)
        assert "nothing to solve" in done.stderr, done.stderr
    return statistics.median(times)


def report(made: dict[tuple[int, int], Measured], resume: float, command: str) -> str:
    """Return the text of the result."""
    lines = [
        "# What a batch costs beside the search",
        "",
        f"`{command}`",
        "",
        f"{environment_line(environment())}. Best of {REPEATS} runs.",
        "",
        "| suits | workers | deals | deals/s | CPU s of a plain loop | CPU s of all processes | "
        "runner and store, ms a deal | of all CPU | store, bytes a deal |",
        "|" + " --: |" * 9,
    ]
    lines += [
        f"| {one.suits} | {one.workers} | {one.deals} | {one.rate:.1f} | {one.loop:.2f} | {one.cpu:.2f} | "
        f"{1000 * one.overhead:.2f} | {100 * (1 - one.loop / one.cpu):.1f} % | {one.bytes_a_deal:.0f} |"
        for one in made.values()
    ]
    at_issue_rate = made[1, 1].overhead * ISSUE_RATE
    lines += [
        "",
        *(
            f"- {suits} suit{'s' if suits > 1 else ''}: two workers solve "
            f"{made[suits, 2].rate / made[suits, 1].rate:.2f} times the deals per second of one (wanted: at least 1.8)"
            for suits in (1, 4)
        ),
        f"- runner and store: {100 * at_issue_rate:.1f} % of a core at "
        f"{ISSUE_RATE} deals per second (wanted: under 5 %)",
        f"- a finished batch of {RESUMED_DEALS:,} deals is found finished in {resume:.2f} s (wanted: under 3)",
        f"- store: at most {max(one.bytes_a_deal for one in made.values()):.0f} bytes a deal (wanted: under 1,024)",
        "",
    ]
    return "\n".join(lines)


@click.command(help=__doc__)
@click.option("--deals", type=int, default=1000, show_default=True, help="Deals of one suit; of four half as many.")
@click.option("--out", default="batch", show_default=True, help="Name of the result file, or none.")
def main(deals: int, out: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="spider-batch-"))
    try:
        made = {}
        for suits, number in ((1, deals), (4, max(deals // 2, 1))):
            loop = loop_seconds(suits, number)
            for workers in (1, 2):
                made[suits, workers] = best(folder, suits, workers, number, loop)
        resume = resume_seconds(folder, folder / "4-1-0.sqlite")
    finally:
        shutil.rmtree(folder)
    text = report(made, resume, command_line())
    publish_report(out, text)


if __name__ == "__main__":
    main()
