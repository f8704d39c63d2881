"""Shorter lines: never longer, always legal, and what is planted in a line is found."""

from __future__ import annotations

import random

import naive
import pytest
from conftest import COMPILED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver.attempt import decode_move
from solver.beam import Beam, End, Ground, Trimming, encode_move
from solver.improve import MAX_LENGTH, VECTORS, improve, renamed
from solver.kernel.beam import MAX_GOALS
from solver.move import DEAL, Line, tableau_move, take
from solver.notation import parse_position
from solver.numbering import deal_from_id
from solver.position import Position
from solver.referee import apply, legal_moves, replay
from solver.rules import PRESETS, Rules, make_rules
from solver.search import Budget, solve

pytestmark = pytest.mark.kernel
needs_compiled = pytest.mark.skipif(not COMPILED, reason="thousands of positions")

MEMORY = 200 << 20


def run(beam: Beam, limit: int = 1 << 40) -> End:
    while (end := beam.step(limit)) is None:
        pass
    return end


def beam_of(position: Position, rules: Rules, *, width: int, bound: int = 400, vector: int = 0) -> Beam:
    return Beam(Ground(position, rules), position, VECTORS[vector], width=width, bound=bound, memory=MEMORY)


def first_line(position: Position, rules: Rules) -> Line:
    solution = solve(position, rules, Budget(expansions=100_000))
    assert solution.verdict == "win"
    return solution.line


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 13))
def test_codes_of_moves_are_read_back(source: int, target: int, cards: int) -> None:
    for move in (tableau_move(source, target, cards), DEAL, take(source)):
        assert decode_move(encode_move(move)) == move


# ---- the beam ----------------------------------------------------------------------------------------


@needs_compiled
@pytest.mark.parametrize("suits", [1, 2, 4])
def test_a_beam_wins_deals_with_lines_that_the_referee_replays(suits: int) -> None:
    rules = make_rules(suits=suits)
    position = deal_from_id("ms1003", suits).position()
    beam = beam_of(position, rules, width=100)
    assert run(beam) == "win"
    assert replay(position, beam.line(), rules).is_won
    # A bound is kept: not a move more.
    length = len(beam.line())
    tight = beam_of(position, rules, width=100, bound=length - 1)
    assert run(tight) == "empty" or len(tight.line()) < length


