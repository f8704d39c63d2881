"""Positions with unknown cards: kept as they are, counted, and filled when only one filling exists.

A player sees the backs of cards.  A `PartialPosition` holds such cards as `UNKNOWN`, which is no card; what is known
of the game says which cards they must be together, though not which lies where::

    columns[0] = (UNKNOWN, UNKNOWN, 5H, 9C)   face_down[0] = 3        the third face-down card was seen once
    rows[0]    = (UNKNOWN, ...)               a row of the stock that nobody knows
    missing    = {TS: 1, 4D: 2}               the three unknown cards: 3!/2! = 3 fillings

Only a `Position` can be searched: `fill` makes one where there is one filling only, that is where every card is
known or all unknown cards are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import factorial, prod

from solver.cards import Card, Suit, make_card
from solver.position import Cards, Position, PositionError, deduce_completed, expected_shares, faults_of, surplus_faults
from solver.rules import Rules

UNKNOWN: Card = 0
"""Stands for a card that nobody has seen; the code of no card."""


@dataclass(frozen=True)
class PartialPosition:
    """A state of play as a person sees it; fields as in `Position`, cards may be `UNKNOWN`."""

    columns: tuple[Cards, ...]
    face_down: tuple[int, ...]
    rows: tuple[Cards, ...] = ()
    completed: tuple[Suit, ...] | None = None
    """Suits of the runs that have left; None where they have to be deduced."""
    completed_runs: int | None = None
    """How many runs have left, where that alone is known."""

    @property
    def cards(self) -> Iterator[Card]:
        """All cards in play, `UNKNOWN` among them: columns, then rows."""
        return (card for pile in (*self.columns, *self.rows) for card in pile)

    @property
    def unknown(self) -> int:
        """How many cards are unknown."""
        return sum(card == UNKNOWN for card in self.cards)


@dataclass(frozen=True)
class Filling:
    """What the known cards of a position say about the unknown ones."""

    partial: PartialPosition
    """The position with its completed runs deduced."""
    position: Position | None
    """The only position that it can be, or None."""
    missing: Mapping[Card, int]
    """The cards that the unknown ones are together, by how often; empty when that is not certain."""
    count: int | None
    """How many fillings there are; None when not even the missing cards are certain."""


def partial_of(position: Position) -> PartialPosition:
    """Return a position as one without unknown cards."""
    return PartialPosition(position.columns, position.face_down, position.rows, position.completed)


def fill(partial: PartialPosition, rules: Rules, *, loose: bool = False) -> Filling:
    """Deduce the completed runs and the unknown cards of a position.

    A position without unknown cards comes back as it is, possible or not: `check_position` is its judge.  `loose`
    deduces nothing, as the cards need not be packs.

    Raises `PositionError` with every fault of a position with unknown cards.
    """
    if partial.unknown == 0:
        completed = partial.completed
        if completed is None:
            completed = () if loose else deduce_completed(partial.columns, partial.rows, rules)
        position = Position(partial.columns, partial.face_down, partial.rows, completed)
        return Filling(replace(partial, completed=completed), position, {}, 1)
    if loose:
        raise PositionError(
            [f"{partial.unknown} cards are unknown: where the cards need not be packs, nothing says which they are"]
        )
    choices = [partial.completed] if partial.completed is not None else list(_completed_choices(partial, rules))
    if len(choices) > 1:
        _check(partial, choices[0], rules)
        return Filling(partial, None, {}, None)
    completed = choices[0] if choices else ()
    missing = _check(partial, completed, rules)
    partial = replace(partial, completed=completed)
    count = factorial(missing.total()) // prod(map(factorial, missing.values()))
    return Filling(partial, _filled(partial, completed, missing) if count == 1 else None, missing, count)


def missing_cards(partial: PartialPosition, completed: tuple[Suit, ...], rules: Rules) -> Counter[Card]:
    """Return how often each card of the game is not among the known ones; never negative."""
    known = [card for card in partial.cards if card != UNKNOWN]
    copies = Counter(known)
    missing: Counter[Card] = Counter()
    for suit, share in expected_shares(known, completed, rules).items():
        for rank in range(1, rules.ranks + 1):
            card = make_card(rank, suit)
            left = share - completed.count(suit) - copies[card]
            if left > 0:
                missing[card] = left
    return missing


def _completed_choices(partial: PartialPosition, rules: Rules) -> Iterator[tuple[Suit, ...]]:
    """Yield every choice of suits for the runs that have left; their number follows from the number of cards."""
    in_play = sum(1 for _ in partial.cards)
    runs, odd = divmod(rules.cards - in_play, rules.ranks)
    if odd or runs < 0 or (partial.completed_runs is not None and partial.completed_runs != runs):
        return
    known = Counter(card for card in partial.cards if card != UNKNOWN)
    shares = expected_shares(list(known.elements()), (), rules)
    for completed in combinations_with_replacement(sorted(shares), runs):
        if all(
            known[make_card(rank, suit)] + completed.count(suit) <= share
            for suit, share in shares.items()
            for rank in range(1, rules.ranks + 1)
        ):
            yield completed


def _check(partial: PartialPosition, completed: tuple[Suit, ...], rules: Rules) -> Counter[Card]:
    """Return the missing cards; raise `PositionError` when the position is impossible whatever they are."""
    missing = missing_cards(partial, completed, rules)
    faults = []
    in_play = sum(1 for _ in partial.cards)
    total = in_play + rules.ranks * len(completed)
    if partial.completed_runs is not None and partial.completed_runs != len(completed):
        total = in_play + rules.ranks * partial.completed_runs
    if total != rules.cards:
        runs = partial.completed_runs if partial.completed_runs is not None else len(completed)
        gone = f" and {runs} completed run{'s' if runs != 1 else ''}" if runs else ""
        faults.append(
            f"{in_play} cards, {partial.unknown} of them unknown,{gone} make {total}: the rules have {rules.cards}"
        )
    faults += surplus_faults(Position(partial.columns, partial.face_down, partial.rows, completed), rules)
    # The rest does not ask which cards they are: any stand in for the unknown ones.
    stand_in = _filled(partial, completed, missing)
    faults += faults_of(stand_in, rules, cards=False)
    if faults:
        raise PositionError(faults)
    return missing


def _filled(partial: PartialPosition, completed: tuple[Suit, ...], missing: Counter[Card]) -> Position:
    """Return the position with the missing cards in the unknown places, in any order."""
    cards = iter([*missing.elements(), *[make_card(1, 0)] * partial.unknown])

    def known(pile: Cards) -> Cards:
        return tuple(next(cards) if card == UNKNOWN else card for card in pile)

    columns = tuple(known(column) for column in partial.columns)
    return Position(columns, partial.face_down, tuple(known(row) for row in partial.rows), completed)
