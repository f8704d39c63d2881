"""Moves of the kernels against the naive game and the referee, along play-outs that one board goes through."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import naive
import pytest
from boards import (
    any_position,
    assert_shows,
    board_of,
    columns_of,
    encode,
    examples,
    game_of,
    moves_of,
    ready_position,
    state_of,
)
from conftest import COMPILED
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import referee
from solver.kernel.moves import apply, is_dead, rows_left, run_length, undo
from solver.move import DEAL, Move
from solver.numbering import deal_from_id
from solver.position import Deal, Position
from solver.rules import PRESETS, Rules, make_rules

pytestmark = pytest.mark.kernel

Games = tuple[Any, Any]
"""The game with the lossless and with the reduced list."""


def games_of(root: Position, rules: Rules) -> Games:
    return game_of(root, rules, lossless=True), game_of(root, rules, lossless=False)


def assert_same_game(board: Any, games: Games, root: Position, position: Position, rules: Rules) -> None:
    """Compare everything that the kernels say of a position that the board is in, and every move of it."""
    lossless_game, reduced_game = games
    assert_shows(board, position, root)
    for column in range(rules.columns):
        assert run_length(board, column) == referee.end_run_length(position, column)
    legal = set(referee.legal_moves(position, rules))
    lossless = moves_of(board, lossless_game)
    reduced = moves_of(board, reduced_game)
    assert lossless == naive.lossless_moves(position, rules)
    assert reduced == naive.reduced_moves(position, rules)
    assert reduced <= lossless <= legal
    has_rows = rows_left(board, lossless_game) > 0
    assert has_rows == bool(position.rows)
    if has_rows:
        assert lossless == legal
    assert is_dead(board.on_table, has_rows, lossless_game) == (referee.is_dead(position, rules) is not None)
    before = state_of(board, rules.columns)
    # The legal moves that no list has must apply too: a line may be replayed by a kernel.
    for move in sorted(legal, key=str):
        code = encode(move)
        effects = apply(board, lossless_game, code)
        child = referee.apply(position, move, rules)
        assert_shows(board, child, root)
        undo(board, lossless_game, code, effects)
        assert state_of(board, rules.columns) == before, move


def play_out(root: Position, rules: Rules, rng: random.Random, most: int) -> list[Position]:
    """Compare along a random play-out, then take all of it back; return the positions after the root."""
    games = games_of(root, rules)
    board = board_of(root)
    played: list[tuple[int, int, Any]] = []
    positions = []
    for position, move in naive.random_playout(root, rules, rng, most):
        assert_same_game(board, games, root, position, rules)
        before = state_of(board, rules.columns)
        played.append((encode(move), apply(board, games[0], encode(move)), before))
        after = naive.apply(position, move, rules)
        assert_shows(board, after, root)
        positions.append(after)
    for code, effects, before in reversed(played):
        undo(board, games[0], code, effects)
        assert state_of(board, rules.columns) == before
    return positions


def real_deal(number: str, rules: Rules) -> Position:
    """Return PySolFC's deal, its cards laid out again in dealing order where the layout is another."""
    deal = deal_from_id(number, rules.suits)
    cards = iter([card for pile in (*deal.columns, *deal.rows) for card in pile])
    columns = tuple(tuple(islice(cards, height)) for height in rules.heights)
    return Deal(number, columns, tuple(tuple(islice(cards, size)) for size in rules.rows)).position()


@pytest.mark.parametrize("suits", [1, 2, 4])
@pytest.mark.parametrize("preset", PRESETS)
def test_real_deals(preset: str, suits: int) -> None:
    rules = make_rules(preset, suits=suits)
    for number in ("ms7", "ms32000")[: 2 if COMPILED else 1]:
        play_out(real_deal(number, rules), rules, random.Random(f"{number} {preset} {suits}"), examples(60))


@pytest.mark.parametrize("rules", naive.SMALL_RULES.values(), ids=naive.SMALL_RULES)
def test_small_games(rules: Rules) -> None:
    removed = 0
    without_rows = 0
    for seed in range(examples(8) + 2):
        rng = random.Random(seed)
        for position in play_out(naive.small_game(rng, rules), rules, rng, 30):
            removed = max(removed, len(position.completed))
            without_rows += not position.rows
    if COMPILED:
        assert removed, "no play-out completed a run: the comparison has missed the removal"
        assert without_rows or rules.preset == "quads"


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32), suits=st.integers(1, 4))
def test_any_position(preset: str, seed: int, suits: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(preset, suits=suits)
    root = any_position(rng, rules)
    assert_same_game(board_of(root), games_of(root, rules), root, root, rules)


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32))
def test_moves_that_complete_runs(preset: str, seed: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(preset)
    root = ready_position(rng, rules)
    board = board_of(root)
    games = games_of(root, rules)
    assert_same_game(board, games, root, root, rules)
    if DEAL not in referee.legal_moves(root, rules):
        return
    effects = apply(board, games[0], encode(DEAL))
    dealt = referee.apply(root, DEAL, rules)
    # Under optional removal the row has made runs that only a take removes, several at once.
    assert_same_game(board, games, root, dealt, rules)
    undo(board, games[0], encode(DEAL), effects)
    assert_shows(board, root, root)


def test_what_happens_when_a_row_completes_several_runs() -> None:
    """One run leaves an empty column, one turns a card up, one stays because a face-down card is part of it."""
    spades = tuple(range(0x3D, 0x31, -1))
    hearts = tuple(range(0x2D, 0x21, -1))
    rules = make_rules()
    columns = (spades, (0x01, *hearts), spades, *((0x05,) for _ in range(7)))
    root = Position(columns, (0, 1, 1, *(0 for _ in range(7))), ((0x31, 0x21, 0x31, *((0x07,) * 7)),))
    board = board_of(root)
    game = game_of(root, rules)
    effects = apply(board, game, encode(DEAL))
    assert columns_of(board, 10)[:3] == ((), (0x01,), (*spades, 0x31))
    assert board.down.tolist()[:3] == [0, 0, 1]
    assert (board.runs, board.level, board.empty, board.on_table) == (2, 5, 1, 1 + 13 + 7 * 2)
    undo(board, game, encode(DEAL), effects)
    assert_shows(board, root, root)


def test_the_reduced_list_takes_a_completed_run_at_once() -> None:
    rules = make_rules("bvs")
    spades = tuple(range(0x3D, 0x30, -1))
    root = Position(((0x05,), spades, spades, *((0x02,) for _ in range(7))), (0,) * 10, ())
    board = board_of(root)
    assert moves_of(board, game_of(root, rules, lossless=False)) == {Move("take", 1)}
    assert {Move("take", 1), Move("take", 2)} < moves_of(board, game_of(root, rules))
