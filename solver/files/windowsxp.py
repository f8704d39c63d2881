"""Saves of Windows XP Spider (``spider.sav``): 32-bit numbers, little-endian.

::

    0       suits: 1, 2 or 4 (an older file has no such number, and four suits)
    1       seed of the deal
    2       place of the next card of the stock
    3..5    cards on the table, moves, rows dealt
    6..9    completed runs of clubs, diamonds, hearts, spades
    10..17  suits of the completed runs in order
    then for each column: number of cards, how many face-down, and for each card its place
    last    the score

A place is one of 0..103 in the shuffled pack of `solver.numbering.windowsxp`; so the stock is in the seed alone.

Source: two descriptions that agree; no save of the program was there to try.
"""

from __future__ import annotations

import struct

from solver.cards import SUIT_SYMBOLS
from solver.files.common import FileError, SavedGame, rows_of
from solver.numbering import windowsxp
from solver.numbering.common import TABLEAU
from solver.partial import PartialPosition

FORMAT = "Windows XP save"
CARDS = 104
COLUMNS = 10
RUNS = 8
RUN = 13
HEADER = 18
MOST_NUMBERS = HEADER + 2 * COLUMNS + CARDS + 1 + 16
"""Numbers of the longest file, with some room for what other versions add at the end."""


def recognises(data: bytes) -> bool:
    """Return whether a file could be a save of Windows XP: of its size, and with the numbers in their ranges."""
    if len(data) % 4 or not HEADER + 2 * COLUMNS <= len(data) // 4 <= MOST_NUMBERS:
        return False
    numbers = _numbers(data)
    return TABLEAU <= numbers[2] <= CARDS and numbers[3] <= CARDS and max(numbers[6:10]) <= RUNS


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a save holds.

    Raises `FileError` for a file whose numbers do not fit together.
    """
    if len(data) % 4 or len(data) // 4 > MOST_NUMBERS:
        raise FileError(f"{len(data)} bytes: a save has at most {MOST_NUMBERS} numbers of 4 bytes", source)
    numbers = _numbers(data)
    if len(numbers) < HEADER:
        raise FileError(f"{len(data)} bytes: the numbers at its head are not all there", source)
    suits, seed, next_card = numbers[:3]
    gone = numbers[6:10]
    if sum(gone) > RUNS:
        raise FileError(f"{sum(gone)} completed runs: a game has {RUNS}", source)
    if not TABLEAU <= next_card <= CARDS or (next_card - TABLEAU) % COLUMNS:
        raise FileError(f"place {next_card} of the next card: after the deal it is 54, 64 and so on to 104", source)
    pack = windowsxp.shuffled(seed, suits)
    seen: set[int] = set()
    columns, face_down = [], []
    at = HEADER
    for number in range(1, COLUMNS + 1):
        if at + 2 > len(numbers):
            raise FileError("the file ends before its ten columns do", source, f"column {number}")
        size, down = numbers[at : at + 2]
        places = numbers[at + 2 : at + 2 + size] if size <= CARDS else ()
        if len(places) != size:
            raise FileError(f"{size} cards, and the file ends before", source, f"column {number}")
        if down > size:
            raise FileError(f"{down} of {size} cards are face-down", source, f"column {number}")
        for index, place in enumerate(places, start=1):
            if place >= next_card:
                raise FileError(f"card {index} is at place {place}, still in the stock", source, f"column {number}")
            if place in seen:
                raise FileError(f"card {index} is at place {place}, as another one", source, f"column {number}")
            seen.add(place)
        columns.append(tuple(pack[place] for place in places))
        face_down.append(down)
        at += 2 + size
    missing = CARDS - len(seen) - (CARDS - next_card)
    if missing != RUN * sum(gone):
        runs = ", ".join(f"{count} of {SUIT_SYMBOLS[suit]}" for suit, count in enumerate(gone) if count) or "none"
        raise FileError(f"{missing} cards have left the table, and the completed runs are {runs}", source)
    current = PartialPosition(
        columns=tuple(columns),
        face_down=tuple(face_down),
        rows=rows_of(pack[next_card:]),
        completed=tuple(suit for suit, count in enumerate(gone) for _ in range(count)),
    )
    notes = ("no save of Windows XP was there to try this reader on: check the cards with the screen",)
    return SavedGame(FORMAT, current, windowsxp.deal(str(seed), suits), suits, windowsxp.SCHEME.rules, notes)


def _numbers(data: bytes) -> tuple[int, ...]:
    """Return the numbers of a file, with that of the suits in front where an older file has none."""
    numbers: tuple[int, ...] = struct.unpack(f"<{len(data) // 4}I", data)
    return (4, *numbers) if numbers and numbers[0] not in windowsxp.SUIT_ORDER else numbers
