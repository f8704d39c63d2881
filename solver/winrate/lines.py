"""Short texts of a winning line: one for the store, a shorter one for files that are published.

*Compact* text takes about 400 characters for a line of 170 moves instead of 1,100, and can be read::

    58      one card from column 5 to column 8      (column 10 is written 0)
    58c     three cards: a letter counts them, b = 2 .. m = 13
    .       deal the next row
    !4      remove the completed run of column 4    (only under optional removal)

Moves follow each other without separators, as a letter always belongs to the move before it.

*Places* name each move by its place, from 0, among the legal moves, in the order of `solver.referee.legal_moves`: by
source, target and count, then takes, then the deal.  A place below 90 is one character, ``!`` to ``z`` of ASCII;
a larger one is ``~`` and two such digits to the base of 90.  They can be read only while the game is played, and take
half the room of compact text when compressed.

A *file of lines* is one deal a line, in places, under a head that says which game it is, compressed by xz::

    # spider lines 1
    # {"scheme": "pysolfc", "rules": {"preset": "standard", "suits": 4, ...}}
    ms1 +&%1!...

``spider verify FILE --print`` replays such a file and prints its lines as ordinary moves.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from solver.move import DEAL, Line, Move, tableau_move, take
from solver.position import Deal
from solver.referee import apply, legal_moves
from solver.rules import Rules, RulesError

DEAL_TOKEN = "."
TAKE_TOKEN = "!"
COUNTS = "abcdefghijklm"
"""One letter for each number of cards, from 1; the first is never written."""
COLUMNS = "1234567890"

MAGIC = "# spider lines 1"
XZ_MAGIC = b"\xfd7zXZ\0"

BASE = 90
"""Places that one character can write."""
FIRST_DIGIT = ord("!")
LARGE = "~"
"""Before a place of two digits; no digit itself."""
assert ord(LARGE) >= FIRST_DIGIT + BASE

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


def pack_places(start: Deal, line: Iterable[Move], rules: Rules) -> str:
    """Return a line as places, the inverse of `unpack_places`; raises `IllegalMove` like a replay."""
    text = []
    position = start.position()
    for move in line:
        after = apply(position, move, rules)
        place = legal_moves(position, rules).index(move)
        digits = divmod(place, BASE)
        text.append(_digit(place) if place < BASE else LARGE + "".join(map(_digit, digits)))
        position = after
    return "".join(text)


def unpack_places(start: Deal, text: str, rules: Rules) -> Line:
    """Return the moves that places name from a deal on; raises `LineFileError` where there is no such move."""
    moves: list[Move] = []
    position = start.position()
    characters = iter(text)
    for character in characters:
        if character == LARGE:
            place = BASE * _value(next(characters, "")) + _value(next(characters, ""))
        else:
            place = _value(character)
        legal = legal_moves(position, rules)
        if not 0 <= place < len(legal):
            raise LineFileError(f"move {len(moves) + 1} is number {place} of {len(legal)} legal moves")
        moves.append(legal[place])
        position = apply(position, legal[place], rules)
    return tuple(moves)


def _digit(value: int) -> str:
    return chr(FIRST_DIGIT + value)


def _value(character: str) -> int:
    value = ord(character) - FIRST_DIGIT if character else BASE
    if not 0 <= value < BASE:
        raise LineFileError(f"{character!r} is no digit of a place")
    return value


# ---- files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineFile:
    """A file of lines: one game, and the winning line of each of its deals."""

    scheme: str
    rules: Rules
    lines: tuple[tuple[str, str], ...]
    """Number of the deal in its scheme, and the places of its line."""


def write_lines(path: Path, scheme: str, rules: Rules, lines: Iterable[tuple[str, str]]) -> None:
    """Write a file of lines from numbers of deals and places; the same lines give the same bytes."""
    head = json.dumps({"scheme": scheme, "rules": rules.as_dict()})
    text = "".join(f"{line}\n" for line in (MAGIC, f"# {head}", *(" ".join(entry) for entry in lines)))
    data = text.encode("ascii")
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def is_line_file(path: Path) -> bool:
    """Tell a file of lines from a store by its first bytes; one that is not there is none."""
    try:
        with path.open("rb") as file:
            return file.read(len(XZ_MAGIC)) == XZ_MAGIC
    except OSError:
        return False


def read_lines(path: Path) -> LineFile:
    """Read a file of lines; raises `LineFileError` when it is none."""
    try:
        text = lzma.decompress(path.read_bytes()).decode("ascii")
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
