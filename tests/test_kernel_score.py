"""Score and key: the full ones against the naive game, the incremental ones against the full ones."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from boards import KEYS, any_position, board_of, codes_of, columns_of, copy_of, examples, game_of, ready_position
from conftest import COMPILED
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import attempt, referee
from solver.kernel.layout import WEIGHTS
from solver.kernel.moves import apply
from solver.kernel.score import WEIGHT_NAMES, derive, derive_after, full_key, full_score, judge
from solver.move import DEAL
from solver.numbering import deal_from_id
from solver.position import Position
from solver.rules import PRESETS, Rules, make_rules

pytestmark = pytest.mark.kernel

seeds = st.integers(0, 2**32)


def random_weights(rng: random.Random) -> list[int]:
    """Return weights of any sign; some are zero, as in members of the portfolio that leave terms out."""
    return [rng.choice([0, 1, rng.randint(-5000, 5000), rng.randint(-5000, 5000)]) for _ in range(WEIGHTS)]


def derived(position: Position, rules: Rules, weights: list[int]) -> tuple[Any, Any]:
    """Return the derived board and the game of a root."""
    board, game = board_of(position), game_of(position, rules, wide=True)
    game.weights[:] = weights
    derive(board, game, KEYS)
    return board, game


def keys_of(board: Any) -> tuple[int, int]:
    return int(full_key(board, KEYS, 0)), int(full_key(board, KEYS, 1))


def derived_fields(board: Any, columns: int) -> list[Any]:
    """Return every derived field where it means something."""
    values: list[Any] = []
    for c in range(columns):
        n, down = int(board.length[c]), int(board.down[c])
        values += [board.hashes[:, c, : n + 1].tolist(), board.down_points[c, : down + 1].tolist()]
        values += [board.points[c, down + 1 : n + 1].tolist()]
        values += [board.run[c, : n + 1].tolist(), board.low[c, : n + 1].tolist()]
    for name in ("open_cards", "heads", "column_points"):
        values.append(board[name][:columns].tolist())
    values.append(board.column_keys[:, :columns].tolist())
    return [*values, int(board.points_sum), board.key_sums.tolist(), int(board.on_table), int(board.empty)]


def assert_judged(board: Any, game: Any, position: Position, rules: Rules, weights: list[int]) -> None:
    """Compare what `judge` says of every move with the child derived in full, and of some moves with all there is."""
    fields = derived_fields(board, rules.columns)
    codes = codes_of(board, game)
    thorough = {*random.Random(len(codes)).sample(codes, min(len(codes), 6)), *codes[-1:]}  # a deal comes last
    for code in codes:
        judge(board, game, KEYS, code)
        said = (int(board.child_score), int(board.child_level), int(board.child_removed))
        key = tuple(board.child_key.tolist())
        child = copy_of(board)
        apply(child, game, code)
        if code in thorough:
            assert derived_fields(board, rules.columns) == fields
            assert_derivations_agree(child, game, rules, code)
        derive(child, game, KEYS)
        assert said == (full_score(child, game), child.level, child.runs - board.runs), code
        assert key == keys_of(child), code
        if code in thorough:
            after = referee.apply(position, attempt.decode_move(code), rules)
            assert said[0] == naive.score(after, rules, weights), code


def assert_derivations_agree(child: Any, game: Any, rules: Rules, code: int) -> None:
    """Derive a child, in which a move was just played, in all three ways: anew, from nothing, by the move."""
    anew, from_nothing, by_move = copy_of(child), copy_of(child), copy_of(child)
    derive(anew, game, KEYS)
    for name in ("points_sum", "column_points", "key_sums", "column_keys"):
        from_nothing[name] = 0
    derive(from_nothing, game, KEYS)
    derive_after(by_move, game, KEYS, code)
    expected = derived_fields(from_nothing, rules.columns)
    assert derived_fields(anew, rules.columns) == expected
    assert derived_fields(by_move, rules.columns) == expected


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=examples(30))
@given(seed=seeds, suits=st.integers(1, 4))
def test_any_position_and_its_children(preset: str, seed: int, suits: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(preset, suits=suits)
    position = any_position(rng, rules)
    weights = random_weights(rng)
    board, game = derived(position, rules, weights)
    assert full_score(board, game) == naive.score(position, rules, weights)
    assert_judged(board, game, position, rules, weights)


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=examples(30))
@given(seed=seeds)
def test_moves_that_complete_runs(preset: str, seed: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(preset)
    position = ready_position(rng, rules)
    weights = random_weights(rng)
    board, game = derived(position, rules, weights)
    assert full_score(board, game) == naive.score(position, rules, weights)
    assert_judged(board, game, position, rules, weights)


@pytest.mark.parametrize("rules", naive.SMALL_RULES.values(), ids=naive.SMALL_RULES)
def test_small_games(rules: Rules) -> None:
    """One board goes through the play-out, so that every stage is met with rows dealt before."""
    for seed in range(6 if COMPILED else 1):
        rng = random.Random(seed)
        root = naive.small_game(rng, rules)
        weights = random_weights(rng)
        board, game = derived(root, rules, weights)
        for position, move in naive.random_playout(root, rules, rng, 20 if COMPILED else 8):
            assert full_score(board, game) == naive.score(position, rules, weights)
            assert_judged(board, game, position, rules, weights)
            code = next((code for code in codes_of(board, game) if attempt.decode_move(code) == move), None)
            if code is None:
                break  # void once the stock is empty
            apply(board, game, code)
            derive_after(board, game, KEYS, code)


@pytest.mark.parametrize("term", range(WEIGHTS), ids=WEIGHT_NAMES)
def test_every_weight_counts_what_its_name_says(term: int) -> None:
    """Each term by itself, so that two faults cannot cancel; and each is met."""
    weights = [0] * WEIGHTS
    weights[term] = 1
    rules = make_rules("relaxed")
    met = set()
    for seed in range(examples(80)):
        rng = random.Random(seed)
        position = (any_position if seed % 2 else ready_position)(rng, rules)
        board, game = derived(position, rules, weights)
        score = full_score(board, game)
        assert score == naive.score(position, rules, weights)
        met.add(int(score))
    assert len(met) > 1 or not COMPILED


@settings(max_examples=examples(100))
@given(seed=seeds, permutation=st.permutations(range(10)))
def test_key_sees_the_order_of_columns_while_rows_remain_only(seed: int, permutation: list[int]) -> None:
    rules = make_rules()
    position = any_position(random.Random(seed), rules)
    other = replace(
        position,
        columns=tuple(position.columns[c] for c in permutation),
        face_down=tuple(position.face_down[c] for c in permutation),
    )
    keys = keys_of(derived(position, rules, [0] * WEIGHTS)[0])
    other_keys = keys_of(derived(other, rules, [0] * WEIGHTS)[0])
    if position.rows and other != position:
        assert keys[0] != other_keys[0]
        assert keys[1] != other_keys[1]
    else:
        assert keys == other_keys


def test_different_positions_have_different_keys() -> None:
    """Thousands of positions of one deal, met in play: both words tell them apart, and depend on nothing else."""
    met = 0
    small = naive.SMALL_RULES["triples-two-packs-relaxed-optional"]
    for rules in (make_rules(), make_rules("relaxed", suits=1), small):
        if rules is small:
            root = naive.small_game(random.Random(5), rules)
        else:
            root = deal_from_id("ms5", rules.suits).position()
        first: dict[Any, tuple[int, int]] = {}
        for seed in range(examples(12)):
            board, game = derived(root, rules, [0] * WEIGHTS)
            rng = random.Random(seed)
            for _ in range(120 if COMPILED else 30):
                codes = codes_of(board, game)
                if not codes:
                    break
                for code in codes:
                    judge(board, game, KEYS, code)
                    key = tuple(board.child_key.tolist())
                    child = copy_of(board)
                    apply(child, game, code)
                    columns = list(zip(columns_of(child, rules.columns), child.down.tolist(), strict=False))
                    has_rows = child.stage < game.rows
                    identity = (int(child.stage), *(columns if has_rows else sorted(columns)))
                    assert first.setdefault(identity, key) == key
                code = rng.choice(codes)
                apply(board, game, code)
                derive(board, game, KEYS)
        met += len(first)
        for word in (0, 1):
            assert len({key[word] for key in first.values()}) == len(first)
        assert all(key[0] != key[1] for key in first.values())
    assert met > 5000 or not COMPILED


def test_narrow_and_wide_games_share_the_first_word() -> None:
    rules = make_rules()
    position = any_position(random.Random(1), rules)
    board, game = derived(position, rules, [0] * WEIGHTS)
    narrow, narrow_game = board_of(position), game_of(position, rules, wide=False)
    derive(narrow, narrow_game, KEYS)
    assert full_key(narrow, KEYS, 0) == full_key(board, KEYS, 0)
    assert not np.any(narrow.key_sums[1])
    assert DEAL in {attempt.decode_move(code) for code in codes_of(board, game)} or not position.rows or board.empty
