"""A page that replays a line: one file of HTML that needs a browser and nothing else, neither network nor server.

The referee plays the line here, and the page holds every position that it passes; the script in the page draws
positions and knows no rules.  The data, in the script element ``data``::

    {"title": "pysolfc:12345", "about": "4 suits, layout spread",
     "frames": [{"columns": [[5, "6DASTH5HKC9C"], ...],    face-down cards of the column, its cards two letters each
                 "rows": 5,                                left in the stock
                 "gone": "HS",                             suits of the completed runs that have left
                 "move": "5-8x3", "text": "JH TH 9H onto QS", "notes": ["turns up 4C"],
                 "changed": [[7, 3], ...]}, ...]}          columns that the move brought cards to, how many each

A content security policy forbids the page every request, so whatever a title holds, nothing is loaded.  Colours follow
the light or dark setting of the reader, suits differ by form and by colour, and what a step does is read aloud by
programs that read screens.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import Any

from solver.cards import SUIT_SYMBOLS, card_name
from solver.move import Line
from solver.position import Position
from solver.show.replay import Frame, frames_of
from solver.start import Start, describe_rules


def replay_page(start: Start, line: Line) -> str:
    """Return the page; raises `IllegalMove` where the rules forbid a move of the line."""
    title = " ".join(start.id.split())
    frames = frames_of(start, line)
    data = {
        "title": title,
        "about": describe_rules(start.rules),
        "frames": [_frame_json(frame, frames[index - 1] if index else None) for index, frame in enumerate(frames)],
    }
    # Inside a script element only "</" and "<!" could end it or change how it is read.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    template = resources.files("solver.show").joinpath("replay.html").read_text(encoding="utf-8")
    return template.replace("{{title}}", html.escape(title)).replace("{{data}}", text)


def _frame_json(frame: Frame, before: Frame | None) -> dict[str, Any]:
    position = frame.position
    values: dict[str, Any] = {
        "columns": [
            [down, "".join(map(card_name, cards))]
            for down, cards in zip(position.face_down, position.columns, strict=True)
        ],
        "rows": len(position.rows),
        "gone": "".join(SUIT_SYMBOLS[suit] for suit in position.completed),
    }
    if frame.step is not None and before is not None:
        values |= {
            "move": str(frame.step.move),
            "text": frame.step.text,
            "notes": list(frame.step.notes),
            "changed": _changed(frame, before.position),
        }
    return values


def _changed(frame: Frame, before: Position) -> list[list[int]]:
    """Return the columns that have new cards on top, and how many."""
    assert frame.step is not None
    move = frame.step.move
    if move.kind == "move":
        candidates = [(move.target, move.count)]
    elif move.kind == "deal":
        candidates = [(column, 1) for column in range(len(before.rows[0]))]
    else:
        candidates = []
    after = frame.position.columns
    # Where a run has left there is nothing to point at.
    return [
        [column, count] for column, count in candidates if len(after[column]) == len(before.columns[column]) + count
    ]
