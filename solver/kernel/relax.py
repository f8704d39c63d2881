"""A relaxation that proves positions with an empty stock lost, and its search.

Once the stock is empty no move makes a *break*: a card that does not lie in sequence on the card below it, or that
lies on a face-down card.  Cut a column at its breaks into segments.  The top segment, with what was built on it, is
movable in sequence; call its cards *open*, those below its first card *fixed*.  A column without fixed cards is a
*floor*.  An open card that lies on a break is the *head* of its column, every other open card is *loose*: it lies in
sequence on an open card one rank higher, or at the bottom of a floor.  So of every position it holds that

    sum over ranks r of max(0, loose(r) - open(r + 1))  <=  floors                                            (1)

for no two loose cards lie on the same card.  A move

* of a loose card with what lies on it changes neither the fixed cards nor, therefore, which cards are loose;
* of a head h of rank r, which takes its run along, makes h loose and opens the next segment of its column, the one
  without cards when it empties it.  Right after it (1) holds with h among the loose, the next segment not yet open,
  and the last card of the run, of rank q, bearing nothing: so open(q) counts one less there.  All of the run but h
  were loose and of the suit of h;
* that completes a run takes one open card of each rank of a suit away, loose ones but for the king, which is
  a head or loose at the bottom of a floor.

The first card of a column without fixed cards may be taken for its head or for a loose card on a floor, in any position
that a search enters: while it lies there nothing can come to its place, and moving it to an empty column changes
nothing, so the next move of it that counts is that of a head.  It is taken for the head while it is like the card that
lay there in the root: then the column counts as a floor only when all of it has been moved elsewhere.

The relaxation keeps of a position what these three lines speak of - the fixed cards of each column and the runs that
have left - and allows every move that meets its conditions.  Every line of the game is then a line of the
relaxation: where that has no line to the empty table, the game has none.  It is small: each of its moves takes a
segment or a run away, so there are no cycles, and how the loose cards are arranged does not exist.

A state is its key, one to one, so that this proof does not hang on hashing::

    word 0   bits 7c+6..7c   index of the lowest open segment of column c, c = 0..8; bit 63 is set
    word 1   bits 6..0       the same of column 9;  bits 7+4s..10+4s   runs of suit s that have left
             bits 63..62     0 being searched, 1 lost, 2 not proved lost
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numba import njit

from solver.kernel.layout import COLUMN_CAPACITY, COLUMNS, Board, Game, I8Array, I64Array, U64Array, signed

SUITS = 4
RANKS = 15
"""Ranks 1..13, and one beside each end that no card has."""
MAX_SEGMENTS = 104
MAX_RUNS = 15
"""Runs of one suit that a key can count."""
MAX_DEPTH = MAX_SEGMENTS + COLUMNS + SUITS * MAX_RUNS + 1
"""Every move of the relaxation takes a segment or a run away."""
OPTIONS = COLUMNS + SUITS * (COLUMNS + 1)
"""Moves to try in a state: the run of a suit with its king on a floor or at the head of a column, or a head."""

LOST = 1
ALIVE = 2

_ONE = np.uint64(1)
_MARK = np.uint64(1) << np.uint64(63)
_STATUS_SHIFT = np.uint64(62)
_KEY_MASK = (np.uint64(1) << np.uint64(62)) - np.uint64(1)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_2 = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class Relaxation(Protocol):
    """The segments of the root, the state at hand and the stack of the search.  A record of `RELAXATION`."""

    starts: I8Array
    """(10, 106) int8; [c, k]: index of the first card of segment k, of which 0 has none; the entry after the last holds
    the length."""
    segment_of: I8Array
    """(10, 128) int8; [c, i]: segment of the card at index i."""
    cards: I8Array
    """(10, 128) int8: the columns of the root."""
    lowest: I64Array
    """(10,) int64: index of the lowest open segment; 0, that without cards, for a floor."""
    kings: I64Array
    """(4,) int64: kings of the root, by suit."""
    gone: I64Array
    """(4,) int64: runs of a suit that have left since the root."""
    floors: int
    open: I64Array
    """(4, 15) int64, by suit and rank."""
    loose: I64Array
    """(4, 15) int64."""
    open_ranks: I64Array
    """(15,) int64: sum over the suits."""
    loose_ranks: I64Array
    """(15,) int64."""
    cards_left: int
    """Cards of the state, fixed and open."""
    known: int
    """Keys in the table."""
    key: U64Array
    """(2,) uint64: the two words of the state that was last looked up and not found."""
    options: I64Array
    """(MAX_DEPTH + 1,) int64: option that was taken at each depth of the search."""


RELAXATION = np.dtype(
    (
        np.record,
        [
            ("starts", "i1", (COLUMNS, MAX_SEGMENTS + 2)),
            ("segment_of", "i1", (COLUMNS, COLUMN_CAPACITY)),
            ("cards", "i1", (COLUMNS, COLUMN_CAPACITY)),
            ("lowest", "i8", (COLUMNS,)),
            ("kings", "i8", (SUITS,)),
            ("gone", "i8", (SUITS,)),
            ("floors", "i8"),
            ("open", "i8", (SUITS, RANKS)),
            ("loose", "i8", (SUITS, RANKS)),
            ("open_ranks", "i8", (RANKS,)),
            ("loose_ranks", "i8", (RANKS,)),
            ("cards_left", "i8"),
            ("known", "i8"),
            ("key", "u8", (2,)),
            ("options", "i8", (MAX_DEPTH + 1,)),
        ],
    )
)


@njit(cache=True)
def is_break(board: Board, column: int, i: int) -> bool:
    """Whether the card at index i of a column lies on no card in sequence, or on a face-down one."""
    if i <= board.down[column]:
        return True
    return (board.cards[column, i - 1] & 15) != (board.cards[column, i] & 15) + 1


@njit(cache=True)
def prepare(relaxation: Relaxation, board: Board, game: Game) -> None:
    """Cut the columns of the root, whose stock must be empty, into segments; all else is zero."""
    for column in range(game.columns):
        # Segment 0, below the first card, holds none: what lies on it has not been lifted from the floor yet.
        segment = 0
        for i in range(board.length[column]):
            card = int(board.cards[column, i])
            relaxation.cards[column, i] = card
            if card & 15 == game.ranks:
                relaxation.kings[card >> 4] += 1
            if is_break(board, column, i):
                segment += 1
                relaxation.starts[column, segment] = i
            relaxation.segment_of[column, i] = segment
        relaxation.starts[column, segment + 1] = board.length[column]


@njit(cache=True)
def add(relaxation: Relaxation, card: int, to_open: int, to_loose: int) -> None:
    """Add to the open cards that are like this one, and to the loose ones."""
    suit = card >> 4
    rank = card & 15
    relaxation.open[suit, rank] += to_open
    relaxation.open_ranks[rank] += to_open
    relaxation.loose[suit, rank] += to_loose
    relaxation.loose_ranks[rank] += to_loose


@njit(cache=True)
def _open_segment(relaxation: Relaxation, column: int, sign: int) -> None:
    """Open the lowest open segment of a column, which was fixed (sign 1), or take that back (sign -1)."""
    segment = relaxation.lowest[column]
    first = int(relaxation.starts[column, segment])
    for i in range(first, int(relaxation.starts[column, segment + 1])):
        add(relaxation, int(relaxation.cards[column, i]), sign, sign if i > first else 0)
    if segment == 0:
        relaxation.floors += sign


@njit(cache=True)
def _head(relaxation: Relaxation, column: int) -> int:
    """Return the head of a column that is no floor."""
    # Six bits; the mask makes it as wide as all that it is compared with.
    return int(relaxation.cards[column, relaxation.starts[column, relaxation.lowest[column]]]) & 63


@njit(cache=True)
def enter(relaxation: Relaxation, board: Board, game: Game) -> None:
    """Make the board, reached from the root, the state at hand."""
    relaxation.open[:] = 0
    relaxation.loose[:] = 0
    relaxation.open_ranks[:] = 0
    relaxation.loose_ranks[:] = 0
    relaxation.gone[:] = relaxation.kings
    relaxation.floors = 0
    relaxation.cards_left = 0
    for column in range(game.columns):
        n = board.length[column]
        for j in range(n):
            if board.cards[column, j] & 15 == game.ranks:
                relaxation.gone[board.cards[column, j] >> 4] -= 1
        relaxation.cards_left += n
        i = n - 1
        while not is_break(board, column, i):
            i -= 1
        # No break is ever made, so the fixed cards are those of the root.
        first = n > 0 and board.cards[column, i] == relaxation.cards[column, i]
        lowest = relaxation.segment_of[column, i] if first else 0
        relaxation.lowest[column] = lowest
        if lowest == 0:
            relaxation.floors += 1
        for j in range(max(i, 0), n):
            add(relaxation, int(board.cards[column, j]), 1, 1 if j > i or lowest == 0 else 0)


@njit(cache=True)
def slack(relaxation: Relaxation, game: Game) -> int:
    """Return how many floors (1) leaves free."""
    spare = relaxation.floors
    for rank in range(1, game.ranks + 1):
        spare -= max(0, relaxation.loose_ranks[rank] - relaxation.open_ranks[rank + 1])
    return spare


@njit(cache=True)
def _can_peel(relaxation: Relaxation, game: Game, column: int) -> bool:
    """Whether the head of a column may move: see the second kind of move at the top."""
    if relaxation.lowest[column] == 0:
        return False
    head = _head(relaxation, column)
    rank = head & 15
    suit = head >> 4
    spare = slack(relaxation, game)
    # The head among the loose: it lies on a card of the next rank, or on a floor.
    if relaxation.loose_ranks[rank] >= relaxation.open_ranks[rank + 1]:
        spare -= 1
    if spare < 0:
        return False
    if spare == 0:
        # No place to spare: the run must go on to a card that can be without any on it.
        while rank > 1 and relaxation.loose_ranks[rank - 1] >= relaxation.open_ranks[rank]:
            rank -= 1
            if relaxation.loose[suit, rank] == 0:
                return False
    return True


@njit(cache=True)
def _can_remove(relaxation: Relaxation, game: Game, suit: int, column: int) -> bool:
    """Whether a run may be completed on the king at the head of a column, or on a loose one (column -1)."""
    if column < 0:
        if relaxation.loose[suit, game.ranks] == 0:
            return False
    elif relaxation.lowest[column] == 0 or _head(relaxation, column) != (suit << 4 | game.ranks):
        return False
    lacking = 0
    for rank in range(1, game.ranks):
        if relaxation.loose[suit, rank] == 0:
            lacking += 1
    return lacking == 0


@njit(cache=True)
def _remove(relaxation: Relaxation, game: Game, suit: int, column: int, sign: int) -> None:
    """Take a completed run away (sign -1) or put it back (sign 1), without its column's segments."""
    for rank in range(1, game.ranks):
        add(relaxation, suit << 4 | rank, sign, sign)
    add(relaxation, suit << 4 | game.ranks, sign, sign if column < 0 else 0)
    relaxation.gone[suit] -= sign
    relaxation.cards_left += sign * game.ranks


