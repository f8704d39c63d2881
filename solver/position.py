"""Deals and positions: immutable values, and the checks that make them trustworthy.

A *deal* is the initial layout, a *position* any state of play.  Both hold cards bottom first::

    columns[0] = (6D, AS, TH, 5H, KC, 9C)      face_down[0] = 5
                  covered ........  open       the first five are face-down (but known)
    rows[0]    = (4H, 6D, TH, ...)             the row dealt next, leftmost column first
    completed  = (HEARTS, SPADES)              suits of the runs that have left

A value can be built from anything; `check_position` is the judge.  It lists every fault at once,
in the words a person needs to mend the input, and everything that searches calls it first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from solver.cards import ACE, KING, SUIT_SYMBOLS, Card, Suit, card_name, make_card, rank_of, suit_of
from solver.rules import (
    LAYOUTS,
    MAX_COLUMNS,
    MAX_FACE_DOWN,
    MAX_PACKS,
    MAX_RANKS,
    MAX_STOCK_ROWS,
    SUITS_PER_PACK,
    Rules,
)

Cards: TypeAlias = tuple[Card, ...]

MAX_CARDS = MAX_PACKS * SUITS_PER_PACK * MAX_RANKS
"""Cards that a position can hold, 104."""
MAX_PLACES = 12
"""Places of one card that a fault lists; a one-suit game has eight of each."""
MAX_MISSING_LINES = 6
"""Missing cards that get a line each; more are named in one."""


class PositionError(ValueError):
    """A position that cannot occur under the rules; `faults` holds one sentence each."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


@dataclass(frozen=True)
class Position:
    """A state of play with all cards known."""

    columns: tuple[Cards, ...]
    """The tableau, left to right; each column bottom (covered) card first."""
    face_down: tuple[int, ...]
    """How many cards at the bottom of each column are face-down."""
    rows: tuple[Cards, ...] = ()
    """The rows left in the stock, next dealt first; a row's first card falls on column 1."""
    completed: tuple[Suit, ...] = ()
    """Suits of the completed runs that have left, ascending."""

    @property
    def is_won(self) -> bool:
        """Whether no card is left."""
        return not self.rows and not any(self.columns)

    @property
    def cards_in_columns(self) -> int:
        """Cards of the tableau."""
        return sum(map(len, self.columns))


@dataclass(frozen=True)
class Deal:
    """The initial layout of a game; the last card of each column is face-up, the rest face-down."""

    id: str
    """What names the deal: ``pysolfc:12345``, or the name of the file it came from."""
    columns: tuple[Cards, ...]
    rows: tuple[Cards, ...]

    def position(self) -> Position:
        """Return the position in which the game starts."""
        return Position(self.columns, tuple(max(len(column) - 1, 0) for column in self.columns), self.rows)


def stage_of(position: Position, rules: Rules) -> int:
    """Return the number of rows dealt so far, 0 to 5 in Spider."""
    return len(rules.rows) - len(position.rows)


def fit_layout(position: Position, rules: Rules) -> Rules:
    """Return the rules with the first named layout that the face-down cards of the position allow.

    Programs differ in which columns get the sixth card, and a position shows it; the rules come
    back unchanged when they allow the position already, or when no layout does.
    """
    for heights in (rules.heights, *LAYOUTS.values()):
        if len(heights) == rules.columns == len(position.face_down) and sum(heights) == sum(rules.heights):
            fitted = replace(rules, heights=heights)
            if not _height_faults(position, fitted):
                return fitted
    return rules


def deduce_completed(columns: Iterable[Cards], rows: Iterable[Cards], rules: Rules) -> tuple[Suit, ...]:
    """Return the suits of the runs that must have left, from the cards that are missing.

    A suit of which every rank misses n cards has lost n runs.  Other missing cards stay missing:
    `check_position` names them.
    """
    in_play = [card for pile in (*columns, *rows) for card in pile]
    if len(in_play) >= rules.cards:
        # No run can have left; a suit without cards is then unused (fewer suits than the rules say), not completed.
        return ()
    copies = _count(in_play)
    shares = expected_shares(in_play, (), rules)
    completed: list[Suit] = []
    for suit, share in shares.items():
        gone = min(share - copies[make_card(rank, suit)] for rank in range(1, rules.ranks + 1))
        completed += [suit] * max(gone, 0)
    return tuple(sorted(completed))


