"""Deal numbers of Spider in Windows XP: the seed in its save file, the time of the deal in seconds since 1970.

For each card of the pack - copy 0 then 1, four suit slots, ace to king - places 0..103 are drawn until a free
one comes up, and the card lies there.  Dealt from place 0 on: four rows face-down and one card more to columns
1 to 4, then ten face-up from column 1 again, then the rows.

Source: two descriptions that agree (a decompilation and a text on the save file); no deal of the program was there
to compare with.
"""

from __future__ import annotations

from collections.abc import Sequence

from solver.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, Card, make_card
from solver.numbering.common import TABLEAU, Scheme, ms_values, parse_number, require_suits, stock_rows
from solver.position import Cards, Deal

NAME = "windowsxp"
MAX_SEED = 2**32 - 1
FACE_DOWN = 44
"""Cards that are dealt face-down, before the open row."""

SUIT_ORDER = {
    4: (CLUBS, DIAMONDS, HEARTS, SPADES),
    2: (SPADES, HEARTS, HEARTS, SPADES),
    1: (SPADES, SPADES, SPADES, SPADES),
}
"""Suits of the four slots, by number of suits."""


def shuffled(seed: int, suits: int) -> list[Card]:
    """Return the cards on places 0..103, which the program's save file refers to."""
    values = ms_values(seed)
    places: dict[int, Card] = {}
    for card in [
        make_card(rank, suit) for _ in range(2) for suit in SUIT_ORDER[suits] for rank in range(ACE, KING + 1)
    ]:
        place = next(values) % 104
        while place in places:
            place = next(values) % 104
        places[place] = card
    return [places[place] for place in range(104)]


def laid_out(cards: Sequence[Card]) -> tuple[Cards, ...]:
    """Return the columns of a deal from the first 54 cards."""
    down, up = cards[:FACE_DOWN], cards[FACE_DOWN:TABLEAU]
    return tuple((*down[column::10], up[column]) for column in range(10))


def deal(text: str, suits: int) -> Deal:
    """Return the deal of a seed.

    Raises `NumberError` for a text that is no seed, and for three suits.
    """
    seed = parse_number(text, NAME, 0, MAX_SEED)
    require_suits(suits, NAME, sorted(SUIT_ORDER))
    cards = shuffled(seed, suits)
    return Deal(f"{NAME}:{seed}", laid_out(cards), stock_rows(cards[TABLEAU:]))


SCHEME = Scheme(
    name=NAME,
    program="Spider Solitaire of Windows XP",
    numbers=f"0 to {MAX_SEED}, the seed in spider.sav",
    suits=(1, 2, 4),
    layout="left",
    status="description only",
    evidence="a decompilation and a text on the save file agree; no deal of the program to compare with",
    rules="standard",
    example="windowsxp:12345",
    deal=deal,
)
