"""Small games in which one rule decides: found by search over shuffled games, kept as files, judged twice.

The verdicts are those of the naive game, which searches everything; the command must say the same, with the size of the
game told by its options.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive
import pytest
from click.testing import CliRunner

from solver.cli import cli
from solver.search import solve
from solver.start import InputChoice, RulesChoice, Start, start_from_data

SIZES: dict[str, dict[str, Any]] = {
    "small-removal-decides": {"columns": 3, "ranks": 2, "packs": 2},
    "small-removal-or-onto-empty": {"columns": 2, "ranks": 3, "packs": 1},
    "small-onto-empty-decides": {"columns": 3, "ranks": 3, "packs": 1},
    "small-short-rows-removal": {"columns": 3, "ranks": 4, "packs": 1},
}
VERDICTS = {
    # strict with automatic, strict with optional, deal-onto-empty with automatic, with optional removal
    "small-removal-decides": ("loss", "win", "loss", "win"),
    "small-removal-or-onto-empty": ("loss", "win", "win", "win"),
    "small-onto-empty-decides": ("loss", "loss", "win", "win"),
    "small-short-rows-removal": ("loss", "win", "loss", "win"),
}
VARIANTS = [
    ("standard", RulesChoice("standard")),
    ("bvs", RulesChoice("bvs")),
    ("relaxed", RulesChoice("relaxed")),
    ("relaxed-optional", RulesChoice("relaxed", removal="optional")),
    ("morehead-1949", RulesChoice("morehead-1949")),
]
ANSWER_OF = {"standard": 0, "bvs": 1, "morehead-1949": 1, "relaxed": 2, "relaxed-optional": 3}

CASES = [(name, variant, choice) for name in SIZES for variant, choice in VARIANTS]


@pytest.mark.parametrize(("name", "variant", "choice"), CASES, ids=[f"{name}-{variant}" for name, variant, _ in CASES])
def test_one_rule_decides(name: str, variant: str, choice: RulesChoice, data: Path) -> None:
    path = data / "cases" / f"{name}.txt"
    sized = RulesChoice(choice.preset, removal=choice.removal, **SIZES[name])
    start = start_from_data(path.read_bytes(), path.name, sized)
    assert isinstance(start, Start)
    verdict = VERDICTS[name][ANSWER_OF[variant]]
    assert naive.exhaust(start.position, start.rules) == verdict
    solution = solve(start.game, start.rules)
    assert solution.verdict == verdict
    options = [word for option, value in SIZES[name].items() for word in (f"--{option}", str(value))]
    options += ["--rules", choice.preset, *(["--removal", choice.removal] if choice.removal else [])]
    result = CliRunner().invoke(cli, ["solve", str(path), "--json", *options])
    answer = json.loads(result.stdout)
    assert answer["verdict"] == verdict
    assert result.exit_code == (0 if verdict == "win" else 3)
    assert answer["rules"]["preset"] == choice.preset
    assert answer["rules"]["columns"] == SIZES[name]["columns"]


@pytest.mark.parametrize(
    "name", ["mini-solvitaire-ComplexUnsolvable-from-end", "mini-solvitaire-SimpleUnsolvable-from-front"]
)
def test_loose_games_are_searched_and_say_so(name: str, data: Path) -> None:
    path = data / "cases" / f"{name}.txt"
    start = start_from_data(path.read_bytes(), path.name, RulesChoice(), InputChoice(loose=True))
    assert isinstance(start, Start)
    assert naive.exhaust(start.position, start.rules) == "loss"
    result = CliRunner().invoke(cli, ["solve", str(path), "--loose"])
    assert result.exit_code == 3
    assert "4 columns, 2 packs of ace to 3" in result.stdout
    assert "note: loose: the cards were not checked to be full packs" in result.stderr


def test_a_puzzle_that_is_no_pack_is_searched(data: Path) -> None:
    path = str(data / "cases" / "stale-not-13.txt")
    answer = json.loads(CliRunner().invoke(cli, ["solve", path, "--loose", "--suits", "1", "--json"]).stdout)
    assert (answer["verdict"], len(answer["line"])) == ("win", 9)
    assert CliRunner().invoke(cli, ["solve", path, "--suits", "1"]).exit_code == 1


def test_the_verdict_hangs_on_the_end_of_the_stock(data: Path) -> None:
    """The same file read from the other end of its stock is another game."""
    path = data / "cases" / "mini-solvitaire-ComplexUnsolvable-from-end.txt"
    lines = path.read_text().splitlines()
    columns = [line for line in lines if line and not line.startswith(("#", "deal"))]
    stock = [word for line in lines if line.startswith("deal") for word in line.split()[1:]]
    text = "\n".join([*columns, "Talon: " + " ".join(stock)])
    for end, verdict in (("start", "loss"), ("end", "win")):
        result = CliRunner().invoke(cli, ["solve", "-", "--loose", "--stock-from", end, "--json"], input=text)
        assert json.loads(result.stdout)["verdict"] == verdict
        assert f"the stock is dealt from its {end} as written" in result.stderr
