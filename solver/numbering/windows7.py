"""Deal numbers of Spider in Windows Vista and 7: the ``GameSeed`` of its save files.  Four suits only.

The pack before the shuffle: copy 1 then copy 0, in each hearts, spades, diamonds, clubs, in each suit ace, king,
queen .. two.  The shuffle draws a card, takes it out of the pack and closes the gap, until none is left.  The
cards drawn *last* are dealt first, one by one over the columns; then the rows.

Source: three save files of the program, all 104 cards alike; no save of one or two suits was there.
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
    stock_rows,
)
from solver.position import Deal

NAME = "windows7"
MAX_SEED = 2**32 - 1
SUIT_ORDER = (HEARTS, SPADES, DIAMONDS, CLUBS)
RANK_ORDER = (ACE, *range(KING, ACE, -1))


def deal(text: str, suits: int) -> Deal:
    """Return the deal of a ``GameSeed``.

    Raises `NumberError` for a text that is no seed, and for other than four suits.
    """
    seed = parse_number(text, NAME, 0, MAX_SEED)
    require_suits(suits, NAME, (4,))
    pack = [make_card(rank, suit) for _ in range(2) for suit in SUIT_ORDER for rank in RANK_ORDER]
    drawn = []
    for value in ms_values(seed):
        drawn.append(pack.pop(value % len(pack)))
        if not pack:
            break
    cards = drawn[::-1]
    return Deal(f"{NAME}:{seed}", round_robin(cards[:TABLEAU]), stock_rows(cards[TABLEAU:]))


SCHEME = Scheme(
    name=NAME,
    program="Spider Solitaire of Windows Vista and 7",
    numbers=f"0 to {MAX_SEED}, the GameSeed of a save file",
    suits=(4,),
    layout="left",
    status="verified",
    evidence="3 save files of the program, all cards alike; 1 and 2 suits unknown",
    rules="standard",
    example="windows7:8115",
    deal=deal,
)
