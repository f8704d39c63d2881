"""KPat's saves: XML, in a new and an old form, read without entities.

New form::

    <kpat-game game-type="spider" game-type-options="4" deal-number="42">
      <state current="true">
        <move pile="stack0" position="0"> <card id=".." suit="clubs" rank="ace" turn="face-down"/> ..

The first state puts all cards down; each later one moves cards to a place in a pile, from which those above move up.
``redeals0..4`` are the rows of the stock, dealt in this order and each from its last card on; ``stack0..9`` are the
columns, ``legs0..7`` the completed runs.  States after the current one are moves that were taken back.

Old form: ``<dealer id="17" options="4" number="42"> <pile index="6"> <card suit="3" value="13" faceup="1"/> ..``, piles
1..5 the rows, 6..15 the columns, 16..23 the completed runs; it holds the present position only.

The deal's number and the number of suits give the original deal.  A document type is refused before anything in
it is read, as only it can define entities or name other files.

Source: saves of KPat 22.12.3; the old form from a description only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from solver.cards import SUIT_SYMBOLS, make_card
from solver.files.common import FileError, SavedGame, completed_suits, same_game
from solver.numbering import NumberError, kpat
from solver.partial import PartialPosition
from solver.position import Deal

FORMAT = "KPat save"
SPIDER = "spider"
SPIDER_ID = "17"
CARDS = 104
RUN = 13
MAX_DEPTH = 8
MAX_ELEMENTS = 100_000
"""Elements of a file; a game of a thousand moves has ten thousand."""

SUITS = {"clubs": 0, "diamonds": 1, "hearts": 2, "spades": 3}
_RANK_WORDS = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
)  # fmt: skip
RANKS = {word: rank for rank, word in enumerate(_RANK_WORDS, start=1)}
STOCK = tuple(f"redeals{number}" for number in range(5))
COLUMNS = tuple(f"stack{number}" for number in range(10))
LEGS = tuple(f"legs{number}" for number in range(8))
OLD_PILES = dict(enumerate((*STOCK, *COLUMNS, *LEGS), start=1))
"""The piles of the old form by their numbers."""


def recognises(data: bytes) -> bool:
    """Return whether a file begins like one of the two forms."""
    head = data[:1024]
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and (
        b"<kpat-game" in head or b"<dealer" in head or b"<!DOCTYPE" in head
    )


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a save holds.

    Raises `FileError` for a file that is none of Spider's, and for one with a document type.
    """
    reader = _Reader(source)
    parser = expat.ParserCreate()
    # The line of the parser is part of every error, so the reader asks it.
    reader.parser = parser
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.EntityDeclHandler = reader.doctype
    parser.ExternalEntityRefHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileError(
            f"no well-formed XML: {expat.ErrorString(error.code)}", source, f"line {error.lineno}"
        ) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"no XML that can be read: {error}", source) from None
    return reader.game()


@dataclass(eq=False)
class _Card:
    """A card with its place."""

    code: int
    face_up: bool
    pile: str


