"""What the readers of save files share: what they return, how they fail, and how much they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solver.cards import Card, Suit, suit_of
from solver.partial import PartialPosition
from solver.position import Cards, Deal

MAX_FILE = 8 << 20
"""Bytes; the largest are Windows saves, which hold a picture."""


class FileError(ValueError):
    """A file that is no game of its format; the message says where and what is wrong."""

    def __init__(self, problem: str, source: str, place: str = "") -> None:
        self.problem = problem
        self.source = source
        super().__init__(f"{source}: {place}{': ' if place else ''}{problem}")


@dataclass(frozen=True)
class SavedGame:
    """What a save file holds, checked for form only."""

    format: str
    """What the file is, in words: ``PySolFC save``."""
    current: PartialPosition
    """The position in which the game was left."""
    original: Deal | None
    """The deal that the game started from, where the file tells."""
    suits: int
    rules: str = "standard"
    """The preset that the program plays by."""
    notes: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The program that wrote the file."""
        return self.format.removesuffix(" save")


def completed_suits(piles: Sequence[Cards]) -> tuple[Suit, ...]:
    """Return the suits of piles that hold a completed run each."""
    return tuple(sorted(suit_of(pile[0]) for pile in piles if pile))


def rows_of(stock: Sequence[Card], columns: int = 10) -> tuple[Cards, ...]:
    """Return a stock, next card first, as rows of one card a column; the last row may be short."""
    return tuple(tuple(stock[at : at + columns]) for at in range(0, len(stock), columns))


def same_game(deal: Deal, current: PartialPosition, completed: Sequence[Suit]) -> bool:
    """Return whether a position can come from a deal: the same cards, and the rows left are the last ones."""
    left = len(current.rows)
    if left > len(deal.rows) or current.rows != deal.rows[len(deal.rows) - left :]:
        return False
    in_deal = sorted(card for pile in (*deal.columns, *deal.rows) for card in pile)
    run = [suit << 4 | rank for suit in completed for rank in range(1, 14)]
    return in_deal == sorted([*current.cards, *run])
