"""Endings, positions whose stock is empty: what the searches of one share.

No move of an ending makes a break (see relax.py), so the breaks that are gone say how far a position is, much finer
than the face-down cards do; a best-first search takes them for its levels.  Positions with the same breaks differ in
how the other cards are arranged, often in millions of ways, and the best of these would keep a search from positions
with other breaks; so each level has several lists, and the breaks say which a position belongs to.

A position with another of the states of relax.py than the one before it is asked whether a relaxation proves it lost;
a lost one is left.  Both relaxations keep what they found in tables, which all searches of one ending may share, one
after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solver.kernel.layout import Board, Game, U64Array, new_record, signed
from solver.kernel.macros import COUNT_MASK, MACRO, SWAP_SHIFT
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, TAKE_COUNT, TARGET_SHIFT
from solver.kernel.relax import RELAXATION, Relaxation, enter, is_break, is_lost, prepare
from solver.kernel.suited import SUITED, Suited, is_lost_suited, load, prepare_suited
from solver.kernel.table import new_table

MOST_STATES = 100_000
"""States that the relaxation may look at for one position, some 0.1 s."""
MOST_SUITED = 1_000
"""The same for the relaxation that knows suits, some 0.01 s."""
MOST_SUITED_FIRST = 50_000
"""And for the root, some 0.5 s."""

LISTS = 16
"""Lists of a level, a power of two; how many was measured, see results/search-notes.md."""
LIST_SHIFT = np.uint64(65 - LISTS.bit_length())
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER_2 = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)


class Ending(NamedTuple):
    """The relaxations of one ending and what they found; without tables for a position that is none."""

    relaxation: Relaxation
    states: U64Array
    """(a power of two, 2) uint64, the table of relax.py, or (0, 2)."""
    suited: Suited
    suited_states: U64Array
    """The same for suited.py."""


NO_ENDING = Ending(new_record(RELAXATION), new_table(0, 2), new_record(SUITED), new_table(0, 2))
"""For searches that ask no relaxation."""


@njit(cache=True)
def is_ending(ending: Ending) -> bool:
    """Whether there are relaxations to ask."""
    return ending.states.shape[0] > 0


@njit(cache=True)
def prepare_ending(ending: Ending, board: Board, game: Game) -> None:
    """Make the board, whose stock is empty, the root; all records and tables are zero."""
    prepare(ending.relaxation, board, game)
    prepare_suited(ending.suited, board, game)


@njit(cache=True)
def proves_loss(ending: Ending, board: Board, game: Game, most: int) -> bool:
    """Whether a relaxation proves lost a board that was reached from the root.

    `most` bounds the states that the one which knows suits looks at.
    """
    relaxation = ending.relaxation
    suited = ending.suited
    # What was forgotten can be found again.
    if 4 * relaxation.known >= 3 * ending.states.shape[0]:
        ending.states[:] = 0
        relaxation.known = 0
    if 4 * suited.known >= 3 * ending.suited_states.shape[0]:
        ending.suited_states[:] = 0
        suited.known = 0
    enter(relaxation, board, game)
    if is_lost(relaxation, ending.states, game, MOST_STATES):
        return True
    load(suited, relaxation, board, game)
    return is_lost_suited(suited, relaxation, ending.suited_states, ending.states, game, most, MOST_STATES)


@njit(cache=True)
def _mark(board: Board, column: int, i: int) -> np.uint64:
    """Return a random word for the break at index i > 0 of a column, a function of its two cards."""
    word = np.uint64(int(board.cards[column, i - 1]) << 6 | int(board.cards[column, i])) * MULTIPLIER
    word ^= word >> HALF
    return word * MULTIPLIER_2


@njit(cache=True)
def breaks(board: Board, game: Game) -> tuple[int, np.uint64]:
    """Return how many breaks there are, and the sum of their marks."""
    count = 0
    marks = np.uint64(0)
    for column in range(game.columns):
        for i in range(1, board.length[column]):
            if is_break(board, column, i):
                count += 1
                marks += _mark(board, column, i)
    return count, marks


@njit(cache=True)
def breaks_undone(board: Board, game: Game, move: int, removed: int) -> tuple[int, np.uint64]:
    """Return how many breaks a tableau move or a macro that removes so many runs undoes, and the sum of their marks."""
    source = move & COLUMN_MASK
    target = move >> TARGET_SHIFT & COLUMN_MASK
    count = move >> COUNT_SHIFT
    other = 0
    if count == TAKE_COUNT:
        count = game.ranks
    elif move & MACRO != 0:
        # Of a swap the first card of the other run, which lies in sequence afterwards, as does this one's.
        y = move >> SWAP_SHIFT & COUNT_MASK
        other = board.length[target] - y if y != 0 else 0
        count &= COUNT_MASK
    elif removed != 0:
        other = board.length[target] + count - game.ranks
    undone = 0
    marks = np.uint64(0)
    first = board.length[source] - count
    if first > 0 and is_break(board, source, first):
        undone += 1
        marks += _mark(board, source, first)
    if other > 0 and is_break(board, target, other):
        undone += 1
        marks += _mark(board, target, other)
    return undone, marks


@njit(cache=True)
def list_of(marks: np.uint64) -> int:
    """Return which of the `LISTS` of its level is for positions whose breaks have that sum of marks."""
    return signed(marks >> LIST_SHIFT)


@njit(cache=True)
def opens_segment(board: Board, move: int) -> bool:
    """Whether a tableau move opens a segment, be it the one without cards, or takes a run: it can never be undone."""
    count = move >> COUNT_SHIFT
    source = move & COLUMN_MASK
    return count == TAKE_COUNT or is_break(board, source, board.length[source] - count)


@njit(cache=True)
def may_change_state(board: Board, move: int) -> bool:
    """Whether a tableau move or a macro may lead to another state of the relaxation."""
    source = move & COLUMN_MASK
    target = move >> TARGET_SHIFT & COLUMN_MASK
    n = board.length[source]
    if move & MACRO != 0:
        x = move >> COUNT_SHIFT & COUNT_MASK
        y = move >> SWAP_SHIFT & COUNT_MASK
        return is_break(board, source, n - x) or (y != 0 and is_break(board, target, board.length[target] - y))
    if opens_segment(board, move):
        return True
    # An ace that is put on cards may complete a run.
    return board.cards[source, n - 1] & 15 == 1 and board.length[target] > 0
