"""The board of a game: as text that reads back, as JSON types, and as a picture for a terminal.

The text is that of `solver.notation` under two lines of comment::

    # pysolfc:12345
    # 4 suits, layout spread
    <6D> <AS> <TH> <5H> <KC> 9C
    ...
    deal: 4H 6D TH 4S QS 2H 5C 7S 9H JC

The picture has the columns side by side, as on the screen of a game, face-down cards in angle brackets and dim,
suits by letter and by colour, and below them the rows in the order in which they are dealt::

         1    2    3  ...
       <6D> <7C> <AD>
         9C
    next 4H   6D   TH
"""

from __future__ import annotations

from typing import Any

import click

from solver.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUIT_SYMBOLS, Card, suit_of
from solver.notation import COMMENT, format_position, name_of
from solver.partial import UNKNOWN
from solver.reading import EMPTY
from solver.start import PartialStart, Start, layout_name

SUIT_COLOURS: dict[int, str | None] = {CLUBS: "green", DIAMONDS: "cyan", HEARTS: "red", SPADES: None}
"""Four colours, so that no two suits look alike; spades have that of the text."""

LABEL = 6
"""Characters before the first column."""
CELLS = (5, 4)
"""Characters of a column, the first that fits the terminal; a face-down card takes four."""


def board_text(start: Start | PartialStart) -> str:
    """Return the board as text that `solver.notation.parse_position` reads; it ends in a newline."""
    return "".join(f"{COMMENT} {line}\n" for line in _title(start)) + format_position(start.shown)


def board_json(start: Start | PartialStart) -> dict[str, Any]:
    """Return the board as JSON types: columns bottom card first, rows in dealing order, suits as letters.

    An unknown card is None.
    """
    shown = start.shown
    return {
        "rules": start.rules.as_dict(),
        "columns": [
            [{"card": _json_name(card), "face_up": index >= face_down} for index, card in enumerate(column)]
            for column, face_down in zip(shown.columns, shown.face_down, strict=True)
        ],
        "rows": [[_json_name(card) for card in row] for row in shown.rows],
        "completed": None if shown.completed is None else [SUIT_SYMBOLS[suit] for suit in shown.completed],
        "stage": max(len(start.rules.rows) - len(shown.rows), 0),
    }


def board_picture(start: Start | PartialStart, width: int) -> str:
    """Return the board for a terminal of so many characters a line, in colours; it ends in a newline.

    Where the columns do not fit beside each other, each takes a line.
    """
    shown = start.shown
    lines = list(_title(start))
    cell = next((cell for cell in CELLS if LABEL + cell * len(shown.columns) <= width), None)
    if cell is None:
        lines += _lines(start)
    else:
        numbers = "".join(f"{number:>{cell}}" for number in range(1, len(shown.columns) + 1))
        lines.append(" " * LABEL + numbers)
        for height in range(max(1, *map(len, shown.columns))):
            cells = [
                _cell(column, down, height, cell) for column, down in zip(shown.columns, shown.face_down, strict=True)
            ]
            lines.append(" " * LABEL + "".join(cells))
        for index, row in enumerate(shown.rows):
            label = "next" if index == 0 else f"+{index}"
            lines.append(f"{label:<{LABEL}}" + "".join(_padded(name_of(card), card, cell) for card in row))
    if shown.completed:
        lines.append("completed: " + " ".join(_coloured(SUIT_SYMBOLS[suit], suit) for suit in shown.completed))
    return "\n".join(lines) + "\n"


def _title(start: Start | PartialStart) -> tuple[str, str]:
    suits = start.rules.suits
    # A file's name can hold anything, and a line break would end the comment.
    title = " ".join(start.id.split())
    return title, f"{suits} suit{'s' if suits > 1 else ''}, layout {layout_name(start.rules.heights)}"


def _lines(start: Start | PartialStart) -> list[str]:
    """Return a line for each column and each row, as the text has them but in colours."""
    shown = start.shown
    lines = []
    for number, (column, down) in enumerate(zip(shown.columns, shown.face_down, strict=True), start=1):
        cards = [_padded(_marked(card, index < down), card, 0, dim=index < down) for index, card in enumerate(column)]
        lines.append(f"{number:>2}: " + (" ".join(cards) or EMPTY))
    for index, row in enumerate(shown.rows):
        label = "next" if index == 0 else f"+{index}"
        lines.append(f"{label}: " + " ".join(_padded(name_of(card), card, 0) for card in row))
    return lines


def _cell(column: tuple[Card, ...], down: int, height: int, width: int) -> str:
    if height >= len(column):
        return f"{EMPTY:>{width}}" if not column and height == 0 else " " * width
    card = column[height]
    return _padded(_marked(card, height < down), card, width, dim=height < down)


def _marked(card: Card, is_down: bool) -> str:
    return f"<{name_of(card)}>" if is_down else name_of(card)


def _padded(text: str, card: Card, width: int, *, dim: bool = False) -> str:
    # Open cards stand one to the left of the edge, under the names of the face-down ones.
    edge = "" if text.endswith(">") or not width else " "
    suit = None if card == UNKNOWN else suit_of(card)
    return " " * (width - len(text) - len(edge)) + _coloured(text, suit, dim=dim) + edge


def _coloured(text: str, suit: int | None, *, dim: bool = False) -> str:
    colour = None if suit is None else SUIT_COLOURS[suit]
    return click.style(text, fg=colour, dim=dim or None, bold=None if dim else True)


def _json_name(card: Card) -> str | None:
    return None if card == UNKNOWN else name_of(card)
