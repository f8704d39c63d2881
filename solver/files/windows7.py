"""Saves of Windows Vista and 7 Spider (``.SpiderSolitaireSave-ms``): a header, a picture, and XML in UTF-16.

::

    0x00  "RGMH"
    0x08  offset of the picture      0x14  its length        32-bit numbers, little-endian
    after the picture: length in bytes of the XML, and the XML in UTF-16LE with a byte-order mark

Every value of the XML is an element of its own: ``Root/GameState/GameSeed`` is the seed of the deal, and
``Root/CardTable/CardStacks`` holds a ``CardStack`` with its ``Name`` for each of Stack1..Stack10, Deck (last card
dealt first) and Complete; a ``CardStack/Cards/Card`` has ``Type`` = 13 * suit + rank - 2, ace 12, suits clubs,
diamonds, spades, hearts, and ``FaceUp``.  The counted bytes go on a little after the last element.

Source: a description made of three saves of the program; and what another program tells of the XML that it writes
into such saves.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from xml.parsers import expat

from solver.cards import CLUBS, DIAMONDS, HEARTS, KING, SPADES, make_card, rank_of, suit_of
from solver.files.common import FileError, SavedGame, rows_of, same_game
from solver.numbering import windows7
from solver.partial import PartialPosition

FORMAT = "Windows 7 save"
MAGIC = b"RGMH"
PICTURE_OFFSET, PICTURE_LENGTH = 0x08, 0x14
MAX_XML = 1 << 20
MAX_ELEMENTS = 20_000
MAX_DEPTH = 16
MAX_TEXT = 64
"""Characters of a value that are kept; the longest is a name."""
CARDS = 104

SUIT_ORDER = (CLUBS, DIAMONDS, SPADES, HEARTS)
COLUMNS = tuple(f"Stack{number}" for number in range(1, 11))
DECK, COMPLETE = "Deck", "Complete"
_CARD, _STACK = "Card", "CardStack"
_VALUES = frozenset({"Name", "Type", "FaceUp", "GameSeed"})


def recognises(data: bytes) -> bool:
    """Return whether a file begins like a Windows save."""
    return data.startswith(MAGIC)


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a save holds.

    Raises `FileError` for a file that is none.
    """
    reader = _Reader(source)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.EntityDeclHandler = reader.doctype
    parser.ExternalEntityRefHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(_xml(data, source).encode(), True)
    except expat.ExpatError as error:
        raise FileError(
            f"its XML is not well-formed: {expat.ErrorString(error.code)}", source, f"line {error.lineno} of the XML"
        ) from None
    return reader.game()


def _xml(data: bytes, source: str) -> str:
    """Return the XML of a save, decoded and without its declaration, which names another encoding."""
    try:
        (offset,) = struct.unpack_from("<I", data, PICTURE_OFFSET)
        (length,) = struct.unpack_from("<I", data, PICTURE_LENGTH)
        (size,) = struct.unpack_from("<I", data, offset + length)
    except struct.error:
        raise FileError("the file ends before its XML", source) from None
    start = offset + length + 4
    if size > MAX_XML or start + size > len(data):
        raise FileError(f"its XML should have {size} bytes, and {max(len(data) - start, 0)} are there", source)
    try:
        text = data[start : start + size].decode("utf-16-le").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise FileError(f"byte {error.start + 1} of its XML is not UTF-16", source) from None
    text = text[: text.rfind(">") + 1]
    if text.startswith("<?xml"):
        text = text.partition("?>")[2]
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise FileError("its XML has half characters", source)
    return text


@dataclass
class _Pile:
    name: str = ""
    cards: list[dict[str, str]] = field(default_factory=list)


