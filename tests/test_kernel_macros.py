"""Macros against the naive game, and against the moves that they stand for, which the referee plays."""

from __future__ import annotations

import random
from dataclasses import replace

import naive
import numpy as np
import pytest
from boards import KEYS, assert_shows, board_of, copy_of, examples, game_of, sequences_position
from conftest import COMPILED
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import attempt, referee
from solver.cards import parse_card
from solver.kernel.layout import WEIGHTS
from solver.kernel.macros import COUNT_MASK, MACRO, SWAP_SHIFT, add_macros, judge_macro, play
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, MAX_MOVES, TARGET_SHIFT, generate
from solver.kernel.score import derive, derive_after, full_key, full_score
from solver.macros import unfold
from solver.numbering import deal_from_id
from solver.portfolio import MEMBERS
from solver.position import Position
from solver.rules import PRESETS, Rules, make_rules

pytestmark = pytest.mark.kernel

seeds = st.integers(0, 2**32)


def assert_macros(root: Position, rules: Rules, rng: random.Random) -> list[int]:
    """Compare the macros of a position, what is said of each of them and what it does; return their codes."""
    board, game = board_of(root), game_of(root, rules, lossless=False)
    game.weights[:] = [rng.randint(-5000, 5000) for _ in range(WEIGHTS)]
    derive(board, game, KEYS)
    out = np.zeros(MAX_MOVES, np.int64)
    moves = generate(board, game, out)
    single = out[:moves].tolist()
    codes = [int(code) for code in out[moves : add_macros(board, game, out, moves)]]
    assert out[:moves].tolist() == single
    assert not any(code & MACRO for code in single)
    assert all(code & MACRO for code in codes)
    told = [
        (c & COLUMN_MASK, c >> TARGET_SHIFT & COLUMN_MASK, c >> COUNT_SHIFT & COUNT_MASK, c >> SWAP_SHIFT & COUNT_MASK)
        for c in codes
    ]
    assert len(set(told)) == len(told)
    assert set(told) == naive.macros(root, rules)
    before = copy_of(board)
    for code in codes:
        judge_macro(board, game, KEYS, code)
        said = (int(board.child_score), int(board.child_level), int(board.child_removed), int(board.child_key[0]))
        child = copy_of(board)
        assert all((board[name] == before[name]).all() for name in ("cards", "length", "down", "open_cards", "heads"))
        play(child, game, code)
        by_move = copy_of(child)
        derive(child, game, KEYS)
        assert said == (full_score(child, game), child.level, child.runs - board.runs, int(full_key(child, KEYS, 0))), (
            code
        )
        derive_after(by_move, game, KEYS, code)
        assert (full_score(by_move, game), int(full_key(by_move, KEYS, 0))) == (said[0], said[3])
        position = root
        for move in unfold(root.columns, root.face_down, rules.ranks, code):
            position = referee.apply(position, move, rules)
        assert_shows(child, position, root)
        assert said[0] == naive.score(position, rules, game.weights.tolist())
    return codes


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=examples(100))
@given(seed=seeds, suits=st.integers(1, 4))
def test_any_sequences(preset: str, seed: int, suits: int) -> None:
    rng = random.Random(seed)
    rules = make_rules(preset, suits=suits)
    assert_macros(sequences_position(rng, rules), rules, rng)


def test_the_random_positions_have_macros_of_every_kind() -> None:
    rules = make_rules()
    kinds = set()
    for seed in range(examples(300)):
        rng = random.Random(seed)
        position = sequences_position(rng, rules)
        empty = sum(not cards for cards in position.columns)
        for code in assert_macros(position, rules, rng):
            onto_card = bool(position.columns[code >> TARGET_SHIFT & COLUMN_MASK])
            kinds.add((min(empty, 2), code >> SWAP_SHIFT & COUNT_MASK > 0, onto_card))
    every = {(0, False, True), (0, True, True), (1, False, True), (1, True, True), (2, False, True), (2, True, True)}
    if COMPILED:
        assert kinds == every | {(2, False, False)}


@pytest.mark.skipif(not COMPILED, reason="thousands of positions")
@pytest.mark.parametrize("preset", PRESETS)
def test_lines_with_macros_are_replayed_by_the_referee(preset: str) -> None:
    rules = make_rules(preset)
    macros = 0
    for number in range(1, 21):
        position = deal_from_id(f"ms{number}").position()
        lengths = []
        for member in (MEMBERS[0], replace(MEMBERS[0], macros=not MEMBERS[0].macros)):
            searching = attempt.Attempt(position, rules, member, memory=200 << 20)
            outcome = None
            while outcome is None:
                outcome = searching.step(30_000)
            if outcome == "win":
                assert referee.replay(position, searching.line(), rules).is_won
                lengths.append(len(searching.line()))
        macros += len(set(lengths)) == 2
    assert macros > 10


def test_a_swap_and_a_sequence_by_hand() -> None:
    rules = make_rules()
    # 9S 8H on one column, 9H 8S on another, an empty one: the eights change places.
    names = (("9S", "8H"), ("9H", "8S"), ("KD", "QS", "JD"), ("KC",), ("KS",), ("KH",), ("5D",), ("3C",), ("2C",), ())
    columns = tuple(tuple(parse_card(name) for name in column) for column in names)
    position = Position(columns, (0,) * 10)
    board, game = board_of(position), game_of(position, rules, lossless=False)
    swap = MACRO | 1 << SWAP_SHIFT | 1 << COUNT_SHIFT | 1 << TARGET_SHIFT | 0
    assert [str(move) for move in unfold(columns, position.face_down, 13, swap)] == ["1-10x1", "2-1x1", "10-2x1"]
    sequence = MACRO | 2 << COUNT_SHIFT | 3 << TARGET_SHIFT | 2
    derive(board, game, KEYS)
    assert (swap & COLUMN_MASK, 1, 1, 1) in naive.macros(position, rules)
    assert (2, 3, 2, 0) not in naive.macros(position, rules), "QS JD lies on KD in sequence and does not join KC"
    assert [str(move) for move in unfold(columns, position.face_down, 13, sequence)] == ["3-10x1", "3-4x1", "10-4x1"]
