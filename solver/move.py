"""Moves: what a player can do, and the token that writes it.

==========  =======================================================================
``5-8x3``   three cards from column 5 to column 8 (columns 1..10 from the left)
``deal``    deal the next row of the stock
``take 4``  remove the completed run of column 4 (only under optional removal)
==========  =======================================================================

A *line* is a list of moves in order.  Columns count from 0 in code and from 1 in text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["move", "deal", "take"]
Column: TypeAlias = int


class MoveError(ValueError):
    """A text that is no move token."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move; `str` gives its token and `parse_move` reads it back."""

    kind: Kind
    source: Column = -1
    """Column, from 0, that the cards leave; -1 for a deal."""
    target: Column = -1
    """Column, from 0, that the cards go to; -1 for a deal or a take."""
    count: int = 0
    """Cards moved; 0 for a deal or a take."""

    def __str__(self) -> str:
        if self.kind == "deal":
            return "deal"
        if self.kind == "take":
            return f"take {self.source + 1}"
        return f"{self.source + 1}-{self.target + 1}x{self.count}"


Line: TypeAlias = tuple[Move, ...]

DEAL = Move("deal")

_TOKEN = re.compile(
    r"(?P<deal>deal)|take\s+(?P<take>\d{1,2})|(?P<source>\d{1,2})-(?P<target>\d{1,2})x(?P<count>\d{1,2})"
)


def tableau_move(source: Column, target: Column, count: int) -> Move:
    """Return the move of `count` cards between two columns, counted from 0."""
    return Move("move", source, target, count)


def take(column: Column) -> Move:
    """Return the removal of the completed run at the end of a column, counted from 0."""
    return Move("take", column)


def parse_move(token: str) -> Move:
    """Return the move that a token writes.

    Raises `MoveError` when it is none; whether the move is legal is the referee's question.
    """
    match = _TOKEN.fullmatch(token.strip().lower())
    if match is None:
        raise MoveError(
            f"{token!r} is not a move: write 5-8x3 (three cards from column 5 to column 8), deal, or take 4"
        )
    if match["deal"]:
        return DEAL
    if match["take"]:
        return take(int(match["take"]) - 1)
    return tableau_move(int(match["source"]) - 1, int(match["target"]) - 1, int(match["count"]))
