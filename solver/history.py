"""The history of a game: a deal and the moves played, read from a text, and the verdict after every move.

A record of play is a position as text, then the moves::

    <6D> <AS> <TH> <5H> <KC> 9C           any form that `solver.start` reads
    ...
    moves: 5-7x1 6-2x1                    everything after the label, over as many lines as there are
    deal 4-5x1

or the moves alone where the deal is named otherwise.  Moves may also be the output of ``spider solve``, whose numbered
lines are taken, or its JSON.

Verdicts along a game fall and never rise: what is won at a move was won before it, what is lost stays lost.  So a few
searches in the middle decide it all, and where one is undecided both sides of it are asked.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from solver.judge import Judge, can_be_taken_back
from solver.move import Line
from solver.notation import parse_line
from solver.position import Position
from solver.referee import IllegalMove, apply
from solver.rules import Rules
from solver.search import Verdict
from solver.words import COMMENT, NotationError

MOVES_LABEL = "moves:"
FIRST_EXPANSIONS = 50_000
"""Budget of a search in the first round; each further round has four times as much."""
ROUND_FACTOR = 4
SHARE_OF_A_SEARCH = 0.25
"""Of the time that is left, at most for one search: an undecided position may have decided neighbours."""

_LABEL = re.compile(r"\s*moves\s*:", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*\d+\s{2,}(?P<move>deal|take\s+\d+|\d+-\d+x\d+)(?=\s|$)", re.IGNORECASE)
_NUMBERED_ANYTHING = re.compile(r"\s*\d+\s{2,}(?P<move>\S.*)")


# ---- reading -------------------------------------------------------------------------------------


def split_record(text: str) -> tuple[str, str]:
    """Return the text of the position and that of the moves, each with its lines where they were."""
    lines = text.removeprefix("\ufeff").splitlines()
    for number, line in enumerate(lines):
        if _LABEL.match(line.partition(COMMENT)[0]):
            moves = _LABEL.sub("", line, count=1)
            # Lines and characters keep their places, which messages name.
            moves = " " * (len(line) - len(moves)) + moves
            return "\n".join(lines[:number]), "\n" * number + "\n".join([moves, *lines[number + 1 :]])
    return text, ""


def read_line(text: str, source: str) -> Line:
    """Return the moves of a text: tokens, the output of ``spider solve``, or its JSON; `source` names the text.

    Raises `NotationError` with the place of what is no move.
    """
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped.startswith("{"):
        return _read_json(stripped, source)
    lines = text.splitlines()
    if any(map(_NUMBERED.match, lines)):
        # Everything but the moves becomes blank, so that what is wrong is still named with its place.
        lines = [_only_move(line) for line in lines]
    return parse_line("\n".join(lines), source)


def _only_move(line: str) -> str:
    match = _NUMBERED.match(line)
    if match:
        return " " * match.start("move") + match["move"]
    match = _NUMBERED_ANYTHING.match(line)
    return " " * match.start("move") + match["move"].split()[0] if match else ""


def _read_json(text: str, source: str) -> Line:
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"it starts like JSON and is none: {error}", source) from None
    line = values.get("line")
    if not isinstance(line, list) or not all(isinstance(move, str) for move in line):
        raise NotationError('the JSON has no "line", a list of moves such as "5-8x3"', source)
    return parse_line(" ".join(line), source)


# ---- checking ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checked:
    """The verdicts along a game: number 0 is the start, number n the position after move n."""

    verdicts: tuple[Verdict, ...]
    searches: int
    expansions: int

    @property
    def last_win(self) -> int | None:
        """The last number that is known to be won."""
        wins = [number for number, verdict in enumerate(self.verdicts) if verdict == "win"]
        return wins[-1] if wins else None

    @property
    def first_loss(self) -> int | None:
        """The first number that is proved lost."""
        return next((number for number, verdict in enumerate(self.verdicts) if verdict == "loss"), None)

    @property
    def turning_move(self) -> int | None:
        """The number of the move that turned a win into a loss; None where that is not certain."""
        if self.last_win is None or self.first_loss is None or self.last_win + 1 != self.first_loss:
            return None
        return self.first_loss


def positions_of(start: Position, line: Line, rules: Rules) -> list[Position]:
    """Return the position before the first move and that after each.

    Raises `IllegalMove` for the first move that the rules forbid, with its place in the line.
    """
    positions = [start]
    for index, move in enumerate(line, start=1):
        try:
            positions.append(apply(positions[-1], move, rules))
        except IllegalMove as illegal:
            raise IllegalMove(move, illegal.reason, index) from None
    return positions


def check(start: Position, line: Line, judge: Judge) -> Checked:
    """Return the verdicts along a game, as far as the judge's budget goes.

    Raises `IllegalMove` for the first move that the rules forbid, with its place in the line.
    """
    positions = positions_of(start, line, judge.rules)
    stops = _stops(positions, line, judge.rules)
    won, lost = -1, len(stops)
    expansions = FIRST_EXPANSIONS
    while lost - won > 1:
        won, lost, decided = _round(positions, stops, won, lost, judge, expansions)
        if judge.seconds_left <= 0 and judge.searches:
            break
        if not decided:
            expansions *= ROUND_FACTOR
    verdicts: list[Verdict] = []
    for number in range(len(positions)):
        stop = next(index for index, last in enumerate(stops) if number <= last)
        verdicts.append("win" if stop <= won else "loss" if stop >= lost else "timeout")
    return Checked(tuple(verdicts), judge.searches, judge.expansions)


def _stops(positions: list[Position], line: Line, rules: Rules) -> list[int]:
    """Return the numbers before which the game cannot return: the verdict may change only after one of them."""
    final = [
        number
        for number, move in enumerate(line)
        if not can_be_taken_back(positions[number], move, positions[number + 1], rules)
    ]
    return [*final, len(line)]


def _round(
    positions: list[Position], stops: list[int], won: int, lost: int, judge: Judge, expansions: int
) -> tuple[int, int, bool]:
    """Ask about the stops between the last won and the first lost one; return both anew, and whether any was decided.

    The end is asked first, for a game that is still won there needs no other question.
    """
    decided = False
    gaps = [(won, lost)]
    ask_end = lost == len(stops)
    while gaps:
        low, high = gaps.pop()
        low, high = max(low, won), min(high, lost)
        if high - low < 2:
            continue
        middle = high - 1 if ask_end else (low + high) // 2
        ask_end = False
        if judge.searches and judge.seconds_left <= 0:
            break
        verdict = judge.verdict(
            positions[stops[middle]], seconds=SHARE_OF_A_SEARCH * judge.seconds_left, expansions=expansions
        )
        if verdict == "win":
            # The line that was found may follow the game for a while.
            won = max(stop for stop in range(middle, lost) if judge.known(positions[stops[stop]]) == "win")
            decided = True
            gaps.append((won, high))
        elif verdict == "loss":
            lost = middle
            decided = True
            gaps.append((low, middle))
        else:
            gaps += [(low, middle), (middle, high)]
    return won, lost, decided
