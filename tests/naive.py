"""The game a second time: slow, obvious, and sharing no line with what it checks.

The referee and the kernels are compared with this file, so it has its own state and its own way of
doing everything.  A state is plain tuples, every column split into what lies face-down and face-up::

    state   = (columns, rows, gone)
    column  = (down, up)                  down = ("4C",) bottom first, up = ("JH", "TH", "9H")
    rows    = (("AS", "2D", ...), ...)    next dealt first
    gone    = ("H", "S")                  suits of the runs that have left, sorted

Cards are their names here, never codes.  Invariant: a column with cards has a face-up card.
The values of the package (`Position`, `Move`, `Rules`) serve at the border only: the functions
without underscore take and return them.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from solver.cards import card_name, parse_card
from solver.move import DEAL, Move, tableau_move, take
from solver.position import Position
from solver.rules import Rules

Column: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
State: TypeAlias = tuple[tuple[Column, ...], tuple[tuple[str, ...], ...], tuple[str, ...]]

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
SUITS = "CDHS"


# ---- values of the package, in and out ---------------------------------------------------------------


def from_position(position: Position) -> State:
    """Return the state that a position shows."""
    columns = []
    for cards, face_down in zip(position.columns, position.face_down, strict=True):
        names = tuple(card_name(card) for card in cards)
        columns.append((names[:face_down], names[face_down:]))
    rows = tuple(tuple(card_name(card) for card in row) for row in position.rows)
    return tuple(columns), rows, tuple(sorted(SUITS[suit] for suit in position.completed))


def to_position(state: State) -> Position:
    """Return the position that a state shows."""
    columns, rows, gone = state
    return Position(
        columns=tuple(tuple(parse_card(name) for name in down + up) for down, up in columns),
        face_down=tuple(len(down) for down, _ in columns),
        rows=tuple(tuple(parse_card(name) for name in row) for row in rows),
        completed=tuple(SUITS.index(suit) for suit in gone),
    )


def card_counts(position: Position) -> Counter[str]:
    """Return how often each card is in the game, the cards of completed runs included (13 ranks)."""
    columns, rows, gone = from_position(position)
    names = [name for down, up in columns for name in down + up]
    names += [name for row in rows for name in row]
    names += [rank + suit for suit in gone for rank in RANKS]
    return Counter(names)


# ---- the rules ---------------------------------------------------------------------------------------


def legal_moves(position: Position, rules: Rules) -> set[Move]:
    """Return every legal move."""
    return set(_moves(from_position(position), rules))


def lossless_moves(position: Position, rules: Rules) -> set[Move]:
    """Return the legal moves without those that a proof of loss need not try.

    While rows remain that is none.  Once the stock is empty, columns are interchangeable: one empty
    column is as good as another (the first is taken), and a whole column moved to one changes nothing.
    """
    return set(_lossless_moves(from_position(position), rules))


def reduced_moves(position: Position, rules: Rules) -> set[Move]:
    """Return the moves of the list that is made for finding wins, as the top of kernel/moves.py describes it."""
    return set(_reduced_moves(from_position(position), rules))


def macros(position: Position, rules: Rules) -> set[tuple[int, int, int, int]]:
    """Return the macros as the top of kernel/macros.py describes them: source, target, count, cards that come back."""
    return set(_macros(from_position(position), rules))


def apply(position: Position, move: Move, rules: Rules) -> Position:
    """Return the position after a move; raises `AssertionError` when it is not legal."""
    state = from_position(position)
    assert move in _moves(state, rules), f"{move} is not legal"
    return to_position(_after(state, move, rules))


def perft(position: Position, depth: int, rules: Rules, *, lossless: bool = False) -> int:
    """Return the number of lines of exactly `depth` moves, legal ones or those of `lossless_moves`."""
    return _perft(from_position(position), depth, rules, _lossless_moves if lossless else _moves)


def _perft(state: State, depth: int, rules: Rules, moves_of: Callable[[State, Rules], Iterator[Move]]) -> int:
    if depth == 0:
        return 1
    return sum(_perft(_after(state, move, rules), depth - 1, rules, moves_of) for move in moves_of(state, rules))


def _moves(state: State, rules: Rules) -> Iterator[Move]:
    columns, rows, _ = state
    for source, (_, up) in enumerate(columns):
        for count in range(1, len(up) + 1):
            group = up[len(up) - count :]
            if _is_run(group):
                for target, (_, onto) in enumerate(columns):
                    if target != source and (not onto or _rank(onto[-1]) == _rank(group[0]) + 1):
                        yield tableau_move(source, target, count)
        if rules.removal == "optional" and _ends_in_completed_run(up, rules):
            yield take(source)
    if rows and (rules.deal_onto_empty or all(up for _, up in columns)):
        yield DEAL


def _lossless_moves(state: State, rules: Rules) -> Iterator[Move]:
    columns, rows, _ = state
    empty = [column for column, (_, up) in enumerate(columns) if not up]
    for move in _moves(state, rules):
        if rows or move.kind != "move" or move.target not in empty:
            yield move
        elif move.target == empty[0]:
            down, up = columns[move.source]
            if down or move.count < len(up):
                yield move


def _reduced_moves(state: State, rules: Rules) -> Iterator[Move]:
    columns, rows, _ = state
    takes = [move for move in _moves(state, rules) if move.kind == "take"]
    if takes:
        yield takes[0]
        return
    empty = [column for column, (_, up) in enumerate(columns) if not up]
    held_back = bool(rows and empty) and not rules.deal_onto_empty
    filling = held_back and _runs(state) < len(columns)
    for move in _moves(state, rules):
        if move.kind == "deal":
            yield move
            continue
        down, up = columns[move.source]
        run = _end_run(up)
        is_whole_column = not down and move.count == len(up)
        if move.target in empty:
            if move.target == empty[0] and not is_whole_column and (move.count == run or (filling and move.count == 1)):
                yield move
            continue
        _, onto = columns[move.target]
        joined = _end_run(onto) + move.count if _joins_suit(state, move) else 0
        lies_in_sequence = run < len(up) and _is_one_above(up[-run - 1], up[-run])
        if filling and is_whole_column and joined != rules.ranks:
            continue
        if joined > run if move.count < run else joined or not lies_in_sequence:
            yield move


def _macros(state: State, rules: Rules) -> Iterator[tuple[int, int, int, int]]:
    columns, rows, _ = state
    empty = [column for column, (_, up) in enumerate(columns) if not up]
    if any(move.kind == "take" for move in _moves(state, rules)):
        return
    if rows and empty and not rules.deal_onto_empty and _runs(state) < len(columns):
        return

    def can_wait(run: tuple[str, ...], *taken: int) -> bool:
        for column, (_, up) in enumerate(columns):
            if column not in taken and up and _is_one_above(up[-1], run[0]):
                joined = _end_run(up) + len(run) if _is_run((up[-1], run[0])) else 0
                if joined < rules.ranks:
                    return True
        return False

    for source, (down, up) in enumerate(columns):
        for count in range(_end_run(up) + 1, len(up) + 1):
            cards, below = up[-count:], up[:-count]
            if not all(_is_one_above(*pair) for pair in pairwise(cards)) or (below and _is_run((below[-1], cards[0]))):
                continue
            runs = 1 + sum(not _is_run(pair) for pair in pairwise(cards))
            whole = not below or not _is_one_above(below[-1], cards[0])
            last = up[len(up) - _end_run(up) :]
            for target, (_, onto) in enumerate(columns):
                if not onto:
                    possible = target == empty[0] and whole and bool(down or below) and runs <= 2 ** (len(empty) - 1)
                elif target == source or not _is_one_above(onto[-1], cards[0]):
                    possible = False
                else:
                    fits = whole or _is_run((onto[-1], cards[0]))
                    possible = fits and (runs <= 2 ** len(empty) or (runs == 2 and can_wait(last, source, target)))
                if possible:
                    yield source, target, count, 0

    for a, (_, up) in enumerate(columns):
        for b, (_, other) in enumerate(columns[:a]):
            x, y = up[len(up) - _end_run(up) :], other[len(other) - _end_run(other) :]
            left, right = up[: len(up) - len(x)], other[: len(other) - len(y)]
            if not left or not right:
                continue
            new = (left[-1], y[0]), (right[-1], x[0])
            old = (left[-1], x[0]), (right[-1], y[0])
            if not all(_is_one_above(*pair) for pair in new):
                continue
            if sum(map(_fit, new)) <= sum(map(_fit, old)):
                continue
            if any(
                _is_run(pair) and _end_run(o) + len(run) >= rules.ranks
                for pair, o, run in zip(new, (left, right), (y, x), strict=True)
            ):
                continue
            if empty or can_wait(x, a, b) or can_wait(y, a, b):
                yield b, a, len(y), len(x)


def _fit(pair: tuple[str, str]) -> int:
    return _is_one_above(*pair) + _is_run(pair)


def _after(state: State, move: Move, rules: Rules) -> State:
    columns, rows, gone = state
    piles = [(list(down), list(up)) for down, up in columns]
    suits = list(gone)
    if move.kind == "deal":
        for (_, up), name in zip(piles, rows[0], strict=False):
            up.append(name)
        rows = rows[1:]
        changed = list(range(len(piles)))
    elif move.kind == "take":
        changed = []
        suits.append(piles[move.source][1][-1][1])
        del piles[move.source][1][-rules.ranks :]
    else:
        changed = [move.target]
        up = piles[move.source][1]
        piles[move.target][1].extend(up[len(up) - move.count :])
        del up[len(up) - move.count :]
    if rules.removal == "automatic":
        for column in changed:
            up = piles[column][1]
            if _ends_in_completed_run(tuple(up), rules):
                suits.append(up[-1][1])
                del up[-rules.ranks :]
    for down, up in piles:
        if down and not up:
            up.append(down.pop())
    return tuple((tuple(down), tuple(up)) for down, up in piles), rows, tuple(sorted(suits))


def _rank(name: str) -> int:
    return RANKS.index(name[0]) + 1


def _is_run(group: tuple[str, ...]) -> bool:
    return all(upper[1] == lower[1] and _rank(upper) == _rank(lower) + 1 for upper, lower in pairwise(group))


def _end_run(up: tuple[str, ...]) -> int:
    return max(count for count in range(len(up) + 1) if _is_run(up[len(up) - count :]))


def _runs(state: State) -> int:
    """Return how many runs lie on the table, each face-down card counted as one."""
    count = 0
    for down, up in state[0]:
        count += len(down)
        rest = up
        while rest:
            rest = rest[: len(rest) - _end_run(rest)]
            count += 1
    return count


def _ends_in_completed_run(up: tuple[str, ...], rules: Rules) -> bool:
    group = up[-rules.ranks :]
    return len(group) == rules.ranks and _is_run(group) and group[-1][0] == "A"


# ---- the score ---------------------------------------------------------------------------------------


def score(position: Position, rules: Rules, weights: Sequence[int]) -> int:
    """Return the score of a position, term by term as the top of kernel/score.py states it.

    Every completed run counts, those too that had left before a search began.
    """
    w = weights
    columns, rows, gone = from_position(position)
    total = w[0] * len(gone)
    for down, up in columns:
        if up:
            total += _column_score(down, up, rules, w)
    open_cards = [up[-1] for _, up in columns if up]
    empty = len(columns) - len(open_cards)
    if empty > 0:
        total += w[14] + w[15] * (empty - 1)
    for _, up in columns:
        if up:
            head = up[len(up) - _end_run(up)]
            total += w[18] * any(_is_one_above(card, head) for card in open_cards)
            total += w[19] * any(_is_one_above(card, head) and card[1] == head[1] for card in open_cards)
    total += w[20] * len({_rank(card) for card in open_cards})
    if rows:
        for (_, up), coming in zip(columns, rows[0], strict=False):
            if up and _is_one_above(up[-1], coming):
                total += w[21] + (w[22] if up[-1][1] == coming[1] else 0)
    return total


def _column_score(down: tuple[str, ...], up: tuple[str, ...], rules: Rules, w: Sequence[int]) -> int:
    total = -w[1] * len(down)
    for under, card in pairwise(down):
        if _is_one_above(under, card):
            total += w[16] if under[1] == card[1] else w[17]
    segments = units = 1
    for place, (under, card) in enumerate(pairwise(up), start=2):
        if _is_run((under, card)):
            total += w[3] + w[4] * _end_run(up[:place])
        elif _is_one_above(under, card):
            total += w[5]
            segments += 1
        else:
            total -= w[6]
            if _rank(card) >= _rank(under):
                total -= w[7]
            segments += 1
            units += 1
    cards = down + up
    for place in range(len(down), len(cards)):
        below = cards[:place]
        if below and _rank(cards[place]) > min(map(_rank, below)):
            total -= w[8]
        if below and _rank(cards[place]) == rules.ranks:
            total -= w[9]
    if down:
        total -= w[2] + w[10] * segments + w[11] * units
    else:
        total -= w[12] * (segments - 1)
        if _rank(up[0]) == rules.ranks:
            total += w[13]
    return total


def _is_one_above(upper: str, lower: str) -> bool:
    return _rank(upper) == _rank(lower) + 1


# ---- the whole game ----------------------------------------------------------------------------------


class Exhausted(NamedTuple):
    """What a search of everything found."""

    verdict: str | None
    """``"win"``, ``"loss"``, or None when the limit was reached first."""
    positions: int
    """Different positions met, the start included."""
    steps: int | None
    """Moves of the shortest winning line, deals and takes included."""


def exhaust(position: Position, rules: Rules, limit: int | None = None) -> str | None:
    """Return ``"win"`` or ``"loss"``, or None when more than `limit` positions were met first."""
    return explore(position, rules, limit).verdict


def explore(
    position: Position,
    rules: Rules,
    limit: int | None = None,
    *,
    interchange: bool = True,
    lossless: bool = False,
    leave_dead: bool = False,
) -> Exhausted:
    """Search all lines breadth first, every position once, until a win or the end.

    With `interchange`, positions that differ only in the order of their columns are one once the
    stock is empty: no rule then tells columns apart.  With `lossless`, the moves are those of
    `lossless_moves` instead of all.  With `leave_dead`, no moves are played where strict rules
    allow no later deal because the cards of the tableau are fewer than its columns.
    """
    moves_of = _lossless_moves if lossless else _moves
    start = _canonical(from_position(position), interchange)
    steps = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if _is_won(state):
            return Exhausted("win", len(steps), steps[state])
        if leave_dead and _is_dead(state, rules):
            continue
        for move in moves_of(state, rules):
            child = _canonical(_after(state, move, rules), interchange)
            if child not in steps:
                if limit is not None and len(steps) >= limit:
                    return Exhausted(None, len(steps), None)
                steps[child] = steps[state] + 1
                queue.append(child)
    return Exhausted("loss", len(steps), None)


def most(position: Position, rules: Rules, limit: int) -> tuple[int, int, int] | None:
    """Return the most runs that can be completed, with the most cards turned up and then the most rows dealt by it.

    The order is that of the tuple; None when more than `limit` positions were met.
    """
    start = _canonical(from_position(position), True)
    seen = {start}
    queue = deque([start])
    best = 0, 0, 0
    while queue:
        state = queue.popleft()
        best = max(best, _progress(start, state))
        for move in _moves(state, rules):
            child = _canonical(_after(state, move, rules), True)
            if child not in seen:
                if len(seen) >= limit:
                    return None
                seen.add(child)
                queue.append(child)
    return best


def progress(first: Position, last: Position) -> tuple[int, int, int]:
    """Return the runs completed, cards turned up and rows dealt between two positions."""
    return _progress(from_position(first), from_position(last))


def _progress(first: State, last: State) -> tuple[int, int, int]:
    hidden = [sum(len(down) for down, _ in columns) for columns, _, _ in (first, last)]
    return len(last[2]) - len(first[2]), hidden[0] - hidden[1], len(first[1]) - len(last[1])


def _is_won(state: State) -> bool:
    columns, rows, _ = state
    return not rows and not any(up for _, up in columns)


def _is_dead(state: State, rules: Rules) -> bool:
    columns, rows, _ = state
    cards = sum(len(down) + len(up) for down, up in columns)
    return bool(rows) and not rules.deal_onto_empty and cards < len(columns)


def _canonical(state: State, interchange: bool) -> State:
    columns, rows, gone = state
    return (tuple(sorted(columns)), rows, gone) if interchange and not rows else state


# ---- small games -------------------------------------------------------------------------------------

_SHAPES = {
    # name: columns, ranks, packs, suits, heights, rows
    "pairs": (3, 2, 1, 4, (2, 2, 1), (3,)),
    "pairs-two-packs": (5, 2, 2, 2, (3, 2, 2, 2, 2), (5,)),
    "triples": (3, 3, 1, 2, (2, 2, 2), (3, 3)),
    "triples-all-open": (4, 3, 1, 4, (1, 1, 1, 1), (4, 4)),
    "triples-empty-column": (4, 3, 1, 4, (4, 4, 0, 0), (4,)),
    "triples-two-packs": (4, 3, 2, 4, (3, 3, 3, 3), (4, 4, 4)),
    "quads": (4, 4, 1, 3, (3, 3, 3, 3), (4,)),
    "quads-one-suit": (5, 4, 1, 1, (3, 2, 2, 2, 2), (5,)),
    "quads-short-row": (3, 4, 1, 1, (3, 3, 2), (3, 3, 2)),
    "quads-no-stock": (5, 4, 1, 2, (4, 3, 3, 3, 3), ()),
}

SMALL_RULES: dict[str, Rules] = {
    f"{name}-{'relaxed' if deal_onto_empty else 'strict'}-{removal}": Rules(
        preset=name,
        suits=suits,
        deal_onto_empty=deal_onto_empty,
        removal=removal,
        columns=columns,
        ranks=ranks,
        packs=packs,
        heights=heights,
        rows=rows,
    )
    for name, (columns, ranks, packs, suits, heights, rows) in _SHAPES.items()
    for deal_onto_empty in (False, True)
    for removal in ("automatic", "optional")
}
"""Small games under all four rule variants; most can be searched to the end in a moment."""


def shuffled_game(rng: random.Random, rules: Rules) -> Position:
    """Return the initial position of a shuffled game, small or of full size, under the rules."""
    names = [
        rank + suit
        # The suits of a recoloured pack: spades; spades and hearts; clubs and diamonds last.
        for suit, runs in zip("SHCD", rules.suit_runs, strict=False)
        for rank in RANKS[: rules.ranks]
        for _ in range(runs)
    ]
    rng.shuffle(names)
    cards = iter(names)
    piles = [tuple(next(cards) for _ in range(height)) for height in rules.heights]
    rows = tuple(tuple(next(cards) for _ in range(size)) for size in rules.rows)
    return to_position((tuple((pile[:-1], pile[-1:]) for pile in piles), rows, ()))


def random_rules(rng: random.Random, *, columns: int, ranks: int, packs: int, rows: tuple[int, ...] = ()) -> Rules:
    """Return any rules for a small game of that size: what is not in the rows lies in columns of one height or two."""
    left = 4 * packs * ranks - sum(rows)
    return Rules(
        suits=rng.choice((1, 2, 3, 4)),
        deal_onto_empty=rng.random() < 0.5,
        removal=rng.choice(("automatic", "optional")),
        columns=columns,
        ranks=ranks,
        packs=packs,
        heights=tuple(left // columns + (column < left % columns) for column in range(columns)),
        rows=rows,
    )


def small_game(rng: random.Random, rules: Rules) -> Position:
    """Return the initial position of a shuffled small game; `SMALL_RULES` has rules for it."""
    return shuffled_game(rng, rules)


def _joins_suit(state: State, move: Move) -> bool:
    (_, up), (_, onto) = state[0][move.source], state[0][move.target]
    return bool(onto) and onto[-1][1] == up[-1][1]


def random_playout(position: Position, rules: Rules, rng: random.Random, most: int) -> Iterator[tuple[Position, Move]]:
    """Yield the positions of at most `most` random legal moves, each with the move then played.

    Half of the moves are drawn from those that join a suit, so that play-outs complete runs.
    """
    for _ in range(most):
        moves = sorted(legal_moves(position, rules), key=str)
        if not moves:
            return
        joining = [move for move in moves if move.kind == "move" and _joins_suit(from_position(position), move)]
        move = rng.choice(joining if joining and rng.random() < 0.5 else moves)
        yield position, move
        position = apply(position, move, rules)
