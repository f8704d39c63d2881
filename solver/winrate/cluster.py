"""Workers of a Dask cluster as an executor (extra ``cluster``).

Start the scheduler and the workers with the package installed on every machine; a worker must solve one deal at
a time, as CPU time and memory are counted by process::

    dask scheduler
    dask worker tcp://HOST:8786 --nthreads 1 --nworkers auto
    spider batch --cluster tcp://HOST:8786 ...

Dask itself gives the deals of a dead worker to another one, and gives them up when several died on them; they are then
tried one by one.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from solver.winrate.run import BatchError

CONNECT_SECONDS = 5


@dataclass(frozen=True)
class Cluster:
    """A cluster that one is connected to."""

    executor: Executor
    workers: int


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler such as ``tcp://host:8786``.

    Raises `BatchError` when the extra is not installed, when nobody answers, and when there are no workers or such as
    solve several deals in one process.
    """
    try:
        # Not all of it has types, and it may not be there, so none are looked at.
        client_of: Any = importlib.import_module("distributed").Client
    except ImportError:
        raise BatchError(
            "--cluster needs Dask, which is not installed: pip install 'spider-patience[cluster]'"
        ) from None
    # Dask reports lost connections by itself, with tracebacks; what matters comes as an exception.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = client_of(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise BatchError(f"cannot connect to a scheduler at {address!r}: {error}") from None
    try:
        threads = {name: worker["nthreads"] for name, worker in client.scheduler_info(n_workers=-1)["workers"].items()}
        if not threads:
            raise BatchError(f"the scheduler at {address!r} has no workers: start some with 'dask worker {address}'")
        if max(threads.values()) > 1:
            raise BatchError(
                "a worker of the cluster has several threads, but memory and CPU time are counted by process: "
                "start workers with --nthreads 1 --nworkers auto"
            )
        # Not pure: Dask would answer a repeated task from its memory.
        yield Cluster(client.get_executor(pure=False), len(threads))
    finally:
        # What still runs is forgotten, and the scheduler gone is no reason to wait.
        client.close(timeout=1)
