"""Positions in the form of the kernels, and random ones, for the tests of the kernels.

A test takes a `Position`, hands its board to a kernel, and compares what comes out with `naive` or the
referee: `assert_shows` is the way back.
"""

from __future__ import annotations

import random
from typing import Any

import naive
import numpy as np
from conftest import COMPILED

from solver import attempt
from solver.cards import Card, make_card, rank_of
from solver.kernel.layout import BOARD, GAME, new_record
from solver.kernel.moves import COUNT_SHIFT, DEAL_COUNT, MAX_MOVES, TAKE_COUNT, TARGET_SHIFT, generate
from solver.move import Move
from solver.position import Position, PositionError, check_position
from solver.rules import MAX_FACE_DOWN, Rules

KEYS = attempt.KEYS


def examples(compiled: int) -> int:
    """Return how many examples to try: that many of machine code, a few of plain Python."""
    return compiled if COMPILED else max(compiled // 20, 3)


# ---- there and back ----------------------------------------------------------------------------------


def board_of(position: Position) -> Any:
    """Return the board of a root position; its completed runs count, so that scores compare with `naive.score`."""
    board = attempt.make_board(position)
    board.runs = len(position.completed)
    return board


def game_of(position: Position, rules: Rules, *, lossless: bool = True, wide: bool = False) -> Any:
    """Return the game record of a root position."""
    return attempt.make_game(position, rules, lossless=lossless, wide=wide)


def copy_of(record: Any) -> Any:
    """Return a board or a game of its own with the same contents."""
    copy = new_record(BOARD if record.dtype == BOARD else GAME)
    for name in record.dtype.names:
        copy[name] = record[name]
    return copy


def encode(move: Move) -> int:
    """Return the code of a move."""
    if move.kind == "deal":
        return DEAL_COUNT << COUNT_SHIFT
    if move.kind == "take":
        return TAKE_COUNT << COUNT_SHIFT | move.source
    return move.count << COUNT_SHIFT | move.target << TARGET_SHIFT | move.source


def codes_of(board: Any, game: Any) -> list[int]:
    """Return the list that `generate` makes."""
    out = np.zeros(MAX_MOVES, np.int64)
    return [int(code) for code in out[: generate(board, game, out)]]


def moves_of(board: Any, game: Any) -> set[Move]:
    """Return the moves that `generate` makes, each of them once."""
    codes = codes_of(board, game)
    moves = {attempt.decode_move(code) for code in codes}
    assert len(moves) == len(codes)
    assert sorted(map(encode, moves)) == sorted(codes)
    return moves


def columns_of(board: Any, columns: int) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of the columns."""
    return tuple(tuple(map(int, board.cards[c, : board.length[c]])) for c in range(columns))


def state_of(board: Any, columns: int) -> tuple[Any, ...]:
    """Return all that `apply` changes and `undo` must restore."""
    counts = [int(board[name]) for name in ("stage", "level", "runs", "on_table", "empty")]
    return columns_of(board, columns), board.length.tolist(), board.down.tolist(), counts


def assert_shows(board: Any, position: Position, root: Position) -> None:
    """Check that cards and counts of a board are those of a position that was reached from the root."""
    columns = len(root.columns)
    assert columns_of(board, columns) == position.columns
    assert tuple(board.down[:columns].tolist()) == position.face_down
    assert not board.length[columns:].any()
    assert not board.down[columns:].any()
    assert board.stage == len(root.rows) - len(position.rows)
    assert board.runs == len(position.completed)
    removed = len(position.completed) - len(root.completed)
    assert board.level == sum(root.face_down) - sum(position.face_down) + 2 * removed
    assert board.on_table == position.cards_in_columns
    assert board.empty == sum(not cards for cards in position.columns)


# ---- random positions --------------------------------------------------------------------------------


def any_position(rng: random.Random, rules: Rules) -> Position:
    """Return a position of many runs, or of one tall column, or of hardly a card; it passes the loose check."""
    while True:
        position = _pieces(rng, rules)
        try:
            check_position(position, rules, loose=True)
        except PositionError:
            continue  # a completed run where removal is automatic
        return position


def _pieces(rng: random.Random, rules: Rules) -> Position:
    gone = []
    pieces: list[list[Card]] = []
    cut = rng.choice([0.1, 0.3, 0.8])
    for suit, share in zip((3, 2, 0, 1), rules.suit_runs, strict=False):
        for _ in range(share):
            if rng.random() < 0.15:
                gone.append(suit)
                continue
            pieces.append([])
            for rank in range(rules.ranks, 0, -1):
                if rng.random() < cut:
                    pieces.append([])
                pieces[-1].append(make_card(rank, suit))
    rng.shuffle(pieces)
    cards = [card for piece in pieces for card in piece]
    rows = []
    for size in rules.rows[rng.randint(0, len(rules.rows)) :]:
        if len(cards) < size:
            break
        rows.append(tuple(cards[:size]))
        del cards[:size]
    if rng.random() < 0.2:
        del cards[rng.randint(0, len(cards)) :]
    columns: list[list[Card]] = [[] for _ in range(rules.columns)]
    used = rng.sample(range(rules.columns), rng.randint(1, rules.columns))
    target = used[0]
    for place, card in enumerate(cards):
        if place == 0 or card + 1 != cards[place - 1]:
            target = rng.choice(used)
        columns[target].append(card)
    down = tuple(
        min(rng.choice([0, 0, 1, rng.randint(0, MAX_FACE_DOWN)]), max(len(column) - 1, 0)) for column in columns
    )
    return Position(tuple(map(tuple, columns)), down, tuple(rows), tuple(sorted(gone)))


def sequences_position(rng: random.Random, rules: Rules) -> Position:
    """Return a position of sequences of mixed suits, some columns empty; it passes the loose check."""
    while True:
        left = [
            make_card(rank, suit)
            for suit, share in zip((3, 2, 0, 1), rules.suit_runs, strict=False)
            for rank in range(1, rules.ranks + 1)
            for _ in range(share)
        ]
        rng.shuffle(left)
        rows: tuple[tuple[Card, ...], ...] = ()
        if rng.random() < 0.5:
            rows = (tuple(left.pop() for _ in range(rules.rows[-1])),)
        columns: list[list[Card]] = [[] for _ in range(rules.columns)]
        used = rng.sample(range(rules.columns), rng.randint(max(rules.columns - 3, 1), rules.columns))
        down = [0] * rules.columns
        for column in used:
            pile = columns[column]
            if rng.random() < 0.4:
                down[column] = rng.randint(1, 3)
                pile += [left.pop() for _ in range(min(down[column], len(left)))]
        for _ in range(rng.randint(len(used), 3 * len(used))):
            pile = columns[rng.choice(used)]
            rank = rng.randint(2, rules.ranks)
            for lower in range(rank, max(rank - rng.randint(1, 6), 0), -1):
                same = [card for card in left if card & 15 == lower]
                if not same:
                    break
                joins = [card for card in same if pile and card + 1 == pile[-1]]
                card = joins[0] if joins and rng.random() < 0.6 else rng.choice(same)
                left.remove(card)
                pile.append(card)
        position = Position(
            tuple(map(tuple, columns)),
            tuple(min(count, max(len(pile) - 1, 0)) for count, pile in zip(down, columns, strict=True)),
            rows,
        )
        try:
            check_position(position, rules, loose=True)
        except PositionError:
            continue
        return position


def ready_position(rng: random.Random, rules: Rules) -> Position:
    """Return a position in which the next row, or a tableau move, completes runs in several columns."""

    def junk(most: int) -> list[Card]:
        return [make_card(rng.randint(1, rules.ranks), rng.randint(0, 3)) for _ in range(rng.randint(0, most))]

    row = [make_card(rng.randint(1, rules.ranks), rng.randint(0, 3)) for _ in range(rules.columns)]
    columns = []
    down = []
    # Five runs of 12 and what lies about stay below 104 cards.
    ready = rng.sample(range(rules.columns), rng.randint(1, min(rules.columns, 5)))
    suits = []
    for column in range(rules.columns):
        under = junk(2)
        if column in ready:
            suit = rng.randint(0, 3)
            suits.append(suit)
            if rng.random() < 0.8:
                row[column] = make_card(1, suit)
            columns.append((*under, *(make_card(rank, suit) for rank in range(rules.ranks, 1, -1))))
            down.append(rng.randint(0, len(under)))
        else:
            top = [make_card(1, rng.choice(suits or [0]))] if rng.random() < 0.7 else []
            columns.append((*under, *top))
            down.append(rng.randint(0, max(len(columns[-1]) - 1, 0)))
    rows = (tuple(row[: rules.rows[-1] if rng.random() < 0.3 else None]),)
    return Position(tuple(columns), tuple(down), rows)


def small_ending(rng: random.Random) -> tuple[Position, Rules]:
    """Return a small position with an empty stock: any rules, some runs gone, sequences short or long."""
    ranks = rng.choice((3, 4, 5, 6, 7))
    packs = 1 if ranks > 5 else rng.choice((1, 2))
    columns = rng.choice((3, 4, 5, 6, 7))
    rules = naive.random_rules(rng, columns=columns, ranks=ranks, packs=packs)
    runs = [suit for suit, share in zip((3, 2, 1, 0), rules.suit_runs, strict=False) for _ in range(share)]
    rng.shuffle(runs)
    gone = rng.randrange(len(runs) - 1)
    cards = [make_card(rank, suit) for suit in runs[gone:] for rank in range(1, ranks + 1)]
    rng.shuffle(cards)
    piles: list[list[int]] = [[] for _ in range(columns)]
    sequenced = rng.random()
    for card in cards:
        fits = [pile for pile in piles if pile and rank_of(pile[-1]) == rank_of(card) + 1]
        (rng.choice(fits) if fits and rng.random() < sequenced else rng.choice(piles)).append(card)
    down = tuple(rng.randrange(min(len(pile), 5)) if pile else 0 for pile in piles)
    return Position(tuple(map(tuple, piles)), down, (), tuple(sorted(runs[:gone]))), rules
