"""Cards: codes and names are two ways to write the same thing."""

from __future__ import annotations

import pytest

from solver.cards import (
    KING,
    RANK_SYMBOLS,
    RED_SUITS,
    SUIT_SYMBOLS,
    CardError,
    card_name,
    make_card,
    parse_card,
    rank_of,
    suit_of,
)

ALL_CARDS = [make_card(rank, suit) for suit in range(4) for rank in range(1, KING + 1)]


@pytest.mark.parametrize("card", ALL_CARDS, ids=card_name)
def test_name_reads_back_as_the_same_card(card: int) -> None:
    assert parse_card(card_name(card)) == card
    assert parse_card(card_name(card).lower()) == card
    assert make_card(rank_of(card), suit_of(card)) == card


def test_codes_differ_fit_six_bits_and_are_never_zero() -> None:
    assert len(set(ALL_CARDS)) == 52
    assert all(0 < card < 64 for card in ALL_CARDS)


def test_one_more_is_the_same_suit_one_rank_higher_and_never_crosses_suits() -> None:
    for card in ALL_CARDS:
        if rank_of(card) == KING:
            assert card + 1 not in ALL_CARDS
        else:
            assert (rank_of(card + 1), suit_of(card + 1)) == (rank_of(card) + 1, suit_of(card))


@pytest.mark.parametrize(
    ("text", "rank", "suit"), [("AC", 1, "C"), ("TH", 10, "H"), ("10H", 10, "H"), ("10d", 10, "D"), ("KS", 13, "S")]
)
def test_known_names(text: str, rank: int, suit: str) -> None:
    assert parse_card(text) == make_card(rank, SUIT_SYMBOLS.index(suit))


def test_symbols_are_in_order() -> None:
    assert RANK_SYMBOLS == "A23456789TJQK"
    assert {SUIT_SYMBOLS[suit] for suit in RED_SUITS} == {"D", "H"}


@pytest.mark.parametrize("text", ["", "H", "1H", "TT", "HT", "11H", "0C", "THS", "??", "T H", "10"])
def test_other_texts_are_refused_with_the_text_and_the_form(text: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert str(caught.value) == (
        f"{text!r} is not a card: write rank A23456789TJQK (or 10), then suit CDHS, such as TH or 2S"
    )
