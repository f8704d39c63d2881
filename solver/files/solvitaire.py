"""Solvitaire's JSON: the tableau, the stock and the foundations of a game.

::

    {"tableau piles": [["6c", "5H"], ...],   ten arrays, bottom card first
     "stock": ["AS", ...],                   the LAST card is dealt first, onto column 1
     "foundations": [...]}                   optional

A card is its rank (``A``, ``2``..``10``, ``J Q K`` or 1..13) and its suit, in lower case where it is face-down;
``##`` is a hidden card, which the program prints of its own deals.  Where no card of the tableau is in upper case,
all but the last card of each column are face-down, as in a deal.

Source: what the program prints, and a description of what it reads.
"""

from __future__ import annotations

import json
import re
from typing import Any

from solver.cards import ACE, KING, RANK_SYMBOLS, SUIT_SYMBOLS, Card, Suit, make_card, rank_of, suit_of
from solver.files.common import FileError, SavedGame, rows_of
from solver.partial import UNKNOWN, PartialPosition
from solver.position import Deal, Position, deduce_completed
from solver.rules import Rules

FORMAT = "Solvitaire JSON"
TABLEAU, STOCK, FOUNDATIONS = "tableau piles", "stock", "foundations"
HIDDEN = "##"
MAX_BYTES = 1 << 16
"""A game takes a thousand."""
MAX_PILE = 104

_CARD = re.compile(r"(?P<rank>1[0-3]|[0-9AJQKajqk])(?P<suit>[cdhsCDHS])")
_RANKS = {"A": ACE, "J": 11, "Q": 12, "K": KING}


def recognises(data: bytes) -> bool:
    """Return whether a file is a JSON object with piles of Solvitaire."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"tableau' in data[:MAX_BYTES]


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a file holds.

    Raises `FileError` for a file that is no such JSON.
    """
    values = load_object(data, source)
    piles = values.get(TABLEAU)
    if not isinstance(piles, list) or not piles:
        raise FileError(f"no array {TABLEAU!r}", source)
    read_piles = [_pile(pile, source, f"column {number}") for number, pile in enumerate(piles, start=1)]
    marked = any(up for pile in read_piles for _, up in pile)
    columns, face_down = [], []
    for number, pile in enumerate(read_piles, start=1):
        down = sum(not up for _, up in pile) if marked else max(len(pile) - 1, 0)
        if marked and any(up for _, up in pile[:down]):
            raise FileError("a face-down card lies on a face-up one", source, f"column {number}")
        columns.append(tuple(card for card, _ in pile))
        face_down.append(down)
    stock = [card for card, _ in _pile(values.get(STOCK, []), source, "the stock")]
    foundations = values.get(FOUNDATIONS)
    completed = None if foundations is None else _foundations(foundations, source)
    rows = rows_of(stock[::-1], len(columns))
    current = PartialPosition(tuple(columns), tuple(face_down), rows, completed)
    suits = {suit_of(card) for card in current.cards if card != UNKNOWN}
    original = None
    if current.unknown == 0 and all(
        down == max(len(cards) - 1, 0) for cards, down in zip(columns, face_down, strict=True)
    ):
        # Every column has its one open card: it may be the deal itself, and a check will tell.
        original = Deal(source, current.columns, current.rows)
    notes = ("Solvitaire deals the last card of its stock first",) if stock else ()
    return SavedGame(FORMAT, current, original, max(len(suits), 1), "standard", notes)


def write(position: Position | PartialPosition, rules: Rules) -> str:
    """Return the JSON of a position; it ends in a newline.

    Completed runs are written only where the missing cards do not tell which they are.
    """
    piles = [
        [_written(card, index >= down) for index, card in enumerate(column)]
        for column, down in zip(position.columns, position.face_down, strict=True)
    ]
    stock = [_written(card, True) for row in position.rows for card in row][::-1]
    lines = ",\n  ".join(json.dumps(pile) for pile in piles)
    foundations = ""
    if position.completed and position.completed != deduce_completed(position.columns, position.rows, rules):
        runs = [
            [_written(make_card(rank, suit), True) for rank in range(rules.ranks, 0, -1)] for suit in position.completed
        ]
        foundations = f',\n "{FOUNDATIONS}": {json.dumps(runs)}'
    return f'{{"{TABLEAU}": [\n  {lines}],\n "{STOCK}": {json.dumps(stock)}{foundations}}}\n'


def load_object(data: bytes, source: str, most: int = MAX_BYTES) -> dict[str, Any]:
    """Return the object of a JSON file; raises `FileError` for what is none."""
    if len(data) > most:
        raise FileError(f"more than {most:,} bytes: no game has so many", source)
    try:
        values = json.loads(data)
    except UnicodeDecodeError as error:
        raise FileError(f"byte {error.start + 1} is not UTF-8", source) from None
    except json.JSONDecodeError as error:
        raise FileError(f"no JSON: {error.msg}", source, f"{error.lineno}:{error.colno}") from None
    except (RecursionError, ValueError):
        raise FileError("no JSON of a game: nested too deeply, or a number too long", source) from None
    if not isinstance(values, dict):
        raise FileError("a JSON file, but no object", source)
    return values


def _pile(values: object, source: str, place: str) -> list[tuple[Card, bool]]:
    if not isinstance(values, list):
        raise FileError("no array of cards", source, place)
    if len(values) > MAX_PILE:
        raise FileError(f"{len(values)} cards: a game has {MAX_PILE}", source, place)
    return [_card(value, source, f"{place} card {index}") for index, value in enumerate(values, start=1)]


def _card(value: object, source: str, place: str) -> tuple[Card, bool]:
    if value == HIDDEN:
        return UNKNOWN, False
    match = _CARD.fullmatch(value) if isinstance(value, str) else None
    rank = 0
    if match is not None:
        text = match["rank"].upper()
        rank = _RANKS.get(text) or int(text)
    if match is None or rank == 0:
        raise FileError(
            f"{str(value)[:40]!r} is no card: write rank A 2 .. 10 J Q K, then suit {SUIT_SYMBOLS}", source, place
        )
    return make_card(rank, SUIT_SYMBOLS.index(match["suit"].upper())), match["suit"].isupper()


def _foundations(values: object, source: str) -> tuple[Suit, ...]:
    """Return the suits of the foundations that hold cards: each array is a completed run."""
    if not isinstance(values, list) or len(values) > MAX_PILE:
        raise FileError("no array of piles", source, FOUNDATIONS)
    suits: list[Suit] = []
    for index, value in enumerate(values, start=1):
        pile = value if isinstance(value, list) else [value] if value else []
        cards = _pile(pile, source, f"{FOUNDATIONS} {index}")
        if cards and cards[-1][0] != UNKNOWN:
            suits.append(suit_of(cards[-1][0]))
    return tuple(sorted(suits))


def _written(card: Card, face_up: bool) -> str:
    if card == UNKNOWN:
        return HIDDEN
    rank, suit = rank_of(card), SUIT_SYMBOLS[suit_of(card)]
    name = "10" if RANK_SYMBOLS[rank - 1] == "T" else RANK_SYMBOLS[rank - 1]
    return name + (suit if face_up else suit.lower())
