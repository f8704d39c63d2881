"""Formats that a game is written in; each reads back through `solver.start.start_from_data`.

==============  ===============================================================================
``text``        our own text, a line a column
``table``       the tableau as the rows of a table, top row first, then our rows of the stock
``talon``       the whole stock on a line ``Talon:``, next card first, then a line a column, as PySolFC's
                tools write games with a stock
``json``        our own JSON
``solvitaire``  the JSON of Solvitaire
==============  ===============================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import zip_longest

from solver.files import solvitaire
from solver.notation import format_position, name_of
from solver.show.board import board_json, board_text
from solver.start import PartialStart, Start

SCHEMA = 1
"""Version of the JSON objects; it rises when a field changes its meaning or goes."""
NO_CARD = "."
"""A cell of a table below the end of its column."""

Writer = Callable[[Start | PartialStart], str]


def write_table(start: Start | PartialStart) -> str:
    """Return the game as rows of a table; it ends in a newline."""
    shown = start.shown
    columns = [
        [f"<{name_of(card)}>" if index < down else name_of(card) for index, card in enumerate(column)]
        for column, down in zip(shown.columns, shown.face_down, strict=True)
    ]
    rows = list(zip_longest(*columns, fillvalue=NO_CARD)) or [(NO_CARD,) * len(columns)]
    digits = len(str(len(rows)))
    lines = [
        f"row {number:>{digits}}: " + " ".join(f"{cell:>4}" for cell in row) for number, row in enumerate(rows, start=1)
    ]
    return "\n".join(lines) + "\n" + _below_columns(start)


def write_talon(start: Start | PartialStart) -> str:
    """Return the game with its stock in one line before the columns; it ends in a newline."""
    text = format_position(start.shown).splitlines(keepends=True)
    columns, rest = text[: len(start.shown.columns)], text[len(start.shown.columns) + len(start.shown.rows) :]
    stock = [name_of(card) for row in start.shown.rows for card in row]
    return (f"Talon: {' '.join(stock)}\n" if stock else "") + "".join(columns + rest)


def write_json(start: Start | PartialStart) -> str:
    """Return the game as our own JSON; it ends in a newline."""
    header = {"schema": SCHEMA, "deal": {"id": start.id, "suits": start.rules.suits}}
    return json.dumps(header | board_json(start)) + "\n"


WRITERS: Mapping[str, Writer] = {
    "text": board_text,
    "table": write_table,
    "talon": write_talon,
    "json": write_json,
    "solvitaire": lambda start: solvitaire.write(start.shown, start.rules),
}


def _below_columns(start: Start | PartialStart) -> str:
    return "".join(format_position(start.shown).splitlines(keepends=True)[len(start.shown.columns) :])
