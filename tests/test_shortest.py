"""Shortest lines: the bound is never above the true distance, IDA* finds what breadth first finds, and proofs hold."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import bounds
import naive
import pytest
from boards import KEYS, examples
from click.testing import CliRunner
from conftest import COMPILED
from games import any_games
from hypothesis import given, settings

from solver import deepening, referee
from solver.attempt import make_board, make_game
from solver.cli import cli
from solver.deepening import Deepening
from solver.kernel import idastar
from solver.kernel.layout import new_record
from solver.move import Line
from solver.numbering import deal_from_id
from solver.position import Position
from solver.record import Outcome
from solver.referee import replay
from solver.rules import Rules, make_rules
from solver.search import Budget, solve
from solver.shortest import ShortestProgress, shorten, shortest

pytestmark = pytest.mark.kernel

LIMIT, GAMES, STEPS = (500, 2, 30) if COMPILED else (40, 1, 5)
FAR = 1_000
"""More steps than any shortest line of a small game has."""


def kernel_bound(position: Position, rules: Rules) -> tuple[int, int]:
    """Return the base of the kernel's lower bound and what is added to it."""
    walk = new_record(idastar.WALK)
    game = make_game(position, rules, lossless=True, wide=True)
    bound = int(idastar.lower_bound(make_board(position), game, walk, FAR))
    base = int(walk.base_steps)
    # One that may stop early is no more, and the same as long as it is not enough.
    for enough in range(base - 1, bound + 2):
        early = int(idastar.lower_bound(make_board(position), game, walk, enough))
        assert early == bound if bound <= enough else enough < early <= bound
    return base, bound - base


def run(search: Deepening) -> Outcome:
    while (outcome := search.step()) is None:
        pass
    return outcome


# ---- the lower bound -----------------------------------------------------------------------------


@settings(max_examples=examples(300))
@given(any_games())
def test_the_bound_of_whole_games_is_the_plain_one(game: tuple[Position, Rules]) -> None:
    position, rules = game
    assert kernel_bound(position, rules) == bounds.lower_bound(position, rules)


