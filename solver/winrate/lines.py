"""Compact text of a winning line, and files of such lines.

A line of 170 moves takes about 400 characters instead of 1,100::

    58      one card from column 5 to column 8      (column 10 is written 0)
    58c     three cards: a letter counts them, b = 2 .. m = 13
    .       deal the next row
    !4      remove the completed run of column 4    (only under optional removal)

Moves follow each other without separators, as no move is the beginning of another one that could be meant: a letter
always belongs to the move before it.

A *file of lines* is such text, one deal a line, under a head that says which game it is; xz compresses it when its
name ends in ``.xz``::

    # spider lines 1
    # {"scheme": "pysolfc", "rules": {"preset": "standard", "suits": 4, ...}}
    ms1 58c39.4706b...
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from solver.move import DEAL, Line, Move, tableau_move, take
from solver.rules import Rules, RulesError

DEAL_TOKEN = "."
TAKE_TOKEN = "!"
COUNTS = "abcdefghijklm"
"""One letter for each number of cards, from 1; the first is never written."""
COLUMNS = "1234567890"

MAGIC = "# spider lines 1"

_MOVE = re.compile(r"(?P<source>[0-9])(?P<target>[0-9])(?P<count>[b-m]?)|(?P<deal>\.)|!(?P<take>[0-9])")


class LineFileError(ValueError):
    """A text that is no compact line, or a file that is no file of lines."""


def pack_line(line: Iterable[Move]) -> str:
    """Return the compact text of a line, the inverse of `unpack_line`."""
    return "".join(map(_pack, line))


def unpack_line(text: str) -> Line:
    """Return the moves of a compact text.

    Raises `LineFileError` where it is none; whether the moves are legal is the referee's question.
    """
    moves = []
    position = 0
    while position < len(text):
        match = _MOVE.match(text, position)
        if match is None:
            raise LineFileError(f"{text[position : position + 6]!r} at character {position + 1} is no compact move")
        if match["deal"]:
            moves.append(DEAL)
        elif match["take"]:
            moves.append(take(COLUMNS.index(match["take"])))
        else:
            count = 1 + COUNTS.index(match["count"] or COUNTS[0])
            moves.append(tableau_move(COLUMNS.index(match["source"]), COLUMNS.index(match["target"]), count))
        position = match.end()
    return tuple(moves)


def _pack(move: Move) -> str:
    if move.kind == "deal":
        return DEAL_TOKEN
    if move.kind == "take":
        return TAKE_TOKEN + COLUMNS[move.source]
    return COLUMNS[move.source] + COLUMNS[move.target] + (COUNTS[move.count - 1] if move.count > 1 else "")


# ---- files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineFile:
    """A file of lines: one game, and the winning line of each of its deals."""

    scheme: str
    rules: Rules
    lines: tuple[tuple[str, str], ...]
    """Number of the deal in its scheme, and the compact text of the line."""


def write_lines(path: Path, scheme: str, rules: Rules, lines: Iterable[tuple[str, str]]) -> None:
    """Write a file of lines; the same lines give the same bytes."""
    head = json.dumps({"scheme": scheme, "rules": rules.as_dict()})
    text = "".join(f"{line}\n" for line in (MAGIC, f"# {head}", *(" ".join(entry) for entry in lines)))
    data = text.encode("ascii")
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else data)


def is_line_file(path: Path) -> bool:
    """Tell a file of lines from a store by its first bytes."""
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    return start == MAGIC.encode() or start.startswith(b"\xfd7zXZ\0")


def read_lines(path: Path) -> LineFile:
    """Read a file of lines; raises `LineFileError` when it is none."""
    data = path.read_bytes()
    try:
        text = (lzma.decompress(data) if data.startswith(b"\xfd7zXZ\0") else data).decode("ascii")
        magic, head, *rest = text.splitlines()
        if magic != MAGIC:
            raise ValueError
        game = json.loads(head.removeprefix("# "))
        rules = rules_from_dict(game["rules"])
        entries = tuple(_split(line) for line in rest)
    except (lzma.LZMAError, ValueError, KeyError, TypeError, RulesError):
        raise LineFileError(f"{str(path)!r} is no file of lines, or it was cut off") from None
    return LineFile(game["scheme"], rules, entries)


def rules_from_dict(values: dict[str, object]) -> Rules:
    """Return the rules that `Rules.as_dict` wrote."""
    return Rules(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})  # type: ignore[arg-type]


def _split(line: str) -> tuple[str, str]:
    number, _, text = line.partition(" ")
    if not text:
        raise ValueError
    return number, text
