"""PySolFC's deal numbers: Spider (ids 11, 10, 461) and its games of two (270) and one suit (269).

=====================  ==================================================================
number                 generator
=====================  ==================================================================
``1`` .. ``31999``     linear, as ``ms1`` .. ``ms31999``
``32000`` .. 10**20    Mersenne Twister, seeded with the number as CPython does
``ms1`` .. 2**33-1     linear; the old numbers of PySol and of plspider (there 1..32000)
=====================  ==================================================================

The same number deals other cards as ``32000`` and as ``ms32000``.  Before anything else PySolFC
drops a last ``L`` and all spaces and ``# - _ . ,``, so ``12,345`` is 12345 and ``-5`` is 5.

The pack before the shuffle: copy 0 then copy 1, in each the suits in the order of the game, in
each suit ace to king.  After the shuffle cards come off the *end*: four rows face-down, one card
face-down to columns 1, 4, 7 and 10, a face-up row; then the rows of the stock.

Source: decks compared card by card with PySolFC 3.6.1; see ``tests/data/deals``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from solver.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, Card, make_card
from solver.numbering.common import (
    VALUE_SHIFT,
    NumberError,
    Scheme,
    linear_states,
    ms_values,
    require_suits,
    shown,
    shuffled_down,
    stock_rows,
)
from solver.position import Deal
from solver.rules import LAYOUTS

NAME = "pysolfc"

FIRST_TWISTER_NUMBER = 32000
MAX_NUMBER = 10**20
MAX_LINEAR_NUMBER = 2**33 - 1
MAX_DIGITS = len(str(MAX_NUMBER))

FACE_DOWN_ROUNDS = 4
"""Full rounds of face-down cards; a round of the tall columns and the face-up row follow."""

SUIT_ORDER = {
    4: (CLUBS, SPADES, HEARTS, DIAMONDS),
    2: (CLUBS, CLUBS, HEARTS, HEARTS),
    1: (CLUBS, CLUBS, CLUBS, CLUBS),
}
"""Suits of one copy of the pack, by number of suits; PySolFC's game of one suit is of clubs."""

_DROPPED = re.compile(r"[\s#\-_.,]")
_NUMBER = re.compile(r"(ms)?([0-9]+)", re.IGNORECASE)


def deal(text: str, suits: int) -> Deal:
    """Return the deal that PySolFC gives for a number such as ``12345``, ``ms32000`` or ``12,345``.

    Raises `NumberError` for a text that is no number of PySolFC's and for three suits.
    """
    linear, number = _parse(text)
    require_suits(suits, NAME, sorted(SUIT_ORDER))
    pick = _linear_pick(number) if linear or number < FIRST_TWISTER_NUMBER else _twister_pick(number)
    pack = [make_card(rank, suit) for _ in range(2) for suit in SUIT_ORDER[suits] for rank in range(ACE, KING + 1)]
    return _lay_out(f"{NAME}:{'ms' if linear else ''}{number}", shuffled_down(pack, pick))


def _parse(text: str) -> tuple[bool, int]:
    """Return whether the number is written as ``ms``, and the number."""
    match = _NUMBER.fullmatch(_DROPPED.sub("", text.removesuffix("L")))
    if match is None:
        raise NumberError(f"{shown(text)} is no {NAME} number: write digits, such as 12345, or ms32000")
    linear = match[1] is not None
    digits = match[2].lstrip("0")
    most = MAX_LINEAR_NUMBER if linear else MAX_NUMBER
    # The length is judged first: int() refuses thousands of digits with a message of its own.
    if not digits or len(digits) > MAX_DIGITS or int(digits) > most:
        form = "ms1 to ms" if linear else "1 to "
        raise NumberError(f"{shown(text)} is out of range: {NAME} numbers go from {form}{most}")
    return linear, int(digits)


def _linear_pick(number: int) -> Callable[[int], int]:
    values = _linear_values(number)
    return lambda place: next(values) % (place + 1)


def _linear_values(number: int) -> Iterator[int]:
    # Three ranges, as Windows FreeCell Pro numbers its deals beyond 2**31.
    if number < 2**31:
        return ms_values(number)
    if number < 2**32:
        return (value | 0x8000 for value in ms_values(number))
    return ((state >> VALUE_SHIFT & 0xFFFF) + 1 for state in linear_states(number - 2**32, 33))


def _twister_pick(number: int) -> Callable[[int], int]:
    # PySolFC is a Python program: its generator is this one, and its picks use random() alone,
    # whose stream for an integer seed CPython keeps from release to release.
    twister = random.Random(number)
    return lambda place: int(twister.random() * (place + 1))


def _lay_out(deal_id: str, talon: list[Card]) -> Deal:
    heights = LAYOUTS["spread"]
    columns: list[list[Card]] = [[] for _ in heights]
    for level in range(max(heights)):
        for column, height in zip(columns, heights, strict=True):
            # The short columns sit out the fifth round, not the sixth: the face-up row comes last.
            if level != FACE_DOWN_ROUNDS or height == max(heights):
                column.append(talon.pop())
    return Deal(deal_id, tuple(map(tuple, columns)), stock_rows(talon[::-1]))


SCHEME = Scheme(
    name=NAME,
    program="PySolFC: Spider, Relaxed Spider, Open Spider, Spider (1 Suit), Spider (2 Suits); plspider, PySol (ms)",
    numbers=f"1 to 10^20, ms1 to ms{MAX_LINEAR_NUMBER}",
    suits=(1, 2, 4),
    layout="spread",
    status="verified",
    evidence="saves of PySolFC 3.6.1 and 95 decks of its own shuffle, all cards alike",
    rules="standard",
    example="pysolfc:12345",
    deal=deal,
    note="Relaxed Spider deals the same cards and plays by --rules relaxed",
)
