"""The store: one SQLite file that holds every finished deal, durable as soon as it is recorded.

::

    runs       what results depend on: scheme, rules, budget, program signature     one row a combination
    sessions   one row each time a batch was started: command, machine, when
    results    one row a deal and run: verdict, compact line, counts, time          (run, deal) is the key

A deal is solved once for each run, and starting the same batch again goes on where it stopped.  There is one writer,
the parent of the workers.  `record` returns after the rows are on the disk (``synchronous=FULL``), and the file
alone holds everything then: the classic journal is used, not the write-ahead log, which would keep the last rows in a
second file and fails on network file systems.

While a writer has a store open it holds a lock on a file beside it, which goes with the process, killed or not.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from solver.rules import Rules
from solver.search import Budget
from solver.winrate.lines import rules_from_dict

Verdict: TypeAlias = Literal["win", "loss", "timeout", "error"]
"""Those of a search, and ``error``: the worker died or ran out of memory on this deal, twice."""
VERDICTS = get_args(Verdict)

APPLICATION_ID = 0x53504457
"""``SPDW``, in the head of the file."""
LAYOUT_VERSION = 1
"""Of the tables below; a file with another one is refused."""
OLDEST_SQLITE = (3, 37)
"""The first that knows STRICT tables."""
BUSY_SECONDS = 30.0
"""How long to wait while somebody reads the file."""

_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    scheme TEXT NOT NULL,
    suits INTEGER NOT NULL,
    rules TEXT NOT NULL,
    seconds REAL NOT NULL,
    memory INTEGER NOT NULL,
    expansions INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    program TEXT NOT NULL,
    UNIQUE (scheme, suits, rules, seconds, memory, expansions, seed, program)
) STRICT;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    machine TEXT NOT NULL,
    started TEXT NOT NULL,
    workers INTEGER NOT NULL
) STRICT;
CREATE TABLE results (
    run INTEGER NOT NULL REFERENCES runs,
    deal TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('win', 'loss', 'timeout', 'error')),
    line TEXT NOT NULL,
    reason TEXT NOT NULL,
    moves INTEGER NOT NULL,
    rows_dealt INTEGER NOT NULL,
    runs_removed INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    expansions INTEGER NOT NULL,
    children INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions,
    PRIMARY KEY (run, deal)
) STRICT;
"""


class StoreError(ValueError):
    """A file that cannot be read or written as a store; the message says what to do."""


@dataclass(frozen=True)
class Run:
    """What a result depends on, beside the deal."""

    scheme: str
    rules: Rules
    budget: Budget
    program: str
    """Signature of the search, see `solver.winrate.program`."""

    def describe(self) -> str:
        """Return one line that tells this run from others."""
        return f"{self.scheme}, {self.rules.describe()}, {describe_budget(self.budget)}, program {self.program}"


def describe_budget(budget: Budget) -> str:
    """Return a budget in words."""
    words = [f"{budget.seconds:g} s", f"{budget.memory} MiB"]
    if budget.expansions is not None:
        words.append(f"{budget.expansions:,} expansions")
    if budget.seed:
        words.append(f"seed {budget.seed}")
    return ", ".join(words)


@dataclass(frozen=True)
class Session:
    """One start of a batch: what its times depend on."""

    command: str
    machine: dict[str, str | int]
    started: str
    """Date and time, UTC."""
    workers: int


@dataclass(frozen=True)
class Result:
    """What is stored of one deal."""

    deal: str
    """Number in its scheme, such as ``ms32000``."""
    verdict: Verdict
    line: str
    """Compact text; empty unless the verdict is ``win``."""
    reason: str
    """What a loss or an error rests on; empty for the others."""
    moves: int
    rows_dealt: int
    runs_removed: int
    tries: int
    expansions: int
    children: int
    seconds: float
    cpu_seconds: float


_RESULT_FIELDS = tuple(Result.__dataclass_fields__)
_INSERT = (
    f"INSERT OR REPLACE INTO results (run, session, {', '.join(_RESULT_FIELDS)}) "
    f"VALUES (?, ?{', ?' * len(_RESULT_FIELDS)})"
)


