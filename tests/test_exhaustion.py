"""The exhaustive search: the same verdict, and position for position the same space, as the naive game."""

from __future__ import annotations

import random
from pathlib import Path

import naive
import pytest
from conftest import COMPILED

from solver import referee
from solver.exhaustion import Exhaustion
from solver.notation import parse_position
from solver.position import Position
from solver.record import Outcome
from solver.rules import Rules, make_rules
from solver.search import Budget, solve

pytestmark = pytest.mark.kernel

LIMIT, GAMES = (3_000, 4) if COMPILED else (100, 1)
MEMORY = 256 << 20


def run(search: Exhaustion) -> Outcome:
    while (outcome := search.step()) is None:
        pass
    return outcome


@pytest.mark.parametrize("name", naive.SMALL_RULES)
def test_small_games_have_the_naive_verdict_and_a_loss_the_naive_number_of_positions(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    rng = random.Random(name)
    for _ in range(GAMES):
        position = naive.small_game(rng, rules)
        expected = naive.explore(position, rules, LIMIT, lossless=True, leave_dead=True)
        if expected.verdict is None:
            continue
        # The naive game knows no relaxation, so its number of positions is that of the search without.
        search = Exhaustion(position, rules, memory=MEMORY)
        assert run(search) == {"win": "win", "loss": "exhausted"}[expected.verdict]
        assert sum(search.positions_by_stage) == search.positions
        if expected.verdict == "win":
            assert referee.replay(position, search.line(), rules).is_won
        else:
            assert search.positions == expected.positions


needs_compiled = pytest.mark.skipif(not COMPILED, reason="60,000 positions take plain Python half an hour")


def read_mini(data: Path, name: str) -> tuple[Position, Rules]:
    rules = make_rules(columns=4, ranks=3, heights=(3, 3, 3, 3), rows=(4, 4, 4))
    return parse_position((data / "cases" / f"{name}.txt").read_text(), rules), rules


@needs_compiled
def test_the_famous_small_loss_has_its_positions(data: Path) -> None:
    # Counted by the naive game with columns told apart while rows remain.
    position, rules = read_mini(data, "mini-solvitaire-ComplexUnsolvable-from-end")
    search = Exhaustion(position, rules, memory=MEMORY)
    assert run(search) == "exhausted"
    assert search.positions_by_stage == (1, 1155, 31307, 28682)


@needs_compiled
def test_memory_that_is_full_is_an_outcome_and_is_never_exceeded(data: Path) -> None:
    position, rules = read_mini(data, "mini-solvitaire-ComplexUnsolvable-from-end")
    memory = 1 << 20
    search = Exhaustion(position, rules, memory=memory)
    assert run(search) == "memory"
    assert search.memory_used <= memory
    assert search.positions < 61_145


@needs_compiled
def test_a_loss_says_what_was_searched(data: Path) -> None:
    position, rules = read_mini(data, "mini-solvitaire-ComplexUnsolvable-from-end")
    solution = solve(position, rules, Budget(seconds=300))
    assert solution.verdict == "loss"
    proof = solution.attempts[-1]
    assert proof.is_proof
    assert proof.lossless
    assert proof.positions == 61_145
    assert "all 61,145 positions" in solution.reason
    assert "by rows dealt: 1, 1,155, 31,307, 28,682; 128-bit keys" in solution.reason


@needs_compiled
def test_prove_leaves_the_restarts_out(data: Path) -> None:
    position, rules = read_mini(data, "mini-solvitaire-ComplexUnsolvable-from-end")
    solution = solve(position, rules, Budget(seconds=300), prove=True)
    assert solution.verdict == "loss"
    assert [tried.lossless for tried in solution.attempts] == [False, True, True]


def test_a_proof_cut_short_is_a_timeout(data: Path) -> None:
    position, rules = read_mini(data, "mini-solvitaire-ComplexUnsolvable-from-end")
    solution = solve(position, rules, Budget(seconds=300, expansions=50), prove=True)
    assert solution.verdict == "timeout"
    assert not solution.line


ONE_FLOOR = """
<2H> <9C> <5C> 5H 5C JH KC 8H
<2C> <3H> <3C> <9C> AH 6C 5H 4H JC JH
<JC> <5C> <AH> <8C> 3C 6H
<TH> <2H> <KH> <8H> <QC> 4C 3C 6C 5H 2H AC 7H QC
<8C> <6H> <7C> <TH> 7C 9H TC 9H 8H 6H 5C KH
<AC> <AC> <8H> <4H> QH JC TC 9C QH JH TC 9H
<QC> <TH> <AC> <3C> <KC> 7C 6H 7C AH 5H
<4C> <TH> <9H> 3H KC QC JH 2C AH 2C 4H
<4C> <KC> <6C> 3H 4C 2H KH QH JC TC 9C 8C 7H 7H 8C
<3H> <KH> <7H> QH 4H 6C 2C
"""
"""An ending of weak play with two suits: number 112 of benchmarks/endings.py."""


@needs_compiled
def test_a_lost_ending_in_which_a_column_can_be_emptied_needs_no_search() -> None:
    rules = make_rules(suits=2)
    position = parse_position(ONE_FLOOR, rules)
    solution = solve(position, rules, Budget(seconds=300))
    assert solution.verdict == "loss"
    assert (solution.attempts[-1].positions, solution.attempts[-1].relaxed) == (1, 1)
    assert "in a relaxation of the game" in solution.reason
