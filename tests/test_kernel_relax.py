"""The relaxations of endings: whatever they say is lost is lost, on thousands of small endings of all kinds."""

from __future__ import annotations

import random
from collections import Counter

import naive
import pytest
from boards import board_of, game_of, small_ending
from conftest import COMPILED

from solver import referee
from solver.ending import make_ending
from solver.exhaustion import Exhaustion
from solver.kernel.relax import enter, is_lost
from solver.kernel.suited import is_lost_suited, load
from solver.position import Position, check_position
from solver.record import Outcome
from solver.rules import Rules, make_rules

pytestmark = pytest.mark.kernel

MEMORY = 64 << 20
GAMES, NAIVE_GAMES, LIMIT = (4000, 1500, 300) if COMPILED else (4, 10, 60)
SUITED_GAMES, LINE_GAMES = (5000, 600) if COMPILED else (4, 4)
MOST = 100_000
"""States that a relaxation may look at, more than there are."""
POSITIONS = 5_000
"""Positions after which the search without the relaxation leaves a verdict open."""


def relaxed(position: Position, rules: Rules) -> Exhaustion:
    """Return an exhaustive search that asks the relaxations."""
    return Exhaustion(position, rules, memory=MEMORY, ending=make_ending(position, rules, memory=MEMORY))


def run(search: Exhaustion, most: int | None = None) -> Outcome | None:
    outcome = None
    while outcome is None and (most is None or search.positions < most):
        outcome = search.step()
    return outcome


def test_verdicts_are_those_of_the_naive_game() -> None:
    rng = random.Random("naive")
    seen: Counter[tuple[str, bool]] = Counter()
    for _ in range(NAIVE_GAMES):
        position, rules = small_ending(rng)
        verdict = naive.exhaust(position, rules, LIMIT)
        if verdict is None:
            continue
        search = relaxed(position, rules)
        assert run(search) == {"win": "win", "loss": "exhausted"}[verdict], (position, rules)
        if verdict == "win":
            assert referee.replay(position, search.line(), rules).is_won
        seen[verdict, search.relaxed > 0] += 1
    if COMPILED:
        # Both verdicts are common, and so are losses that the relaxation saw.
        assert min(seen["win", False], seen["loss", True]) > 100


@pytest.mark.skipif(not COMPILED, reason="millions of positions take plain Python days")
def test_verdicts_are_those_of_the_search_without_it() -> None:
    rng = random.Random("kernel")
    seen: Counter[tuple[str, bool]] = Counter()
    for _ in range(GAMES):
        position, rules = small_ending(rng)
        plain = Exhaustion(position, rules, memory=MEMORY)
        expected = run(plain, POSITIONS)
        if expected is None:
            continue
        search = relaxed(position, rules)
        outcome = run(search, 20 * POSITIONS)
        # Depth first in another order, a win may come late.
        assert outcome == expected or (expected == "win" and outcome is None), (position, rules)
        assert expected == "win" or search.positions <= plain.positions
        seen[expected, search.relaxed > 0] += 1
    # Wins that were found although some positions on the way were left, too.
    assert min(seen["win", True], seen["exhausted", True]) > 100


def lost_in_relaxations(position: Position, rules: Rules) -> tuple[bool, bool]:
    """Whether the relaxation that counts proves a position lost, and whether that which knows suits does."""
    relaxation, states, suited, suited_states = make_ending(position, rules, memory=MEMORY)
    board, game = board_of(position), game_of(position, rules)
    enter(relaxation, board, game)
    counted = is_lost(relaxation, states, game, MOST)
    load(suited, relaxation, board, game)
    return counted, is_lost_suited(suited, relaxation, suited_states, states, game, MOST, MOST)


def test_what_only_suits_prove_lost_is_lost() -> None:
    rng = random.Random("suits")
    proved = 0
    for _ in range(SUITED_GAMES):
        position, rules = small_ending(rng)
        if lost_in_relaxations(position, rules) != (False, True):
            continue
        outcome = run(Exhaustion(position, rules, memory=MEMORY), 20 * POSITIONS)
        assert outcome in ("exhausted", None), (position, rules)
        proved += outcome == "exhausted"
    if COMPILED:
        assert proved > 30


def test_no_position_on_a_winning_line_is_lost_in_a_relaxation() -> None:
    rng = random.Random("lines")
    checked = 0
    for _ in range(LINE_GAMES):
        position, rules = small_ending(rng)
        found = naive.explore(position, rules, LIMIT)
        if found.verdict != "win":
            continue
        search = relaxed(position, rules)
        assert run(search) == "win"
        for move in search.line()[:100]:
            assert lost_in_relaxations(position, rules) == (False, False), (position, rules)
            position = referee.apply(position, move, rules)
            checked += 1
    if COMPILED:
        assert checked > 500


def test_a_position_that_the_relaxation_loses_needs_no_search() -> None:
    # No card can be placed: every open card is a king or lacks the next higher one.
    rules = make_rules(suits=1, columns=2, ranks=3, packs=1, heights=(6, 6), rows=())
    position = Position(((49, 49, 50, 50, 51, 51), (49, 49, 51, 51, 50, 50)), (0, 0), (), ())
    check_position(position, rules)
    search = relaxed(position, rules)
    assert run(search) == "exhausted"
    assert naive.exhaust(position, rules) == "loss"
    assert (search.positions, search.relaxed) == (1, 1)
