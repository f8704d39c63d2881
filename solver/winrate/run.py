"""Solve deals in any `concurrent.futures.Executor` and hand each result on as soon as it is there.

What may go wrong, and what happens then:

=================================  ==============================================================================
a worker process dies              the executor is broken; a new one is made, the deals that were being solved are
                                   tried once more, each with nothing else running; a deal that breaks the executor
                                   again is recorded as ``error``
a worker has no memory left        the same, without a new executor
many deals in a row end in errors  something is wrong with more than the deals: `BatchError`
a result cannot be stored          whatever `record` raises goes through; what was recorded before is safe
the caller wants to stop           finished deals are still recorded, the others forgotten: the same batch, started
                                   again, solves them
=================================  ==============================================================================

Tasks are small values and results too, so an executor may be a pool of processes, a cluster, or one thread.

A future costs the parent some 0.4 ms, a tenth of an easy deal.  So easy deals travel in *parcels*, as many as a worker
solves in `HOLD_SECONDS`, and slow ones each by itself.  A finished deal is handed on within 0.1 s, a quarter of a
second when a slow deal comes after it unexpectedly: that one is broken off and sent again, first in its parcel.
"""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeAlias

from solver.machine_code import SOLVING, load_kernels
from solver.numbering import deal_from_id
from solver.rules import Rules, make_rules
from solver.search import Budget, Progress, SearchError, solve
from solver.winrate.lines import pack_line
from solver.winrate.program import program_signature
from solver.winrate.store import Result, Run

POLL_SECONDS = 0.2
"""How often the runner asks whether to stop."""
GATHER_SECONDS = 0.05
"""How long to wait for more results after one, so that fast deals share a transaction."""
HOLD_SECONDS = 0.05
"""How long finished deals may wait in a worker for the next one."""
FADE = 0.95
"""How fast a slow deal is forgotten: less than a fifth of it counts after 32 others."""
FASTEST_SECONDS = 0.001
"""What no deal beats, so that a parcel has a largest size."""
PARCELS_IN_WORK = 16
"""Parcels in the executor for each worker, so that none waits while results are gathered and stored."""
MAX_ERRORS_IN_A_ROW = 20

WARM_UP_DEAL = "pysolfc:14934"
"""A deal that is not won soon, so that the search grows and every kernel is used."""
WARM_UP_EXPANSIONS = 5_000

DIED = "its worker process died twice on this deal, the second time with nothing else running"
DIED_IN_CLUSTER = "several workers of the cluster died on this deal"
NO_MEMORY = "its worker process had no memory left, twice"


class TakesLong(RuntimeError):
    """A hurried search that was broken off."""


class BatchError(RuntimeError):
    """A batch that cannot go on; the message says why, and everything recorded is safe."""


@dataclass(frozen=True)
class Task:
    """One deal to solve, complete in itself."""

    scheme: str
    deal: str
    rules: Rules
    budget: Budget
    run: int
    """Number of the run in the store; the worker does not need it."""
    hurried: bool = False
    """Whether finished deals wait for this one, so that it must not take long."""

    @property
    def id(self) -> str:
        """The deal with its scheme."""
        return f"{self.scheme}:{self.deal}"


@dataclass(frozen=True)
class Answer:
    """What a worker sends back."""

    result: Result
    program: str
    """Signature of the search that the worker has."""
    out_of_memory: bool = False


Record: TypeAlias = Callable[[Sequence[tuple[Task, Result]]], None]


@functools.cache
def warm_up() -> None:
    """Use every kernel once in this process: what is missing in the cache is compiled, the rest is loaded."""
    load_kernels(*SOLVING)
    solve(deal_from_id(WARM_UP_DEAL), make_rules(), Budget(expansions=WARM_UP_EXPANSIONS))


def solve_task(task: Task) -> Answer:
    """Solve one deal; raises `TakesLong` when it is hurried and takes longer than some 0.1 s."""
    # Or the first deal of every worker would bear the cost in its times.
    warm_up()
    try:
        deal = deal_from_id(task.id, task.rules.suits)
        solution = solve(deal, task.rules, task.budget, progress=_break_off if task.hurried else None)
    except MemoryError:
        return Answer(failed(task, NO_MEMORY), program_signature(), out_of_memory=True)
    except SearchError as error:
        return Answer(failed(task, str(error)), program_signature())
    result = Result(
        deal=task.deal,
        verdict=solution.verdict,
        line=pack_line(solution.line),
        reason=solution.reason if solution.verdict == "loss" else "",
        moves=solution.moves,
        rows_dealt=solution.rows_dealt,
        runs_removed=solution.runs_removed,
        tries=solution.tries,
        expansions=solution.expansions,
        children=solution.children,
        seconds=round(solution.seconds, 4),
        cpu_seconds=round(solution.cpu_seconds, 4),
    )
    return Answer(result, program_signature())


