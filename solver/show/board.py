"""The board of a game, all cards known: as text that reads back, and as JSON types.

The text is that of `solver.notation` under two lines of comment::

    # pysolfc:12345
    # 4 suits, layout spread
    <6D> <AS> <TH> <5H> <KC> 9C
    ...
    deal: 4H 6D TH 4S QS 2H 5C 7S 9H JC
"""

from __future__ import annotations

from typing import Any

from solver.cards import SUIT_SYMBOLS, card_name
from solver.notation import COMMENT, format_position
from solver.position import stage_of
from solver.start import Start, layout_name


def board_text(start: Start) -> str:
    """Return the board as text that `solver.notation.parse_position` reads; it ends in a newline."""
    suits = start.rules.suits
    # A file's name can hold anything, and a line break would end the comment.
    title = " ".join(start.id.split())
    comments = [title, f"{suits} suit{'s' if suits > 1 else ''}, layout {layout_name(start.rules.heights)}"]
    return "".join(f"{COMMENT} {comment}\n" for comment in comments) + format_position(start.position)


def board_json(start: Start) -> dict[str, Any]:
    """Return the board as JSON types: columns bottom card first, rows in dealing order, suits as letters."""
    position = start.position
    return {
        "rules": start.rules.as_dict(),
        "columns": [
            [{"card": card_name(card), "face_up": index >= face_down} for index, card in enumerate(column)]
            for column, face_down in zip(position.columns, position.face_down, strict=True)
        ],
        "rows": [[card_name(card) for card in row] for row in position.rows],
        "completed": [SUIT_SYMBOLS[suit] for suit in position.completed],
        "stage": stage_of(position, start.rules),
    }
