"""Both cores on one deal: members of the portfolio race in separate processes.

The parent hands the next member to whichever worker is free and listens::

    parent  -> worker   Task        search with this member
    worker  -> parent   Standing    ten times a second
            -> parent   Finished    once a task

and when it has heard enough it ends the processes, which keep nothing that could be lost.

Which line wins is a matter of time, so a race is not deterministic; a solve without one is.  The parent alone heeds
Ctrl-C.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeAlias, cast

from solver.move import Line
from solver.portfolio import Member
from solver.position import Position
from solver.record import Attempt, RaceError, Reach
from solver.rules import Rules

Pipe: TypeAlias = "Connection[Any, Any]"

REPORT_SECONDS = 0.1
STOP_SECONDS = 0.5
"""Time for a worker to die of SIGTERM before it is killed."""


@dataclass(frozen=True)
class Task:
    """One try, from a position; the reduced list."""

    position: Position
    rules: Rules
    member: Member
    memory: int
    """Bytes of the arrays."""


@dataclass(frozen=True)
class Standing:
    """How far the try of a worker has come."""

    expansions: int
    children: int
    reach: Reach


@dataclass(frozen=True)
class Finished:
    """What came of a task."""

    attempt: Attempt
    line: Line
    """Empty unless the outcome is a win."""
    cpu_seconds: float


class Race:
    """Workers that search until one has won or the caller stops; a context manager."""

    def __init__(self, position: Position, rules: Rules, jobs: int, memory: int) -> None:
        """Start the workers; each gets `memory` bytes for its arrays."""
        self._task = (position, rules)
        self._memory = memory
        context = multiprocessing.get_context("spawn")
        self._workers: list[tuple[SpawnProcess, Pipe]] = []
        self.standings: dict[Pipe, Standing] = {}
        """The last word of every worker that is searching."""
        for _ in range(jobs):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there,), daemon=True)
            process.start()
            there.close()
            self._workers.append((process, here))

    def __enter__(self) -> Race:
        return self

    def __exit__(self, *exception: object) -> None:
        for process, connection in self._workers:
            # A worker that died has closed its end.
            with suppress(OSError):
                connection.close()
            process.terminate()
        for process, _pipe in self._workers:
            process.join(STOP_SECONDS)
            if process.is_alive():
                process.kill()

    def run(self, members: Iterator[Member]) -> Iterator[Finished | None]:
        """Yield every finished try as it comes, and None at least ten times a second, until the caller has enough."""
        position, rules = self._task
        idle = [connection for _, connection in self._workers]
        while True:
            for connection in idle:
                # A worker that is gone is noticed below.
                with suppress(BrokenPipeError):
                    connection.send(Task(position, rules, next(members), self._memory))
            idle = []
            ready = cast("list[Pipe]", wait([connection for _, connection in self._workers], REPORT_SECONDS))
            for connection in ready:
                try:
                    message = connection.recv()
                except (EOFError, ConnectionResetError):
                    raise RaceError(
                        "a process of the search died, most likely for want of memory: give fewer jobs or less memory"
                    ) from None
                if isinstance(message, Standing):
                    self.standings[connection] = message
                else:
                    self.standings.pop(connection, None)
                    idle.append(connection)
                    yield message
            yield None


def _work(connection: Pipe) -> None:
    """Search for the parent until it goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from solver.kernel import cache

    cache.import_kernels()
    # The parent is gone when its end of the pipe is.
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send(_search(connection.recv(), connection))


def _search(task: Task, connection: Pipe) -> Finished:
    from solver.ending import make_ending, memory_used
    from solver.tries import begin_try

    begun, cpu_begun, reported = time.perf_counter(), time.process_time(), 0.0
    ending = make_ending(task.position, task.rules, memory=task.memory)
    left = task.memory - memory_used(ending)
    attempt = begin_try(task.position, task.rules, task.member, memory=left, ending=ending)
    outcome = None
    while outcome is None:
        outcome = attempt.step(task.member.expansions)
        now = time.perf_counter()
        if now - reported >= REPORT_SECONDS:
            reported = now
            connection.send(Standing(attempt.expansions, attempt.children, attempt.reach()))
    seconds = time.perf_counter() - begun
    return Finished(
        Attempt(
            task.member.name,
            task.member.lossless,
            outcome,
            attempt.expansions,
            attempt.children,
            attempt.positions,
            seconds,
        ),
        attempt.line() if outcome == "win" else (),
        time.process_time() - cpu_begun,
    )