@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_the_bound_in_play_is_the_plain_one(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    rng = random.Random(name)
    for _ in range(examples(20)):
        for position, _move in naive.random_playout(naive.small_game(rng, rules), rules, rng, STEPS):
            assert kernel_bound(position, rules) == bounds.lower_bound(position, rules)


@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_the_bound_is_never_above_the_distance(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    rng = random.Random(name)
    for _ in range(GAMES):
        table = bounds.distances(naive.small_game(rng, rules), rules, LIMIT)
        if table is None:
            continue
        found = {state: kernel_bound(naive.to_position(state), rules) for state in table}
        for state, (steps, children) in table.items():
            base, more = found[state]
            if steps is not None:
                assert (base + more == 0) == (steps == 0)
                assert base + more <= steps
            # The base is consistent.
            assert all(base <= found[child][0] + 1 for child in children)


def position_of(columns: str, rules: Rules, completed: str = "--", rows: str = "") -> Position:
    from solver.notation import parse_position

    return parse_position(f"{columns}\n{rows}\ncompleted: {completed}\n", rules)


TRIPLES = make_rules(columns=3, ranks=3, packs=1, suits=4, heights=(4, 4, 4), rows=())


@pytest.mark.parametrize(
    ("columns", "bound"),
    [
        # Each card but the ace on its successor already.
        ("3S 2S\nAS\n--", (1, 0)),
        ("AS\n2S\n3S", (2, 0)),
        # A successor that is face-down holds nothing, and lies under the card that needs it: both move twice.
        ("<3S> <2S> AS\n--\n--", (2, 2)),
        # Ace and king cover the two: the ace moves twice, the king once.
        ("2S 3S AS\n--\n--", (2, 2)),
        # The king covers a card of its own run.
        ("2S 3S\nAS\n--", (2, 1)),
        # Two columns wait for each other: one of the aces moves twice.
        ("3S 2S AH\n3H 2H AS\n--", (2, 1)),
    ],
)
def test_the_bound_of_positions_by_hand(columns: str, bound: tuple[int, int]) -> None:
    position = position_of(columns, TRIPLES)
    assert kernel_bound(position, TRIPLES) == bound


# ---- the table -----------------------------------------------------------------------------------


def test_a_full_bucket_forgets_its_least_gain_and_keeps_keys_whole() -> None:
    table = deepening._new_bounds(idastar.BUCKET)
    key, other = KEYS.card[0, :, 1], KEYS.card[1, :, 1]
    for i, gain in enumerate((5, 2, 7, 3)):
        assert idastar.store(table, key[i], other[i], 10 + i, gain)
    assert not idastar.store(table, key[2], other[2], 20, 1)
    assert [idastar.bound_of(table, key[i], other[i]) for i in range(4)] == [10, 11, 20, 13]
    assert idastar.bound_of(table, key[0], other[1]) == 0
    assert not idastar.store(table, key[4], other[4], 30, 0)
    assert [idastar.bound_of(table, key[i], other[i]) for i in range(5)] == [10, 11, 0, 13, 30]
    larger = deepening._new_bounds(4 * idastar.BUCKET)
    assert idastar.copy_bounds(table, larger) == 4
    assert [idastar.bound_of(larger, key[i], other[i]) for i in range(5)] == [10, 11, 0, 13, 30]


# ---- IDA* ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [1 << 12, idastar.BUCKET], ids=["table", "next to no table"])
@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_small_games_have_the_line_of_breadth_first_search(
    name: str, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deepening, "FIRST_TABLE", slots)
    rules = naive.SMALL_RULES[name]
    rng = random.Random(name)
    limit = LIMIT if slots > idastar.BUCKET else LIMIT // 8
    for _ in range(3 * GAMES if COMPILED else 1):
        position = naive.small_game(rng, rules)
        expected = naive.explore(position, rules, limit)
        if expected.verdict is None or position.is_won:
            continue
        if expected.steps is None:
            search = Deepening(position, rules, below=20, memory=0)
            assert run(search) == "exhausted"
            assert search.bound >= 20
            continue
        search = Deepening(position, rules, below=FAR, memory=0)
        assert run(search) == "win"
        line = search.line()
        assert len(line) == expected.steps == search.bound
        assert replay(position, line, rules).is_won
        # Below that length there is nothing.
        search = Deepening(position, rules, below=expected.steps, memory=0)
        assert run(search) == "exhausted"
        assert search.bound == expected.steps


@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_positions_in_play_have_the_line_of_breadth_first_search(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    rng = random.Random(f"{name} in play")
    for _ in range(GAMES):
        for position, _move in itertools.islice(
            naive.random_playout(naive.small_game(rng, rules), rules, rng, 12), 3, None, 4
        ):
            expected = naive.explore(position, rules, LIMIT)
            if expected.steps:
                search = Deepening(position, rules, below=FAR, memory=1 << 20)
                assert run(search) == "win"
                assert len(search.line()) == expected.steps
                assert replay(position, search.line(), rules).is_won


# ---- a known line --------------------------------------------------------------------------------


def ending(steps: int) -> tuple[Position, Rules, Line]:
    """Return the last steps of a line that wins a whole deal."""
    rules = make_rules()
    position = deal_from_id("ms1001").position()
    line = solve(position, rules, Budget(expansions=100_000)).line
    return replay(position, line[:-steps], rules), rules, line[-steps:]


needs_compiled = pytest.mark.skipif(not COMPILED, reason="takes plain Python long")


@needs_compiled
def test_the_end_of_a_deal_is_shortened_and_proved() -> None:
    position, rules, line = ending(30)
    seen: list[ShortestProgress] = []
    found = shortest(position, rules, line, progress=seen.append)
    assert found.is_proved
    assert found.steps < len(line)
    assert replay(position, found.line, rules).is_won
    assert found.expansions > 0
    # The line that was found has no shorter one.
    again = shortest(position, rules, found.line)
    assert again.is_proved
    assert again.line == found.line


@needs_compiled
def test_time_that_is_spent_leaves_the_line_and_a_bound() -> None:
    position, rules, line = ending(120)
    found = shortest(position, rules, line, seconds=1e-9)
    assert found.line == line
    assert not found.is_proved
    assert 30 < found.at_least < found.steps == 120
    assert bounds.lower_bound(position, rules)[0] <= found.at_least


def test_a_line_has_to_win() -> None:
    rules = naive.SMALL_RULES["quads-no-stock-strict-automatic"]
    position = naive.small_game(random.Random(1), rules)
    with pytest.raises(ValueError, match="the line does not win"):
        shortest(position, rules, ())
    moves = referee.legal_moves(position, rules)
    with pytest.raises(referee.IllegalMove):
        shortest(position, rules, (moves[0], moves[0]))


def test_a_game_that_is_over_needs_no_step() -> None:
    rules = naive.SMALL_RULES["quads-no-stock-strict-automatic"]
    won = Position(((),) * 5, (0,) * 5, (), (3, 3, 2, 2))
    found = shortest(won, rules, ())
    assert (found.steps, found.at_least, found.is_proved) == (0, 0, True)


@needs_compiled
@pytest.mark.parametrize("removal", ["automatic", "optional"])
def test_a_solution_is_shortened(removal: str) -> None:
    rules = naive.SMALL_RULES[f"quads-no-stock-strict-{removal}"]
    rng = random.Random(removal)
    wins = 0
    while wins < 2:
        position = naive.small_game(rng, rules)
        expected = naive.explore(position, rules, 3_000)
        if expected.steps is None:
            continue
        wins += 1
        solution = solve(position, rules)
        shortened, found = shorten(position, solution, seconds=60)
        assert found.is_proved
        assert found.steps == len(shortened.line) == expected.steps
        taken = shortened.runs_removed if removal == "optional" else 0
        assert shortened.moves + shortened.rows_dealt + taken == expected.steps
        assert shortened.expansions == solution.expansions


# ---- the command ---------------------------------------------------------------------------------

SMALL = ["--columns", "3", "--ranks", "2", "--packs", "2", "--removal", "optional"]


def test_solve_says_what_is_proved(data: Path) -> None:
    path = str(data / "cases" / "small-removal-decides.txt")
    result = CliRunner().invoke(cli, ["solve", path, *SMALL, "--shortest"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    answer = json.loads(CliRunner().invoke(cli, ["solve", path, *SMALL, "--shortest", "--json"]).stdout)
    steps = len(answer["line"])
    assert lines[2].startswith(f"shortest, proved: {steps} steps (tableau moves, rows dealt and runs taken); ")
    assert lines[3].startswith("   1  ")
    assert list(answer["shortest"]) == ["steps", "at_least", "proved", "expansions", "children", "seconds"]
    assert (answer["shortest"]["steps"], answer["shortest"]["at_least"], answer["shortest"]["proved"]) == (
        steps,
        steps,
        True,
    )
    assert answer["moves"] + answer["rows_dealt"] + answer["runs_removed"] == steps
    # What is printed reads back.
    verified = CliRunner().invoke(cli, ["verify", path, "-", *SMALL], input=result.stdout)
    assert verified.exit_code == 0


@needs_compiled
def test_solve_says_what_is_not_proved() -> None:
    result = CliRunner().invoke(cli, ["solve", "ms1", "--suits", "1", "--shortest", "--timeout", "0.5"])
    assert result.exit_code == 0
    assert " steps (tableau moves and rows dealt), at least " in result.stdout.splitlines()[2]
    assert result.stdout.splitlines()[2].startswith("best found ")


def test_a_loss_has_no_shortest_line(data: Path) -> None:
    path = str(data / "cases" / "small-removal-decides.txt")
    small = [*SMALL[:-1], "automatic"]
    plain = CliRunner().invoke(cli, ["solve", path, *small])
    result = CliRunner().invoke(cli, ["solve", path, *small, "--shortest"])
    assert result.exit_code == plain.exit_code == 3
    assert result.stdout.splitlines()[:2] == plain.stdout.splitlines()[:2]
    answer = json.loads(CliRunner().invoke(cli, ["solve", path, *small, "--shortest", "--json"]).stdout)
    assert answer["shortest"] is None
    assert "shortest" not in json.loads(CliRunner().invoke(cli, ["solve", path, *small, "--json"]).stdout)
