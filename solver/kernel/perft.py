"""Perft: the number of move sequences of a given length, the standard check of a move generator.

Every leaf passes through generate, apply and undo, so a wrong count betrays a fault in any of them.  A sequence
that reaches a won or stuck position early ends there and counts only if it has the full length.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solver.kernel.layout import Board, Game
from solver.kernel.moves import MAX_MOVES, apply, generate, undo

MAX_DEPTH = 8


@njit(cache=True)
def perft(board: Board, game: Game, depth: int) -> int:
    """Return the number of sequences of `depth` moves (1..MAX_DEPTH) of the game's list.

    The board comes back as it was.
    """
    moves = np.empty((MAX_DEPTH, MAX_MOVES), np.int64)
    counts = np.empty(MAX_DEPTH, np.int64)
    nexts = np.zeros(MAX_DEPTH, np.int64)
    effects = np.empty(MAX_DEPTH, np.int64)
    leaves = 0
    ply = 0
    counts[0] = generate(board, game, moves[0])
    while ply >= 0:
        if ply == depth - 1:
            leaves += counts[ply]
            nexts[ply] = counts[ply]
        if nexts[ply] == counts[ply]:
            ply -= 1
            if ply >= 0:
                undo(board, game, moves[ply, nexts[ply]], effects[ply])
                nexts[ply] += 1
            continue
        effects[ply] = apply(board, game, moves[ply, nexts[ply]])
        ply += 1
        nexts[ply] = 0
        counts[ply] = generate(board, game, moves[ply])
    return leaves
