"""Batches, by doing to them what happens: killed parents and workers, full disks, no memory, Ctrl-C; and the three
ways to run one, which give the same results.

Everything runs with a budget of expansions, so that the results do not depend on the machine.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from solver.cli import cli
from solver.kernel import cache
from solver.numbering import deal_from_id
from solver.referee import replay
from solver.rules import make_rules
from solver.search import Budget, SearchError
from solver.winrate import run as runner
from solver.winrate.lines import unpack_line
from solver.winrate.pool import LocalPool, warm_kernels
from solver.winrate.program import program_signature
from solver.winrate.run import Answer, BatchError, TakesLong, Task, failed, run_batch, solve_task, work_off
from solver.winrate.store import Result as StoredResult

BUDGET = Budget(seconds=300.0, memory=512, expansions=20_000)
EASY = [
    "batch", "--deals", "1-40", "--suits", "1", "--expansions", "20000", "--timeout", "300", "--memory", "512",
    "--jobs", "2", "--out",
]  # fmt: skip
"""A batch of some seconds; the file comes last."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "solver", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def table(path: Path) -> list[tuple[Any, ...]]:
    """Return what a store holds, without what depends on the machine."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT suits, deal, verdict, line, reason, moves, rows_dealt, runs_removed, tries, results.expansions, "
            "children FROM results JOIN runs ON run = id ORDER BY 1, 2"
        ).fetchall()


def count(path: Path) -> int:
    """Return how many results a store holds while it is written."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def wait_for(condition: Callable[[], object], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def workers_of(parent: int) -> list[int]:
    """Return the worker processes of a batch."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ppid = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if ppid == parent and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes by /proc")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished batch that nothing happened to."""
    path = tmp_path_factory.mktemp("batch") / "whole.sqlite"
    result = run(*EASY, path)
    assert result.exit_code == 0, result.output
    return path


# ---- an ordinary batch ---------------------------------------------------------------------------


def test_every_deal_is_stored_with_a_line_that_wins(finished: Path) -> None:
    rows = table(finished)
    assert len(rows) == 40
    for suits, deal, verdict, line, reason, moves, *_ in rows:
        assert (verdict, reason) == ("win", "")
        start = deal_from_id(f"pysolfc:{deal}", suits)
        assert replay(start, unpack_line(line), make_rules(suits=suits)).is_won
        assert moves == sum(move.kind == "move" for move in unpack_line(line))


def test_the_store_takes_less_than_a_kilobyte_a_deal(finished: Path) -> None:
    assert finished.stat().st_size / 40 < 1024 + 20_000 / 40  # the tables themselves take some pages


def test_the_same_command_finds_everything_done(finished: Path) -> None:
    before = finished.read_bytes()
    result = run(*EASY, finished)
    assert result.exit_code == 0
    assert result.stderr == "spider: nothing to solve: all 40 deals are stored\n"
    assert result.stdout.startswith("pysolfc, standard (strict, automatic removal, 1 suit): 40 deals: 40 won, ")
    assert finished.read_bytes() == before


