"""Hypothesis strategies for positions of whole games: in play, and late with runs gone."""

from __future__ import annotations

import random

from hypothesis import strategies as st
from naive import random_playout, shuffled_game

from solver.cards import make_card
from solver.position import Position
from solver.rules import LAYOUTS, Rules, make_rules

SUITS_OF = {1: (3,), 2: (3, 2), 3: (3, 2, 0), 4: (3, 2, 0, 1)}
"""Suits of a game by their number, those with most runs first."""

RULES: dict[tuple[int, str], Rules] = {
    (suits, layout): make_rules("bicycle" if layout == "bicycle" else "standard", suits=suits, heights=LAYOUTS[layout])
    for suits in (1, 2, 3, 4)
    for layout in LAYOUTS
}


@st.composite
def played(draw: st.DrawFn, suits: int | None = None, layout: str | None = None) -> tuple[Position, Rules]:
    """Draw a position that some legal moves lead to, with its rules."""
    rules = RULES[
        draw(st.sampled_from(sorted(SUITS_OF))) if suits is None else suits,
        layout or draw(st.sampled_from(sorted(LAYOUTS))),
    ]
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    position = shuffled_game(rng, rules)
    for last, _ in random_playout(position, rules, rng, draw(st.integers(0, 25))):
        position = last
    return position, rules


@st.composite
def late(draw: st.DrawFn, suits: int | None = None) -> tuple[Position, Rules]:
    """Draw a position of a late game: some runs gone, columns of any height, some of them empty."""
    rules = RULES[draw(st.sampled_from(sorted(SUITS_OF))) if suits is None else suits, "spread"]
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    names = SUITS_OF[rules.suits]
    runs = [suit for suit, share in zip(names, rules.suit_runs, strict=True) for _ in range(share)]
    rng.shuffle(runs)
    gone = sorted(runs[: draw(st.integers(0, 7))])
    cards = [make_card(rank, suit) for suit in runs[len(gone) :] for rank in range(1, 14)]
    rng.shuffle(cards)
    count = min(draw(st.integers(0, 3)), len(cards) // 10)
    rows = [tuple(cards.pop() for _ in range(10)) for _ in range(count)]
    columns: list[list[int]] = [[] for _ in range(10)]
    filled = draw(st.integers(1, 10)) if len(cards) < 80 else 10
    for card in cards:
        columns[rng.randrange(filled)].append(card)
    down = [rng.randint(0, min(4, len(column) - 1)) if column else 0 for column in columns]
    return Position(tuple(map(tuple, columns)), tuple(down), tuple(rows), tuple(gone)), rules


def any_games(suits: int | None = None) -> st.SearchStrategy[tuple[Position, Rules]]:
    return st.one_of(played(suits), late(suits))
