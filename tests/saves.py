"""Writes save files of other programs, so that their readers have something to read.

The package reads these formats and writes them not: nobody plays on from here.  What is built follows the
description in the reader of the format and nothing else, so a mistake there is no mistake here; the two real saves in
``data/deals`` are the other half of the evidence.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter
from collections.abc import Sequence

from solver.cards import SUIT_SYMBOLS, Card, make_card, rank_of, suit_of
from solver.numbering import pysolfc, windowsxp
from solver.position import Position

PICTURE = b"\x89PNG not a picture"
RANK_WORDS = (
    "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King",
)  # fmt: skip
SUIT_WORDS = {0: "Clubs", 1: "Diamonds", 2: "Hearts", 3: "Spades"}


def run_of(suit: int) -> list[Card]:
    return [make_card(rank, suit) for rank in range(13, 0, -1)]


# ---- Windows 7 ---------------------------------------------------------------------------------------


def windows7_xml(position: Position, seed: int) -> str:
    """Return the XML of a save; where things lie on the screen is made up."""

    def elements(**values: object) -> str:
        return "".join(f"<{name}>{value}</{name}>" for name, value in values.items())

    def card(code: Card, face_up: bool) -> str:
        kind = 13 * "CDSH".index(SUIT_SYMBOLS[suit_of(code)]) + (rank_of(code) - 2) % 13
        name = f"{RANK_WORDS[rank_of(code) - 1]}Of{SUIT_WORDS[suit_of(code)]}1"
        face = str(face_up).lower()
        return f"<Card>{elements(X=10, Y=20, Name=name, Type=kind, FaceUp=face, Enabled=face)}</Card>"

    def stack(name: str, direction: int, cards: Sequence[tuple[Card, bool]]) -> str:
        head = elements(NumEndCardsSpaced=0, X=10, Y=20, Name=name, Direction=direction)
        return f"<CardStack>{head}<Cards>{''.join(card(*entry) for entry in cards)}</Cards></CardStack>"

    piles = [
        stack(f"Stack{number}", 1, [(code, index >= down) for index, code in enumerate(column)])
        for number, (column, down) in enumerate(zip(position.columns, position.face_down, strict=True), start=1)
    ]
    stock = [code for row in position.rows for code in row][::-1]
    piles.append(stack("Deck", 2, [(code, False) for code in stock]))
    piles.append(stack("Complete", 3, [(code, True) for suit in position.completed for code in run_of(suit)]))
    return (
        f"<Root><GameState>{elements(Version=7, GameSeed=seed, Score=500, Moves=0)}</GameState>"
        f"<CardTable><CardStacks>{''.join(piles)}</CardStacks></CardTable></Root>"
    )


def windows7_file(xml: str, header_size: int = 0x2028) -> bytes:
    """Return the save around an XML text; the size of the header is that of real saves."""
    body = b"\xff\xfe" + (xml + "\n\0").encode("utf-16-le")
    header = bytearray(header_size)
    header[:4] = b"RGMH"
    struct.pack_into("<I", header, 0x08, len(header))
    struct.pack_into("<I", header, 0x14, len(PICTURE))
    return bytes(header) + PICTURE + struct.pack("<I", len(body)) + body


def windows7_save(position: Position, seed: int) -> bytes:
    return windows7_file(windows7_xml(position, seed))


# ---- Windows XP --------------------------------------------------------------------------------------


def windowsxp_numbers(position: Position, seed: int, suits: int) -> list[int]:
    """Return the numbers of a save; the position comes from the deal of the seed."""
    places: dict[Card, list[int]] = {}
    for place, card in enumerate(windowsxp.shuffled(seed, suits)):
        places.setdefault(card, []).append(place)
    next_card = 104 - sum(map(len, position.rows))
    for card in places:
        places[card] = [place for place in places[card] if place < next_card]
    gone = Counter(position.completed)
    numbers = [suits, seed, next_card, position.cards_in_columns, 0, 5 - len(position.rows)]
    numbers += [gone[suit] for suit in range(4)]
    numbers += [*position.completed, *[0] * (8 - len(position.completed))]
    for column, down in zip(position.columns, position.face_down, strict=True):
        numbers += [len(column), down, *(places[card].pop() for card in column)]
    return [*numbers, 500]


def pack_numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


# ---- PySolFC -----------------------------------------------------------------------------------------


def pysolfc_save(position: Position, seed: int, *, game: int = 11, suits: int = 4, protocol: int = 5) -> bytes:
    """Return a save; `seed` is the number as the file has it, 2**1000 more than that of an ``ms`` deal."""
    numbers: dict[Card, list[int]] = {}
    pack = [make_card(rank, suit) for _ in range(2) for suit in pysolfc.SUIT_ORDER[suits] for rank in range(1, 14)]
    for number, card in enumerate(pack):
        numbers.setdefault(card, []).append(number)
    runs = [[(card, 1) for card in run_of(suit)] for suit in position.completed]
    talon = [(card, 0) for row in position.rows for card in row][::-1]
    columns = [
        [(card, int(index >= down)) for index, card in enumerate(column)]
        for column, down in zip(position.columns, position.face_down, strict=True)
    ]
    values: list[object] = ["PySolFC", "3.6.1", (3, 6, 1), 0, 1, game, seed, (12345, 0), 19]
    for pile in [talon, *runs, *[[]] * (8 - len(runs)), *columns]:
        values.append(len(pile))
        for card, face_up in pile:
            values += [numbers[card].pop(), face_up]
    values += [1, 0, "EOF"]
    return b"".join(pickle.dumps(value, protocol) for value in values)


# ---- KPat --------------------------------------------------------------------------------------------


def kpat_save(positions: Sequence[Position], number: int, suits: int, current: int) -> bytes:
    """Return a save of the new form: a state for each position, of which one is current.

    Each state but the first moves the cards that lie elsewhere, as the program does.
    """
    lines = [f'<kpat-game game-type="spider" game-type-options="{suits}" deal-number="{number}">']
    before: dict[str, list[tuple[str, Card, bool]]] = {}
    for index, position in enumerate(positions):
        piles = _kpat_piles(position)
        lines.append('<state current="true">' if index == current else "<state>")
        after: dict[str, list[tuple[str, Card, bool]]] = {}
        if not before:
            serial = iter(range(1000))
            for name, cards in piles.items():
                after[name] = [(f"{next(serial):07}", card, up) for card, up in cards]
        else:
            # Cards that stay keep their ids; the others are free to be used where cards are new.
            free: dict[Card, list[str]] = {}
            for name, cards in piles.items():
                same = 0
                while same < min(len(cards), len(before[name])) and before[name][same][1] == cards[same][0]:
                    same += 1
                after[name] = [(before[name][at][0], *cards[at]) for at in range(same)]
                for identity, card, _ in before[name][same:]:
                    free.setdefault(card, []).append(identity)
            for name, cards in piles.items():
                after[name] += [(free[card].pop(), card, up) for card, up in cards[len(after[name]) :]]
        old = {identity: (name, at, up) for name, pile in before.items() for at, (identity, _, up) in enumerate(pile)}
        for name, pile in after.items():
            for at, (identity, card, up) in enumerate(pile):
                if old.get(identity) == (name, at, up):
                    continue
                turn = "" if identity in old and old[identity][2] == up else f' turn="face-{"up" if up else "down"}"'
                suit, rank = SUIT_WORDS[suit_of(card)].lower(), RANK_WORDS[rank_of(card) - 1].lower()
                lines.append(f'<move pile="{name}" position="{at}">')
                lines.append(f'<card id="{identity}" suit="{suit}" rank="{rank}"{turn}/></move>')
        lines.append("</state>")
        before = after
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, "</kpat-game>", ""]).encode()


def kpat_old_save(position: Position, number: int, suits: int) -> bytes:
    """Return a save of the old form."""
    lines = [f'<dealer id="17" options="{suits}" number="{number}">']
    for index, cards in enumerate(_kpat_piles(position).values(), start=1):
        lines.append(f'<pile index="{index}">')
        lines += [
            f'<card suit="{suit_of(card)}" value="{rank_of(card)}" faceup="{int(face_up)}"/>' for card, face_up in cards
        ]
        lines.append("</pile>")
    return "\n".join([*lines, "</dealer>", ""]).encode()


def _kpat_piles(position: Position) -> dict[str, list[tuple[Card, bool]]]:
    piles: dict[str, list[tuple[Card, bool]]] = {}
    dealt = 5 - len(position.rows)
    for number in range(5):
        row = position.rows[number - dealt] if number >= dealt else ()
        piles[f"redeals{number}"] = [(card, False) for card in reversed(row)]
    for number, (column, down) in enumerate(zip(position.columns, position.face_down, strict=True)):
        piles[f"stack{number}"] = [(card, index >= down) for index, card in enumerate(column)]
    for number in range(8):
        suit = position.completed[number] if number < len(position.completed) else None
        piles[f"legs{number}"] = [] if suit is None else [(card, True) for card in run_of(suit)]
    return piles