def check_position(position: Position, rules: Rules, *, loose: bool = False) -> None:
    """Raise `PositionError` with every fault that makes the position impossible under the rules.

    `loose` asks only for what a search needs (sizes, face-down below face-up, no completed run left where
    removal is automatic), so that puzzles with piles that are no full pack pass.
    """
    faults = faults_of(position, rules, loose=loose)
    if faults:
        raise PositionError(faults)


def faults_of(position: Position, rules: Rules, *, loose: bool = False, cards: bool = True) -> list[str]:
    """Return every fault of the position, one sentence each; without `cards` nothing asks which cards they are."""
    faults = list(_shape_faults(position, rules))
    if faults:
        # Nothing can be counted in piles that are not there, or of things that are no cards.
        return faults
    faults += _size_faults(position, rules, loose=loose)
    if not loose:
        # Heights are those of a deal only where the sizes are possible at all.
        heights = [] if faults else _height_faults(position, rules)
        faults += [*(_card_faults(position, rules) if cards else ()), *heights]
    return [*faults, *(_removal_faults(position, rules) if cards else ())]


def surplus_faults(position: Position, rules: Rules) -> Iterator[str]:
    """Yield a fault for each card that is there too often, with its places; 0 stands for unknown cards."""
    placed = [(card, place) for card, place in _placed(position) if card]
    places = _places(placed)
    in_play = [card for card, _ in placed]
    for suit, share in expected_shares(in_play, position.completed, rules).items():
        for rank in range(1, rules.ranks + 1):
            card = make_card(rank, suit)
            surplus = len(places[card]) - share + position.completed.count(suit)
            if surplus > 0:
                yield _surplus_fault(card, surplus, places[card])


def _shape_faults(position: Position, rules: Rules) -> Iterator[str]:
    if len(position.columns) != rules.columns:
        yield f"{len(position.columns)} columns: the rules have {rules.columns}"
        return
    if len(position.face_down) != len(position.columns):
        yield f"face-down cards are given for {len(position.face_down)} columns: there are {len(position.columns)}"
        return
    strangers = [(card, place) for card, place in _placed(position) if not _is_card(card)]
    yield from (f"{card!r} ({place}) is no card code" for card, place in strangers)


def _size_faults(position: Position, rules: Rules, *, loose: bool) -> Iterator[str]:
    for number, (column, face_down) in enumerate(zip(position.columns, position.face_down, strict=True), start=1):
        if not 0 <= face_down <= MAX_FACE_DOWN:
            yield f"column {number} has {face_down} face-down cards: at most {MAX_FACE_DOWN} are possible"
        elif column and face_down >= len(column):
            yield f"column {number} ends in a face-down card ({card_name(column[-1])}): its last card must be face-up"
        elif not column and face_down:
            yield f"column {number} is empty but has {face_down} face-down cards"
    for card, place in _placed(position):
        if rank_of(card) > rules.ranks:
            yield f"{card_name(card)} ({place}) has no place in a game of {rules.ranks} ranks"
    most = MAX_STOCK_ROWS if loose else len(rules.rows)
    if len(position.rows) > most:
        yield f"{len(position.rows)} rows in the stock: the rules have {most}"
        return
    sizes = [MAX_COLUMNS] * most if loose else rules.rows
    left = sizes[most - len(position.rows) :]
    for number, (row, size) in enumerate(zip(position.rows, left, strict=True), start=1):
        if loose:
            if not 1 <= len(row) <= rules.columns:
                yield f"stock row {number} has {len(row)} cards: 1 to {rules.columns} are possible"
        elif len(row) != size:
            yield f"stock row {number} has {len(row)} cards: the rules have {size}"
    in_play = position.cards_in_columns + sum(map(len, position.rows))
    if loose and in_play > MAX_CARDS:
        yield f"{in_play} cards: at most {MAX_CARDS} are possible"