def test_a_larger_batch_solves_the_rest_only(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "more.sqlite"
    path.write_bytes(finished.read_bytes())
    more = [*EASY[:2], "1-42", *EASY[3:]]
    result = run(*more, path)
    assert result.exit_code == 0
    assert "42 deals: 42 won" in result.stdout
    assert [row for row in table(path) if int(row[1]) <= 40] == table(finished)


def test_workers_compile_nothing_that_is_in_the_cache(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A copy, as other tests may be filling the cache at the same time.
    full = cache.kernel_cache_folder()
    copy = tmp_path / "cache" / full.name
    shutil.copytree(full, copy)
    monkeypatch.setenv("SPIDER_CACHE_DIR", str(copy.parent))

    def files() -> dict[str, int]:
        return {str(file): file.stat().st_mtime_ns for file in copy.rglob("*.nb?")}

    before = files()
    assert before, "the first batch filled the cache"
    with start(*EASY, tmp_path / "again.sqlite") as process:
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert files() == before
    assert table(tmp_path / "again.sqlite") == table(finished)


def test_results_go_to_stdout_and_progress_to_stderr_only_on_a_terminal(tmp_path: Path) -> None:
    with start(*EASY, tmp_path / "a.sqlite") as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.count("\n") == 1
    assert err == ""


@needs_proc
def test_workers_keep_to_their_memory(tmp_path: Path) -> None:
    # 10957 fills whatever it is given.
    task = Task("pysolfc", "10957", make_rules(), Budget(seconds=300.0, memory=320), 1)
    pool = LocalPool(1)
    try:
        executor = pool.executor()
        result = executor.submit(solve_task, replace(task, budget=replace(task.budget, expansions=200_000))).result()
        peak = executor.submit(_peak_memory).result()
    finally:
        pool.kill()
    assert result.result.verdict == "timeout"
    assert peak < 320


def _peak_memory() -> int:
    # Not getrusage, which counts what the parent had when it started this process.
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


# ---- things that happen --------------------------------------------------------------------------


@needs_proc
def test_kill_9_of_the_parent_loses_nothing_and_leaves_no_worker(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "a.sqlite"
    with start(*EASY, path) as process:
        wait_for(lambda: count(path) >= 3)
        workers = workers_of(process.pid)
        process.kill()
    assert workers
    wait_for(lambda: not any(map(is_alive, workers)), 10)
    stored = table(path)
    assert 3 <= len(stored) < 40
    result = run(*EASY, path)
    assert result.exit_code == 0, result.output
    assert "another process" not in result.stderr
    assert table(path) == table(finished)
    assert set(stored) <= set(table(path))


@needs_proc
def test_kill_9_of_a_worker_is_told_and_loses_nothing(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "a.sqlite"
    with start(*EASY, path) as process:
        wait_for(lambda: count(path) >= 3)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert err.count("\n") == 1
    assert err.startswith("spider: a worker process died: it was killed, or the machine had no memory left; ")
    assert "40 deals: 40 won" in out
    assert table(path) == table(finished)


@needs_proc
def test_ctrl_c_stops_within_a_second_and_keeps_everything(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "a.sqlite"
    with start(*EASY, path) as process:
        wait_for(lambda: count(path) >= 3)
        workers = workers_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        pressed = time.monotonic()
        out, err = process.communicate(timeout=120)
        took = time.monotonic() - pressed
    assert process.returncode == 130
    assert took < 1.0
    assert not any(map(is_alive, workers))
    assert out == ""
    stored = len(table(path))
    assert err == (f"spider: interrupted with {stored} of 40 deals stored in {str(path)!r}; the same command goes on\n")
    assert not path.with_name("a.sqlite-lock").exists()
    assert run(*EASY, path).exit_code == 0
    assert table(path) == table(finished)


def test_a_full_disk_is_told_and_the_same_command_goes_on(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "a.sqlite"

    def small_files() -> None:
        # Larger files cannot be written from here on, which the system reports as it does a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))

    with start(*EASY, path, preexec_fn=small_files) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out == ""
    assert err.startswith(f"spider: error: {str(path)!r}: ")
    assert "Traceback" not in err
    assert " of 40 deals are stored and safe; once the cause is gone, the same command goes on" in err
    stored = table(path)
    assert 3 < len(stored) < 40
    assert set(stored) <= set(table(finished))
    assert run(*EASY, path).exit_code == 0
    assert table(path) == table(finished)


def test_two_batches_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with start(*EASY, path) as process:
        wait_for(lambda: count(path) >= 1)
        os.kill(process.pid, signal.SIGSTOP)
        try:
            result = run(*EASY, path)
        finally:
            os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=120)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"spider: error: another process is writing {str(path)!r}")
    assert process.returncode == 0


# ---- the runner, with workers that do as they are told --------------------------------------------


def tasks(*deals: str) -> list[Task]:
    return [Task("pysolfc", deal, make_rules(suits=1), BUDGET, 1) for deal in deals]


def answer(task: Task) -> Answer:
    result = StoredResult(task.deal, "win", "", "", 0, 0, 0, 1, 1, 1, 0.0, 0.0)
    return Answer(result, program_signature())


def die_on_3(task: Task) -> Answer:
    if task.deal == "3":
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(task)


def die_once_on_3(task: Task) -> Answer:
    with contextlib.suppress(FileExistsError):
        Path(os.environ["SPIDER_TEST_FLAG"]).touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(task)


def run_out_of_memory_on_3(task: Task) -> Answer:
    full = task.deal == "3"
    return replace(answer(task), out_of_memory=True, result=failed(task, runner.NO_MEMORY)) if full else answer(task)


def solve_with_little_memory(task: Task) -> Answer:
    """Solve with 20 MiB more than the process has now, as on a machine whose memory is full."""
    runner.warm_up()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), before[1]))
    try:
        return solve_task(task)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def fail(task: Task) -> Answer:
    raise RuntimeError(f"no {task.deal}")


def have_another_program(task: Task) -> Answer:
    return replace(answer(task), program="0.0.1+other")


def have_errors(task: Task) -> Answer:
    return replace(answer(task), result=failed(task, "nothing works"))


Outcome = tuple[dict[str, str], list[str]]


def batch_in_threads(deals: Sequence[str], work: Callable[[Task], Answer], **options: Any) -> Outcome:
    with ThreadPoolExecutor(2) as executor:
        return batch_in(executor, deals, work, **options)


def batch_in(executor: Executor, deals: Sequence[str], work: Callable[[Task], Answer], **options: Any) -> Outcome:
    verdicts: dict[str, str] = {}
    said: list[str] = []

    def record(results: Sequence[tuple[Task, StoredResult]]) -> None:
        for task, result in results:
            assert task.deal not in verdicts, "recorded twice"
            verdicts[task.deal] = result.verdict

    run_batch(tasks(*deals), record, executor, workers=2, say=said.append, work=work, **options)
    return verdicts, said


DEALS = ["1", "2", "3", "4", "5", "6"]


@pytest.fixture
def pool() -> Iterator[LocalPool]:
    pool = LocalPool(2)
    yield pool
    pool.kill()


def test_a_deal_that_kills_its_worker_twice_is_an_error_and_the_others_are_solved(pool: LocalPool) -> None:
    verdicts, said = batch_in(pool.executor(), DEALS, die_on_3, rebuild=pool.executor)
    assert verdicts == {deal: "error" if deal == "3" else "win" for deal in DEALS}
    assert "are tried once more, one by one" in said[0]
    assert said[1:] == [f"pysolfc:3 is recorded as an error: {runner.DIED}"]


def test_a_deal_whose_worker_is_killed_once_is_solved(
    pool: LocalPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIDER_TEST_FLAG", str(tmp_path / "flag"))
    verdicts, said = batch_in(pool.executor(), DEALS, die_once_on_3, rebuild=pool.executor)
    assert verdicts == dict.fromkeys(DEALS, "win")
    assert len(said) == 1


def test_an_executor_that_cannot_be_made_anew_ends_the_batch(pool: LocalPool) -> None:
    with pytest.raises(BatchError, match="the workers are gone"):
        batch_in(pool.executor(), DEALS, die_on_3)


def test_a_deal_without_memory_is_tried_again_alone(pool: LocalPool) -> None:
    verdicts, said = batch_in_threads(DEALS, run_out_of_memory_on_3)
    assert verdicts == {deal: "error" if deal == "3" else "win" for deal in DEALS}
    assert len(said) == 2
    assert "had no memory left; the deal is tried once more" in said[0]


@needs_proc
def test_a_worker_whose_machine_has_no_memory_goes_on_with_the_next_deal(pool: LocalPool) -> None:
    # 10957 needs what it can get; the easy deals do not.
    hard = Task("pysolfc", "10957", make_rules(), replace(BUDGET, expansions=300_000), 1)
    found: dict[str, StoredResult] = {}
    said: list[str] = []
    run_batch(
        [hard, *tasks("1", "2")],
        lambda results: found.update({task.deal: result for task, result in results}),
        pool.executor(),
        workers=2,
        say=said.append,
        work=solve_with_little_memory,
    )
    assert found["10957"] == failed(hard, runner.NO_MEMORY)
    assert [found[deal].verdict for deal in ("1", "2")] == ["win", "win"]
    assert len(said) == 2


def test_a_worker_reports_that_it_has_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_arguments: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(runner, "solve", no_memory)
    monkeypatch.setattr(runner, "warm_up", lambda: None)
    found = solve_task(tasks("1")[0])
    assert found.out_of_memory
    assert found.result == failed(tasks("1")[0], runner.NO_MEMORY)


def test_a_fault_of_the_search_is_recorded_as_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_arguments: object, **_options: object) -> None:
        raise SearchError("the referee refuses a line")

    monkeypatch.setattr(runner, "solve", wrong)
    monkeypatch.setattr(runner, "warm_up", lambda: None)
    assert solve_task(tasks("1")[0]).result == failed(tasks("1")[0], "the referee refuses a line")


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (fail, "a worker failed on pysolfc:1: RuntimeError: no 1"),
        (have_another_program, "install the same version of the package everywhere"),
    ],
)
def test_what_would_go_wrong_for_every_deal_ends_the_batch(work: Callable[[Task], Answer], message: str) -> None:
    with pytest.raises(BatchError, match=message):
        batch_in_threads(["1"], work)


