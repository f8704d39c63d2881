"""Notation: the text of a position and of a line, in and out.

A position is one line a column, bottom (covered) card first, then one line a row of the stock in
dealing order, leftmost column first; the same form serves deals::

    # anything after a number sign is a comment
    <6D> <AS> <TH> 9C           face-down cards in angle brackets
    <7C> KH QH
    --                          an empty column
    deal: 4H 6D TH              the row dealt next
    deal: 3C 4C 3S
    completed: H S              suits of the runs that have left; -- when there are none

A line is move tokens (`solver.move`) separated by white space or commas: ``5-8x3 deal, take 4``.

Reading checks the form only, and says where it fails: source, line, column, the offending word and
what to write instead.  Whether the cards make a pack is asked by `solver.position.check_position`,
whether the moves are legal by `solver.referee`.  What is printed here reads back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from solver.cards import SUIT_SYMBOLS, Card, CardError, Suit, card_name, parse_card, suit_of
from solver.move import Line, Move, MoveError, parse_move
from solver.position import MAX_CARDS, Cards, Deal, Position, deduce_completed
from solver.referee import IllegalMove, apply
from solver.rules import Rules

COMMENT = "#"
EMPTY = "--"
"""An empty column, or no completed run."""
DEAL_LABEL = "deal:"
COMPLETED_LABEL = "completed:"

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
"""In the order of `solver.cards.SUIT_SYMBOLS`."""

_WORD = re.compile(r"[^\s,:]+:|[^\s,]+")
"""A label with its colon, which need not be followed by a space, or anything else between separators."""
_FACE_DOWN = re.compile(r"<(?P<card>[^<>]*)>")
_UNKNOWN = re.compile(r"<?(\?+|XX+|-|<>)>?", re.IGNORECASE)
"""How programs and people write a card that they cannot see."""


class NotationError(ValueError):
    """A text that is no position or no line; the message says where and what to write instead."""

    def __init__(self, problem: str, source: str, line: int | None = None, column: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        """Line in the text, the first is 1; None when the text as a whole is wrong."""
        self.column = column
        """Character in the line, the first is 1; None when the line as a whole is wrong."""
        place = ":".join(str(part) for part in (source, line, column) if part is not None)
        super().__init__(f"{place}: {problem}")


class _Word(NamedTuple):
    """A word of a text, with the place where it starts."""

    text: str
    source: str
    line: int
    column: int

    def error(self, problem: str) -> NotationError:
        return NotationError(problem, self.source, self.line, self.column)


# ---- positions -----------------------------------------------------------------------------------


def parse_position(text: str, rules: Rules, source: str = "<text>") -> Position:
    """Return the position that a text shows; `source` names the text in messages.

    Without a ``completed:`` line the runs that have left are deduced from the missing cards.
    Raises `NotationError` for a text of another form; check the value with `check_position`.
    """
    columns: list[Cards] = []
    face_down: list[int] = []
    rows: list[Cards] = []
    completed: tuple[Suit, ...] | None = None
    for first, *rest in _split(text, source):
        label = first.text.lower()
        if label == DEAL_LABEL:
            rows.append(_parse_row(first, rest))
        elif label == COMPLETED_LABEL:
            if completed is not None:
                raise first.error(f"a second {COMPLETED_LABEL!r} line: write all suits on one")
            completed = _parse_completed(rest)
        elif label.endswith(":"):
            raise first.error(
                f"{first.text!r} labels no line: a column has no label, a row of the stock starts with {DEAL_LABEL}, "
                f"the suits of the runs that have left with {COMPLETED_LABEL}"
            )
        elif rows or completed is not None:
            raise first.error(
                f"{first.text!r} starts a column after the stock: write the columns first, "
                f"and each row of the stock as {DEAL_LABEL} then its cards"
            )
        elif len(columns) == rules.columns:
            raise first.error(
                f"{first.text!r} starts column {len(columns) + 1}: the rules have {rules.columns}; "
                f"a row of the stock starts with {DEAL_LABEL}"
            )
        else:
            cards, down = _parse_column([first, *rest])
            columns.append(cards)
            face_down.append(down)
    if len(columns) < rules.columns:
        raise NotationError(
            f"{len(columns)} column{'s' if len(columns) != 1 else ''}: the rules have {rules.columns}; "
            f"write one line a column, {EMPTY} for an empty one",
            source,
        )
    if completed is None:
        completed = deduce_completed(columns, rows, rules)
    return Position(tuple(columns), tuple(face_down), tuple(rows), completed)


def format_position(position: Position) -> str:
    """Return the text of a position, the inverse of `parse_position`; it ends in a newline.

    The completed runs are left out only when all 104 cards are in play, where nothing can be missing;
    so the text of a Spider deal is columns and rows alone.
    """
    lines = [
        " ".join(f"<{card_name(card)}>" if index < down else card_name(card) for index, card in enumerate(cards))
        or EMPTY
        for cards, down in zip(position.columns, position.face_down, strict=True)
    ]
    lines += [f"{DEAL_LABEL} {_names(row)}".rstrip() for row in position.rows]
    in_play = position.cards_in_columns + sum(map(len, position.rows))
    if position.completed or in_play != MAX_CARDS:
        suits = " ".join(SUIT_SYMBOLS[suit] for suit in position.completed) or EMPTY
        lines.append(f"{COMPLETED_LABEL} {suits}")
    return "\n".join(lines) + "\n"


def _split(text: str, source: str) -> Iterator[list[_Word]]:
    """Yield the words of each line that has any, without comments."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        content = line.partition(COMMENT)[0]
        words = [_Word(match[0], source, number, match.start() + 1) for match in _WORD.finditer(content)]
        if words:
            yield words


