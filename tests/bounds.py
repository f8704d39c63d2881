"""The lower bound of kernel/idastar.py a second time, and true distances, both slow and plain.

Positions are states of `naive`.  A column is a list of segments, bottom first: every face-down card by itself, then the
runs of what is face-up::

    <4C> <3C> JH TH 9H 9S 8S       [4C] [3C] [JH TH 9H] [9S 8S]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import naive
from naive import RANKS, State

from solver.position import Position
from solver.rules import Rules

Segment = tuple[str, ...]


def lower_bound(position: Position, rules: Rules) -> tuple[int, int]:
    """Return the base of the lower bound and what is added to it."""
    columns, rows, _ = state = naive.from_position(position)
    king = RANKS[rules.ranks - 1]
    segments = [_segments(down, up) for down, up in columns]
    base = len(rows)
    if rules.removal == "optional":
        base += len(_all_cards(state)) // rules.ranks
    base += sum(segment[0][0] != king for column in segments for segment in column)
    held: set[str] = set()
    for number, row in enumerate(rows):
        ends = {segment[-1] for column in segments for segment in column}
        on_table = {card for column in segments for segment in column for card in segment}
        dealt = {card for earlier in rows[:number] for card in earlier}
        for card in row:
            if card[0] == king or _successor(card) in ends | dealt:
                continue
            if _successor(card) in on_table:
                held.add(_successor(card))
            else:
                base += 1
    return base, len(held) + _late(segments, {card for row in rows for card in row}, held, rules)


def _late(columns: Sequence[list[Segment]], stock: set[str], held: set[str], rules: Rules) -> int:
    king = RANKS[rules.ranks - 1]
    left = [list(column) for column in columns]
    away: list[Segment] = [(card,) for card in stock]
    held = set(held)

    def within_reach() -> list[Segment]:
        return away + [rest[-1] for rest in left if rest]

    def reached(card: str) -> bool:
        return any(card in segment for segment in within_reach())

    def wanted(column: int) -> list[str]:
        """Return the cards that the last segment of a column waits for."""
        head = left[column][-1][0]
        if head[0] == king:
            return [rank + head[1] for rank in RANKS[: rules.ranks] if not reached(rank + head[1])]
        card = _successor(head)
        is_there = any(card == segment[-1] for segment in within_reach()) or (card in held and reached(card))
        return [] if is_there else [card]

    sets = 0
    while True:
        # A king at the bottom stays for ever.
        busy = [i for i, rest in enumerate(left) if rest and not (len(rest) == 1 and rest[0][0][0] == king)]
        if not busy:
            return sets
        going = [i for i in busy if not wanted(i)]
        if not going:
            waits = {i: _deeper(left, busy, wanted(i)[0]) for i in busy}
            going = min((_closed(i, waits) for i in busy), key=len)
            held |= {wanted(i)[0] for i in going if left[i][-1][0][0] != king and reached(wanted(i)[0])}
            sets += 1
        away += [left[column].pop() for column in going]


def _deeper(left: Sequence[list[Segment]], busy: list[int], card: str) -> set[int]:
    """Return the columns in which a card lies under the last segment."""
    return {i for i in busy for segment in left[i][:-1] if card in segment}


def _closed(start: int, waits: dict[int, set[int]]) -> list[int]:
    """Return a column and all that it waits for, directly or not."""
    found = [start]
    for column in found:
        found += sorted(waits[column] - set(found))
    return found


def _segments(down: Segment, up: Segment) -> list[Segment]:
    segments = []
    while up:
        run = naive._end_run(up)
        segments.append(up[len(up) - run :])
        up = up[: len(up) - run]
    return [(card,) for card in down] + segments[::-1]


def _successor(card: str) -> str:
    return RANKS[RANKS.index(card[0]) + 1] + card[1]


def _all_cards(state: State) -> list[str]:
    columns, rows, _ = state
    return [card for down, up in columns for card in down + up] + [card for row in rows for card in row]


def distances(position: Position, rules: Rules, limit: int) -> dict[State, tuple[int | None, list[State]]] | None:
    """Return the distance to a win of every position that can be reached, None for a lost one, and where moves lead.

    Return None when there are more than `limit` positions.
    """
    start = naive._canonical(naive.from_position(position), True)
    leads: dict[State, list[State]] = {}
    comes: dict[State, list[State]] = {start: []}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        moves = [] if naive._is_won(state) else naive._moves(state, rules)
        leads[state] = [naive._canonical(naive._after(state, move, rules), True) for move in moves]
        for child in leads[state]:
            if child not in comes:
                if len(comes) == limit:
                    return None
                comes[child] = []
                queue.append(child)
            comes[child].append(state)
    steps = {state: 0 for state in leads if naive._is_won(state)}
    queue = deque(steps)
    while queue:
        state = queue.popleft()
        for parent in comes[state]:
            if parent not in steps:
                steps[parent] = steps[state] + 1
                queue.append(parent)
    return {state: (steps.get(state), leads[state]) for state in leads}