@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_a_beam_wins_no_small_game_that_is_lost(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    rng = random.Random(name)
    for _ in range(4 if COMPILED else 1):
        position = naive.small_game(rng, rules)
        expected = naive.explore(position, rules, 600 if COMPILED else 100)
        if expected.verdict is None or position.is_won:
            continue
        for width in (1, 30):
            beam = beam_of(position, rules, width=width, vector=rng.randrange(len(VECTORS)))
            if run(beam) == "win":
                assert expected.verdict == "win"
                assert expected.steps is not None
                assert len(beam.line()) >= expected.steps
                assert replay(position, beam.line(), rules).is_won


@needs_compiled
def test_a_beam_does_not_depend_on_where_its_slices_end() -> None:
    rules = make_rules(suits=2)
    position = deal_from_id("ms1003", 2).position()
    whole, cut = (beam_of(position, rules, width=40) for _ in range(2))
    end = run(whole)
    limit = 0
    while (cut_end := cut.step(limit)) == "budget":
        limit += 777
    assert cut_end == end == "win"
    assert cut.line() == whole.line()
    assert cut.expansions == whole.expansions


@needs_compiled
def test_a_beam_keeps_to_its_memory() -> None:
    rules = make_rules()
    position = deal_from_id("ms1003").position()
    beam = Beam(Ground(position, rules), position, VECTORS[0], width=100, bound=400, memory=3 << 20)
    assert run(beam) == "memory"
    assert beam.memory_used <= 3 << 20


@needs_compiled
def test_a_beam_from_a_place_in_a_line_finds_shortcuts_to_later_places() -> None:
    rules = make_rules()
    start = deal_from_id("ms1003").position()
    line = with_detours(start, first_line(start, rules), rules, random.Random(3), 8)
    ground = Ground(start, rules)
    keys = ground.keys(line)
    place = 20
    position = replay(start, line[:place], rules)
    beam = Beam(
        ground, position, VECTORS[0], width=50, bound=len(line) - place - 1, memory=MEMORY, goals=keys, place=place
    )
    run(beam)
    shortcut = beam.shortcut()
    assert shortcut is not None
    moves, later = shortcut
    assert len(moves) < later - place
    reached, known = replay(position, moves, rules), replay(start, line[:later], rules)
    assert (reached.rows, sorted(reached.columns)) == (known.rows, sorted(known.columns))
    assert replay(reached, renamed(line[later:], known, reached), rules).is_won


def test_a_beam_refuses_a_line_that_its_table_does_not_hold() -> None:
    ground = Ground(deal_from_id("ms1").position(), make_rules())
    keys = ground.keys(()).repeat(MAX_GOALS + 1)
    with pytest.raises(ValueError, match="room for"):
        Beam(ground, ground.start, VECTORS[0], width=1, bound=9, memory=MEMORY, goals=keys)


# ---- trimming ----------------------------------------------------------------------------------------


def with_detours(start: Position, line: Line, rules: Rules, rng: random.Random, detours: int) -> Line:
    """Return a winning line with cards that go somewhere and come back."""
    for _ in range(detours):
        for _ in range(50):
            place = rng.randrange(len(line))
            position = replay(start, line[:place], rules)
            there = rng.choice(legal_moves(position, rules))
            back = tableau_move(there.target, there.source, there.count)
            if there.kind != "move":
                continue
            away = apply(position, there, rules)
            if back in legal_moves(away, rules) and apply(away, back, rules) == position:
                line = (*line[:place], there, back, *line[place:])
                break
    assert replay(start, line, rules).is_won
    return line


def trimmed(start: Position, line: Line, rules: Rules, *, pairs: bool = True) -> Line:
    trimming = Trimming(Ground(start, rules), line, pairs=pairs)
    for _ in trimming.steps():
        pass
    return trimming.line


@needs_compiled
@pytest.mark.parametrize("preset", PRESETS)
def test_trimming_gives_legal_lines_that_win(preset: str) -> None:
    rules = make_rules(preset)
    start = naive.shuffled_game(random.Random(11), rules)
    line = first_line(start, rules)
    shorter = trimmed(start, line, rules)
    assert len(shorter) <= len(line)
    assert replay(start, shorter, rules).is_won
    # Nothing more is to be had the same way.
    assert trimmed(start, shorter, rules) == shorter


def test_a_needless_move_and_a_needless_stop_are_dropped() -> None:
    rules = make_rules(suits=1)
    # One run is left; the queen goes to the king by way of an empty column, and the jack moves in vain.
    start = parse_position(
        "KS\nQS\nJS TS 9S 8S 7S 6S 5S 4S 3S 2S AS\n--\n--\n--\n--\n--\n--\n--\ncompleted: S S S S S S S", rules
    )
    line = tuple(tableau_move(*move) for move in ((1, 3, 1), (2, 4, 11), (3, 0, 1), (4, 0, 11)))
    assert replay(start, line, rules).is_won
    assert trimmed(start, line, rules, pairs=False) == (tableau_move(1, 0, 1), tableau_move(2, 0, 11))


@needs_compiled
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_planted_detours_are_dropped(seed: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(suits=2)
    start = deal_from_id("ms1003", 2).position()
    line = trimmed(start, first_line(start, rules), rules)
    longer = with_detours(start, line, rules, rng, 3)
    assert len(longer) > len(line)
    assert len(trimmed(start, longer, rules)) <= len(line)


# ---- improvement -------------------------------------------------------------------------------------


@needs_compiled
@pytest.mark.parametrize("preset", PRESETS)
def test_an_improved_line_is_shorter_and_wins_under_every_preset(preset: str) -> None:
    rules = make_rules(preset)
    start = naive.shuffled_game(random.Random(11), rules)
    line = first_line(start, rules)
    improvement = improve(start, line, rules, work=60_000)
    assert len(improvement.line) == len(line) - improvement.saved < len(line)
    assert replay(start, improvement.line, rules).is_won
    assert improvement.work >= 60_000


@needs_compiled
def test_the_same_work_gives_the_same_line() -> None:
    rules = make_rules()
    start = deal_from_id("ms1010").position()
    line = first_line(start, rules)
    first, second = (improve(start, line, rules, work=40_000) for _ in range(2))
    assert first.line == second.line
    assert first.work == second.work
    # More work never makes it longer.
    assert len(improve(start, line, rules, work=80_000).line) <= len(first.line) < len(line)


@needs_compiled
def test_a_line_from_the_middle_of_a_game_is_improved() -> None:
    rules = make_rules()
    deal = deal_from_id("ms1010").position()
    line = first_line(deal, rules)
    place = next(place for place in range(len(line)) if replay(deal, line[:place], rules).completed)
    start = replay(deal, line[:place], rules)
    improvement = improve(start, line[place:], rules, work=40_000)
    assert replay(start, improvement.line, rules).is_won
    assert len(improvement.line) < len(line) - place


@needs_compiled
def test_loops_are_cut_where_the_columns_came_back_in_another_order() -> None:
    rules = make_rules()
    deal = deal_from_id("ms1010").position()
    line = first_line(deal, rules)
    # A whole column moves to an empty one: the same position when the stock is empty.
    for place in range(len(line)):
        start = replay(deal, line[:place], rules)
        empty = [column for column, cards in enumerate(start.columns) if not cards]
        whole = [move for move in legal_moves(start, rules) if move.target in empty]
        whole = [move for move in whole if move.count == len(start.columns[move.source])]
        if not start.rows and whole:
            break
    after = apply(start, whole[0], rules)
    longer = (whole[0], *renamed(line[place:], start, after))
    assert replay(start, longer, rules).is_won
    improvement = improve(start, longer, rules, work=1)
    assert len(improvement.line) < len(longer)


@needs_compiled
def test_a_very_long_line_is_replaced_by_a_whole_one() -> None:
    rules = make_rules(suits=1)
    start = deal_from_id("ms1003", 1).position()
    line = first_line(start, rules)
    longer = with_detours(start, line, rules, random.Random(5), 1)
    # The same detour again and again.
    place = next(i for i, (move, other) in enumerate(zip(longer, line, strict=False)) if move != other)
    detour = longer[place : place + 2]
    longer = (*line[:place], *(detour * MAX_LENGTH), *line[place:])
    if not replay(start, longer, rules).is_won:
        pytest.fail("the detour does not lead back")
    improvement = improve(start, longer, rules, work=60_000)
    assert len(improvement.line) <= 120
    assert replay(start, improvement.line, rules).is_won


def test_small_games_are_not_made_longer_and_come_to_an_end() -> None:
    for name, rules in naive.SMALL_RULES.items():
        rng = random.Random(name)
        for _ in range(3 if COMPILED else 1):
            position = naive.small_game(rng, rules)
            expected = naive.explore(position, rules, 300)
            if expected.verdict != "win" or position.is_won:
                continue
            solution = solve(position, rules, Budget(expansions=20_000), loose=True)
            assert solution.verdict == "win"
            assert expected.steps is not None
            improvement = improve(position, solution.line, rules, work=3_000)
            assert expected.steps <= len(improvement.line) <= len(solution.line)
            assert replay(position, improvement.line, rules).is_won


def test_what_does_not_win_is_refused_and_what_is_won_stays() -> None:
    rules = make_rules(suits=1)
    start = deal_from_id("ms1003", 1).position()
    with pytest.raises(ValueError, match="does not win"):
        improve(start, (), rules, work=1)
    with pytest.raises(ValueError, match="neither seconds nor work"):
        improve(start, (), rules)
    won = Position(((),) * 10, (0,) * 10, (), (3,) * 8)
    assert improve(won, (), rules, work=1).line == ()
