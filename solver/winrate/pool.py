"""Worker processes of this machine: how they start, and how they end.

Workers are started by ``spawn``, everywhere the same way, once the kernels are compiled: each loads the machine code
from the cache.  A pool of processes cannot be told to drop what it is doing, and its workers would outlive a parent
that was killed.  So each worker watches two things and leaves at once when either happens:

* the parent ends, in whatever way
* the parent closes its end of a pipe: `LocalPool.kill`

Workers ignore Ctrl-C, which the terminal sends to all: the parent alone decides.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

from solver.kernel import cache
from solver.machine_code import SOLVING, is_compiled
from solver.winrate.run import POLL_SECONDS, BatchError, warm_up

EXIT_ABANDONED = 1


class LocalPool:
    """A pool of worker processes that can be ended at once, and made anew when a worker has died."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._pipe: Connection | None = None

    def executor(self) -> Executor:
        """Return a new pool, the one before it ended; a worker starts when there is work for it."""
        self.kill()
        context = multiprocessing.get_context("spawn")
        stop, self._pipe = context.Pipe(duplex=False)
        self._pool = _Pool(self.workers, mp_context=context, initializer=_start_worker, initargs=(stop,))
        return self._pool

    def kill(self) -> None:
        """End the workers at once, whatever they are doing; their deals are lost."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None


class _Pool(ProcessPoolExecutor):
    """A pool whose workers cannot be hit by Ctrl-C before they have learned to ignore it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Workers are started in here, and a process inherits the signals that are held back.
        with _sigint_held_back():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _sigint_held_back() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(stop: Connection) -> None:
    """Prepare a worker process; must not fail, as a pool cannot tell that from a worker that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    watched: list[Any] = [stop] if parent is None else [stop, parent.sentinel]

    def watch() -> None:
        wait(watched)
        os._exit(EXIT_ABANDONED)

    threading.Thread(target=watch, daemon=True, name="leave with the parent").start()


# ---- warm kernels --------------------------------------------------------------------------------


def share_cache() -> str | None:
    """See to it that all workers use one cache of machine code; return a warning if it will not last.

    Return None as well when everything is compiled already.  Loads no numba.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folder = cache.kernel_cache_folder()
    if not caught:
        return None
    # Each worker would make a temporary folder of its own, and compile everything in it.
    os.environ["SPIDER_CACHE_DIR"] = str(folder)
    return str(caught[0].message)


def is_warm() -> bool:
    """Whether all kernels that a solve may need are compiled."""
    return is_compiled(*SOLVING)


def warm_kernels(executor: Executor, stopped: Callable[[], bool]) -> None:
    """Have one worker fill the cache before the others start; raises `BatchError` when it cannot."""
    future = executor.submit(warm_up)
    while not stopped():
        try:
            future.result(timeout=POLL_SECONDS)
            return
        except NotYet:
            continue
        except BrokenExecutor:
            raise BatchError("the first worker process died before it had solved anything") from None
        except Exception as error:
            raise BatchError(f"the search does not start: {type(error).__name__}: {error}") from error