def _card_faults(position: Position, rules: Rules) -> Iterator[str]:
    placed = list(_placed(position))
    in_play = [card for card, _ in placed]
    total = len(in_play) + rules.ranks * len(position.completed)
    if total != rules.cards:
        gone = f" and {len(position.completed)} completed runs" if position.completed else ""
        yield f"{len(in_play)} cards{gone} make {total}: the rules have {rules.cards}"
    present = sorted({suit_of(card) for card in in_play} | set(position.completed))
    if len(present) > rules.suits or (len(present) < rules.suits and total >= rules.cards):
        names = ", ".join(SUIT_SYMBOLS[suit] for suit in present)
        suits = f"{len(present)} suit{'s' if len(present) != 1 else ''}"
        yield f"the cards are of {suits} ({names}): the rules have {rules.suits}"
        return
    places = _places(placed)
    missing: list[tuple[Card, int]] = []
    for suit, share in expected_shares(in_play, position.completed, rules).items():
        expected = share - position.completed.count(suit)
        if expected < 0:
            yield f"{position.completed.count(suit)} completed runs of {SUIT_SYMBOLS[suit]}: there are {share}"
            continue
        for rank in range(1, rules.ranks + 1):
            card = make_card(rank, suit)
            surplus = len(places[card]) - expected
            if surplus > 0:
                yield _surplus_fault(card, surplus, places[card])
            elif surplus < 0:
                missing.append((card, -surplus))
    if len(missing) > MAX_MISSING_LINES:
        cards = [f"{times} x {card_name(card)}" if times > 1 else card_name(card) for card, times in missing]
        yield f"{sum(times for _, times in missing)} cards are missing: {', '.join(cards)}"
        return
    for card, times in missing:
        seen = f" (there is {', '.join(places[card])})" if places[card] else ""
        yield f"{card_name(card)} is missing {times} time{'s' if times > 1 else ''}{seen}"


def _places(placed: Iterable[tuple[Card, str]]) -> Mapping[Card, list[str]]:
    places: dict[Card, list[str]] = defaultdict(list)
    for card, place in placed:
        places[card].append(place)
    return places


def _surplus_fault(card: Card, surplus: int, places: Sequence[str]) -> str:
    more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
    where = ", ".join(places[:MAX_PLACES])
    return f"{card_name(card)} is there {len(places)} times, {surplus} too many: {where}{more}"


def _height_faults(position: Position, rules: Rules) -> list[str]:
    # A column never gains face-down cards, so those of the deal bound those of every later position.
    faults = [
        f"column {number} has {face_down} face-down cards: this layout starts it with {max(height - 1, 0)}"
        for number, (face_down, height) in enumerate(zip(position.face_down, rules.heights, strict=True), start=1)
        if face_down > max(height - 1, 0)
    ]
    # Every move of a deal turns a card up, so while none was turned up or dealt every column still shows its own
    # card.  Small games are exempt where a column starts with a lone card, which leaves without turning one up.
    lone = min(rules.heights) < 2
    untouched = not lone and sum(position.face_down) == sum(height - 1 for height in rules.heights)
    heights = tuple(map(len, position.columns))
    if not faults and untouched and stage_of(position, rules) == 0 and heights != rules.heights:
        faults.append(f"the columns have {heights} cards: this layout deals {rules.heights}")
    return faults


def _removal_faults(position: Position, rules: Rules) -> Iterator[str]:
    if rules.removal != "automatic":
        return
    for number, (column, face_down) in enumerate(zip(position.columns, position.face_down, strict=True), start=1):
        for start in range(face_down, len(column) - rules.ranks + 1):
            king = column[start]
            run = tuple(range(king, king - rules.ranks, -1))
            if rank_of(king) == rules.ranks and column[start : start + rules.ranks] == run:
                yield (
                    f"column {number} holds the completed run of {card_name(king)}, which automatic removal "
                    "has taken away: leave it out, or ask for optional removal"
                )


def _placed(position: Position) -> Iterator[tuple[Card, str]]:
    for number, column in enumerate(position.columns, start=1):
        for index, card in enumerate(column, start=1):
            yield card, f"column {number} card {index}"
    for number, row in enumerate(position.rows, start=1):
        for index, card in enumerate(row, start=1):
            yield card, f"stock row {number} card {index}"


def _is_card(card: Card) -> bool:
    return ACE <= rank_of(card) <= KING and 0 <= suit_of(card) < len(SUIT_SYMBOLS)


def _count(cards: Iterable[Card]) -> Mapping[Card, int]:
    copies: dict[Card, int] = defaultdict(int)
    for card in cards:
        copies[card] += 1
    return copies


def expected_shares(in_play: Sequence[Card], completed: Sequence[Suit], rules: Rules) -> dict[Suit, int]:
    """Return how many runs each suit of the game makes, the suits with most cards taking the largest share.

    A suit that has left wholly is invisible unless `completed` names it; unused suits stand in for it.
    """
    weight = [0] * len(SUIT_SYMBOLS)
    for card in in_play:
        weight[suit_of(card)] += 1
    for suit in completed:
        weight[suit] += rules.ranks
    by_weight = sorted(range(len(SUIT_SYMBOLS)), key=lambda suit: -weight[suit])
    return dict(zip(by_weight, rules.suit_runs, strict=False))
