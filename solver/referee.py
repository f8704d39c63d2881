"""The referee: legal moves, their effect, and the replay of a line, in plain Python.

This is the trusted twin of the compiled kernels.  It is written to be read against the rules in
`solver.rules`, shares no code with anything fast, and has the last word: no win is shown or stored
before `replay` has played its line.  How one tableau move goes::

    column 5  <4C> JH TH 9H      5-8x3      column 5  4C                   the open card turned up
    column 8  KS QS                         column 8  KS QS JH TH 9H       and the run may leave from here

Positions are values: `apply` returns a new one and leaves the old one alone, so undoing a move is
keeping the position before it.  Every judgement starts from `why_illegal`, which says in words what
is wrong with a move; `legal_moves` lists the moves separately, and tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from solver.cards import ACE, Card, Rank, card_name, make_card, rank_of, suit_of
from solver.move import DEAL, Column, Line, Move, tableau_move, take
from solver.position import Cards, Deal, Position
from solver.rules import Rules

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Words up to the largest number of columns."""

_RANK_WORDS = (
    "an ace", "a two", "a three", "a four", "a five", "a six", "a seven", "an eight", "a nine", "a ten",
    "a jack", "a queen", "a king",
)  # fmt: skip


class IllegalMove(ValueError):
    """A move that the rules forbid in the position where it is played."""

    def __init__(self, move: Move, reason: str, index: int | None = None) -> None:
        where = "" if index is None else f"move {index} of the line, "
        super().__init__(f"{where}{move}: {reason}")
        self.move = move
        self.reason = reason
        """What is wrong, in words, as `why_illegal` gives it."""
        self.index = index
        """Place of the move in its line, the first is 1; None when it was played alone."""


@dataclass(frozen=True, slots=True)
class LineCounts:
    """What a line consists of; the three are never added up, as programs count "moves" differently."""

    tableau_moves: int
    rows_dealt: int
    runs_removed: int
    """Completed runs that left while the line was played, by themselves or by a ``take``."""


def end_run_length(position: Position, column: Column) -> int:
    """Return how many cards at the end of a column form its longest run, face-up cards only; 0 if empty."""
    cards = position.columns[column]
    if not cards:
        return 0
    start = len(cards) - 1
    # The card code holds rank and suit, so one more in code is one rank higher of the same suit:
    # a king and the next suit's ace are not adjacent codes (ranks 14, 15 and 0 are never cards).
    while start > position.face_down[column] and cards[start - 1] == cards[start] + 1:
        start -= 1
    return len(cards) - start


def has_completed_run(position: Position, column: Column, rules: Rules) -> bool:
    """Return whether a column ends in a completed run: highest rank to ace, one suit, all face-up."""
    cards = position.columns[column]
    return bool(cards) and rank_of(cards[-1]) == ACE and end_run_length(position, column) == rules.ranks


def why_illegal(position: Position, move: Move, rules: Rules) -> str | None:
    """Return in words why the rules forbid a move, or None when it is legal."""
    if move.kind == "deal":
        return _why_no_deal(position, rules)
    if move.kind == "take":
        return _why_no_take(position, move.source, rules)
    return _why_no_tableau_move(position, move, rules)


def legal_moves(position: Position, rules: Rules) -> list[Move]:
    """Return every legal move: tableau moves by source, target and count, then takes, then the deal.

    Every tail of a run counts as its own move and every empty column as its own target, whole
    columns included: while rows remain it matters where a column stands.
    """
    moves: list[Move] = []
    last_ranks = [rank_of(cards[-1]) if cards else 0 for cards in position.columns]
    for source, last_rank in enumerate(last_ranks):
        longest = end_run_length(position, source)
        for target, onto_rank in enumerate(last_ranks):
            if target == source:
                continue
            if not onto_rank:
                moves += [tableau_move(source, target, count) for count in range(1, longest + 1)]
            # Ranks rise by one a card from the end of a run, so one count at most fits onto a card.
            elif 1 <= (count := onto_rank - last_rank) <= longest:
                moves.append(tableau_move(source, target, count))
    if rules.removal == "optional":
        moves += [take(column) for column in range(len(position.columns)) if has_completed_run(position, column, rules)]
    if position.rows and (rules.deal_onto_empty or all(position.columns)):
        moves.append(DEAL)
    return moves


