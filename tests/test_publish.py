"""What `benchmarks/publish.py` writes, from small stores: tables, figures, verdicts, and lines that win."""

from __future__ import annotations

import csv
import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as CliResult

from solver.numbering import deal_from_id
from solver.referee import replay
from solver.rules import Rules, make_rules
from solver.search import Budget
from solver.winrate import report as reports
from solver.winrate.lines import read_lines, unpack_line, unpack_places
from solver.winrate.run import make_task, solve_task
from solver.winrate.store import Result, Run, Session, create_or_open
from solver.winrate.verify import verify_file

pytest.importorskip("matplotlib", reason="the extra 'plots' (matplotlib) is not installed")

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not here", allow_module_level=True)

BUDGET = Budget(seconds=300.0, memory=512, expansions=100_000)
LONGER = Budget(seconds=600.0, memory=512, expansions=100_000)
PROGRAM = "0.1.0+abc"
MACHINE: dict[str, str | int] = {
    "processor": "any", "cores": 2, "system": "Linux", "python": "3", "numba": "1", "numpy": "2",
}  # fmt: skip
SESSION = Session(
    "/opt/venv/bin/spider batch --deals ms1-ms5 --out /data/wins.sqlite --cluster tcp://10.1.2.3:8786",
    MACHINE,
    "2026-01-01 00:00:00 UTC",
    2,
)

ONE = make_rules("standard", suits=1)
RELAXED = make_rules("relaxed", suits=1)
FOUR = make_rules("standard", suits=4)

Stored = dict[Run, list[Result]]


def solved(rules: Rules, *deals: str) -> Stored:
    """Return the results of deals that are won soon."""
    run = Run("pysolfc", rules, BUDGET, PROGRAM)
    results = [solve_task(make_task(run, 1, deal)).result for deal in deals]
    assert {result.verdict for result in results} == {"win"}
    return {run: results}