@dataclass
class _Reader:
    source: str
    path: list[str] = field(default_factory=list)
    elements: int = 0
    seed: str = ""
    piles: list[_Pile] = field(default_factory=list)
    text: str = ""

    # ---- events of the parser ------------------------------------------------------------------------

    def doctype(self, *_: object) -> int:
        raise FileError("a document type in its XML: the program writes none, and entities are not read", self.source)

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS or len(self.path) >= MAX_DEPTH:
            raise FileError(f"more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} within each other", self.source)
        self.path.append(name)
        self.text = ""
        if name == _STACK:
            self.piles.append(_Pile())
        elif name == _CARD and self.piles:
            self.piles[-1].cards.append({})

    def characters(self, text: str) -> None:
        self.text = (self.text + text)[:MAX_TEXT]

    def end(self, name: str) -> None:
        self.path.pop()
        if name in _VALUES and self.path:
            self.value(name, self.text.strip(), self.path[-1])
        self.text = ""

    def value(self, name: str, value: str, owner: str) -> None:
        if name == "GameSeed":
            self.seed = value
        elif owner == _STACK and name == "Name" and self.piles:
            self.piles[-1].name = value
        elif owner == _CARD and self.piles and self.piles[-1].cards:
            self.piles[-1].cards[-1][name] = value

    # ---- the game ------------------------------------------------------------------------------------

    def game(self) -> SavedGame:
        piles: dict[str, list[tuple[int, bool]]] = {}
        total = 0
        for pile in self.piles:
            if pile.name in piles:
                raise FileError(f"two piles {pile.name!r}", self.source)
            piles[pile.name] = [self.card(pile.name, index, card) for index, card in enumerate(pile.cards, start=1)]
            total += len(pile.cards)
        missing = [name for name in (*COLUMNS, DECK) if name not in piles]
        if missing:
            raise FileError(f"no pile {missing[0]}: Spider has Stack1 to Stack10, Deck and Complete", self.source)
        if total > CARDS:
            raise FileError(f"{total} cards: Spider has {CARDS}", self.source)
        columns, face_down = [], []
        for number, name in enumerate(COLUMNS, start=1):
            down = sum(not face_up for _, face_up in piles[name])
            if any(face_up for _, face_up in piles[name][:down]):
                raise FileError(f"column {number} has a face-down card on a face-up one", self.source)
            columns.append(tuple(card for card, _ in piles[name]))
            face_down.append(down)
        gone = [card for card, _ in piles.get(COMPLETE, [])]
        runs, odd = divmod(len(gone), KING)
        kings = sorted(suit_of(card) for card in gone if rank_of(card) == KING)
        if odd or len(kings) != runs:
            raise FileError(f"{len(gone)} cards in the completed runs, {len(kings)} of them kings", self.source)
        rows = rows_of([card for card, _ in reversed(piles[DECK])])
        current = PartialPosition(tuple(columns), tuple(face_down), rows, tuple(kings))
        suits = len({suit_of(card) for card in (*current.cards, *gone)})
        notes: tuple[str, ...] = ()
        original = None
        # Only the deals of four suits are known.
        if suits == max(windows7.SCHEME.suits) and self.seed.isdecimal() and int(self.seed) <= windows7.MAX_SEED:
            original = windows7.deal(self.seed, suits)
            if not same_game(original, current, kings):
                notes = (f"the cards are not those of {original.id}, so only the present position is known",)
                original = None
        else:
            notes = ("the deal of this save is not known, only its present position",)
        return SavedGame(FORMAT, current, original, max(suits, 1), windows7.SCHEME.rules, notes)

    def card(self, pile: str, index: int, values: dict[str, str]) -> tuple[int, bool]:
        kind = values.get("Type", "")
        if not kind.isdecimal() or int(kind) >= len(SUIT_ORDER) * KING:
            raise FileError(f"type {kind!r} is no card: types go from 0 to 51", self.source, f"{pile} card {index}")
        suit, place = divmod(int(kind), KING)
        # Types count from two to king and end with the ace.
        return make_card((place + 1) % KING + 1, SUIT_ORDER[suit]), values.get("FaceUp", "").lower() in ("true", "1")
