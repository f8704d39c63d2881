"""Deal numbers of Spider in GNOME AisleRiot: the seed of its generator, 32 bits.

The released program shows no seed; builds with its debugging menu do.  The pack before the shuffle: by suits, ace
to king, the whole twice (four suits), four times (two) or eight times (one).  For each place from the first on, one of
the cards from there to the end is drawn (MT19937, words that would favour low numbers are drawn anew), the card of the
place takes its place, and the drawn one goes onto the stock: so the card drawn *last* is dealt first.

Dealt are five full rounds and a sixth card to columns 1, 4, 7 and 10; then the rows.

Source: 15 deals of the program's own rules file run with its library's generator, all cards alike.
"""

from __future__ import annotations

from solver.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, make_card
from solver.numbering.common import (
    TABLEAU,
    WORD_BITS,
    Scheme,
    parse_number,
    require_suits,
    stock_rows,
    twister_words,
)
from solver.position import Deal
from solver.rules import LAYOUTS

NAME = "aisleriot"
MAX_SEED = (1 << WORD_BITS) - 1

SUIT_ORDER = {4: (CLUBS, DIAMONDS, HEARTS, SPADES), 2: (HEARTS, SPADES), 1: (SPADES,)}
"""Suits of one round of the pack, by number of suits."""


def deal(text: str, suits: int) -> Deal:
    """Return the deal of a seed.

    Raises `NumberError` for a text that is no seed, and for three suits.
    """
    seed = parse_number(text, NAME, 0, MAX_SEED)
    require_suits(suits, NAME, sorted(SUIT_ORDER))
    order = SUIT_ORDER[suits]
    pack = [make_card(rank, suit) for _ in range(8 // len(order)) for suit in order for rank in range(ACE, KING + 1)]
    words = twister_words(seed)
    for place in range(len(pack)):
        size = len(pack) - place
        # The largest multiple of the size below 2**32 bounds the words in use; 2**32 itself does not fit a word.
        excess = (2**31 % size) * 2
        limit = MAX_SEED - (excess - size if excess >= size else excess)
        word = next(words)
        while word > limit:
            word = next(words)
        chosen = place + word % size
        pack[place], pack[chosen] = pack[chosen], pack[place]
    cards = pack[::-1]
    heights = LAYOUTS["spread"]
    tall = [column for column, height in enumerate(heights) if height == max(heights)]
    rounds = [column for _ in range(min(heights)) for column in range(10)] + tall
    columns = tuple(
        tuple(card for card, column in zip(cards, rounds, strict=False) if column == number) for number in range(10)
    )
    return Deal(f"{NAME}:{seed}", columns, stock_rows(cards[TABLEAU:]))


SCHEME = Scheme(
    name=NAME,
    program="GNOME AisleRiot, builds that show a seed",
    numbers=f"0 to {MAX_SEED}, the seed of its generator",
    suits=(1, 2, 4),
    layout="spread",
    status="verified",
    evidence="15 deals of its rules file run with its library's generator, all cards alike",
    rules="standard",
    example="aisleriot:42",
    deal=deal,
    note="released builds show no seed",
)
