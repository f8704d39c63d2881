"""Our own JSON: what ``spider show --json`` and ``spider convert --to json`` print, read back.

::

    {"schema": 1, "deal": {"id": "pysolfc:1", "suits": 4}, "rules": {...},
     "columns": [[{"card": "6D", "face_up": false}, ...], ...],   ten lists, bottom card first
     "rows": [["4H", ...], ...],                                  next dealt first
     "completed": ["H"]}

An unknown card is null.  The rules are told on the command line, not taken from the file.
"""

from __future__ import annotations

from typing import Any

from solver.cards import SUIT_SYMBOLS, Card, CardError, parse_card, suit_of
from solver.files.common import FileError, SavedGame
from solver.files.solvitaire import MAX_PILE, load_object
from solver.partial import UNKNOWN, PartialPosition

FORMAT = "JSON of spider"


def recognises(data: bytes) -> bool:
    """Return whether a file is a JSON object; those of other programs are asked for first."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a file holds.

    Raises `FileError` for a file that is no such JSON.
    """
    values = load_object(data, source)
    columns, face_down = [], []
    for number, column in enumerate(_list(values, "columns", source), start=1):
        place = f"column {number}"
        if not isinstance(column, list) or not all(isinstance(card, dict) for card in column):
            raise FileError("no list of cards with their faces", source, place)
        ups = [card.get("face_up") for card in column]
        down = ups.count(False)
        if ups != [False] * down + [True] * (len(ups) - down):
            raise FileError("face_up is true or false, and face-down cards come first", source, place)
        columns.append(_cards([card.get("card") for card in column], source, place))
        face_down.append(down)
    rows = tuple(
        _cards(row, source, f"row {number}") for number, row in enumerate(_list(values, "rows", source), start=1)
    )
    suits = _list(values, "completed", source) if values.get("completed") is not None else None
    if suits is not None and not all(
        isinstance(suit, str) and len(suit) == 1 and suit in SUIT_SYMBOLS for suit in suits
    ):
        raise FileError(f"a suit is one of {SUIT_SYMBOLS}", source, "completed")
    completed = None if suits is None else tuple(sorted(map(SUIT_SYMBOLS.index, suits)))
    current = PartialPosition(tuple(columns), tuple(face_down), rows, completed)
    shown = {suit_of(card) for card in current.cards if card != UNKNOWN}.union(completed or ())
    return SavedGame(FORMAT, current, None, max(len(shown), 1))


def _list(values: dict[str, Any], name: str, source: str) -> list[Any]:
    value = values.get(name)
    if not isinstance(value, list) or len(value) > MAX_PILE:
        raise FileError(f"no list {name!r}: the JSON of spider has columns, rows and completed", source)
    return value


def _cards(values: object, source: str, place: str) -> tuple[Card, ...]:
    if not isinstance(values, list) or len(values) > MAX_PILE:
        raise FileError("no list of cards", source, place)
    cards: list[Card] = []
    for index, value in enumerate(values, start=1):
        try:
            cards.append(UNKNOWN if value is None else parse_card(value if isinstance(value, str) else str(value)[:40]))
        except CardError as error:
            raise FileError(str(error), source, f"{place} card {index}") from None
    return tuple(cards)
