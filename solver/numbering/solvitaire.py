"""Deal numbers of Solvitaire (and ReSolvitaire): its option ``--random N`` for Spider.

The pack before the shuffle: copy 0 then 1, in each ace to king, for each rank clubs, hearts, spades, diamonds.
MT19937 words are divided by a bucket size, and those beyond the last full bucket are drawn anew.  Cards come off the
*end*: fifty to the stock, whose last card is dealt first, then one by one over the columns.

Source: 34 deals of the program compared card by card.
"""

from __future__ import annotations

from collections.abc import Iterator

from solver.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, make_card
from solver.numbering.common import (
    TABLEAU,
    WORD_BITS,
    Scheme,
    parse_number,
    require_suits,
    round_robin,
    shuffled_down,
    stock_rows,
    twister_words,
)
from solver.position import Deal

NAME = "solvitaire"
MAX_SEED = 2**31 - 1
SUIT_ORDER = (CLUBS, HEARTS, SPADES, DIAMONDS)


def deal(text: str, suits: int) -> Deal:
    """Return the deal of a seed.

    Raises `NumberError` for a text that is no seed, and for other than four suits.
    """
    seed = parse_number(text, NAME, 0, MAX_SEED)
    require_suits(suits, NAME, (4,))
    words = twister_words(seed)
    pack = [make_card(rank, suit) for _ in range(2) for rank in range(ACE, KING + 1) for suit in SUIT_ORDER]
    cards = shuffled_down(pack, lambda place: _pick(words, place))[::-1]
    stock = len(cards) - TABLEAU
    return Deal(f"{NAME}:{seed}", round_robin(cards[stock:]), stock_rows(cards[:stock][::-1]))


def _pick(words: Iterator[int], place: int) -> int:
    """Return a number 0..place, each as likely."""
    largest = (1 << WORD_BITS) - 1
    bucket = largest // (place + 1) + (largest % (place + 1) == place)
    chosen = next(words) // bucket
    while chosen > place:
        chosen = next(words) // bucket
    return chosen


SCHEME = Scheme(
    name=NAME,
    program="Solvitaire and ReSolvitaire, --type spider --random N",
    numbers=f"0 to {MAX_SEED}",
    suits=(4,),
    layout="left",
    status="verified",
    evidence="34 deals of the program, all cards alike",
    rules="standard",
    example="solvitaire:1",
    deal=deal,
)
