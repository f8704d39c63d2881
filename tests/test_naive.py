"""The naive game itself: what others rely on when they compare with it."""

from __future__ import annotations

import random

import naive
import pytest

from solver.notation import parse_position
from solver.position import Position
from solver.rules import Rules, make_rules

SMALLEST = {
    name: rules
    for name, rules in naive.SMALL_RULES.items()
    if name.startswith(("pairs-strict", "pairs-relaxed", "triples-strict", "triples-relaxed"))
    or name == "quads-short-row-strict-automatic"
}
"""Games of a few thousand positions at most."""


def some_positions(rules: Rules, games: int) -> list[Position]:
    positions = []
    for seed in range(games):
        rng = random.Random(seed)
        played = [position for position, _ in naive.random_playout(naive.small_game(rng, rules), rules, rng, 12)]
        positions += played[:1] + played[-1:]  # none when the game starts without a move
    return positions


@pytest.mark.parametrize("rules", naive.SMALL_RULES.values(), ids=naive.SMALL_RULES)
def test_a_state_is_the_position_it_came_from(rules: Rules) -> None:
    for position in some_positions(rules, 3):
        assert naive.to_position(naive.from_position(position)) == position


@pytest.mark.parametrize("rules", SMALLEST.values(), ids=SMALLEST)
def test_neither_the_lossless_moves_nor_interchanged_columns_change_a_verdict(rules: Rules) -> None:
    for position in some_positions(rules, 4):
        plain = naive.explore(position, rules, interchange=False)
        assert plain.verdict in ("win", "loss")
        for shortcuts in ({}, {"lossless": True}, {"lossless": True, "leave_dead": True}):
            short = naive.explore(position, rules, **shortcuts)
            assert (short.verdict, short.steps) == (plain.verdict, plain.steps)
            assert short.positions <= plain.positions


def test_a_limit_leaves_the_verdict_open() -> None:
    rules = naive.SMALL_RULES["triples-strict-automatic"]
    position = naive.small_game(random.Random(0), rules)
    assert naive.exhaust(position, rules) is not None
    assert naive.exhaust(position, rules, limit=3) is None
    assert naive.explore(position, rules, limit=3) == naive.Exhausted(None, 3, None)


def test_lossless_moves_spare_only_what_cannot_matter_once_the_stock_is_empty() -> None:
    rules = naive.SMALL_RULES["quads-no-stock-strict-automatic"]
    position = parse_position("<3S> 4S\n3S 2H\n--\n--\nAH\ncompleted: --", rules)
    assert set(map(str, naive.lossless_moves(position, rules))) == {
        "1-3x1",  # turns up 3S
        "2-3x1",
        "5-2x1",  # AH onto 2H
    }
    assert set(map(str, naive.legal_moves(position, rules))) == {
        "1-3x1", "1-4x1", "2-3x1", "2-4x1", "5-3x1", "5-4x1", "5-2x1",
    }  # fmt: skip
    with_row = parse_position("<3S> 4S\n3S 2H\n--\n--\nAH\ndeal: AS 2S 3H 4H 2S\ncompleted: --", rules)
    assert naive.lossless_moves(with_row, rules) == naive.legal_moves(with_row, rules)


def test_perft_counts_lines_move_by_move() -> None:
    rules = make_rules()
    position = parse_position("9C\n8H 7H\n--\n" + "KD\n" * 7 + "completed: --", rules)
    # One card: 9C or 7H to the empty column, two cards: 8H 7H to it or onto 9C, and each king to it.
    assert naive.perft(position, 0, rules) == 1
    assert naive.perft(position, 1, rules) == len(naive.legal_moves(position, rules)) == 4 + 7