def _parse_column(words: list[_Word]) -> tuple[Cards, int]:
    """Return the cards of a column and how many are face-down."""
    if words[0].text == EMPTY:
        if len(words) > 1:
            raise words[1].error(f"{words[1].text!r} follows {EMPTY}, which is an empty column: write one or the other")
        return (), 0
    cards: list[Card] = []
    face_down = 0
    for word in words:
        match = _FACE_DOWN.fullmatch(word.text)
        if match is None:
            cards.append(_parse_card(word, word.text))
            continue
        if face_down < len(cards):
            raise word.error(
                f"{word.text!r} is face-down but lies on the face-up {card_name(cards[-1])}: "
                "face-down cards come first, the bottom card of a column is written first"
            )
        cards.append(_parse_card(word, match["card"]))
        face_down += 1
    return tuple(cards), face_down


def _parse_row(label: _Word, words: list[_Word]) -> Cards:
    if not words:
        raise label.error(f"{DEAL_LABEL!r} without cards: write the cards of the row, or leave the line out")
    for word in words:
        if _FACE_DOWN.fullmatch(word.text) and not _UNKNOWN.fullmatch(word.text):
            raise word.error(f"{word.text!r} is in angle brackets: cards of the stock are written without")
    return tuple(_parse_card(word, word.text) for word in words)


def _parse_completed(words: list[_Word]) -> tuple[Suit, ...]:
    if [word.text for word in words] == [EMPTY]:
        return ()
    suits: list[Suit] = []
    for word in words:
        symbol = word.text.upper()
        if len(symbol) != 1 or symbol not in SUIT_SYMBOLS:
            raise word.error(
                f"{word.text!r} is not a suit: write one of {SUIT_SYMBOLS} for each completed run, or {EMPTY} for none"
            )
        suits.append(SUIT_SYMBOLS.index(symbol))
    return tuple(sorted(suits))


def _parse_card(word: _Word, text: str) -> Card:
    if _UNKNOWN.fullmatch(word.text):
        raise word.error(
            f"{word.text!r} is an unknown card: every card must be known, face-down ones too; write it as <TH>"
        )
    try:
        return parse_card(text)
    except CardError as error:
        raise word.error(str(error)) from None


# ---- lines ---------------------------------------------------------------------------------------


def parse_line(text: str, source: str = "<line>") -> Line:
    """Return the moves that a text lists; `source` names the text in messages.

    Raises `NotationError` for a word that is no move; play the line with `solver.referee.replay`.
    """
    moves: list[Move] = []
    words = iter([word for line in _split(text, source) for word in line])
    for word in words:
        token = word.text
        if token.lower() == "take":
            # The only token of two words; without its number it is no move, as `parse_move` then says.
            column = next(words, None)
            token = "take" if column is None else f"take {column.text}"
        try:
            moves.append(parse_move(token))
        except MoveError as error:
            raise word.error(str(error)) from None
    return tuple(moves)


def format_line(line: Iterable[Move]) -> str:
    """Return the tokens of a line separated by spaces, the inverse of `parse_line`."""
    return " ".join(map(str, line))


# ---- lines in words ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a line, told with the names of its cards; `str` gives it as one line of text."""

    move: Move
    text: str
    """What is done: ``JH TH 9H onto QS``."""
    notes: tuple[str, ...]
    """What it brings about: ``turns up 4C``, ``completes the run of hearts in column 8``, ``empties column 5``."""
    after: Position
    """The position after the move."""

    def __str__(self) -> str:
        return f"{self.move!s:<8} {', '.join((self.text, *self.notes))}"


def describe_line(start: Deal | Position, line: Iterable[Move], rules: Rules) -> Iterator[Step]:
    """Yield each move of a line in words, with the position after it.

    Raises `IllegalMove`, with the place in the line, on reaching a move that the rules forbid.
    """
    before = start.position() if isinstance(start, Deal) else start
    for index, move in enumerate(line, start=1):
        try:
            after = apply(before, move, rules)
        except IllegalMove as illegal:
            raise IllegalMove(move, illegal.reason, index) from None
        yield _describe(before, move, after)
        before = after


def _describe(before: Position, move: Move, after: Position) -> Step:
    if move.kind == "deal":
        row = before.rows[0]
        notes = [
            note
            for column, card in enumerate(row)
            for note in _target_notes((*before.columns[column], card), column, before, after)
        ]
        return Step(move, f"{_names(row)} onto columns 1 to {len(row)}", tuple(notes), after)
    source = before.columns[move.source]
    leaving = _leaving_notes(move.source, before, after)
    if move.kind == "take":
        text = f"the run of {SUIT_NAMES[suit_of(source[-1])]} leaves column {move.source + 1}"
        return Step(move, text, leaving, after)
    moving, target = source[-move.count :], before.columns[move.target]
    onto = card_name(target[-1]) if target else f"the empty column {move.target + 1}"
    notes = [*leaving, *_target_notes(target + moving, move.target, before, after)]
    return Step(move, f"{_names(moving)} onto {onto}", tuple(notes), after)


def _target_notes(full: Cards, column: int, before: Position, after: Position) -> Iterator[str]:
    """Yield what happened in a column that would hold the cards `full` had no run left it."""
    if len(after.columns[column]) < len(full):
        yield f"completes the run of {SUIT_NAMES[suit_of(full[-1])]} in column {column + 1}"
        yield from _leaving_notes(column, before, after)


def _leaving_notes(column: int, before: Position, after: Position) -> tuple[str, ...]:
    """Return what the leaving of cards from the end of a column brought about."""
    if not after.columns[column]:
        return (f"empties column {column + 1}",)
    if after.face_down[column] < before.face_down[column]:
        return (f"turns up {card_name(after.columns[column][-1])}",)
    return ()


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards))
