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
what to write instead; other forms that people write are understood by `solver.reading`.  Whether the cards make
a pack is asked by `solver.position.check_position`, whether the moves are legal by `solver.referee`.  What is
printed here reads back unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from solver.cards import SUIT_SYMBOLS, Card, card_name, suit_of
from solver.move import Line, Move, MoveError, parse_move
from solver.partial import UNKNOWN, PartialPosition
from solver.position import MAX_CARDS, Cards, Deal, Position, deduce_completed
from solver.reading import COMPLETED_LABEL, DEAL_LABEL, EMPTY, read_text
from solver.referee import IllegalMove, apply
from solver.rules import Rules
from solver.words import COMMENT, NotationError, split_words

__all__ = [
    "COMMENT",
    "NotationError",
    "Step",
    "describe_line",
    "describe_move",
    "format_line",
    "format_position",
    "parse_line",
    "parse_position",
]

UNKNOWN_NAME = "?"

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
"""In the order of `solver.cards.SUIT_SYMBOLS`."""

# ---- positions -----------------------------------------------------------------------------------


def parse_position(text: str, rules: Rules, source: str = "<text>") -> Position:
    """Return the position that a text shows; `source` names the text in messages.

    Without a ``completed:`` line the runs that have left are deduced from the missing cards.
    Raises `NotationError` for what is no position, for unknown cards and for doubtful words, which `solver.reading`
    takes; check the value with `check_position`.
    """
    reading = read_text(text, rules.columns, source)
    partial = reading.position
    if reading.first_unknown is not None:
        word = reading.first_unknown
        raise word.error(f"{word.quoted} is an unknown card: every card must be known, face-down ones too; write <TH>")
    if reading.doubts:
        word, meaning, _ = reading.doubts[0]
        raise word.error(f"{word.quoted} is doubtful, it could be {meaning.removeprefix('taken for ')}: write it so")
    completed = partial.completed
    if completed is None:
        completed = deduce_completed(partial.columns, partial.rows, rules)
    return Position(partial.columns, partial.face_down, partial.rows, completed)


def format_position(position: Position | PartialPosition) -> str:
    """Return the text of a position, the inverse of `parse_position`; it ends in a newline.

    The completed runs are left out only when all 104 cards are in play, where nothing can be missing;
    so the text of a Spider deal is columns and rows alone.  Unknown cards are written as ``?``.
    """
    lines = [
        " ".join(f"<{name_of(card)}>" if index < down else name_of(card) for index, card in enumerate(cards)) or EMPTY
        for cards, down in zip(position.columns, position.face_down, strict=True)
    ]
    lines += [f"{DEAL_LABEL} {_names(row)}".rstrip() for row in position.rows]
    in_play = sum(map(len, (*position.columns, *position.rows)))
    if position.completed is not None and (position.completed or in_play != MAX_CARDS):
        suits = " ".join(SUIT_SYMBOLS[suit] for suit in position.completed) or EMPTY
        lines.append(f"{COMPLETED_LABEL} {suits}")
    return "\n".join(lines) + "\n"


def name_of(card: Card) -> str:
    """Return the name of a card, ``?`` for an unknown one."""
    return UNKNOWN_NAME if card == UNKNOWN else card_name(card)


# ---- lines ---------------------------------------------------------------------------------------


def parse_line(text: str, source: str = "<line>") -> Line:
    """Return the moves that a text lists; `source` names the text in messages.

    Raises `NotationError` for a word that is no move; play the line with `solver.referee.replay`.
    """
    moves: list[Move] = []
    words = iter([word for line in split_words(text, source) for word in line])
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
        yield describe_move(before, move, after)
        before = after


def describe_move(before: Position, move: Move, after: Position) -> Step:
    """Return a legal move in words; cards that are `UNKNOWN` in the positions before and after it stay unsaid."""
    if move.kind == "deal":
        row = before.rows[0]
        notes = [
            note
            for column, card in enumerate(row)
            if card != UNKNOWN
            for note in _target_notes((*before.columns[column], card), column, before, after)
        ]
        cards = "a row" if UNKNOWN in row else _names(row)
        return Step(move, f"{cards} onto columns 1 to {len(row)}", tuple(notes), after)
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
        card = after.columns[column][-1]
        return (f"turns up {'a card' if card == UNKNOWN else card_name(card)}",)
    return ()


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(name_of, cards))