class Store:
    """An open store; use it as a context."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    # -- writing

    def add_run(self, run: Run) -> int:
        """Return the number of a run, entered if it is new."""
        key = _run_key(run)
        with self._errors():
            self._connection.execute(
                "INSERT OR IGNORE INTO runs (scheme, suits, rules, seconds, memory, expansions, seed, program) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                key,
            )
            found = self._connection.execute(
                "SELECT id FROM runs WHERE (scheme, suits, rules, seconds, memory, expansions, seed, program) "
                "= (?, ?, ?, ?, ?, ?, ?, ?)",
                key,
            ).fetchone()
        return int(found[0])

    def add_session(self, session: Session) -> int:
        """Enter a session and return its number; one that is there already keeps its number."""
        values = (session.command, json.dumps(session.machine), session.started, session.workers)
        with self._errors():
            found = self._connection.execute(
                "SELECT id FROM sessions WHERE (command, machine, started, workers) = (?, ?, ?, ?)", values
            ).fetchone()
            if found is None:
                found = self._connection.execute(
                    "INSERT INTO sessions (command, machine, started, workers) VALUES (?, ?, ?, ?) RETURNING id", values
                ).fetchone()
        return int(found[0])

    def record(self, session: int, results: Iterable[tuple[int, Result]]) -> None:
        """Store results, each with the number of its run; they are durable when this returns, all or none."""
        with self._errors(), self.transaction():
            self._connection.executemany(
                _INSERT,
                ((run, session, *(getattr(result, name) for name in _RESULT_FIELDS)) for run, result in results),
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything in the context durable at its end, or nothing of it."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # A full disk may have ended the transaction already.
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    # -- reading

    def runs(self) -> dict[int, Run]:
        """Return all runs by number."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT id, scheme, rules, seconds, memory, expansions, seed, program FROM runs ORDER BY id"
            ).fetchall()
        return {
            row[0]: Run(
                row[1], rules_from_dict(json.loads(row[2])), Budget(row[3], row[4], row[5] or None, row[6]), row[7]
            )
            for row in rows
        }

    def sessions(self) -> dict[int, Session]:
        """Return all sessions by number."""
        with self._errors():
            rows = self._connection.execute("SELECT id, command, machine, started, workers FROM sessions ORDER BY id")
            return {row[0]: Session(row[1], json.loads(row[2]), row[3], row[4]) for row in rows}

    def verdicts(self, run: int) -> dict[str, Verdict]:
        """Return the verdict of every deal stored for a run."""
        with self._errors():
            return dict(self._connection.execute("SELECT deal, verdict FROM results WHERE run = ?", (run,)))

    def count_wins(self) -> int:
        """Return how many lines are stored."""
        with self._errors():
            return int(self._connection.execute("SELECT count(*) FROM results WHERE verdict = 'win'").fetchone()[0])

    def results(self, run: int) -> Iterator[tuple[Result, int]]:
        """Yield every result of a run with the number of its session."""
        with self._errors():
            rows = self._connection.execute(
                f"SELECT session, {', '.join(_RESULT_FIELDS)} FROM results WHERE run = ?", (run,)
            )
            for session, *values in rows:
                yield Result(*values), session

    def limit_pages(self, pages: int) -> None:
        """Let the file grow to so many pages only: a full disk, for tests."""
        self._connection.execute(f"PRAGMA max_page_count = {int(pages)}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{str(self.path)!r}: {error}") from None


def create_or_open(path: Path) -> Store:
    """Open a store to write to, made when there is no such file; raises `StoreError` when that cannot be."""
    _check_sqlite()
    if path.is_dir():
        raise StoreError(f"{str(path)!r} is a folder: name a file")
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {str(path.parent)!r} for {path.name!r}: make it first")
    if path.exists() and path.stat().st_size:
        _check_is_store(path)
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
        connection.execute("PRAGMA synchronous = FULL")
        # Says at once what the first result would find out: no right to write, a read-only disk.
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            # New, or its maker was killed before this was committed.
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {LAYOUT_VERSION}")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {str(path)!r}: {error}") from None
    if version not in (0, LAYOUT_VERSION):
        connection.close()
        raise _wrong_layout(path, version)
    return Store(path, connection)


