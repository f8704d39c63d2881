"""Moves: a token writes one move and reads back as it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.move import DEAL, Move, MoveError, parse_move, tableau_move, take

columns = st.integers(0, 9)
moves = st.one_of(
    st.just(DEAL),
    st.builds(take, columns),
    st.builds(tableau_move, columns, columns, st.integers(1, 13)),
)


@given(moves)
def test_token_reads_back_as_the_same_move(move: Move) -> None:
    assert parse_move(str(move)) == move
    assert parse_move(f" {str(move).upper()} ") == move


@pytest.mark.parametrize(
    ("token", "move"),
    [
        ("5-8x3", Move("move", source=4, target=7, count=3)),
        ("10-1x13", Move("move", source=9, target=0, count=13)),
        ("deal", Move("deal")),
        ("take 4", Move("take", source=3)),
        ("take  10", Move("take", source=9)),
    ],
)
def test_columns_count_from_one_in_text_and_from_zero_in_code(token: str, move: Move) -> None:
    assert parse_move(token) == move


@pytest.mark.parametrize(
    "token", ["", "5-8", "5-8x", "5x3", "deals", "take", "take4", "take x", "5-8x3x", "-8x3", "100-1x1", "5\u20138x3"]
)
def test_other_tokens_are_refused_with_the_token_and_the_form(token: str) -> None:
    with pytest.raises(MoveError) as caught:
        parse_move(token)
    assert str(caught.value) == (
        f"{token!r} is not a move: write 5-8x3 (three cards from column 5 to column 8), deal, or take 4"
    )
