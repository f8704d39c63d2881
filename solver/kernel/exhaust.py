"""Exhaustive search in little memory: depth first over the lossless list, a table of 128-bit keys and nothing else.

A proof of loss has to visit every position once.  The best-first engine keeps some 200 bytes for each; this one keeps
its key, 16 bytes a slot, and the way from the root to the position at hand::

    moves[d]     the move played at depth d
    effects[d]   what `apply` said of it, for `undo`
    nexts[d]     index of the move to try next at depth d

The moves of a position are generated anew whenever the search comes back to it; `generate` lists them in an order
that depends on the position alone.  The path may become as long as there are positions, for a wandering
rearrangement is a path too, so the stack grows like the table.

Sound reductions: columns are interchangeable once the stock is empty, positions from which strict rules can never deal
again are left (both in moves.py), and where the root has no stock, positions that the relaxation of relax.py proves
lost, or that of suited.py.  Only a move that opens a segment or completes a run leads to another of the states of the
first, so only then they are asked; many positions share a state.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from solver.kernel.endings import MOST_SUITED, MOST_SUITED_FIRST, Ending, is_ending, opens_segment, proves_loss
from solver.kernel.layout import COLUMNS, MAX_ROWS, Board, Game, I32Array, I64Array, U64Array
from solver.kernel.moves import COMPLETED_SHIFT, MAX_MOVES, apply, generate, is_dead, undo
from solver.kernel.score import Keys, derive, derive_after, full_key, judge
from solver.kernel.table import insert_wide

# What `run` returns.
SLICE_DONE = 0
WON = 1
EXHAUSTED = 2
STACK_FULL = 3
TABLE_FULL = 4

COMPLETED = ((1 << COLUMNS) - 1) << COMPLETED_SHIFT
"""Bits of what `apply` reports, any of which says that a run has left."""


class Path(NamedTuple):
    """The way from the root to the position at hand, (capacity,) int32 each."""

    moves: I32Array
    effects: I32Array
    nexts: I32Array


class Walk(Protocol):
    """Where the search stands between slices, and its scratch.  A record of `WALK`."""

    depth: int
    """Moves from the root to the position at hand; -1 when all is done."""
    deepest: int
    positions: int
    expansions: int
    children: int
    proved: int
    """Positions that a relaxation proved lost."""
    per_stage: I64Array
    """(16,) int64: different positions met, by rows dealt since the root."""
    moves: I64Array
    """(MAX_MOVES,) int64."""


WALK = np.dtype(
    (
        np.record,
        [
            ("depth", "i8"),
            ("deepest", "i8"),
            ("positions", "i8"),
            ("expansions", "i8"),
            ("children", "i8"),
            ("proved", "i8"),
            ("per_stage", "i8", (MAX_ROWS + 1,)),
            ("moves", "i8", (MAX_MOVES,)),
        ],
    )
)


@njit(cache=True)
def begin(
    table: U64Array,
    path: Path,
    walk: Walk,
    board: Board,
    game: Game,
    keys: Keys,
) -> None:
    """Enter the root: the board's cards, lengths, face-down counts and own counts are set, the rest is zero."""
    derive(board, game, keys)
    insert_wide(table, full_key(board, keys, 0), full_key(board, keys, 1))
    walk.positions = 1
    walk.per_stage[board.stage] = 1
    path.nexts[0] = 0


@njit(cache=True)
def _put_progress_first(walk: Walk, board: Board, count: int) -> None:
    """Order the moves: first those that can never be taken back, each part in the order of its own."""
    first = 0
    for i in range(count):
        move = walk.moves[i]
        if opens_segment(board, move):
            for j in range(i, first, -1):
                walk.moves[j] = walk.moves[j - 1]
            walk.moves[first] = move
            first += 1


@njit(cache=True)
def walk_on(
    table: U64Array,
    path: Path,
    walk: Walk,
    ending: Ending,
    board: Board,
    game: Game,
    keys: Keys,
    until: int,
    most: int,
) -> int:
    """Search until `until` positions are known; return why it stopped.

    `most` is the number of keys that the table may hold.  After WON the moves of the path up to and with `depth` win.
    """
    relaxes = is_ending(ending)
    if relaxes and walk.expansions == 0 and proves_loss(ending, board, game, MOST_SUITED_FIRST):
        walk.proved = 1
        walk.depth = -1
    while walk.depth >= 0:
        if walk.positions >= until:
            return SLICE_DONE
        if walk.positions + MAX_MOVES > most:
            return TABLE_FULL
        if walk.depth + 2 > path.moves.shape[0]:
            return STACK_FULL
        depth = walk.depth
        count = generate(board, game, walk.moves)
        if relaxes:
            _put_progress_first(walk, board, count)
        i = path.nexts[depth]
        if i == 0:
            walk.expansions += 1
        descends = False
        while i < count and not descends:
            move = walk.moves[i]
            i += 1
            walk.children += 1
            judge(board, game, keys, move)
            if board.runs + board.child_removed == game.runs:
                path.moves[depth] = move
                path.nexts[depth] = i
                return WON
            if insert_wide(table, board.child_key[0], board.child_key[1]):
                walk.positions += 1
                path.moves[depth] = move
                asks = relaxes and opens_segment(board, move)
                path.effects[depth] = apply(board, game, move)
                asks = asks or (relaxes and path.effects[depth] & COMPLETED != 0)
                walk.per_stage[board.stage] += 1
                is_lost = is_dead(board.on_table, board.stage < game.rows, game)
                if asks and proves_loss(ending, board, game, MOST_SUITED):
                    is_lost = True
                    walk.proved += 1
                if is_lost:
                    undo(board, game, move, path.effects[depth])
                else:
                    derive_after(board, game, keys, move)
                    descends = True
        path.nexts[depth] = i
        if descends:
            walk.depth = depth + 1
            walk.deepest = max(walk.deepest, walk.depth)
            path.nexts[walk.depth] = 0
        else:
            walk.depth = depth - 1
            if depth > 0:
                move = int(path.moves[depth - 1])
                undo(board, game, move, path.effects[depth - 1])
                derive_after(board, game, keys, move)
    return EXHAUSTED
