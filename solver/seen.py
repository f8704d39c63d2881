"""What a player sees of a game, and what the cards that nobody has seen may be.

Face-down cards and the stock have not been seen.  Which cards they are together is known, for it is what the open
cards and the completed runs leave; which lies where is not.  Each way to lay them is an *arrangement*::

    seen          columns[0] = (UNKNOWN, UNKNOWN, 9C)      hidden  {TS: 1, 4D: 1}
    arrangements  (TS, 4D, 9C) and (4D, TS, 9C)            few: all of them; many: some, drawn at random

Every arrangement is searched as if all its cards were known, so a share of arrangements won is an upper bound of what
a player can reach who learns the cards one by one.  A *view* with one arrangement, and no unknown card, is a game of
which all is known.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import factorial, prod

from solver.cards import Card
from solver.move import Line, Move
from solver.partial import UNKNOWN, PartialPosition, partial_of
from solver.position import Cards, Position
from solver.referee import apply
from solver.rules import Rules
from solver.start import PartialStart, Start


@dataclass(frozen=True)
class View:
    """What is known of a game, and the arrangements of the rest that are to be searched."""

    shown: PartialPosition
    """The position, cards that nobody has seen as `UNKNOWN`."""
    arrangements: tuple[Position, ...]
    """Positions that it may be, different ones; at least one."""
    count: int
    """How many different positions it may be."""

    @property
    def is_whole(self) -> bool:
        """Whether all arrangements are among those to be searched."""
        return len(self.arrangements) == self.count

    @property
    def position(self) -> Position:
        """One of the arrangements; what is seen is the same in all."""
        return self.arrangements[0]


def view_of(start: Start | PartialStart, *, peek: bool, samples: int, seed: int = 0) -> View:
    """Return what is known of a game: all that the input says with `peek`, else what a player sees.

    There are `samples` arrangements at most; the same seed draws the same ones.  Where the input has unknown cards
    itself, those that it names were seen.

    Raises `ValueError` when not even the hidden cards are certain.
    """
    if isinstance(start, PartialStart):
        if start.fillings is None:
            raise ValueError(start.problem)
        return _view(start.shown, start.missing, samples, seed)
    if peek:
        return View(partial_of(start.position), (start.position,), 1)
    # Which cards are hidden, all together, is no secret: they are what the open ones leave of the packs.
    return _view(as_seen(start.position), _hidden(start.position), samples, seed)


def as_seen(position: Position) -> PartialPosition:
    """Return a position as a player sees it: face-down cards and the stock unknown."""
    columns = tuple(
        (UNKNOWN,) * down + cards[down:] for cards, down in zip(position.columns, position.face_down, strict=True)
    )
    rows = tuple((UNKNOWN,) * len(row) for row in position.rows)
    return PartialPosition(columns, position.face_down, rows, position.completed)


def seen_after(shown: PartialPosition, after: Position) -> PartialPosition:
    """Return what is seen of the position after a move; `shown` is what was seen before it."""
    return _seen(shown, after, after.face_down)


def foreseen(shown: PartialPosition, after: Position) -> PartialPosition:
    """Return what can be said of the position after a move before it is played: what it turns up stays unknown."""
    foreseen = _seen(shown, after, shown.face_down)
    if len(after.rows) == len(shown.rows):
        return foreseen
    row = shown.rows[0]
    dealt = tuple(
        (*cards[:-1], row[column]) if column < len(row) and cards and len(cards) > len(shown.columns[column]) else cards
        for column, cards in enumerate(foreseen.columns)
    )
    return replace(foreseen, columns=dealt)


def reveals(shown: PartialPosition, after: Position) -> bool:
    """Return whether a move shows cards that nobody had seen, so that it may be wise to think again."""
    turned = any(
        down < before and cards[down] == UNKNOWN
        for cards, before, down in zip(shown.columns, shown.face_down, after.face_down, strict=True)
    )
    return turned or any(UNKNOWN in row for row in shown.rows[: len(shown.rows) - len(after.rows)])


def along(
    shown: PartialPosition, start: Position, line: Line, rules: Rules
) -> Iterator[tuple[PartialPosition, Position, Move, Position]]:
    """Yield for each move of a line what is seen before it, the position before, the move, the position after.

    `shown` is seen of the start; raises `IllegalMove` when the rules forbid a move.
    """
    for move in line:
        after = apply(start, move, rules)
        yield shown, start, move, after
        shown, start = seen_after(shown, after), after


def _seen(shown: PartialPosition, after: Position, face_down: tuple[int, ...]) -> PartialPosition:
    # Face-down cards stay where they are, so those of the position before are still the ones of the position after.
    columns = tuple(
        (*known[: min(down, len(cards))], *cards[down:])
        for known, cards, down in zip(shown.columns, after.columns, face_down, strict=True)
    )
    rows = shown.rows[len(shown.rows) - len(after.rows) :]
    return PartialPosition(columns, after.face_down, rows, after.completed)


# ---- arrangements --------------------------------------------------------------------------------


def _hidden(position: Position) -> Counter[Card]:
    down = [card for cards, count in zip(position.columns, position.face_down, strict=True) for card in cards[:count]]
    return Counter([*down, *(card for row in position.rows for card in row)])


def _view(shown: PartialPosition, hidden: Mapping[Card, int], samples: int, seed: int) -> View:
    count = factorial(sum(hidden.values())) // prod(map(factorial, hidden.values()))
    if count <= samples:
        orders = list(_orders(Counter(hidden)))
    else:
        cards = sorted(Counter(hidden).elements())
        drawn: dict[Cards, None] = {}
        stream = random.Random(f"arrangements/{seed}")
        while len(drawn) < samples:
            _shuffle(cards, stream)
            drawn[tuple(cards)] = None
        orders = list(drawn)
    return View(shown, tuple(_arranged(shown, order) for order in orders), count)


def _orders(left: Counter[Card]) -> Iterator[Cards]:
    """Yield every different order of the cards."""
    if not left.total():
        yield ()
        return
    for card in sorted(left):
        if left[card]:
            left[card] -= 1
            for rest in _orders(left):
                yield (card, *rest)
            left[card] += 1


def _shuffle(cards: list[Card], stream: random.Random) -> None:
    # Only `random()` promises the same stream in every version of Python.
    for last in range(len(cards) - 1, 0, -1):
        other = int((last + 1) * stream.random())
        cards[last], cards[other] = cards[other], cards[last]


def _arranged(shown: PartialPosition, order: Cards) -> Position:
    cards = iter(order)

    def known(pile: Cards) -> Cards:
        return tuple(next(cards) if card == UNKNOWN else card for card in pile)

    columns = tuple(map(known, shown.columns))
    return Position(columns, shown.face_down, tuple(map(known, shown.rows)), shown.completed or ())