def apply(position: Position, move: Move, rules: Rules) -> Position:
    """Return the position after a move, with completed runs gone and open cards face-up.

    Raises `IllegalMove` when the rules forbid it.
    """
    reason = why_illegal(position, move, rules)
    if reason is not None:
        raise IllegalMove(move, reason)
    if move.kind == "deal":
        return _deal_row(position, rules)
    if move.kind == "take":
        return _remove_run(position, move.source, rules)
    return _move_cards(position, move, rules)


def replay(start: Deal | Position, line: Iterable[Move], rules: Rules) -> Position:
    """Return the position at the end of a line.

    Raises `IllegalMove` for the first move that the rules forbid, with its place in the line.
    """
    position = start.position() if isinstance(start, Deal) else start
    for index, move in enumerate(line, start=1):
        try:
            position = apply(position, move, rules)
        except IllegalMove as illegal:
            raise IllegalMove(move, illegal.reason, index) from None
    return position


def count_line(start: Deal | Position, line: Line, rules: Rules) -> LineCounts:
    """Return the tableau moves, dealt rows and removed runs of a line; raises `IllegalMove` like `replay`."""
    first = start.position() if isinstance(start, Deal) else start
    return counts_between(first, line, replay(first, line, rules))


def counts_between(first: Position, line: Line, last: Position) -> LineCounts:
    """Return what `count_line` does for a line whose replay is known to lead from `first` to `last`."""
    return LineCounts(
        tableau_moves=sum(move.kind == "move" for move in line),
        rows_dealt=len(first.rows) - len(last.rows),
        runs_removed=len(last.completed) - len(first.completed),
    )


def is_dead(position: Position, rules: Rules) -> str | None:
    """Return in words why the stock can never be dealt again, so that the game is lost at once; None if it may be.

    Under strict rules a row needs a card on every column, and no move before the next row adds a
    card to the tableau.  Other lost positions are for a search to find.
    """
    cards = position.cards_in_columns
    if rules.deal_onto_empty or not position.rows or cards >= rules.columns:
        return None
    left = len(position.rows)
    rows = "the row that is left" if left == 1 else f"the {left} rows that are left"
    few = f"{_NUMBER_WORDS[cards]} card{'s' if cards != 1 else ''}" if cards else "an empty tableau"
    return (
        f"{few} cannot fill {_NUMBER_WORDS[rules.columns]} columns, "
        f"and strict rules deal no row while one is empty: {rows} can never be dealt"
    )


# ---- what forbids a move -------------------------------------------------------------------------


def _why_no_deal(position: Position, rules: Rules) -> str | None:
    if not position.rows:
        return "the stock is empty"
    empty = [str(column) for column, cards in enumerate(position.columns, start=1) if not cards]
    if empty and not rules.deal_onto_empty:
        names = f"column {empty[0]} is" if len(empty) == 1 else f"columns {', '.join(empty[:-1])} and {empty[-1]} are"
        return f"{names} empty: strict rules deal no row then"
    return None


def _why_no_take(position: Position, column: Column, rules: Rules) -> str | None:
    if rules.removal == "automatic":
        return "under automatic removal a completed run leaves by itself"
    if (reason := _why_no_column(column, rules)) is not None:
        return reason
    if has_completed_run(position, column, rules):
        return None
    if not position.columns[column]:
        return f"column {column + 1} is empty"
    run = position.columns[column][-end_run_length(position, column) :]
    king, ace = (card_name(make_card(rank, suit_of(run[-1]))) for rank in (rules.ranks, ACE))
    return (
        f"column {column + 1} ends in a run of {len(run)} ({_names(run)}): "
        f"a completed run has {rules.ranks}, {king} to {ace}, all face-up"
    )