def _break_off(_progress: Progress) -> None:
    raise TakesLong


def work_off(work: Callable[[Task], Answer], parcel: Sequence[Task]) -> list[Answer]:
    """Work on the tasks of a parcel in their order: what a worker does.

    Returns the answers of the first ones, one at least: what takes long or fails while others wait is left, and
    raises what it raises when it comes first another time.
    """
    first, *others = parcel
    begun = time.monotonic()
    answers = [work(first)]
    for task in others:
        if time.monotonic() - begun >= HOLD_SECONDS:
            break
        try:
            answers.append(work(replace(task, hurried=True)))
        except Exception:
            break
    return answers


def failed(task: Task, reason: str) -> Result:
    """Return what is recorded of a deal that could not be searched."""
    return Result(task.deal, "error", "", reason, 0, 0, 0, 0, 0, 0, 0.0, 0.0)


def run_batch(
    tasks: Iterable[Task],
    record: Record,
    executor: Executor,
    *,
    workers: int,
    rebuild: Callable[[], Executor] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda _message: None,
    work: Callable[[Task], Answer] = solve_task,
) -> None:
    """Solve the tasks in an executor of so many workers, and call `record` with results as they come.

    `rebuild` makes a new executor after the present one broke; without it that ends the batch.  `stopped` is asked
    several times a second; `say` gets a line about each mishap.  The caller shuts the executors down.

    Raises `BatchError` when the batch cannot go on, and whatever `record` raises.
    """
    _Batch(iter(tasks), record, executor, workers, rebuild, stopped, say, work).run()


