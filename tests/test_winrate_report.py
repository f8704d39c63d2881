"""Reports, pictures and the verification of what is stored."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as CliResult

from solver.cli import cli
from solver.notation import parse_line
from solver.numbering import deal_from_id
from solver.referee import count_line
from solver.rules import Rules, make_rules
from solver.search import Budget, solve
from solver.winrate import plot as plots
from solver.winrate import stats
from solver.winrate.lines import pack_line, pack_places, unpack_line, write_lines
from solver.winrate.report import CSV_FIELDS, comparisons, costs_of, headline, load, rate_of
from solver.winrate.store import Result, Run, Session, StoreError, create_or_open
from solver.winrate.verify import verify_file

STRICT = make_rules("standard", suits=4)
RELAXED = make_rules("relaxed", suits=4)
BUDGET = Budget(20.0, 1024)
PROGRAM = "0.1.0+abc"
MACHINE: dict[str, str | int] = {
    "processor": "any", "cores": 2, "system": "Linux", "python": "3", "numba": "1", "numpy": "2",
}  # fmt: skip
SESSION = Session("spider batch", MACHINE, "2026-01-01 00:00:00 UTC", 2)


def run_of(rules: Rules, seconds: float = 20.0) -> Run:
    return Run("pysolfc", rules, replace(BUDGET, seconds=seconds), PROGRAM)


def result(deal: str, verdict: str, cpu: float = 1.0, moves: int = 150) -> Result:
    line = "58" if verdict == "win" else ""
    return Result(deal, verdict, line, "", moves if line else 0, 5, 8, 1, 100, 1000, cpu, cpu)  # type: ignore[arg-type]


def store(path: Path, content: dict[Run, list[Result]]) -> Path:
    with create_or_open(path) as made:
        session = made.add_session(SESSION)
        for run, results in content.items():
            number = made.add_run(run)
            made.record(session, [(number, entry) for entry in results])
    return path


@pytest.fixture
def two_rules(tmp_path: Path) -> Path:
    """Ten deals: strict wins 1..7 and leaves 8 undecided, relaxed wins 1..9; 10 is lost."""
    strict = [result(str(n), "win", n, 100 + n) for n in range(1, 8)]
    strict += [result("8", "timeout", 20), result("9", "loss"), result("10", "loss")]
    relaxed = [result(str(n), "win", n / 2) for n in range(1, 10)] + [result("10", "loss")]
    return store(tmp_path / "two.sqlite", {run_of(STRICT): strict, run_of(RELAXED): relaxed})


def invoke(*arguments: object) -> CliResult:
    return CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)


# ---- numbers -------------------------------------------------------------------------------------


def test_rates_and_costs(two_rules: Path) -> None:
    strict, relaxed = (mode.whole for mode in load([two_rules]))
    assert strict.counts == stats.Counts(wins=7, losses=2, timeouts=1)
    assert relaxed.counts == stats.Counts(wins=9, losses=1)
    rate = rate_of(strict)
    assert rate.share == 0.7
    assert rate.wilson == stats.Interval(stats.wilson(7, 10).low, stats.wilson(8, 10).high)
    assert rate.clopper_pearson == stats.Interval(stats.clopper_pearson(7, 10).low, stats.clopper_pearson(8, 10).high)
    costs = costs_of(strict)
    assert costs["cpu_seconds"] == {"mean": 5.0, "median": 3.0, "p90": 7.0, "p99": 20.0, "max": 20.0}
    assert costs["moves"] == {"mean": 104.0, "median": 104, "p90": 107, "p99": 107, "max": 107}
    assert [entry.deal for entry in strict.hardest(2)] == ["8", "7"]
    assert [entry.deal for entry in strict.not_won()] == ["8", "9", "10"]


def test_rules_are_compared_on_the_same_deals(two_rules: Path) -> None:
    (comparison,) = comparisons(load([two_rules]))
    assert comparison.pairs == stats.Pairs(both=7, only_a=0, only_b=2, neither=1)
    assert comparison.undecided == 1
    assert comparison.p == 0.5
    assert comparison.cpu_ratio == pytest.approx(2.0)
    # If strict wins the undecided deal after all the difference shrinks, otherwise it stays.
    assert comparison.difference.low == stats.paired_difference(stats.Pairs(7, 0, 2, 1)).low
    assert comparison.difference.high == stats.paired_difference(stats.Pairs(8, 0, 1, 1)).high


def test_a_second_run_over_timeouts_completes_the_first(tmp_path: Path) -> None:
    first = [result("1", "win"), result("2", "timeout", 20), result("3", "timeout", 20)]
    second = [result("2", "win", 50), result("3", "timeout", 200)]
    path = store(tmp_path / "a.sqlite", {run_of(STRICT): first, run_of(STRICT, 200.0): second})
    (mode,) = load([path])
    assert [group.counts.wins for group in mode.groups] == [1, 1, 2]
    assert mode.whole.counts == stats.Counts(wins=2, timeouts=1)
    assert {entry.deal: entry.cpu_seconds for entry in mode.whole.results.values()} == {"1": 1.0, "2": 70.0, "3": 220.0}
    (comparison,) = comparisons([mode])
    assert comparison.pairs == stats.Pairs(both=0, only_a=0, only_b=1, neither=1)


def test_files_of_one_batch_are_put_together(tmp_path: Path) -> None:
    one = store(tmp_path / "1.sqlite", {run_of(STRICT): [result("1", "win"), result("2", "timeout")]})
    two = store(tmp_path / "2.sqlite", {run_of(STRICT): [result("2", "win"), result("3", "loss")]})
    (mode,) = load([one, two, one])
    assert len(mode.groups) == 1
    assert mode.whole.counts == stats.Counts(wins=2, losses=1)
    assert len(mode.whole.sessions) == 1


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    one = store(tmp_path / "1.sqlite", {run_of(STRICT): [result("1", "win")]})
    two = store(tmp_path / "2.sqlite", {run_of(STRICT, 99.0): [result("1", "loss")]})
    modes = load([one, two])
    with pytest.raises(StoreError, match="a win in one run and a loss in another"):
        _ = modes[0].whole


# ---- output --------------------------------------------------------------------------------------


def test_text_says_it_all(two_rules: Path) -> None:
    printed = invoke("report", two_rules).stdout
    assert "10 deals: 7 won, 2 lost (proved), 1 timed out; 70.000 % won" in printed
    assert "the lower ends count undecided deals as losses, the upper ends as wins" in printed
    assert "hardest: 8 (timeout, 20.00 s), 7 (win, 7.00 s)" in printed
    assert "not won: 8 (timeout), 9 (loss), 10 (loss)" in printed
    assert "7 won by both, 0 by A alone, 2 by B alone, 1 by neither; 1 undecided by one or both" in printed
    assert "on any, 2 cores, Linux, Python 3, numba 1, numpy 2, 2026-01-01 00:00:00 UTC" in printed


def test_json_is_one_object(two_rules: Path) -> None:
    printed: dict[str, Any] = json.loads(invoke("report", two_rules, "--json", "--level", 90).stdout)
    assert list(printed) == ["schema", "level", "groups", "comparisons"]
    assert printed["schema"] == 1
    assert printed["level"] == 0.9
    strict = printed["groups"][0]
    assert (strict["deals"], strict["wins"], strict["losses"], strict["timeouts"], strict["errors"]) == (10, 7, 2, 1, 0)
    assert strict["wilson"] == [stats.wilson(7, 10, 0.9).low, stats.wilson(8, 10, 0.9).high]
    assert [entry["deal"] for entry in strict["not_won"]] == ["8", "9", "10"]
    assert strict["rules"] == STRICT.as_dict()
    assert printed["comparisons"][0]["only_b"] == 2


def test_csv_has_one_line_a_deal(two_rules: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("report", two_rules, "--csv").stdout)))
    assert list(rows[0]) == list(CSV_FIELDS)
    assert [(row["rules"], row["deal"]) for row in rows] == [
        (rules, str(deal)) for rules in ("standard", "relaxed") for deal in range(1, 11)
    ]


def test_the_headline_counts_errors_when_there_are_some() -> None:
    assert headline(stats.Counts(wins=1, errors=2)).startswith(
        "3 deals: 1 won, 0 lost (proved), 0 timed out, 2 in error; 33.333 % won"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.sqlite"], 1, "there is no file 'missing.sqlite'"),
        (["empty.sqlite"], 1, "no deal is stored yet"),
        (["empty.sqlite", "--json", "--csv"], 2, "choose one"),
        (["empty.sqlite", "--level", "100"], 2, "100 is no confidence level"),
        (["empty.sqlite", "--plot", "a.pdf"], 1, "'a.pdf' names no picture: end it in .png or .svg"),
        ([], 2, "Missing argument 'FILE...'"),
    ],
    ids=str,
)
def test_mistakes_get_one_clear_message(
    arguments: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store(tmp_path / "empty.sqlite", {run_of(STRICT): []})
    made = invoke("report", *arguments)
    assert made.exit_code == code
    assert made.stdout == ""
    assert made.stderr.startswith("spider: error: ")
    assert message in made.stderr


# ---- pictures ------------------------------------------------------------------------------------


def test_a_picture_is_drawn(two_rules: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plots' (matplotlib) is not installed")
    for name in ("a.png", "a.svg", "b.svg"):
        made = invoke("report", two_rules, "--plot", tmp_path / name)
        assert made.exit_code == 0, made.output
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (tmp_path / "b.svg").read_text(encoding="utf-8") == svg
    words = " ".join(ElementTree.fromstring(svg).itertext())
    for word in ("Win rate", "Time to a solution", "Length of the winning lines", "4 suits, relaxed"):
        assert word in words


def test_colours_styles_and_markers_tell_groups_apart() -> None:
    for choices in (plots.COLOURS, plots.LINE_STYLES, plots.MARKERS, plots.HATCHES):
        assert len(set(choices)) == len(choices) >= 4


def test_a_missing_extra_is_told(two_rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    made = invoke("report", two_rules, "--plot", "a.svg")
    assert made.exit_code == 1
    assert "pip install 'spider-patience[plots]'" in made.stderr


# ---- verification --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def true_wins() -> list[Result]:
    """Wins of one suit as a batch stores them."""
    rules = make_rules("standard", suits=1)
    wins = []
    for number in ("1", "2", "3"):
        deal = deal_from_id(number, 1)
        line = solve(deal, rules, Budget(expansions=50_000)).line
        counts = count_line(deal, line, rules)
        found = result(number, "win")
        wins.append(
            replace(
                found,
                line=pack_line(line),
                moves=counts.tableau_moves,
                rows_dealt=counts.rows_dealt,
                runs_removed=counts.runs_removed,
            )
        )
    return wins


ONE_SUIT = run_of(make_rules("standard", suits=1))


def test_lines_that_win_pass(tmp_path: Path, true_wins: list[Result]) -> None:
    others = [result("4", "loss"), result("5", "timeout"), result("6", "error")]
    path = store(tmp_path / "a.sqlite", {ONE_SUIT: [*true_wins, *others]})
    made = invoke("verify", path, "--jobs", 1)
    assert made.exit_code == 0, made.output
    assert made.stdout == ("3 lines replayed, 0 wrong; not replayed: 1 lost (by a search), 2 undecided\n")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"line": "58"}, "move 1 of the line"),
        ({"line": ""}, "cards are left at the end of its 0 moves"),
        ({"line": "x"}, "is no compact move"),
        ({"moves": 7}, "stored are (7, 5, 8)"),
        ({"deal": "4"}, "pysolfc:4"),
    ],
    ids=str,
)
def test_lines_that_do_not_win_are_told(
    tmp_path: Path, true_wins: list[Result], change: dict[str, Any], problem: str
) -> None:
    path = store(tmp_path / "a.sqlite", {ONE_SUIT: [*true_wins[:2], replace(true_wins[2], **change)]})
    made = invoke("verify", path, "--jobs", 1)
    assert made.exit_code == 1
    (wrong,) = [line for line in made.stdout.splitlines() if line.startswith("wrong: ")]
    assert problem in wrong
    assert "3 lines replayed, 1 wrong" in made.stdout
    assert made.stderr == f"spider: error: lines in {str(path)!r} that do not win: 1\n"


def test_wins_under_other_rules_are_no_wins(tmp_path: Path, true_wins: list[Result]) -> None:
    path = store(tmp_path / "a.sqlite", {run_of(make_rules("standard", suits=2)): true_wins})
    with ThreadPoolExecutor(1) as executor:
        assert len(verify_file(path, executor, 1).failures) == 3


def test_a_file_of_lines_is_verified_too(tmp_path: Path, true_wins: list[Result]) -> None:
    path = tmp_path / "lines.txt.xz"
    lines = [
        (entry.deal, pack_places(deal_from_id(entry.deal, 1), unpack_line(entry.line), ONE_SUIT.rules))
        for entry in true_wins
    ]
    for entries, code in ((lines, 0), ([*lines, ("4", lines[0][1])], 1)):
        write_lines(path, "pysolfc", ONE_SUIT.rules, entries)
        assert invoke("verify", path, "--jobs", 1).exit_code == code


def test_lines_are_printed_as_moves(tmp_path: Path, true_wins: list[Result]) -> None:
    path = store(tmp_path / "a.sqlite", {ONE_SUIT: true_wins})
    printed = invoke("verify", path, "--jobs", 1, "--print").stdout.splitlines()
    for entry, line in zip(true_wins, printed[:-1], strict=True):
        deal, moves = line.split("\t")
        assert deal == f"pysolfc:{entry.deal}"
        assert parse_line(moves) == unpack_line(entry.line)


def test_a_file_with_nothing_to_verify_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"something else")
    made = invoke("verify", path)
    assert made.exit_code == 1
    assert made.stderr.startswith(f"spider: error: {str(path)!r} is no store of results")
    with contextlib.closing(sqlite3.connect(tmp_path / "b.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (x)")
    assert "is no store of results" in invoke("verify", tmp_path / "b.sqlite").stderr
