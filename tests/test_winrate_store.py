"""The store: durable, one writer, merged without loss, and clear about files that are none."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solver.rules import make_rules
from solver.search import Budget
from solver.winrate.store import (
    Result,
    Run,
    Session,
    Store,
    StoreError,
    create_or_open,
    merge,
    only_writer,
    open_to_read,
)

RUN = Run("pysolfc", make_rules("standard", suits=1), Budget(20.0, 1024), "0.1.0+abc")
SESSION = Session("spider batch", {"processor": "any", "cores": 2}, "2026-01-01 00:00:00 UTC", 2)
WIN = Result("1", "win", "58.", "", 1, 1, 0, 1, 10, 20, 0.5, 0.4)
TIMEOUT = Result("1", "timeout", "", "", 0, 0, 0, 9, 99, 999, 20.0, 19.9)
LOSS = Result("1", "loss", "", "all 7 positions were searched", 0, 0, 0, 1, 7, 9, 0.1, 0.1)


def stored(path: Path, *results: Result, run: Run = RUN) -> Path:
    with create_or_open(path) as store:
        number, session = store.add_run(run), store.add_session(SESSION)
        store.record(session, [(number, result) for result in results])
    return path


def content(path: Path) -> list[tuple[Run, Result]]:
    with open_to_read(path) as store:
        return [(run, result) for number, run in store.runs().items() for result, _ in store.results(number)]


def test_what_is_stored_reads_back(tmp_path: Path) -> None:
    results = [WIN, replace(LOSS, deal="3"), replace(TIMEOUT, deal="ms2")]
    path = stored(tmp_path / "a.sqlite", *results)
    assert [result for _, result in content(path)] == results
    with open_to_read(path) as store:
        assert list(store.runs().values()) == [RUN]
        assert list(store.sessions().values()) == [SESSION]
        assert store.verdicts(1) == {"1": "win", "ms2": "timeout", "3": "loss"}
        assert store.count_wins() == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, scheme="kpat"),
        replace(RUN, rules=make_rules("relaxed", suits=1)),
        replace(RUN, rules=make_rules("standard", suits=2)),
        replace(RUN, budget=replace(RUN.budget, seconds=21.0)),
        replace(RUN, budget=replace(RUN.budget, memory=2048)),
        replace(RUN, budget=replace(RUN.budget, expansions=1000)),
        replace(RUN, budget=replace(RUN.budget, seed=1)),
        replace(RUN, program="0.1.0+def"),
    ],
)
def test_a_result_belongs_to_everything_that_it_depends_on(tmp_path: Path, other: Run) -> None:
    path = stored(stored(tmp_path / "a.sqlite", WIN), TIMEOUT, run=other)
    assert content(path) == [(RUN, WIN), (other, TIMEOUT)]


def test_results_of_one_call_are_stored_all_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with create_or_open(path) as store:
        number, session = store.add_run(RUN), store.add_session(SESSION)
        wrong = replace(WIN, deal="2", verdict="maybe")  # type: ignore[arg-type]
        with pytest.raises(StoreError, match="CHECK constraint"):
            store.record(session, [(number, WIN), (number, wrong)])
        store.record(session, [(number, TIMEOUT)])
    assert [result for _, result in content(path)] == [TIMEOUT]


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    long = replace(WIN, line="58" * 300)
    with create_or_open(path) as store:
        number, session = store.add_run(RUN), store.add_session(SESSION)
        store.limit_pages(20)
        kept = []

        def fill() -> None:
            for deal in map(str, range(100, 1000)):
                store.record(session, [(number, replace(long, deal=deal))])
                kept.append(deal)

        with pytest.raises(StoreError, match="database or disk is full"):
            fill()
        assert 20 < len(kept) < 200
        assert list(store.verdicts(number)) == kept
        # Room again: the same connection goes on.
        store.limit_pages(10_000)
        store.record(session, [(number, replace(long, deal="1000"))])
    assert [result.deal for _, result in content(path)] == ["100", "1000", *kept[1:]]


@pytest.mark.parametrize("name", ["nowhere/a.sqlite", "."])
def test_places_that_cannot_be_written_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match=r"there is no folder|is a folder"):
        create_or_open(tmp_path / name)


def test_files_that_are_no_store_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text.sqlite", tmp_path / "other.sqlite"
    text.write_text("hello")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        for opens in (create_or_open, open_to_read):
            with pytest.raises(StoreError, match="is no store of results"):
                opens(path)
        assert path.read_bytes() == before
    with pytest.raises(StoreError, match="there is no file"):
        open_to_read(tmp_path / "missing.sqlite")


def test_another_layout_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.sqlite", WIN)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    for opens in (create_or_open, open_to_read):
        with pytest.raises(StoreError, match="has layout 9"):
            opens(path)


def test_a_maker_that_was_killed_at_once_leaves_a_file_that_works(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.touch()
    assert content(stored(path, WIN)) == [(RUN, WIN)]


def test_there_is_one_writer_and_its_lock_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    code = (
        "import pathlib, sys\n"
        "from solver.winrate.store import only_writer\n"
        "with only_writer(pathlib.Path(sys.argv[1])):\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(StoreError, match="another process is writing"), only_writer(path):
            pass
        other.kill()
    with only_writer(path):
        pass
    assert not list(tmp_path.iterdir())


# ---- merging -------------------------------------------------------------------------------------


def merged(tmp_path: Path, target: list[Result], source: list[Result]) -> tuple[list[Result], tuple[int, int, int]]:
    path = stored(tmp_path / "target.sqlite", *target)
    with create_or_open(path) as into, open_to_read(stored(tmp_path / "source.sqlite", *source)) as other:
        done = merge(into, other)
    return [result for _, result in content(path)], (done.added, done.replaced, done.kept)


@pytest.mark.parametrize(
    ("target", "source", "expected", "counts"),
    [
        ([], [WIN], [WIN], (1, 0, 0)),
        ([WIN], [WIN], [WIN], (0, 0, 1)),
        ([TIMEOUT], [WIN], [WIN], (0, 1, 0)),
        ([WIN], [TIMEOUT], [WIN], (0, 0, 1)),
        ([TIMEOUT], [LOSS], [LOSS], (0, 1, 0)),
    ],
)
def test_a_decided_result_replaces_an_undecided_one(
    tmp_path: Path, target: list[Result], source: list[Result], expected: list[Result], counts: tuple[int, int, int]
) -> None:
    assert merged(tmp_path, target, source) == (expected, counts)


def test_a_win_against_a_loss_stops_a_merge(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="one of them is wrong, nothing was merged"):
        merged(tmp_path, [WIN], [replace(WIN, deal="0"), LOSS])
    assert content(tmp_path / "target.sqlite") == [(RUN, WIN)]


def test_merging_keeps_runs_and_sessions_apart(tmp_path: Path) -> None:
    other = replace(RUN, program="0.2.0+def")
    one, two = stored(tmp_path / "one.sqlite", WIN), stored(tmp_path / "two.sqlite", TIMEOUT, run=other)
    with create_or_open(tmp_path / "all.sqlite") as target:
        for path in (one, two, one):
            with open_to_read(path) as source:
                merge(target, source)
        assert len(target.sessions()) == 1
        assert isinstance(target, Store)
    assert content(tmp_path / "all.sqlite") == [(RUN, WIN), (other, TIMEOUT)]