class _Batch:
    """A batch while it runs."""

    def __init__(
        self,
        tasks: Iterable[Task],
        record: Record,
        executor: Executor,
        workers: int,
        rebuild: Callable[[], Executor] | None,
        stopped: Callable[[], bool],
        say: Callable[[str], None],
        work: Callable[[Task], Answer],
    ) -> None:
        self.tasks = iter(tasks)
        self.record = record
        self.executor = executor
        self.workers = workers
        self.window = PARCELS_IN_WORK * workers
        self.rebuild = rebuild
        self.stopped = stopped
        self.say = say
        self.work = work
        self.running: dict[Future[list[Answer]], tuple[Task, ...]] = {}
        self.slowest = HOLD_SECONDS
        """CPU seconds of the slowest deal of late, `HOLD_SECONDS` at most; nothing is known at first."""
        self.again: deque[Task] = deque()
        """Tasks to be sent once more, in company: they were left, or their executor broke before a worker had them."""
        self.suspects: deque[Task] = deque()
        """Tasks that were running when something went wrong: each is tried once more alone."""
        self.alone: tuple[Task, ...] | None = None
        """The parcel of the suspect that is running now."""
        self.lost: list[tuple[Task, ...]] = []
        """Parcels that the broken executor held, in the order they were sent."""
        self.errors = 0
        """Errors since the last deal that was solved."""

    def run(self) -> None:
        while not self.stopped():
            broken = self._submit()
            if not self.running and not broken:
                return
            broken = self._collect(POLL_SECONDS) or broken
            if broken:
                self._mend()
        # Deals that are finished by now are kept; nothing is waited for.
        self._collect(0)

    def _submit(self) -> bool:
        """Keep the executor busy; return whether it is broken."""
        parcel: tuple[Task, ...]
        while True:
            if self.suspects and not self.running:
                parcel = self.alone = (self.suspects.popleft(),)
            elif self.suspects or self.alone is not None or len(self.running) >= self.window:
                return False
            else:
                parcel = self._next_parcel()
                if not parcel:
                    return False
            try:
                self.running[self.executor.submit(work_off, self.work, parcel)] = parcel
            except BrokenExecutor:
                # It broke before it took the parcel, so that is not to blame.
                if self.alone is not None:
                    self.suspects.appendleft(*parcel)
                    self.alone = None
                else:
                    self.again.extendleft(reversed(parcel))
                return True

    def _next_parcel(self) -> tuple[Task, ...]:
        """Take as many tasks as a worker solves in `HOLD_SECONDS`, all as slow as the slowest of late; or the last."""
        size = int(HOLD_SECONDS / max(self.slowest, FASTEST_SECONDS))
        again = [self.again.popleft() for _ in range(min(size, len(self.again)))]
        return (*again, *islice(self.tasks, size - len(again)))

    def _collect(self, seconds: float) -> bool:
        """Record what is finished, waiting so long for the first; return whether the executor is broken."""
        if wait(self.running, timeout=seconds, return_when=FIRST_COMPLETED).done and seconds and not self.suspects:
            time.sleep(GATHER_SECONDS)
        results: list[tuple[Task, Result]] = []
        broken = False
        for future in [future for future in self.running if future.done()]:
            parcel = self.running.pop(future)
            alone = self.alone is parcel
            if alone:
                self.alone = None
            try:
                answers = future.result()
            except BrokenExecutor:
                broken = True
                if alone:
                    results.append((parcel[0], failed(parcel[0], DIED)))
                else:
                    self.lost.append(parcel)
                continue
            except CancelledError:
                raise BatchError("the connection to the workers was lost") from None
            except Exception as error:
                if _is_worker_lost(error):
                    if len(parcel) == 1:
                        results.append((parcel[0], failed(parcel[0], DIED_IN_CLUSTER)))
                    else:
                        self.suspects.extend(parcel)
                    continue
                self._keep(results)
                raise BatchError(f"a worker failed on {parcel[0].id}: {type(error).__name__}: {error}") from error
            self.again.extendleft(reversed(parcel[len(answers) :]))
            for task, answer in zip(parcel, answers, strict=False):
                if answer.program != program_signature():
                    self._keep(results)
                    raise BatchError(
                        f"a worker has program {answer.program}, this is {program_signature()}: "
                        "install the same version of the package everywhere"
                    )
                if answer.out_of_memory and not alone:
                    self.say(
                        f"{task.id}: a worker had no memory left; the deal is tried once more with nothing else running"
                    )
                    self.suspects.append(task)
                else:
                    results.append((task, answer.result))
                # CPU time, as others on the machine say nothing about the deals.
                self.slowest = max(FADE * self.slowest, min(answer.result.cpu_seconds, HOLD_SECONDS))
        self._keep(results)
        return broken

    def _keep(self, results: Sequence[tuple[Task, Result]]) -> None:
        if results:
            self.record(results)
        for task, result in results:
            if result.verdict != "error":
                self.errors = 0
                continue
            self.errors += 1
            self.say(f"{task.id} is recorded as an error: {result.reason}")
            if self.errors == MAX_ERRORS_IN_A_ROW:
                raise BatchError(f"{self.errors} deals in a row ended in errors, the last one was: {result.reason}")

    def _mend(self) -> None:
        """Make a new executor, after everything that the broken one held has come back."""
        while self.running:
            self._collect(POLL_SECONDS)
        if self.rebuild is None:
            raise BatchError("the workers are gone")
        if self.lost:
            # Parcels are taken in the order they were sent, so the first ones were in work; twice as many, as results
            # may have been on their way.  If the culprit is not among them, it will be the next time.
            suspects = list(chain.from_iterable(self.lost[: 2 * self.workers]))
            self.suspects.extend(suspects)
            self.again.extendleft(reversed(list(chain.from_iterable(self.lost[2 * self.workers :]))))
            self.lost.clear()
            self.say(
                "a worker process died: it was killed, or the machine had no memory left; the deals in work "
                f"({len(suspects)}) are tried once more, one by one"
            )
        self.executor = self.rebuild()


def _is_worker_lost(error: Exception) -> bool:
    """Whether an exception says that a cluster lost several workers on the same deal, after trying it again itself."""
    # Dask's; asked by name, as its package is an extra.
    return type(error).__name__ == "KilledWorker"


def make_task(run: Run, number: int, deal: str) -> Task:
    """Return the task for a deal of a run; `number` is that of the run in the store."""
    return Task(run.scheme, deal, run.rules, run.budget, number)
