"""The search kernels called directly: small games to the end, whatever settings they have, and their growth."""

from __future__ import annotations

import random
from dataclasses import replace

import naive
import numpy as np
import pytest
from conftest import COMPILED
from hypothesis import given
from hypothesis import strategies as st

from solver import attempt
from solver.kernel.bestfirst import VISIT_EXPANSIONS, noise
from solver.numbering import deal_from_id
from solver.portfolio import MEMBERS, random_member
from solver.position import Position
from solver.referee import replay
from solver.rules import Rules, make_rules

pytestmark = pytest.mark.kernel

MEMORY = 200 << 20
SMALL = {
    f"{name}-{'relaxed' if onto_empty else 'strict'}-{removal}": Rules(
        name,
        suits=suits,
        deal_onto_empty=onto_empty,
        removal=removal,
        columns=3,
        ranks=ranks,
        packs=packs,
        heights=heights,
        rows=rows,
    )
    for name, suits, ranks, packs, heights, rows in (
        ("quads", 2, 4, 1, (4, 3, 3), (3, 3)),
        ("pairs", 4, 2, 2, (4, 4, 4), (3, 1)),
    )
    for onto_empty in (False, True)
    for removal in ("automatic", "optional")
}


def searched(position: Position, rules: Rules, number: int, *, lossless: bool) -> attempt.Attempt:
    """Return a search that has come to its end; the member is any, so that weights, breadth and noise are."""
    member = random_member(number, 1) if number else MEMBERS[0]
    # Both together are for endings.
    member = replace(member, lossless=lossless, macros=member.macros and not lossless)
    searching = attempt.Attempt(position, rules, member, memory=MEMORY)
    outcome = None
    while outcome is None:
        outcome = searching.step(1 << 40)
    assert outcome in ("win", "exhausted")
    if outcome == "win":
        assert replay(position, searching.line(), rules).is_won
    return searching


@pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)
def test_every_member_exhausts_the_same_space_or_wins(rules: Rules) -> None:
    for seed in range(6 if COMPILED else 2):
        position = naive.small_game(random.Random(seed), rules)
        expected = naive.explore(position, rules, 1000, lossless=True, leave_dead=True)
        if expected.verdict is None:
            continue
        for number in range(3 if COMPILED else 1):
            whole = searched(position, rules, number, lossless=True)
            reduced = searched(position, rules, number, lossless=False)
            if expected.verdict == "loss":
                assert whole.positions == expected.positions
                assert reduced.positions <= whole.positions
            else:
                assert whole.line()


@pytest.mark.skipif(not COMPILED, reason="thousands of positions")
@pytest.mark.parametrize("suits", [1, 4])
def test_a_real_deal_is_won_with_every_array_grown(suits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = make_rules(suits=suits)
    position = deal_from_id("ms1", suits).position()
    roomy = searched(position, rules, 0, lossless=False)
    assert roomy.expansions < 50_000
    # Arrays of the least size grow again and again, and change nothing.
    monkeypatch.setattr(attempt, "FIRST_STATES", VISIT_EXPANSIONS)
    tight = searched(position, rules, 0, lossless=False)
    assert tight.line() == roomy.line()
    assert (tight.expansions, tight.children, tight.positions) == (roomy.expansions, roomy.children, roomy.positions)


@pytest.mark.skipif(not COMPILED, reason="thousands of positions")
def test_a_search_that_sweeps_in_every_round_has_no_use_for_breadth() -> None:
    def children(breadth: int, sweep: int) -> int:
        member = replace(MEMBERS[0], breadth=breadth, sweep=sweep)
        position = deal_from_id("ms2", 4).position()
        searching = attempt.Attempt(position, make_rules(), member, memory=MEMORY)
        while searching.step(20_000) is None:
            pass
        return searching.children

    assert children(1, sweep=1) == children(8, sweep=1)
    assert len({children(breadth, sweep) for breadth in (1, 8) for sweep in (0, 1, 4)}) == 5


@pytest.mark.skipif(not COMPILED, reason="tens of thousands of positions")
def test_a_search_that_wins_nothing_stays_in_bounds() -> None:
    """For the run with bounds checked: all stages, both lists, noise, the memory filled."""
    member = replace(random_member(3, 1), breadth=12)
    for preset in ("bvs", "relaxed", "bicycle"):
        rules = make_rules(preset)
        position = naive.shuffled_game(random.Random(7), rules)
        for lossless in (False, True):
            searching = attempt.Attempt(position, rules, replace(member, lossless=lossless), memory=30 << 20)
            while searching.step(40_000) is None:
                reach = searching.reach()
                assert 0 <= reach.face_down <= sum(position.face_down)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**62), st.integers(0, 20_000))
def test_noise_is_a_function_within_its_amplitude(key: int, seed: int, amplitude: int) -> None:
    value = int(noise(np.uint64(key), seed, amplitude))
    assert -amplitude <= value <= amplitude
    assert value == noise(np.uint64(key), seed, amplitude)


def test_noise_is_triangular_around_zero() -> None:
    values = [int(noise(np.uint64(key), 12345, 1000)) for key in range(4000)]
    assert abs(sum(values) / len(values)) < 40
    within_half = sum(abs(value) <= 500 for value in values) / len(values)
    assert 0.70 < within_half < 0.80  # three quarters of a triangle
    assert len({int(noise(np.uint64(1), seed, 1000)) for seed in range(100)}) > 60
