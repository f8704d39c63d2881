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
    for number, row in enumerate(rows):
        on_table = {card for column in segments for segment in column for card in segment}
        on_table.update(card for earlier in rows[:number] for card in earlier)
        base += sum(card[0] != king and _successor(card) not in on_table for card in row)
    return base, _late(segments, {card for row in rows for card in row}, rules)


def _late(columns: Sequence[list[Segment]], reach: set[str], rules: Rules) -> int:
    king = RANKS[rules.ranks - 1]
    left = [list(column) for column in columns]
    reach = set(reach)

    def wanted(column: int) -> list[str]:
        """Return the cards that the last segment of a column waits for."""
        head = left[column][-1][0]
        cards = [rank + head[1] for rank in RANKS[: rules.ranks]] if head[0] == king else [_successor(head)]
        ends = {card for rest in left if rest for card in rest[-1]}
        return [card for card in cards if card not in reach | ends]

    def put_away(column: int) -> None:
        reach.update(left[column].pop())

    sets = 0
    while True:
        # A king at the bottom stays for ever.
        busy = [i for i, rest in enumerate(left) if rest and not (len(rest) == 1 and rest[0][0][0] == king)]
        free = [i for i in busy if not wanted(i)]
        if free:
            for column in free:
                put_away(column)
            continue
        if not busy:
            return sets
        waits = {i: _holding(left, wanted(i)[0]) for i in busy}
        smallest = min((_closed({i}, waits) for i in busy), key=lambda found: (len(found), busy.index(found[0])))
        for column in set(smallest):
            put_away(column)
        sets += 1


def _holding(left: Sequence[list[Segment]], card: str) -> set[int]:
    return {i for i, rest in enumerate(left) for segment in rest if card in segment}


def _closed(start: set[int], waits: dict[int, set[int]]) -> list[int]:
    """Return the start first, then all that it waits for."""
    found = list(start)
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