def test_many_errors_in_a_row_end_the_batch() -> None:
    with pytest.raises(BatchError, match="20 deals in a row ended in errors, the last one was: nothing works"):
        batch_in_threads([str(deal) for deal in range(1, 60)], have_errors)


def test_a_stop_keeps_what_is_finished() -> None:
    stop = threading.Event()

    def work(task: Task) -> Answer:
        if task.deal == "4":
            stop.set()
        return answer(task)

    verdicts, _ = batch_in_threads([str(deal) for deal in range(1, 1000)], work, stopped=stop.is_set)
    assert 3 <= len(verdicts) < 100


# ---- parcels -------------------------------------------------------------------------------------


class Counting(ThreadPoolExecutor):
    """One thread, which notes how many deals it gets at a time."""

    def __init__(self) -> None:
        super().__init__(1)
        self.sizes: list[int] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sizes.append(len(args[1]))
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize(("seconds", "largest"), [(0.0, 50), (0.004, 12), (0.03, 1), (20.0, 1)])
def test_easy_deals_travel_together_and_slow_ones_alone(seconds: float, largest: int) -> None:
    deals = [str(deal) for deal in range(1, 1001)]

    def work(task: Task) -> Answer:
        given = answer(task)
        return replace(given, result=replace(given.result, cpu_seconds=seconds))

    with Counting() as executor:
        verdicts, _ = batch_in(executor, deals, work)
    assert verdicts == dict.fromkeys(deals, "win")
    assert executor.sizes[0] == 1, "nothing is known at first"
    assert max(executor.sizes) == largest


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the runner sees, in the only element; they stand still by themselves."""
    now = [0.0]
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.mark.usefixtures("clock")
def test_a_deal_that_takes_long_while_finished_ones_wait_goes_back() -> None:
    def work(task: Task) -> Answer:
        if task.deal == "3" and task.hurried:
            raise TakesLong
        return answer(task)

    parcel = tasks(*DEALS)
    assert [one.result.deal for one in work_off(work, parcel)] == ["1", "2"]
    assert [one.result.deal for one in work_off(work, parcel[2:])] == ["3", "4", "5", "6"]


@pytest.mark.usefixtures("clock")
def test_a_fault_of_a_later_deal_is_told_when_it_comes_first() -> None:
    def work(task: Task) -> Answer:
        return fail(task) if task.deal == "3" else answer(task)

    parcel = tasks(*DEALS)
    assert [one.result.deal for one in work_off(work, parcel)] == ["1", "2"]
    with pytest.raises(RuntimeError, match="no 3"):
        work_off(work, parcel[2:])


def test_a_worker_begins_no_deal_when_finished_ones_have_waited(clock: list[float]) -> None:
    def work(task: Task) -> Answer:
        clock[0] += 0.4 * runner.HOLD_SECONDS
        return answer(task)

    assert len(work_off(work, tasks(*DEALS))) == 3


def test_a_hurried_search_is_broken_off_and_another_is_not() -> None:
    # 10957 is not won soon.
    task = Task("pysolfc", "10957", make_rules(), replace(BUDGET, expansions=300_000), 1)
    with pytest.raises(TakesLong):
        solve_task(replace(task, hurried=True, budget=replace(task.budget, expansions=None)))
    assert solve_task(task).result.verdict == "timeout"


def test_what_a_worker_leaves_is_sent_again() -> None:
    def work(task: Task) -> Answer:
        if task.hurried and int(task.deal) % 5 == 0:
            raise TakesLong
        return answer(task)

    deals = [str(deal) for deal in range(1, 301)]
    verdicts, said = batch_in_threads(deals, work)
    assert verdicts == dict.fromkeys(deals, "win")
    assert said == []


def test_a_deal_that_kills_its_worker_among_many_is_the_only_error(pool: LocalPool) -> None:
    deals = [str(deal) for deal in range(1000, 0, -1)]
    verdicts, said = batch_in(pool.executor(), deals, die_on_3, rebuild=pool.executor)
    assert verdicts == {deal: "error" if deal == "3" else "win" for deal in deals}
    assert said[-1] == f"pysolfc:3 is recorded as an error: {runner.DIED}"


class KilledWorker(Exception):
    """What Dask raises for a task on which several workers died."""


def test_deals_on_which_workers_of_a_cluster_died_are_tried_one_by_one() -> None:
    class Cluster(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if any(task.deal == "203" for task in args[1]):
                lost: Future[Any] = Future()
                lost.set_exception(KilledWorker())
                return lost
            return super().submit(fn, *args, **kwargs)

    deals = [str(deal) for deal in range(1, 301)]
    with Cluster(2) as executor:
        verdicts, said = batch_in(executor, deals, answer)
    assert verdicts == {deal: "error" if deal == "203" else "win" for deal in deals}
    assert said == [f"pysolfc:203 is recorded as an error: {runner.DIED_IN_CLUSTER}"]


# ---- before the first deal -----------------------------------------------------------------------


def test_workers_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ImportError("no numba here")

    monkeypatch.setattr("solver.winrate.pool.warm_up", broken)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(BatchError, match="the search does not start: ImportError: no numba here"),
    ):
        warm_kernels(executor, lambda: False)


# ---- three ways to run a batch -------------------------------------------------------------------


def test_shares_merged_are_the_batch(tmp_path: Path, finished: Path) -> None:
    parts = [tmp_path / f"part{index}.sqlite" for index in (1, 2, 3)]
    for index, part in enumerate(parts, start=1):
        result = run(*EASY, part, "--shard", f"{index}/3")
        assert result.exit_code == 0
    assert sorted(len(table(part)) for part in parts) == [13, 13, 14]
    whole = tmp_path / "whole.sqlite"
    result = run("merge", *parts, "--out", whole)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("results added") == 3
    assert table(whole) == table(finished)
    assert run(*EASY, whole).stderr == "spider: nothing to solve: all 40 deals are stored\n"


@contextlib.contextmanager
def dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, each a process of its own."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("the extra 'cluster' (Dask) is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    worker = ("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    with (
        dask("scheduler", "--host", address, "--no-dashboard", "--no-show"),
        dask(*worker) as one,
        dask(*worker) as two,
    ):
        wait_for(lambda: _workers_at(address) == 2, 60)
        yield address, [one, two]


def _workers_at(address: str) -> int:
    client_of: Any = importlib.import_module("distributed").Client
    try:
        with client_of(address, timeout=2, set_as_default=False) as client:
            return len(client.scheduler_info(n_workers=-1)["workers"])
    except OSError:
        return 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_that_loses_a_worker_gives_the_same_results(
    tmp_path: Path, finished: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    path = tmp_path / "a.sqlite"
    with start(*EASY, path, "--cluster", address) as process:
        wait_for(lambda: count(path) >= 3)
        workers[0].kill()
        at_the_kill = count(path)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert at_the_kill < 40
    assert "40 deals: 40 won" in out
    assert table(path) == table(finished)


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("the extra 'cluster' (Dask) is not installed")
    with start(*EASY, tmp_path / "a.sqlite", "--cluster", "tcp://127.0.0.1:1") as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out == ""
    assert err.startswith("spider: error: cannot connect to a scheduler at 'tcp://127.0.0.1:1'")
    assert "Traceback" not in err


def test_a_missing_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run(*EASY, tmp_path / "a.sqlite", "--cluster", "tcp://127.0.0.1:1")
    assert result.exit_code == 1
    assert "pip install 'spider-patience[cluster]'" in result.stderr


# ---- trying again --------------------------------------------------------------------------------

SMALL = ["batch", "--deals", "1-6", "--timeout", "300", "--memory", "512", "--jobs", "2"]


def test_timeouts_are_tried_again_with_a_larger_budget(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    assert run(*SMALL, "--expansions", 300, "--out", path).exit_code == 0
    first = table(path)
    undecided = {row[1] for row in first if row[2] == "timeout"}
    assert undecided
    same = run(*SMALL, "--expansions", 300, "--out", path, "--retry", "timeout")
    assert same.stderr == (
        "spider: nothing to solve: there are no timeouts of another budget; "
        "raise --timeout or change --search-seed to try again\n"
    )
    again = run(*SMALL, "--expansions", 400, "--out", path, "--retry", "timeout")
    assert again.exit_code == 0
    assert len(table(path)) == len(first) + len(undecided)
    assert run(*SMALL, "--expansions", 400, "--out", path, "--retry", "timeout").stderr.startswith("spider: nothing")


def test_errors_are_tried_again(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(finished.read_bytes())
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE results SET verdict = 'error', line = '', reason = 'killed' WHERE deal = '7'")
    assert "1 in error" in run(*EASY, path).stdout
    assert run(*EASY, path, "--retry", "error").exit_code == 0
    assert table(path) == table(finished)
    assert "no errors among the deals" in run(*EASY, path, "--retry", "error").stderr


# ---- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--out", "a"], 2, "which deals?"),
        (["--deals", "5-1", "--out", "a"], 2, "'5-1' goes down"),
        (["--deals", "0-1", "--out", "a"], 2, "out of range"),
        (["--deals", "1-2", "--suits", "3", "--out", "a"], 2, "no game of three suits"),
        (["--deals", "1-2", "--suits", "1,1", "--out", "a"], 2, "'1,1' is no list of suits"),
        (["--deals", "1-2", "--suits", "five", "--out", "a"], 2, "'five' is no list of suits"),
        (["--deals", "1-2", "--sample", "3", "--out", "a"], 2, "a sample of 3 out of 2 deals"),
        (["--deals", "1-99999999", "--out", "a"], 2, "99,999,999 deals are too many for a batch"),
        (["--sample", "99999999", "--out", "a"], 2, "99,999,999 deals are too many for a batch"),
        (["--deals", "1-2", "--shard", "3/2", "--out", "a"], 2, "'3/2' is no share"),
        (["--deals", "1-2", "--timeout", "0", "--out", "a"], 2, "0 is not a positive number"),
        (["--deals", "1-2", "--memory", "10", "--out", "a"], 2, "10 is not in the range x>=256"),
        (["--deals", "1-2", "--rules", "bicycle", "--out", "a"], 2, "layout"),
        (["--deals", "1-2", "--out", "nowhere/a"], 1, "cannot make 'nowhere/a-lock'"),
        (["--deals", "1-2"], 2, "Missing option '--out'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_get_one_clear_message(
    arguments: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("batch", *arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("spider: error: ")
    assert message in result.stderr
    assert not list(tmp_path.iterdir())
