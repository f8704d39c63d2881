"""Blockades: what is called blocked is lost, and nothing ever leaves its place that should not be able to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import naive
import pytest

from solver import Budget, blockade, deal_from_id, make_rules, solve
from solver.blockade import find_blockade
from solver.cards import rank_of
from solver.portfolio import MEMBERS
from solver.position import Position, check_position
from solver.rules import Rules

GAMES, LIMIT = 6_000, 1_500


def small_game(rng: random.Random) -> tuple[Position, Rules]:
    """Return a small game under any rules, with rows to deal or without, after some random moves or none."""
    ranks = rng.choice((3, 4, 5, 6))
    packs = rng.choice((1, 2))
    columns = rng.choice((3, 4, 5))
    cards = 4 * packs * ranks
    rows = rng.randrange(min(cards // columns - 1, 4))
    sizes = [columns] * rows
    if rows and rng.random() < 0.3:
        sizes[-1] = rng.randrange(1, columns + 1)
    rules = naive.random_rules(rng, columns=columns, ranks=ranks, packs=packs, rows=tuple(sizes))
    start = naive.small_game(rng, rules)
    *_, position = start, *(met for met, _ in naive.random_playout(start, rules, rng, rng.choice((1, 1, 4, 12))))
    return position, rules


def games(seed: str, most: int) -> Iterator[tuple[Position, Rules]]:
    rng = random.Random(seed)
    for _ in range(most):
        yield small_game(rng)


def test_blocked_games_are_lost_in_the_naive_game() -> None:
    seen: Counter[tuple[bool, int]] = Counter()
    by_suit = 0
    for position, rules in games("lost", GAMES):
        found = find_blockade(position, rules)
        if found is None:
            continue
        verdict = naive.exhaust(position, rules, LIMIT)
        assert verdict != "win", (position, rules)
        if verdict == "loss":
            seen[bool(position.rows), rules.suits] += 1
            # Each rank can be placed, but no suit has all of them.
            by_suit += not found.stuck
    # With rows left and without, any number of suits.
    assert len(seen) == 8
    assert min(*seen.values(), by_suit) > 20


def breaks_of(position: Position) -> list[list[int]]:
    """Return for each column at which indices its segments begin."""
    found = []
    for cards, down in zip(position.columns, position.face_down, strict=True):
        found.append([i for i, card in enumerate(cards) if i <= down or rank_of(cards[i - 1]) != rank_of(card) + 1])
    return found


def watch(position: Position, rules: Rules, rng: random.Random) -> Iterator[tuple[int, int, int]]:
    """Play at random; yield (column, segment, stage) of what leaves its place, until a column's lowest is open.

    Segments of the start are numbered from the bottom, then come the cards of the rows: the words of blockade.py
    found anew by looking at the boards of the naive game.
    """
    # Index at which each segment begins, and its number.
    places = [list(enumerate(starts)) for starts in breaks_of(position)]
    originals = list(map(len, places))
    stage = 0
    for before, move in naive.random_playout(position, rules, rng, 60):
        if min(map(len, places)) < 2:
            return
        after = naive.apply(before, move, rules)
        if len(after.completed) > len(before.completed):
            return
        if move.kind == "deal":
            stage += 1
            for column, segments in enumerate(places):
                height = len(before.columns[column])
                if len(after.columns[column]) == height:
                    continue
                number = originals[column] + stage - 1
                if rank_of(before.columns[column][-1]) == rank_of(after.columns[column][-1]) + 1:
                    yield column, number, stage
                else:
                    segments.append((number, height))
        elif move.kind == "move" and len(after.columns[move.source]) == places[move.source][-1][1]:
            number, _ = places[move.source].pop()
            yield move.source, number, stage


def test_only_what_can_leave_its_place_does_so_in_random_play() -> None:
    rng = random.Random("play")
    seen = 0
    for position, rules in games("play", GAMES // 4):
        columns = blockade._segments(position, rules)
        if any(len(column) - len(position.rows) < 2 for column in columns):
            continue
        leaves = blockade._leaves(columns, len(position.rows), rules)
        for column, segment, stage in watch(position, rules, rng):
            assert leaves[column][segment] >> stage & 1, (position, rules, column, segment, stage)
            seen += 1
    assert seen > 3_000


@pytest.mark.parametrize("number", [1748, 14934])
@pytest.mark.parametrize("suits", [1, 2, 4])
@pytest.mark.parametrize("name", ["standard", "relaxed", "bvs"])
def test_the_two_blocked_deals_of_the_first_32000_are_proved_lost(number: int, suits: int, name: str) -> None:
    found = find_blockade(deal_from_id(f"ms{number}").position(), make_rules(name, suits=suits))
    assert found is not None
    # No card that a 5 or a 6 (a 2 or a 3) could be placed on is ever free.
    assert found.stuck == {1748: (5, 6), 14934: (2, 3)}[number]


def test_deals_that_are_won_are_not_blocked() -> None:
    assert not any(find_blockade(deal_from_id(f"ms{number}").position(), make_rules()) for number in range(1, 201))


def test_a_column_that_is_empty_or_in_sequence_is_never_called_blocked() -> None:
    # Kings everywhere; the last column could take one.
    rules = make_rules(suits=1, columns=3, ranks=3, packs=1, heights=(6, 6, 0), rows=())
    position = Position(((51, 51, 51, 51, 50, 50), (49, 49, 49, 49, 50, 50), ()), (0, 0, 0))
    check_position(position, rules)
    assert find_blockade(position, rules) is None


def test_solve_tells_the_proof_after_one_try() -> None:
    solution = solve(deal_from_id("ms1748"), make_rules(), Budget(expansions=1_000_000))
    assert solution.verdict == "loss"
    assert solution.line == ()
    tries = [(tried.name, tried.is_proof) for tried in solution.attempts]
    assert tries == [(MEMBERS[0].name, False), ("blockade", True)]
    assert solution.reason.endswith("no 5 or 6 can ever be placed on a card")


def test_a_demand_for_a_proof_needs_no_try() -> None:
    solution = solve(deal_from_id("ms14934"), make_rules(), Budget(expansions=1_000_000), prove=True)
    assert solution.verdict == "loss"
    assert [tried.name for tried in solution.attempts] == ["blockade"]
    assert solution.expansions == 0


def test_the_reason_names_no_rank_where_each_can_be_placed_in_some_suit() -> None:
    found = blockade.Blockade(((0, 0, 1), (0, 0)), ())
    assert found.reason() == (
        "no line empties a column or completes a run: of 5 sequences and cards of rows at most 1 can ever "
        "leave their places, in no column all but the lowest, and no suit has a card of every rank that can"
    )
