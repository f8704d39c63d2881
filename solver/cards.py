"""Cards: one card is a small integer, written as rank then suit (``TH``, ``AS``).

A card code has six bits::

    bit   5 4   3 2 1 0
          suit  rank          suit 0..3 = C D H S, rank 1..13 = A 2 .. T J Q K

so ``card + 1`` is the card of the same suit one rank higher, 0 is never a card (the
kernels use it as "no card"), and the codes 1..61 index a table of 64 entries.
The order of the suits means nothing to the game.
"""

from __future__ import annotations

from typing import TypeAlias

Card: TypeAlias = int
"""``suit << 4 | rank``; rank 1 (ace) to 13 (king)."""
Rank: TypeAlias = int
Suit: TypeAlias = int

RANK_BITS = 4
RANK_MASK = (1 << RANK_BITS) - 1

ACE: Rank = 1
KING: Rank = 13

RANK_SYMBOLS = "A23456789TJQK"
"""Index 0 is the ace, so the symbol of rank r is ``RANK_SYMBOLS[r - 1]``."""
SUIT_SYMBOLS = "CDHS"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
RED_SUITS = frozenset({DIAMONDS, HEARTS})


class CardError(ValueError):
    """A text that does not name a card."""


def make_card(rank: Rank, suit: Suit) -> Card:
    """Return the code of a card; rank 1..13, suit 0..3 (unchecked)."""
    return suit << RANK_BITS | rank


def rank_of(card: Card) -> Rank:
    """Return the rank, 1 (ace) to 13 (king)."""
    return card & RANK_MASK


def suit_of(card: Card) -> Suit:
    """Return the suit, 0..3 in the order of ``SUIT_SYMBOLS``."""
    return card >> RANK_BITS


def card_name(card: Card) -> str:
    """Return the two-character name, the inverse of `parse_card`."""
    return RANK_SYMBOLS[rank_of(card) - 1] + SUIT_SYMBOLS[suit_of(card)]


def parse_card(text: str) -> Card:
    """Return the card that a text names: rank then suit, any case, ``T`` or ``10`` for ten.

    Raises `CardError` with the text in its message when it names none.
    """
    upper = text.upper()
    rank_text, suit_text = upper[:-1], upper[-1:]
    if rank_text == "10":
        rank_text = "T"
    if len(rank_text) != 1 or rank_text not in RANK_SYMBOLS or suit_text not in SUIT_SYMBOLS:
        raise CardError(
            f"{text!r} is not a card: write rank {RANK_SYMBOLS} (or 10), then suit {SUIT_SYMBOLS}, such as TH or 2S"
        )
    return make_card(RANK_SYMBOLS.index(rank_text) + 1, SUIT_SYMBOLS.index(suit_text))
