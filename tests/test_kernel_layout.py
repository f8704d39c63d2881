"""The packed position: one to one, in twelve words, nibbles where the drawing has them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from boards import columns_of
from hypothesis import example, given
from hypothesis import strategies as st

from solver.kernel.layout import BOARD, WORDS, new_record, pack, unpack
from solver.position import MAX_CARDS
from solver.rules import MAX_COLUMNS, MAX_FACE_DOWN, MAX_STOCK_ROWS

pytestmark = pytest.mark.kernel

CARDS = [suit << 4 | rank for suit in range(4) for rank in range(1, 14)]


def random_board(seed: int, cards: int, columns: int, stage: int) -> Any:
    """Return a board of any cards: they are cut at random, or all lie in one column."""
    rng = random.Random(seed)
    cuts = sorted(rng.randint(0, cards) for _ in range(columns - 1))
    heights = [end - begin for begin, end in zip([0, *cuts], [*cuts, cards], strict=True)]
    heights += [0] * (MAX_COLUMNS - columns)
    rng.shuffle(heights)
    board = new_record(BOARD)
    # What lies beyond the length of a column means nothing, and must not leak into the words.
    board.cards[:] = rng.choice(CARDS)
    for column, height in enumerate(heights):
        board.cards[column, :height] = [rng.choice(CARDS) for _ in range(height)]
        board.length[column] = height
        board.down[column] = rng.choice([0, rng.randint(0, MAX_FACE_DOWN), MAX_FACE_DOWN]) if height else 0
        board.down[column] = min(board.down[column], max(height - 1, 0))
    board.stage = stage
    return board


def packed(board: Any) -> Any:
    words = np.full(WORDS, 2**64 - 1, np.uint64)
    pack(board, words)
    return words


def content(board: Any) -> tuple[Any, ...]:
    return columns_of(board, MAX_COLUMNS), board.length.tolist(), board.down.tolist(), int(board.stage)


boards = st.builds(
    random_board,
    st.integers(0, 2**32),
    st.integers(0, MAX_CARDS),
    st.integers(1, MAX_COLUMNS),
    st.integers(0, MAX_STOCK_ROWS),
)


@given(boards)
@example(random_board(0, MAX_CARDS, 1, MAX_STOCK_ROWS))
@example(random_board(1, MAX_CARDS, 2, 0))
@example(random_board(2, MAX_CARDS, MAX_COLUMNS, 5))
@example(random_board(3, 0, 1, 0))
def test_what_is_packed_is_unpacked(board: Any) -> None:
    words = packed(board)
    other = new_record(BOARD)
    other.cards[:] = 61
    other.length[:] = 7
    other.down[:] = 7
    other.stage = 7
    unpack(words, other)
    assert content(other) == content(board)
    assert packed(other).tolist() == words.tolist()


@given(boards, boards)
def test_different_positions_have_different_words(first: Any, second: Any) -> None:
    assert (packed(first).tolist() == packed(second).tolist()) == (content(first) == content(second))


@given(boards, st.data())
def test_the_least_change_changes_the_words(board: Any, data: st.DataObject) -> None:
    words = packed(board).tolist()
    column = data.draw(st.integers(0, MAX_COLUMNS - 1))
    n = int(board.length[column])
    what = data.draw(st.sampled_from(["stage", *(["card", "down", "end"] if n else [])]))
    if what == "stage":
        board.stage = (int(board.stage) + 1) % (MAX_STOCK_ROWS + 1)
    elif what == "card":
        place = data.draw(st.integers(0, n - 1))
        board.cards[column, place] = 1 if board.cards[column, place] != 1 else 2
    elif what == "down":
        board.down[column] = (int(board.down[column]) + 1) % (MAX_FACE_DOWN + 1)
    else:
        board.length[column] = n - 1
    assert packed(board).tolist() != words


@given(boards)
def test_words_are_as_drawn(board: Any) -> None:
    words = [int(word) for word in packed(board)]
    assert len(words) == 12
    nibbles = [word >> 60 for word in words]
    assert nibbles == [*board.down.tolist(), int(board.stage), 0]
    slots = [word >> 6 * slot & 63 for word in words for slot in range(10)]
    drawn = [card for column in columns_of(board, MAX_COLUMNS) for card in (*column, 0)]
    assert slots == drawn + [0] * (120 - len(drawn))