@dataclass
class _Reader:
    source: str
    parser: expat.XMLParserType = field(default_factory=expat.ParserCreate)
    stack: list[str] = field(default_factory=list)
    elements: int = 0
    number: str = ""
    options: str = ""
    piles: dict[str, list[_Card]] = field(default_factory=lambda: {name: [] for name in OLD_PILES.values()})
    cards: dict[str, _Card] = field(default_factory=dict)
    """The cards of the new form by their ids."""
    pile: str = ""
    place: int = 0
    past_current: bool = False
    is_current: bool = False

    # ---- events of the parser ------------------------------------------------------------------------

    def doctype(self, *_: object) -> int:
        raise self.error("a document type: KPat writes none, and entities are not read")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS or len(self.stack) >= MAX_DEPTH:
            raise self.error(
                f"more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} within each other: no game has so many"
            )
        path = (*self.stack, name)
        self.stack.append(name)
        if path == ("kpat-game",):
            self.start_game(
                attributes.get("game-type"), attributes.get("game-type-options"), attributes.get("deal-number")
            )
        elif path == ("dealer",):
            game = SPIDER if attributes.get("id") == SPIDER_ID else attributes.get("id")
            self.start_game(game, attributes.get("options"), attributes.get("number"))
        elif path == ("kpat-game", "state"):
            self.past_current = self.past_current or self.is_current
            self.is_current = attributes.get("current") == "true"
        elif path == ("kpat-game", "state", "move"):
            self.start_pile(attributes.get("pile", ""), attributes.get("position", "0"))
        elif path == ("dealer", "pile"):
            index = self.integer(attributes, "index")
            # Pile 0 and others hold what the old program drew there; only cards in them matter.
            self.start_pile(OLD_PILES.get(index, f"number {index}"), "0")
        elif path == ("kpat-game", "state", "move", "card"):
            self.move_card(attributes)
        elif path == ("dealer", "pile", "card"):
            self.put_card(attributes)
        elif len(path) == 1:
            raise self.error(f"<{name[:40]}> is no save of KPat: it begins with <kpat-game> or <dealer>")

    def end(self, _name: str) -> None:
        self.stack.pop()

    def start_game(self, game: str | None, options: str | None, number: str | None) -> None:
        if game != SPIDER:
            raise self.error(f"a save of KPat's game {str(game)[:40]!r}, which is not {SPIDER!r}")
        self.options, self.number = options or "4", number or ""
        if self.options not in ("1", "2", "3", "4"):
            raise self.error(f"{self.options[:40]!r} suits: 1 to 4 are possible")

    def start_pile(self, pile: str, position: str) -> None:
        self.pile = pile
        if not position.isdecimal() or len(position) > 3:
            raise self.error(f"position {position[:40]!r} is no number of a card")
        self.place = int(position)

    def move_card(self, attributes: dict[str, str]) -> None:
        """Put a card of the new form where a state moves it."""
        if self.past_current:
            return
        name = attributes.get("id", "")
        suit, rank = attributes.get("suit", ""), attributes.get("rank", "")
        if suit not in SUITS or rank not in RANKS:
            raise self.error(f"rank {rank[:20]!r} and suit {suit[:20]!r} are no card")
        turn = attributes.get("turn", "")
        card = self.cards.get(name)
        if card is None:
            if len(self.cards) >= CARDS:
                raise self.error(f"more than {CARDS} cards: id {name[:20]!r} is a new one")
            card = self.cards[name] = _Card(make_card(RANKS[rank], SUITS[suit]), False, "")
        elif card.code != make_card(RANKS[rank], SUITS[suit]):
            raise self.error(f"id {name[:20]!r} is the {rank} of {suit} here and was another card before")
        else:
            self.piles[card.pile].remove(card)
        if turn:
            card.face_up = turn == "face-up"
        target = self.target()
        if self.place > len(target):
            raise self.error(f"position {self.place} in pile {self.pile!r}, which has {len(target)} cards")
        target.insert(self.place, card)
        card.pile = self.pile
        self.place += 1

    def put_card(self, attributes: dict[str, str]) -> None:
        """Put a card of the old form on its pile."""
        suit, value = self.integer(attributes, "suit"), self.integer(attributes, "value")
        if not 0 <= suit < len(SUIT_SYMBOLS) or not 1 <= value <= RUN:
            raise self.error(f"suit {suit} and value {value} are no card: suits are 0 to 3, values 1 to 13")
        if sum(map(len, self.piles.values())) >= CARDS:
            raise self.error(f"more than {CARDS} cards")
        self.target().append(_Card(make_card(value, suit), attributes.get("faceup") == "1", self.pile))

    def target(self) -> list[_Card]:
        if self.pile not in self.piles:
            raise self.error(f"cards in pile {self.pile[:40]!r}: Spider has {STOCK[0]} to {STOCK[-1]}, "
                             f"{COLUMNS[0]} to {COLUMNS[-1]} and {LEGS[0]} to {LEGS[-1]}")  # fmt: skip
        return self.piles[self.pile]

    def integer(self, attributes: dict[str, str], name: str) -> int:
        text = attributes.get(name, "")
        if not text.isdecimal() or len(text) > 3:
            raise self.error(f"{name} {text[:40]!r} is no number")
        return int(text)

    # ---- the game ------------------------------------------------------------------------------------

    def game(self) -> SavedGame:
        if not self.options:
            raise FileError("holds no game", self.source)
        columns, face_down = [], []
        for number, name in enumerate(COLUMNS, start=1):
            pile = self.piles[name]
            down = sum(not card.face_up for card in pile)
            if any(card.face_up for card in pile[:down]):
                raise FileError(f"column {number} has a face-down card on a face-up one", self.source)
            columns.append(tuple(card.code for card in pile))
            face_down.append(down)
        runs = [tuple(card.code for card in self.piles[name]) for name in LEGS]
        if any(len(run) not in (0, RUN) for run in runs):
            raise FileError("a completed run has other than 13 cards", self.source)
        completed = completed_suits(runs)
        rows = tuple(tuple(card.code for card in reversed(self.piles[name])) for name in STOCK if self.piles[name])
        current = PartialPosition(tuple(columns), tuple(face_down), rows, completed)
        suits = int(self.options)
        original, notes = self.original(suits, current, completed)
        return SavedGame(FORMAT, current, original, suits, kpat.SCHEME.rules, notes)

    def original(
        self, suits: int, current: PartialPosition, completed: tuple[int, ...]
    ) -> tuple[Deal | None, tuple[str, ...]]:
        try:
            deal = kpat.deal(self.number, suits)
        except NumberError:
            return None, (f"{self.number[:40]!r} is no deal number, so only the present position is known",)
        if not same_game(deal, current, completed):
            return None, (f"the cards are not those of {deal.id}, so only the present position is known",)
        return deal, ()

    def error(self, problem: str) -> FileError:
        return FileError(problem, self.source, f"line {self.parser.CurrentLineNumber}")