def _why_no_tableau_move(position: Position, move: Move, rules: Rules) -> str | None:
    for column in (move.source, move.target):
        if (reason := _why_no_column(column, rules)) is not None:
            return reason
    number = move.source + 1
    if move.source == move.target:
        return f"column {number} is both source and target"
    if move.count < 1:
        return f"{move.count} cards cannot move: at least one must"
    cards = position.columns[move.source]
    face_down = position.face_down[move.source]
    if not cards:
        return f"column {number} is empty"
    if move.count > len(cards):
        return f"column {number} has only {_cards(len(cards))}"
    if move.count > len(cards) - face_down:
        return f"column {number} has only {len(cards) - face_down} face-up: face-down cards do not move"
    moving = cards[-move.count :]
    for upper, lower in pairwise(moving):
        if (reason := _why_no_link(upper, lower)) is not None:
            return f"the {move.count} cards at the end of column {number} ({_names(moving)}) are not a run: {reason}"
    return _why_not_onto(position, moving[0], move.target, rules)


def _why_no_column(column: Column, rules: Rules) -> str | None:
    # Checked first everywhere: Python would read column -1 as the last one.
    if not 0 <= column < rules.columns:
        return f"there is no column {column + 1}: columns are 1 to {rules.columns}"
    return None


def _why_no_link(upper: Card, lower: Card) -> str | None:
    """Return why the lower card, which lies on the upper one, does not continue a run."""
    if rank_of(lower) != rank_of(upper) - 1:
        return f"{card_name(lower)} does not follow {card_name(upper)} in rank"
    if suit_of(lower) != suit_of(upper):
        return f"{card_name(lower)} does not follow {card_name(upper)} in suit"
    return None


def _why_not_onto(position: Position, head: Card, target: Column, rules: Rules) -> str | None:
    onto = position.columns[target]
    if not onto or rank_of(onto[-1]) == rank_of(head) + 1:
        return None
    ends = f"column {target + 1} ends in {card_name(onto[-1])}"
    if rank_of(onto[-1]) == ACE:
        return f"{ends}: nothing goes onto an ace"
    if rank_of(head) == rules.ranks:
        return f"{ends}: {_with_article(head)} goes only onto an empty column"
    return f"{ends}: {_with_article(head)} goes only onto {_rank_words(rank_of(head) + 1)} or an empty column"


# ---- what a move does ----------------------------------------------------------------------------


def _deal_row(position: Position, rules: Rules) -> Position:
    row, *rest = position.rows
    # A short row covers the leftmost columns only.
    columns = tuple(
        (*cards, row[column]) if column < len(row) else cards for column, cards in enumerate(position.columns)
    )
    dealt = replace(position, columns=columns, rows=tuple(rest))
    if rules.removal == "automatic":
        for column in range(len(columns)):
            if has_completed_run(dealt, column, rules):
                dealt = _remove_run(dealt, column, rules)
    return dealt


def _move_cards(position: Position, move: Move, rules: Rules) -> Position:
    moving = position.columns[move.source][-move.count :]
    moved = _with_column(position, move.source, position.columns[move.source][: -move.count])
    moved = _with_column(moved, move.target, position.columns[move.target] + moving)
    if rules.removal == "automatic" and has_completed_run(moved, move.target, rules):
        moved = _remove_run(moved, move.target, rules)
    return moved


def _remove_run(position: Position, column: Column, rules: Rules) -> Position:
    """Return the position without the completed run at the end of a column."""
    cards = position.columns[column]
    completed = tuple(sorted((*position.completed, suit_of(cards[-1]))))
    return replace(_with_column(position, column, cards[: -rules.ranks]), completed=completed)


def _with_column(position: Position, column: Column, cards: Cards) -> Position:
    """Return the position with other cards in a column, the last of them turned up if it was face-down."""
    columns = (*position.columns[:column], cards, *position.columns[column + 1 :])
    still_down = min(position.face_down[column], max(len(cards) - 1, 0))
    face_down = (*position.face_down[:column], still_down, *position.face_down[column + 1 :])
    return replace(position, columns=columns, face_down=face_down)


# ---- words ---------------------------------------------------------------------------------------


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards))


def _cards(count: int) -> str:
    return f"{count} card{'s' if count != 1 else ''}"


def _rank_words(rank: Rank) -> str:
    return _RANK_WORDS[rank - 1]


def _with_article(card: Card) -> str:
    # An ace and an eight are the only ranks spoken with a vowel first.
    return f"{'an' if rank_of(card) in (ACE, 8) else 'a'} {card_name(card)}"
