"""What a batch costs beside the search: scaling, overhead of runner and store, resuming, bytes a deal.

    python benchmarks/batch.py                    some minutes on two idle cores; writes results/batch.md
    python benchmarks/batch.py --deals 60 --out none

The searches have a budget of expansions, so every run does the same work.  Workers are started and warm before the
clock runs.  What the runner and the store cost is the CPU time of all processes of a batch less that of plain loops in
as many processes, which deal, check, search and pack the same deals.  Two loops beside each other also tell how much
faster than one two workers can be at best: cores share caches, and may be no whole cores.  All are measured in turn, as
a machine is not equally fast all the time.  Needs Linux: the CPU time of the workers is read while they live.
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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click
from common import command_line, environment, environment_line, markdown, publish_report

from solver.rules import make_rules
from solver.search import Budget
from solver.winrate.pool import LocalPool
from solver.winrate.program import machine, program_signature
from solver.winrate.run import Task, make_task, run_batch, solve_task, warm_up
from solver.winrate.store import Result, Run, Session, create_or_open, open_to_read

BUDGET = Budget(seconds=600.0, memory=1024, expansions=200_000)
RESUMED_DEALS = 10_000
JUDGED_RATE = 50
"""Deals per second at which the overhead is judged."""
REPEATS = 5


@dataclass(frozen=True)
class Measured:
    """Deals that were solved by one or two processes."""

    deals: int
    """By all processes together."""
    seconds: float
    """Wall time."""
    cpu: float
    """CPU seconds of all processes, the parent included."""
    store_bytes: int = 0
    """Size of the store, the empty tables included; 0 without one."""

    @property
    def rate(self) -> float:
        """Deals per second."""
        return self.deals / self.seconds

    @property
    def cpu_a_deal(self) -> float:
        """CPU seconds a deal."""
        return self.cpu / self.deals

    @property
    def bytes_a_deal(self) -> float:
        """Bytes of the store a deal."""
        return self.store_bytes / self.deals


@dataclass(frozen=True)
class Compared:
    """The same deals by plain loops and by batches, each by the number of processes that solve."""

    loops: dict[int, Measured]
    batches: dict[int, Measured]

    def overhead(self, workers: int) -> float:
        """CPU seconds a deal of the runner and the store."""
        return self.batches[workers].cpu_a_deal - self.loops[workers].cpu_a_deal


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


def start_and_hold() -> None:
    """Get a worker ready, and keep it busy until the others are started too."""
    warm_up()
    time.sleep(0.5)


@contextmanager
def warm_workers(workers: int) -> Iterator[tuple[Executor, Callable[[], float]]]:
    """Have so many workers ready; the context is their executor, and what tells the CPU seconds of all processes."""
    pool = LocalPool(workers)
    before = set(multiprocessing.active_children())
    try:
        executor = pool.executor()
        for future in [executor.submit(start_and_hold) for _ in range(workers)]:
            future.result()
        children = set(multiprocessing.active_children()) - before
        pids = [os.getpid(), *(child.pid for child in children if child.pid is not None)]
        yield executor, lambda: cpu_of(pids)
    finally:
        pool.kill()


def plain_loop(suits: int, deals: int) -> None:
    """Solve the deals and nothing else: what a worker does without a runner."""
    for task in tasks_of(run_of(suits), 1, deals):
        solve_task(task)


def measure_loops(suits: int, processes: int, deals: int) -> Measured:
    """Run a plain loop over the deals in each of so many processes."""
    with warm_workers(processes) as (executor, cpu_seconds):
        cpu, begun = cpu_seconds(), time.perf_counter()
        for future in [executor.submit(plain_loop, suits, deals) for _ in range(processes)]:
            future.result()
        return Measured(deals * processes, time.perf_counter() - begun, cpu_seconds() - cpu)


def measure_batch(path: Path, suits: int, workers: int, deals: int) -> Measured:
    """Run one batch into a new store."""
    run = run_of(suits)
    with warm_workers(workers) as (executor, cpu_seconds), create_or_open(path) as store:
        number = store.add_run(run)
        session = store.add_session(Session("benchmarks/batch.py", machine(), "", workers))

        def record(results: Sequence[tuple[Task, Result]]) -> None:
            store.record(session, ((task.run, result) for task, result in results))

        cpu, begun = cpu_seconds(), time.perf_counter()
        run_batch(tasks_of(run, number, deals), record, executor, workers=workers)
        return Measured(deals, time.perf_counter() - begun, cpu_seconds() - cpu, path.stat().st_size)


def compare(folder: Path, suits: int, deals: int) -> Compared:
    """Measure everything in turn, and take of each the least time: others on the machine only ever add to it."""
    loops: dict[int, list[Measured]] = {1: [], 2: []}
    batches: dict[int, list[Measured]] = {1: [], 2: []}
    for repeat in range(REPEATS):
        for workers in (1, 2):
            loops[workers].append(measure_loops(suits, workers, deals))
            path = folder / f"{suits}-{workers}-{repeat}.sqlite"
            batches[workers].append(measure_batch(path, suits, workers, deals))
    return Compared(_least(loops), _least(batches))


def _least(made: dict[int, list[Measured]]) -> dict[int, Measured]:
    return {
        workers: replace(some[0], seconds=min(one.seconds for one in some), cpu=min(one.cpu for one in some))
        for workers, some in made.items()
    }


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


def report(made: dict[int, Compared], resume: float, command: str) -> str:
    """Return the text of the result; `made` by the number of suits."""
    rows = [
        (
            f"{suits}",
            f"{workers}",
            f"{one.deals}",
            f"{one.rate:.1f}",
            f"{1000 * compared.loops[workers].cpu_a_deal:.2f}",
            f"{1000 * one.cpu_a_deal:.2f}",
            f"{1000 * compared.overhead(workers):.2f}",
            f"{100 * compared.overhead(workers) / one.cpu_a_deal:.1f} %",
            f"{one.bytes_a_deal:.0f}",
        )
        for suits, compared in made.items()
        for workers, one in compared.batches.items()
    ]
    head = (
        "suits", "workers", "deals", "deals/s", "CPU ms a deal of as many plain loops", "of the batch",
        "runner and store, ms a deal", "of all CPU", "store, bytes a deal",
    )  # fmt: skip
    most_bytes = max(one.bytes_a_deal for compared in made.values() for one in compared.batches.values())
    lines = [
        "# What a batch costs beside the search",
        "",
        f"`{command}`",
        "",
        f"{environment_line(environment())}. Least time of {REPEATS} runs, CPU time by itself.",
        "",
        markdown(head, rows),
        "",
        *(
            f"- {suits} suit{'s' if suits > 1 else ''}: two workers solve "
            f"{_gain(compared.batches):.2f} times the deals per second of one (wanted: at least 1.8); two plain loops, "
            f"without runner and store, {_gain(compared.loops):.2f} times"
            for suits, compared in made.items()
        ),
        f"- runner and store: {100 * made[1].overhead(1) * JUDGED_RATE:.1f} % of a core at "
        f"{JUDGED_RATE} deals per second (wanted: under 5 %)",
        f"- a finished batch of {RESUMED_DEALS:,} deals is found finished in {resume:.2f} s (wanted: under 3)",
        f"- store: at most {most_bytes:.0f} bytes a deal (wanted: under 1,024)",
        "",
    ]
    return "\n".join(lines)


def _gain(made: dict[int, Measured]) -> float:
    """Return how many times the deals per second of one process two have."""
    return made[2].rate / made[1].rate


@click.command(help=__doc__)
@click.option("--deals", type=int, default=1000, show_default=True, help="Deals of one suit; of four half as many.")
@click.option("--out", default="batch", show_default=True, help="Name of the result file, or none.")
def main(deals: int, out: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="spider-batch-"))
    try:
        made = {suits: compare(folder, suits, number) for suits, number in ((1, deals), (4, max(deals // 2, 1)))}
        resume = resume_seconds(folder, folder / "4-1-0.sqlite")
    finally:
        shutil.rmtree(folder)
    text = report(made, resume, command_line())
    publish_report(out, text)


if __name__ == "__main__":
    main()
