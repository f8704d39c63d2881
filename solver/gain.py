"""The most that can be had of a game that is lost, or that nobody knows how to win.

What counts, in this order: completed runs, cards turned up, rows dealt.  None of them is ever lost again, so a line
that gains some of them cannot lead in a circle; it ends where it first has all that was found.  Where nothing of them
can be had the game is *quiet*, and a line first puts cards onto the next card of their suit, as many as possible, and
then moves cards about: it visits no position twice, nor one that differs only in the order of columns that no row can
tell apart, and ends where every move would, or after `MOST_MOVES`.

Where all cards are known the search is that of a solve, on raw arrays (`solver.survey`).  Where some are not, a few
arrangements are searched so, and the line is what most of them begin with, up to the first card that nobody has seen.
Where that gives nothing, and where strict rules can never deal the rest of the stock, the plain referee looks at fewer
positions, and no further than to such a card.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from solver.judge import can_be_taken_back
from solver.machine_code import load_kernels
from solver.move import Line, Move
from solver.partial import PartialPosition, partial_of
from solver.portfolio import MEMBERS, Member
from solver.position import Position
from solver.referee import apply, is_dead, legal_moves, replay
from solver.rules import Rules
from solver.search import MIB, memory_of_arrays
from solver.seen import View, along, reveals, seen_after

TRIES = (*(replace(member, lossless=True, macros=False) for member in MEMBERS[:3]), MEMBERS[0])
"""Members that search on raw arrays until one has seen everything, the last over the reduced list.  They fail
in different places: of 29 lost endings of weak play with four suits each of the first three gets what the best of them
got in 25, the last in 21."""
EXPANSIONS = 100_000
"""Positions that each of them expands, 0.2 to 0.4 s."""
GUESSES = 4
"""Arrangements of unseen cards that are searched, each by the first member.  In 15 lost endings of weak play with four
suits hints turn up 25 cards so and 16 without; they never turn up fewer."""
POSITIONS = 1000
"""Positions that the plain referee looks at, about half a second."""
MOST_MOVES = 200
"""Moves of a line through a quiet game."""


@dataclass(frozen=True)
class Gain:
    """The most that a search found to be had in a game that it cannot show to be won."""

    line: Line
    moves: int
    """Moves of the line that the gain takes; those after them only move cards about."""
    runs: int
    """Runs removed on the line."""
    turned: int
    """Cards turned up."""
    rows: int
    """Rows dealt."""
    filled: int
    """Columns filled so that a row can be dealt, under strict rules; 0 where no row is left."""
    links: int
    """Cards that lie on the next card of their suit, more than before or, below 0, fewer."""
    positions: int
    """Positions looked at."""
    is_all: bool
    """Whether these were all that can be reached, or that can be foreseen."""

    @property
    def is_quiet(self) -> bool:
        """Whether it holds no run, no card turned up and no row."""
        return not (self.runs or self.turned or self.rows)


def gain_of(line: Line, first: Position, rules: Rules, *, moves: int, positions: int, is_all: bool) -> Gain:
    """Return what the first `moves` moves of a line gain; raises `IllegalMove` when the rules forbid one of them."""
    last = replay(first, line[:moves], rules)
    runs, turned, rows = _lasting(first, last)
    filled = _filled(first, last, rules)
    return Gain(line, moves, runs, turned, rows, filled, _links(last) - _links(first), positions, is_all)


def most_gain(
    view: View,
    rules: Rules,
    *,
    memory: int,
    is_lost: bool,
    is_new: bool = True,
    on_compile: Callable[[], None] | None = None,
) -> Gain:
    """Return the line that gains most; `memory` in MiB is for all.

    A game that is not `is_lost` may be won after all, so in a quiet one nothing is given away early.  Where it is not
    `is_new` hints have been through the quiet game, and the line is empty unless it gains something that counts.  The
    line may win: then the search before was only too short.
    """
    position = view.position
    found: _Found | None = None
    if is_dead(position, rules) is None:
        load_kernels("search", on_compile=on_compile)
        search = _guess if view.shown.unknown else _search
        found = search(view, rules, memory_of_arrays(memory) * MIB)
    if found is None:
        found = _foresee(view.shown, position, rules, POSITIONS)
    line = found.line
    if not found.lasts:
        gives_way = is_lost and found.is_all
        line = (*line, *_move_about(position, line, rules, gives_way=gives_way)) if is_new else ()
    moves = len(found.line) if line else 0
    return gain_of(line, position, rules, moves=moves, positions=found.positions, is_all=found.is_all)


# ---- searching -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """The best line of a search."""

    line: Line
    lasts: bool
    """Whether it gains a run, a card or a row; otherwise it only puts cards onto their suit, or is empty."""
    positions: int
    is_all: bool


def foreseeable(shown: PartialPosition, start: Position, line: Line, rules: Rules) -> Line:
    """Return a line up to the first move that shows a card that nobody had seen; `shown` is seen of the start."""
    for index, (seen, _, _, after) in enumerate(along(shown, start, line, rules), start=1):
        if reveals(seen, after):
            return line[:index]
    return line


def _guess(view: View, rules: Rules, memory: int) -> _Found | None:
    """Return the line that most arrangements begin best with, up to the first card that nobody has seen.

    None where nothing that lasts is found in any of the few that are searched; `memory` in bytes.
    """
    votes: Counter[Line] = Counter()
    positions = 0
    for arrangement in view.arrangements[:GUESSES]:
        found = _survey(arrangement, rules, TRIES[0], memory=memory)
        positions += found.positions
        if found.lasts:
            votes[foreseeable(view.shown, arrangement, found.line, rules)] += 1
    if not votes:
        return None

    def rank(line: Line) -> tuple[int, tuple[int, int, int], int]:
        return votes[line], _lasting(view.position, replay(view.position, line, rules)), -len(line)

    return _Found(max(votes, key=rank), True, positions, False)


def _search(view: View, rules: Rules, memory: int) -> _Found:
    """Return the best line of some best-first searches on raw arrays; `memory` in bytes."""
    position = view.position
    best: _Found | None = None
    rank: tuple[tuple[int, int, int], int] = (0, 0, 0), 0
    positions = 0
    for member in TRIES:
        found = _survey(position, rules, member, memory=memory)
        positions += found.positions
        last = replay(position, found.line, rules)
        if last.is_won:
            return found
        # Where nothing lasts the first has the last word, as it looks at most.
        if best is None or (found.lasts and (_lasting(position, last), -len(found.line)) > rank):
            best, rank = found, (_lasting(position, last), -len(found.line))
        if found.is_all:
            return found
    assert best is not None
    return replace(best, positions=positions)


def _survey(position: Position, rules: Rules, member: Member, *, memory: int) -> _Found:
    """Return the best line of one search on raw arrays; `memory` in bytes."""
    from solver.survey import Survey

    survey = Survey(position, rules, member, memory=memory)
    outcome = None
    while outcome is None:
        outcome = survey.step(EXPANSIONS)
    if outcome == "win":
        return _Found(survey.line(), True, survey.positions, False)
    is_all = member.lossless and outcome == "exhausted"
    expanded = survey.standings()
    # Fewer than 128 cards are turned up, and than 16 rows dealt.
    worth = expanded.runs << 11 | expanded.turned << 4 | expanded.rows
    best = int(worth.max())
    if best == 0:
        worth = survey.links()
        best = int(worth.max())
    # Of equal ones the nearest, so that all before it on its line are worth less; of these the first.
    state = min((worth == best).nonzero()[0].tolist(), key=lambda state: (expanded.depths[state], state))
    line = survey.line_to(state)
    found = _Found(line, any(_lasting(position, replay(position, line, rules))), survey.positions, is_all)
    # The search does not go on where no row can be dealt any more: such a game is lost, but it may hold a run yet.
    dead = (expanded.on_table < rules.columns) & (expanded.rows < len(position.rows))
    if rules.deal_onto_empty or not dead.any():
        return found
    return _go_on(position, rules, found, [survey.line_to(state) for state in dead.nonzero()[0].tolist()])


def _go_on(position: Position, rules: Rules, found: _Found, lines: list[Line]) -> _Found:
    """Return the best line of the one that was found and of those that go on after the ends of `lines`."""
    best = _lasting(position, replay(position, found.line, rules)), -len(found.line)
    line, positions, is_all = found.line, found.positions, found.is_all
    left = POSITIONS
    for way in lines:
        if left <= 0:
            is_all = False
            break
        end = replay(position, way, rules)
        ahead = _foresee(partial_of(end), end, rules, left)
        left -= ahead.positions
        positions += ahead.positions
        is_all = is_all and ahead.is_all
        whole = (*way, *ahead.line)
        rank = _lasting(position, replay(position, whole, rules)), -len(whole)
        if ahead.lasts and rank > best:
            best, line = rank, whole
    return _Found(line, any(best[0]), positions, is_all)


def _foresee(shown: PartialPosition, first: Position, rules: Rules, most: int) -> _Found:
    """Return the best line of a best-first search by the referee, which looks at `most` positions.

    A move that shows a card that nobody had seen is the end of what can be foreseen.
    """
    queue: list[tuple[tuple[int, ...], int, Position, PartialPosition | None, Line]] = [((), 0, first, shown, ())]
    seen = {_like(first, rules)}
    lasting: tuple[tuple[int, int, int], int] = (0, 0, 0), 0
    linked = 0, 0
    lasting_line: Line = ()
    linked_line: Line = ()
    looked = 0
    while queue and looked < most:
        _, _, before, shown_before, line = heapq.heappop(queue)
        looked += 1
        if (worth := (_lasting(first, before), -len(line))) > lasting:
            lasting, lasting_line = worth, line
        if (order := (_links(before) - _links(first), -len(line))) > linked:
            linked, linked_line = order, line
        if shown_before is None:
            continue
        for move in legal_moves(before, rules):
            after = apply(before, move, rules)
            like = _like(after, rules)
            if like in seen:
                continue
            seen.add(like)
            then = None if reveals(shown_before, after) else seen_after(shown_before, after)
            # Columns are filled so that a row can be dealt, and longer runs make place.
            promise = (*_lasting(first, after), _filled(first, after, rules), _links(after))
            rank = (*(-value for value in promise), len(line) + 1)
            heapq.heappush(queue, (rank, len(seen), after, then, (*line, move)))
    if lasting_line:
        return _Found(lasting_line, True, looked, not queue)
    return _Found(linked_line, False, looked, not queue)


# ---- a quiet game --------------------------------------------------------------------------------


def _move_about(position: Position, line: Line, rules: Rules, *, gives_way: bool) -> Line:
    """Return moves that go on after a line through a quiet game, and never to where it or they have been.

    With `gives_way` moves that cannot be taken back come first, so that the end comes soon; otherwise last.
    """
    been = {_like(position, rules)}
    for move in line:
        position = apply(position, move, rules)
        been.add(_like(position, rules))
    moves: list[Move] = []
    while len(line) + len(moves) < MOST_MOVES:
        best: tuple[tuple[bool, int], Move, Position] | None = None
        for move in legal_moves(position, rules):
            after = apply(position, move, rules)
            if _like(after, rules) not in been:
                rank = can_be_taken_back(position, move, after, rules) != gives_way, _links(after)
                if best is None or rank > best[0]:
                    best = rank, move, after
        if best is None:
            break
        _, move, after = best
        moves.append(move)
        if any(_lasting(position, after)):
            # Not so quiet after all: the search was too short to see it.
            break
        position = after
        been.add(_like(position, rules))
    if not line and not moves:
        # Columns that change places: nothing else is left, and a move is a move.
        return tuple(legal_moves(position, rules)[:1])
    return tuple(moves)


def _like(position: Position, rules: Rules) -> Position:
    """Return one position for all that differ only in the order of columns that no row can tell apart."""
    if position.rows and is_dead(position, rules) is None:
        return position
    columns = sorted(zip(position.columns, position.face_down, strict=True))
    return replace(position, columns=tuple(cards for cards, _ in columns), face_down=tuple(down for _, down in columns))


# ---- what is counted -----------------------------------------------------------------------------


def _lasting(first: Position, last: Position) -> tuple[int, int, int]:
    """Return the runs removed, cards turned up and rows dealt between two positions."""
    return (
        len(last.completed) - len(first.completed),
        sum(first.face_down) - sum(last.face_down),
        len(first.rows) - len(last.rows),
    )


def _filled(first: Position, last: Position, rules: Rules) -> int:
    """Return how many columns were filled between two positions, where that lets a row be dealt."""
    needs_all = last.rows and not rules.deal_onto_empty
    return sum(map(bool, last.columns)) - sum(map(bool, first.columns)) if needs_all else 0


def _links(position: Position) -> int:
    """Return how many face-up cards lie on the next card of their suit."""
    return sum(
        upper == lower + 1
        for cards, down in zip(position.columns, position.face_down, strict=True)
        for upper, lower in pairwise(cards[down:])
    )
