"""KPat's deal numbers: Spider of one to four suits.

The pack before the shuffle: copy 0 then copy 1, in each ace to king, for each rank the four suits in the order
of the game.  So the number of suits changes the suits of the cards and nothing else.

After the shuffle cards come off the *end*, one by one over the columns.  The stock is five piles of ten,
filled likewise and dealt from the *top*, which turns the order within each row round.

KPat deals a row onto empty columns: its own rules are the preset ``relaxed``.

Source: deals of KPat 22.12.3 compared card by card, see ``tests/data/deals``; three suits, which that release
does not have yet, from the description of a later one.
"""

from __future__ import annotations

from solver.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, make_card
from solver.numbering.common import (
    TABLEAU,
    Scheme,
    ms_values,
    parse_number,
    require_suits,
    round_robin,
    shuffled_down,
    stock_rows,
)
from solver.position import Deal

NAME = "kpat"
MAX_NUMBER = 2**31 - 1

SUIT_ORDER = {
    4: (CLUBS, DIAMONDS, HEARTS, SPADES),
    3: (CLUBS, SPADES, HEARTS, SPADES),
    2: (HEARTS, SPADES, HEARTS, SPADES),
    1: (SPADES, SPADES, SPADES, SPADES),
}
"""Suits of each rank of one copy of the pack, by number of suits."""


def deal(text: str, suits: int) -> Deal:
    """Return the deal that KPat gives for a number.

    Raises `NumberError` for a text that is no number of KPat's.
    """
    number = parse_number(text, NAME, 1, MAX_NUMBER)
    require_suits(suits, NAME, sorted(SUIT_ORDER))
    values = ms_values(number)
    pack = [make_card(rank, suit) for _ in range(2) for rank in range(ACE, KING + 1) for suit in SUIT_ORDER[suits]]
    cards = shuffled_down(pack, lambda place: next(values) % (place + 1))[::-1]
    rows = tuple(row[::-1] for row in stock_rows(cards[TABLEAU:]))
    return Deal(f"{NAME}:{number}", round_robin(cards[:TABLEAU]), rows)


SCHEME = Scheme(
    name=NAME,
    program="KPat (KDE Patience)",
    numbers=f"1 to {MAX_NUMBER}",
    suits=(1, 2, 3, 4),
    layout="left",
    status="verified",
    evidence="9 deals of KPat 22.12.3 and one row dealt, all cards alike; 3 suits from a description only",
    rules="relaxed",
    example="kpat:42",
    deal=deal,
)