@njit(cache=True)
def _try(relaxation: Relaxation, game: Game, option: int) -> bool:
    """Make the move of an option if the relaxation allows it."""
    if option < SUITS * (COLUMNS + 1):
        suit = option // (COLUMNS + 1)
        column = option % (COLUMNS + 1) - 1
        if column >= game.columns or not _can_remove(relaxation, game, suit, column):
            return False
        _remove(relaxation, game, suit, column, -1)
    else:
        column = option - SUITS * (COLUMNS + 1)
        if column >= game.columns or not _can_peel(relaxation, game, column):
            return False
        add(relaxation, _head(relaxation, column), 0, 1)
    if column >= 0:
        relaxation.lowest[column] -= 1
        _open_segment(relaxation, column, 1)
    return True


@njit(cache=True)
def _take_back(relaxation: Relaxation, game: Game, option: int) -> None:
    removes = option < SUITS * (COLUMNS + 1)
    column = option % (COLUMNS + 1) - 1 if removes else option - SUITS * (COLUMNS + 1)
    if column >= 0:
        _open_segment(relaxation, column, -1)
        relaxation.lowest[column] += 1
    if removes:
        _remove(relaxation, game, option // (COLUMNS + 1), column, 1)
    else:
        add(relaxation, _head(relaxation, column), 0, -1)


@njit(cache=True)
def _find(relaxation: Relaxation, table: U64Array) -> int:
    """Return the slot of the state at hand, or the free one where it belongs; then its key is left in the record."""
    word = _MARK
    for column in range(COLUMNS - 1):
        word |= np.uint64(relaxation.lowest[column]) << np.uint64(7 * column)
    word2 = np.uint64(relaxation.lowest[COLUMNS - 1])
    for suit in range(SUITS):
        word2 |= np.uint64(relaxation.gone[suit]) << np.uint64(7 + 4 * suit)
    mask = np.uint64(table.shape[0] - 1)
    mixed = (word ^ word2 * _MULTIPLIER_2) * _MULTIPLIER
    mixed = (mixed ^ mixed >> _HALF) * _MULTIPLIER
    i = (mixed ^ mixed >> _HALF) & mask
    while table[i, 0] != 0:
        if table[i, 0] == word and table[i, 1] & _KEY_MASK == word2:
            return signed(i)
        i = (i + _ONE) & mask
    relaxation.key[0] = word
    relaxation.key[1] = word2
    return signed(i)


@njit(cache=True)
def is_lost(relaxation: Relaxation, table: U64Array, game: Game, most: int) -> bool:
    """Whether the relaxation proves the state at hand lost; the state comes out as it went in.

    `most` bounds the states that are looked at; the answer is no when they do not suffice or when the table is full.
    """
    depth = 0
    options = relaxation.options
    entered = True
    limit = relaxation.known + most
    while True:
        finished = 0
        if entered:
            slot = _find(relaxation, table)
            if table[slot, 0] != 0:
                finished = signed(table[slot, 1] >> _STATUS_SHIFT)
            elif relaxation.cards_left == 0 or relaxation.known >= limit or 4 * relaxation.known >= 3 * table.shape[0]:
                finished = ALIVE
            else:
                table[slot, 0] = relaxation.key[0]
                table[slot, 1] = relaxation.key[1]
                relaxation.known += 1
                options[depth] = -1
            if finished == LOST and depth == 0:
                return True
            entered = False
        if finished == ALIVE:
            # So is every state on the way.
            while depth > 0:
                depth -= 1
                _take_back(relaxation, game, options[depth])
                slot = _find(relaxation, table)
                table[slot, 1] = table[slot, 1] & _KEY_MASK | np.uint64(ALIVE) << _STATUS_SHIFT
            return False
        if finished == LOST:
            depth -= 1
            _take_back(relaxation, game, options[depth])
        option = options[depth] + 1
        while option < OPTIONS and not _try(relaxation, game, option):
            option += 1
        if option < OPTIONS:
            options[depth] = option
            depth += 1
            entered = True
            continue
        slot = _find(relaxation, table)
        table[slot, 1] = table[slot, 1] & _KEY_MASK | np.uint64(LOST) << _STATUS_SHIFT
        if depth == 0:
            return True
        depth -= 1
        _take_back(relaxation, game, options[depth])