def not_won(deal: str, verdict: str, reason: str = "") -> Result:
    return Result(deal, verdict, "", reason, 0, 0, 0, 3, 12_345, 50_000, 20.0, 19.5)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Published:
    """Stores, and the folder into which they were published."""

    stores: list[Path]
    folder: Path
    out: str
    results: dict[str, list[Result]]
    """What is stored, by the name of the mode in files."""

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def publish() -> Any:
    """The module; its worker processes find it by the path as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("publish")


def run(publish: Any, *arguments: object) -> CliResult:
    return CliRunner().invoke(publish.main, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def published(publish: Any, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """One suit under two rules, and four suits with deals that were not won, one of them tried twice."""
    four = solved(FOUR, "ms1", "ms3", "ms5")
    (first,) = four
    four[first] += [not_won("ms10957", "timeout"), not_won("ms14934", "loss", "all 7 positions were searched")]
    four[Run("pysolfc", FOUR, LONGER, PROGRAM)] = [not_won("ms10957", "timeout")]
    content = {
        "1-suit-standard": solved(ONE, "ms1", "ms2", "ms3", "ms5"),
        "1-suit-relaxed": solved(RELAXED, "ms1", "ms2", "ms3"),
        "4-suits-standard": four,
    }
    folder = tmp_path_factory.mktemp("publish")
    stores = []
    for name, runs in content.items():
        stores.append(folder / f"{name}.sqlite")
        with create_or_open(stores[-1]) as store:
            session = store.add_session(SESSION)
            for one, results in runs.items():
                number = store.add_run(one)
                store.record(session, [(number, result) for result in results])
    out = folder / "results"
    out.mkdir()
    (out / "other.md").write_text("# Another result\n", encoding="utf-8")
    made = run(publish, *stores, "--folder", out, "--jobs", 1)
    assert made.exit_code == 0, made.output
    return Published(stores, out, made.output, {name: next(iter(runs.values())) for name, runs in content.items()})


def test_every_file_is_written_and_told(published: Published) -> None:
    names = {"README.md", "win-rates.json", "win-rates.svg", "win-rates.png"}
    for mode in published.results:
        names |= {f"verdicts-{mode}.csv", f"lines-{mode}.txt.xz"}
    assert {path.name for path in published.folder.iterdir()} == names | {"other.md"}
    *told, total = [line.split(maxsplit=1) for line in published.out.splitlines()]
    sizes = {name: int(size.replace(",", "")) for size, name in told}
    assert sizes == {name: (published.folder / name).stat().st_size for name in names}
    assert total == [f"{sum(sizes.values()):,}", "in all"]


def test_the_table_counts_what_is_stored(published: Published) -> None:
    rows = [line.strip("| ").split(" | ") for line in published.text("README.md").splitlines() if line.startswith("|")]
    rates = {row[0]: row[1:7] for row in rows if len(row) == 9}
    assert rates["1 suit, standard"] == ["pysolfc ms1 to ms3, ms5", "4", "4", "0", "0", "100.0000"]
    assert rates["1 suit, relaxed"] == ["pysolfc ms1 to ms3", "3", "3", "0", "0", "100.0000"]
    assert rates["4 suits, standard"] == ["pysolfc ms1, ms3, ms5 and 2 ranges more", "5", "3", "1", "1", "60.0000"]


def test_rules_are_compared_on_the_deals_they_share(published: Published) -> None:
    (row,) = [line for line in published.text("README.md").splitlines() if line.startswith("| 1 suit: ")]
    head, *counts = row.strip("| ").split(" | ")
    assert set(head.removeprefix("1 suit: ").split(" and ")) == {"standard", "relaxed"}
    assert counts[:5] == ["3", "3", "0", "0", "0"]


def test_deals_that_were_not_won_are_named_with_all_that_was_tried(published: Published) -> None:
    text = published.text("README.md")
    (timeout,) = [line for line in text.splitlines() if "pysolfc:ms10957 | timeout" in line]
    tried = "timeout, 3 tries, 12,345 positions, 19.5 CPU s"
    assert f"300 s, 512 MiB, 100,000 expansions: {tried}; 600 s, 512 MiB, 100,000 expansions: {tried}" in timeout
    (loss,) = [line for line in text.splitlines() if "pysolfc:ms14934 | loss" in line]
    assert "| all 7 positions were searched |" in loss
    assert "Of them 5 were searched here, 3 won and 1 proved lost: ms14934." in text
    assert text.count("So these are the two") == 0


def test_other_results_in_the_folder_are_listed(published: Published) -> None:
    assert "- [Another result](other.md)" in published.text("README.md").splitlines()


@pytest.mark.parametrize("name", ["README.md", "win-rates.json"])
def test_commands_are_published_without_what_belongs_to_one_machine(published: Published, name: str) -> None:
    text = published.text(name)
    assert "spider batch --deals ms1-ms5 --out wins.sqlite --cluster tcp://HOST:8786" in text
    for word in ("/opt", "/data", "10.1.2.3"):
        assert word not in text


def test_figures_for_programs_are_those_of_the_report(published: Published, publish: Any) -> None:
    expected = publish.published(reports.json_report(reports.load(published.stores)))
    assert json.loads(published.text("win-rates.json")) == json.loads(json.dumps(expected))


def test_every_deal_has_its_verdict(published: Published) -> None:
    for mode, results in published.results.items():
        rows = list(csv.DictReader(published.text(f"verdicts-{mode}.csv").splitlines()))
        assert list(rows[0]) == ["deal", "verdict", "moves", "tries", "expansions", "cpu_seconds"]
        assert [(row["deal"], row["verdict"]) for row in rows] == [(result.deal, result.verdict) for result in results]


def test_published_lines_are_the_stored_ones_and_win(published: Published) -> None:
    for mode, results in published.results.items():
        path = published.folder / f"lines-{mode}.txt.xz"
        file = read_lines(path)
        wins = [result for result in results if result.verdict == "win"]
        assert [deal for deal, _ in file.lines] == [result.deal for result in wins]
        for (number, places), result in zip(file.lines, wins, strict=True):
            deal = deal_from_id(f"{file.scheme}:{number}", file.rules.suits)
            line = unpack_places(deal, places, file.rules)
            assert line == unpack_line(result.line)
            assert replay(deal, line, file.rules).is_won
        with ThreadPoolExecutor(1) as executor:
            verified = verify_file(path, executor, 1)
        assert verified.passed
        assert verified.lines == len(wins)


def test_the_same_stores_give_the_same_text_and_lines(publish: Any, published: Published, tmp_path: Path) -> None:
    assert run(publish, *published.stores, "--folder", tmp_path, "--jobs", 2).exit_code == 0
    for path in tmp_path.iterdir():
        if path.suffix in (".csv", ".xz", ".json"):
            assert path.read_bytes() == (published.folder / path.name).read_bytes()


def test_more_than_a_repository_should_hold_is_refused(
    publish: Any, published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "MAX_BYTES", 1000)
    made = run(publish, published.stores[0], "--folder", tmp_path, "--jobs", 1)
    assert made.exit_code == 1
    assert made.stderr == "that is more than 1,000 bytes: too much for a repository\n"
