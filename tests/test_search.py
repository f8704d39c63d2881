"""Searches: verdicts against the naive game, budgets, determinism, and that nothing but a replayed line is a win."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import naive
import pytest
from click.testing import CliRunner

from solver import attempt, portfolio, search
from solver.cli import cli
from solver.exhaustion import Exhaustion
from solver.kernel.bestfirst import VISIT_EXPANSIONS
from solver.move import DEAL, Line, Move
from solver.notation import parse_position
from solver.numbering import deal_from_id
from solver.position import Deal, Position, PositionError, fit_layout
from solver.referee import IllegalMove, count_line, replay
from solver.rules import Rules, make_rules
from solver.search import MIB, MIN_MEMORY, Budget, BudgetError, Progress, SearchError, Solution, solve

STRICT = make_rules()
RELAXED = make_rules("relaxed")
ONE_SUIT = make_rules(suits=1)
HARD = deal_from_id("ms10957")
"""Not won in 20 million expansions: no test gets done with it."""
ENOUGH = Budget(seconds=120)


def read_case(data: Path, name: str, rules: Rules) -> Position:
    return parse_position((data / "cases" / f"{name}.txt").read_text(), rules)


def facts(solution: Solution) -> list[Any]:
    """Return all of a solution that depends on no clock."""
    attempts = [(tried.name, tried.outcome, tried.expansions, tried.children) for tried in solution.attempts]
    return [solution.verdict, solution.line, solution.reason, solution.expansions, solution.children, attempts]


def assert_holds(solution: Solution, start: Deal | Position, rules: Rules) -> None:
    """Check what every solution promises."""
    assert solution.rules == rules
    assert solution.expansions == sum(tried.expansions for tried in solution.attempts)
    assert solution.children == sum(tried.children for tried in solution.attempts)
    if solution.verdict == "win":
        assert replay(start, solution.line, rules).is_won
        counts = count_line(start, solution.line, rules)
        assert (solution.moves, solution.rows_dealt, solution.runs_removed) == (
            counts.tableau_moves,
            counts.rows_dealt,
            counts.runs_removed,
        )
    else:
        assert solution.line == ()
    if solution.verdict == "loss" and solution.attempts:
        # Nothing less than the lossless list to its end proves a loss.
        last = solution.attempts[-1]
        assert last.outcome == "exhausted"
        if last.positions == last.relaxed == 1:
            assert "even in a relaxation of the game" in solution.reason
        else:
            assert f"all {last.positions:,} positions" in solution.reason
            assert "128-bit keys" in solution.reason


# ---- small games, searched to the end ----------------------------------------------------------------

_SHAPES = {
    # name: columns, ranks, packs, suits, heights, rows; chosen so that both verdicts are common
    "two-columns": (2, 4, 1, 1, (3, 3), (2, 2, 2, 2, 2)),
    "tall-triples": (3, 3, 1, 4, (4, 4, 4), ()),
    "tall-triples-row": (3, 3, 1, 3, (3, 3, 3), (3,)),
    "tall-quads": (3, 4, 1, 4, (4, 3, 3), (3, 3)),
    "tall-quads-two-suits": (3, 4, 1, 2, (4, 3, 3), (3, 3)),
    "tall-fives": (3, 5, 1, 3, (5, 5, 5), (3, 2)),
    "tall-pairs": (3, 2, 2, 4, (4, 4, 4), (3, 1)),
    "tall-triples-two-packs": (3, 3, 2, 2, (5, 5, 5), (3, 3, 3)),
}
VARIANTS = [(onto_empty, removal) for onto_empty in (False, True) for removal in ("automatic", "optional")]
SMALL_RULES = {
    name: rules for name, rules in naive.SMALL_RULES.items() if name.startswith(("pairs-strict", "pairs-rel", "quads"))
}
SMALL_RULES |= {
    f"{name}-{'relaxed' if onto_empty else 'strict'}-{removal}": Rules(
        preset=name,
        suits=suits,
        deal_onto_empty=onto_empty,
        removal=removal,  # type: ignore[arg-type]
        columns=columns,
        ranks=ranks,
        packs=packs,
        heights=heights,
        rows=rows,
    )
    for name, (columns, ranks, packs, suits, heights, rows) in _SHAPES.items()
    for onto_empty, removal in VARIANTS
}
GAMES = 8
LIMIT = 3000
"""Positions after which the naive game leaves a verdict open."""


def small_games(rules: Rules) -> list[Position]:
    """Return deals, and positions in the middle of other deals, where columns are empty and runs have left."""
    games = [naive.small_game(random.Random(seed), rules) for seed in range(GAMES)]
    for seed in range(GAMES // 2):
        rng = random.Random(-1 - seed)
        played = [position for position, _ in naive.random_playout(naive.small_game(rng, rules), rules, rng, 10)]
        games += played[-1:]
    return games


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_verdicts_are_those_of_the_naive_game(rules: Rules) -> None:
    for position in small_games(rules):
        expected = naive.explore(position, rules, LIMIT, lossless=True, leave_dead=True)
        solution = solve(position, rules, ENOUGH)
        assert_holds(solution, position, rules)
        assert solution.verdict in ("win", "loss")
        assert expected.verdict in (None, solution.verdict)
        if expected.verdict == "loss" and solution.attempts:
            # The same positions were met, not only the same verdict reached: no key was taken for another.
            # Where the stock is empty the relaxation leaves positions out.
            proof = solution.attempts[-1]
            assert proof.positions == expected.positions or (not position.rows and proof.positions < expected.positions)


def test_small_games_have_both_verdicts_and_the_rules_matter() -> None:
    """Guards the test above: a set of games that are all won, or the same under all rules, would prove little."""
    for name in _SHAPES:
        by_rules = []
        for onto_empty, removal in VARIANTS:
            rules = SMALL_RULES[f"{name}-{'relaxed' if onto_empty else 'strict'}-{removal}"]
            by_rules.append([solve(position, rules, ENOUGH).verdict for position in small_games(rules)[:GAMES]])
        assert "loss" in by_rules[0]
    won_if_relaxed = parse_position("AS\n--\ndeal: 2S 2H\ndeal: AH AD\ncompleted: --", _two_columns(False))
    assert solve(won_if_relaxed, _two_columns(False), loose=True).verdict == "loss"
    assert solve(won_if_relaxed, _two_columns(False), loose=True).attempts == ()


def _two_columns(onto_empty: bool) -> Rules:
    return Rules("two", columns=2, ranks=2, packs=1, heights=(2, 2), rows=(2, 2), suits=4, deal_onto_empty=onto_empty)


# ---- cases -------------------------------------------------------------------------------------------

MINI = Rules("mini-solvitaire", columns=4, ranks=3, packs=2, heights=(3, 3, 3, 3), rows=(4, 4, 4))


@pytest.mark.parametrize("onto_empty", [False, True], ids=["strict", "deal-onto-empty"])
@pytest.mark.parametrize(
    ("name", "positions"),
    [
        ("ComplexSolvable-from-front", None),
        ("ComplexSolvable-from-end", None),
        ("ComplexUnsolvable-from-front", None),
        ("ComplexUnsolvable-from-end", (61_145, 75_108)),
        ("SimpleUnsolvable-from-front", (4, 4)),
        ("SimpleUnsolvable-from-end", (4, 4)),
    ],
)
def test_miniature_games(name: str, positions: tuple[int, int] | None, onto_empty: bool, data: Path) -> None:
    rules = replace(MINI, deal_onto_empty=onto_empty)
    position = read_case(data, f"mini-solvitaire-{name}", rules)
    solution = solve(position, rules, ENOUGH)
    assert_holds(solution, position, rules)
    assert solution.verdict == ("loss" if positions else "win")
    if positions:
        assert solution.attempts[-1].positions == positions[onto_empty]


def test_fifty_four_cards_without_a_pack_are_lost(data: Path) -> None:
    position = read_case(data, "stale-lost-54", ONE_SUIT)
    with pytest.raises(PositionError):
        solve(position, ONE_SUIT, ENOUGH)
    solution = solve(position, ONE_SUIT, ENOUGH, loose=True)
    assert_holds(solution, position, ONE_SUIT)
    assert solution.verdict == "loss"
    # The relaxation proves it; without, all that can be reached has to be met.
    assert (solution.attempts[-1].positions, solution.attempts[-1].relaxed) == (1, 1)
    search = Exhaustion(position, ONE_SUIT, memory=64 * MIB)
    while (outcome := search.step()) is None:
        pass
    assert (outcome, search.positions) == ("exhausted", 94_477)


def test_thirteen_cards_are_won(data: Path) -> None:
    position = read_case(data, "stale-not-13", ONE_SUIT)
    solution = solve(position, ONE_SUIT, ENOUGH, loose=True)
    assert_holds(solution, position, ONE_SUIT)
    assert solution.verdict == "win"


@pytest.mark.parametrize("preset", ["standard", "relaxed", "bvs"])
def test_runs_must_be_split_to_fill_the_columns_for_a_row(preset: str, data: Path) -> None:
    rules = make_rules(preset, suits=1)
    position = read_case(data, "synth-split-runs-then-deal", rules)
    solution = solve(position, rules, ENOUGH, loose=True)
    assert_holds(solution, position, rules)
    assert solution.verdict == "win"


def test_nine_cards_are_lost_at_once_under_strict_rules_only(data: Path) -> None:
    position = read_case(data, "synth-nine-cards-stalemate", STRICT)
    solution = solve(position, STRICT, ENOUGH, loose=True)
    assert (solution.verdict, solution.attempts) == ("loss", ())
    assert "nine cards cannot fill ten columns" in solution.reason
    relaxed = solve(position, RELAXED, Budget(seconds=60, expansions=1000), loose=True)
    assert relaxed.attempts


def test_a_save_of_windows_is_won(data: Path) -> None:
    position = read_case(data, "win7-save-seed2747804-after-deal1", STRICT)
    rules = fit_layout(position, STRICT)
    solution = solve(position, rules, ENOUGH)
    assert_holds(solution, position, rules)
    assert solution.verdict == "win"
    assert solution.rows_dealt == 4


def test_a_won_position_is_won() -> None:
    position = Position(((),) * 10, (0,) * 10, (), (0, 0, 1, 1, 2, 2, 3, 3))
    solution = solve(position, STRICT)
    assert (solution.verdict, solution.line, solution.attempts) == ("win", (), ())


@pytest.mark.parametrize("preset", ["standard", "relaxed", "bvs", "morehead-1949"])
@pytest.mark.parametrize("suits", [1, 2])
def test_deals_are_won_under_every_preset(preset: str, suits: int) -> None:
    rules = make_rules(preset, suits=suits)
    for number in ("ms1", "32000"):
        deal = deal_from_id(number, suits)
        solution = solve(deal, rules, ENOUGH)
        assert_holds(solution, deal, rules)
        assert solution.verdict == "win"
        takes = sum(move.kind == "take" for move in solution.line)
        assert takes == (8 if rules.removal == "optional" else 0)


def test_the_layout_of_bicycle_is_won_with_its_short_row() -> None:
    rules = make_rules("bicycle", suits=1)
    position = naive.shuffled_game(random.Random(3), rules)
    solution = solve(position, rules, ENOUGH)
    assert_holds(solution, position, rules)
    assert solution.verdict == "win"
    assert solution.line.count(DEAL) == 6


# ---- only what the referee replayed is a win ---------------------------------------------------------


def _without_first(line: Line) -> Line:
    return line[1:]


def _without_last(line: Line) -> Line:
    return line[:-1]


def _with_a_stranger(line: Line) -> Line:
    return (Move("move", 0, 0, 1), *line)


@pytest.mark.parametrize("tamper", [_without_first, _without_last, _with_a_stranger])
def test_a_tampered_line_is_refused(tamper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = attempt.Attempt.line
    monkeypatch.setattr(attempt.Attempt, "line", lambda self: tamper(honest(self)))
    with pytest.raises(SearchError, match="referee"):
        solve(deal_from_id("ms1", 1), ONE_SUIT, ENOUGH)
    for form in ([], ["--json"]):
        result = CliRunner().invoke(cli, ["solve", "1", "--suits", "1", *form])
        assert result.exit_code == 1
        assert result.stdout == ""
        assert result.stderr.startswith("spider: error: ")
        assert "referee" in result.stderr


def test_a_line_that_no_pack_allows_is_named_with_its_place() -> None:
    deal = deal_from_id("ms1", 1)
    line = solve(deal, ONE_SUIT, ENOUGH).line
    place = next(n for n, move in enumerate(line, start=1) if move.kind == "deal")
    with pytest.raises(IllegalMove) as caught:
        replay(deal, (*line[: place - 1], Move("move", 0, 1, 13), *line[place:]), ONE_SUIT)
    assert caught.value.index == place


# ---- the same search every time ----------------------------------------------------------------------


@pytest.mark.parametrize(("number", "suits"), [("ms3", 4), ("ms101", 2), ("ms201", 1)])
def test_a_search_repeats_itself_wherever_its_slices_fall(
    number: str, suits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, rules = deal_from_id(number, suits), make_rules(suits=suits)
    budget = Budget(seconds=600, expansions=60_000)
    once = facts(solve(deal, rules, budget))
    assert facts(solve(deal, rules, budget)) == once
    monkeypatch.setattr(attempt, "SLICE", 17)
    assert facts(solve(deal, rules, budget)) == once
    monkeypatch.setattr(attempt, "SLICE", 1_000_000)
    assert facts(solve(deal, rules, budget, progress=lambda _: None)) == once


def test_memory_that_suffices_changes_nothing() -> None:
    deal = deal_from_id("ms101", 2)
    rules = make_rules(suits=2)
    assert facts(solve(deal, rules, Budget(memory=300))) == facts(solve(deal, rules, Budget(memory=4000)))


def test_seeds_draw_the_random_members(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2, 20):
        assert portfolio.random_member(5, number) == portfolio.random_member(5, number)
        assert portfolio.random_member(5, number) != portfolio.random_member(6, number)
        assert portfolio.random_member(5, number) != portfolio.random_member(5, number + 1)
    monkeypatch.setattr(portfolio, "MEMBERS", ())
    monkeypatch.setattr(portfolio, "BEAMS", {})
    deal = deal_from_id("ms1")
    found = {}
    for seed in (0, 1, 2**63 - 1):
        budget = Budget(seconds=600, expansions=4000, seed=seed)
        found[seed] = facts(solve(deal, STRICT, budget))
        assert facts(solve(deal, STRICT, budget)) == found[seed]
    assert len({json.dumps(value, default=str) for value in found.values()}) == 3


def test_the_signature_is_the_recorded_one(data: Path) -> None:
    """A change that alters the search alters this, on purpose or not.

    On purpose: `python benchmarks/signature.py --write` records the new one, and the commit says so and why
    (CONTRIBUTING.md, "One change at a time").
    """
    records = json.loads((data / "signature.json").read_text())
    assert len(records) == 20
    found = []
    for record in records:
        deal, rules = deal_from_id(record["deal"], record["suits"]), make_rules(suits=record["suits"])
        solution = solve(deal, rules, Budget(seconds=600, expansions=record["budget"]))
        assert_holds(solution, deal, rules)
        found.append(
            record
            | {
                "verdict": solution.verdict,
                "tries": solution.tries,
                "expansions": solution.expansions,
                "children": solution.children,
                "line": len(solution.line),
            }
        )
    assert found == records, (
        "the search has changed; if that was the purpose, record it with: python benchmarks/signature.py --write"
    )


# ---- budgets -----------------------------------------------------------------------------------------


def test_budgets_that_no_search_can_keep() -> None:
    for wrong in (
        {"seconds": 0.0},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"memory": MIN_MEMORY - 1},
        {"memory": -5},
        {"expansions": 0},
    ):
        (name,) = wrong
        with pytest.raises(BudgetError, match=f"^{name} is "):
            Budget(**wrong)
    assert Budget(memory=MIN_MEMORY).memory == MIN_MEMORY


@pytest.mark.parametrize("expansions", [1, 1000, 60_000])
def test_no_more_is_expanded_than_the_budget_allows(expansions: int) -> None:
    solution = solve(HARD, STRICT, Budget(seconds=600, expansions=expansions))
    assert_holds(solution, HARD, STRICT)
    assert solution.verdict == "timeout"
    assert expansions <= solution.expansions < expansions + VISIT_EXPANSIONS
    assert "does not mean lost" in solution.reason


def test_time_ends_a_search() -> None:
    solution = solve(HARD, STRICT, Budget(seconds=0.3))
    assert solution.verdict == "timeout"
    assert 0.3 <= solution.seconds < 3


def test_progress_says_how_far_the_search_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PROGRESS_SECONDS", 0.0)
    seen: list[Progress] = []
    solution = solve(HARD, STRICT, Budget(seconds=60, expansions=100_000), progress=seen.append)
    assert [step.expansions for step in seen] == sorted(step.expansions for step in seen)
    assert seen[-1].expansions == solution.expansions
    assert seen[-1].children == solution.children
    assert {step.tries for step in seen} == set(range(1, solution.tries + 1))
    for step in seen:
        assert 0 <= step.rows_dealt <= 5
        assert 0 <= step.runs_removed <= 8
        assert 0 <= step.face_down <= 44


@pytest.mark.parametrize("lossless", [False, True])
def test_arrays_stay_within_the_memory(lossless: bool) -> None:
    memory = 16 * MIB
    searching = attempt.Attempt(
        HARD.position(), RELAXED, replace(portfolio.MEMBERS[0], lossless=lossless), memory=memory
    )
    outcome = None
    used = {searching.memory_used}
    while outcome is None:
        outcome = searching.step(10_000_000)
        used.add(searching.memory_used)
    assert outcome == "memory"
    assert memory / 4 < max(used) <= memory
    assert searching.expansions > 10_000


def test_full_memory_ends_in_a_timeout() -> None:
    budget = Budget(seconds=60, memory=MIN_MEMORY, expansions=300_000)
    solution = solve(HARD, STRICT, budget)
    assert solution.verdict == "timeout"
    assert "memory" in {tried.outcome for tried in solution.attempts}
    # A member whose memory is full makes room for the next.
    assert solution.tries > 2
    won = solve(deal_from_id("ms1"), STRICT, Budget(memory=MIN_MEMORY))
    assert won.verdict == "win"


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_the_process_stays_within_the_memory() -> None:
    """All of it: Python, numpy, numba, the machine code, and the search that has filled what was left."""
    solve(HARD, STRICT, Budget(seconds=60, expansions=1))  # the child finds the kernels compiled
    code = (
        "import pathlib, re; from solver import *; "
        f"solution = solve(deal_from_id('ms10957'), make_rules(), Budget(60, {MIN_MEMORY}, 300_000)); "
        # Not getrusage, which counts what the parent had at the fork.
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', pathlib.Path('/proc/self/status').read_text()); "
        "print(solution.verdict, int(peak[1]) // 1024)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    verdict, peak = ran.stdout.split()
    assert verdict == "timeout"
    assert int(peak) <= MIN_MEMORY