def open_to_read(path: Path) -> Store:
    """Open a store that is there; raises `StoreError` when it is none."""
    _check_sqlite()
    if not path.is_file():
        raise StoreError(f"there is no file {str(path)!r}")
    _check_is_store(path)
    # The classic journal of a killed writer must be rolled back before anything is read, and that is a write.
    mode = "rw" if path.with_name(path.name + "-journal").exists() else "ro"
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=BUSY_SECONDS
        )
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreError(f"cannot read {str(path)!r}: {error}") from None
    if version != LAYOUT_VERSION:
        connection.close()
        raise _wrong_layout(path, version)
    return Store(path, connection)


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the lock of the one writer of a store; raises `StoreError` when another process has it."""
    # SQLite's own lock on an empty file of its own: it works everywhere, and ends with the process however that ends.
    lock = path.with_name(path.name + "-lock")
    try:
        with closing(sqlite3.connect(lock, isolation_level=None, timeout=0)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            try:
                yield
            finally:
                with suppress(OSError):
                    lock.unlink()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreError(
                f"another process is writing {str(path)!r}: wait for its end, or give every job its own --out "
                "and merge them"
            ) from None
        raise StoreError(f"cannot make {str(lock)!r}: {error}") from None


# ---- merging -------------------------------------------------------------------------------------


@dataclass
class Merged:
    """What a merge did."""

    added: int = 0
    replaced: int = 0
    """Undecided results that gave way to a decided one."""
    kept: int = 0
    """Results that were there already."""


def merge(target: Store, source: Store) -> Merged:
    """Add the results of one store to another, all or none; a decided result replaces an undecided one.

    Raises `StoreError` when one store has a win where the other has a loss: that is a fault of the program.
    """
    merged = Merged()
    with target._errors(), target.transaction():
        sessions = {number: target.add_session(session) for number, session in source.sessions().items()}
        for number, run in source.runs().items():
            target_run = target.add_run(run)
            present = target.verdicts(target_run)
            for result, session in source.results(number):
                before = present.get(result.deal)
                if {before, result.verdict} == {"win", "loss"}:
                    raise StoreError(
                        f"{run.scheme}:{result.deal} is a {result.verdict} in {str(source.path)!r} and a {before} in "
                        f"{str(target.path)!r} under {run.describe()}: one of them is wrong, nothing was merged"
                    )
                if before is not None and not (is_decided(result.verdict) and not is_decided(before)):
                    merged.kept += 1
                    continue
                values = asdict(result)
                target._connection.execute(
                    _INSERT, (target_run, sessions[session], *(values[name] for name in _RESULT_FIELDS))
                )
                merged.added += before is None
                merged.replaced += before is not None
    return merged


def is_decided(verdict: Verdict) -> bool:
    """Whether a verdict says something about the deal."""
    return verdict in ("win", "loss")


# ---- details -------------------------------------------------------------------------------------


def _run_key(run: Run) -> tuple[Any, ...]:
    budget = run.budget
    # NULLs are all different for UNIQUE, so no limit is 0.
    return (
        run.scheme,
        run.rules.suits,
        json.dumps(run.rules.as_dict(), separators=(",", ":")),
        float(budget.seconds),
        budget.memory,
        budget.expansions or 0,
        budget.seed,
        run.program,
    )


def _check_sqlite() -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreError(
            f"this Python has SQLite {sqlite3.sqlite_version}: "
            f"a store needs {'.'.join(map(str, OLDEST_SQLITE))} or newer"
        )


def _wrong_layout(path: Path, version: int) -> StoreError:
    return StoreError(f"{str(path)!r} has layout {version}, and this version of the program knows {LAYOUT_VERSION}")


def _check_is_store(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError as error:
        raise StoreError(f"cannot read {str(path)!r}: {error.strerror}") from None
    # The application id is at byte 68 of every SQLite file, high byte first.
    if not head.startswith(b"SQLite format 3\0") or head[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        raise StoreError(f"{str(path)!r} is no store of results: 'spider batch --out FILE' makes one")
