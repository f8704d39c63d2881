"""Beam search by depth: the engine that finds short lines.

All positions of a layer are as many moves away from the root.  A layer keeps the best W positions of each stage (rows
dealt), by score; their unseen children are the candidates of the next one::

    layer d      stage 0   stage 1   ..             at most W positions a stage, packed
                 expand every one, judge every child
    candidates   stage 0   stage 1   ..             a heap a stage: the W best so far, the worst on top
                 make the position of each from its parent's
    layer d+1    stage 0   stage 1   ..

The first win met has as many moves as its layer is deep, so no other line of the beam is shorter.  What is not among
the best W is dropped: a beam that ends without a win proves nothing.

*Links.*  Every pair of neighbours in a completed run is a link: a card on the card one rank higher of its suit.  A
tableau move makes one at most, so a position that lacks more links, and rows, than there are moves left up to the
bound is dropped.  A dealt row may make links by chance; `Beam.gifts` are allowed for each.

*Goals.*  The positions of a known line may be given, as keys with their places in the line: a child that is one of
them, met in fewer moves than the line takes, is a shortcut.  The best one is kept, and the search goes on for a win.

Only two layers of positions are stored (96 bytes each); the way back is the trail, 8 bytes for every position that was
kept.  `run` works in slices, never allocates, and says when it needs room, like `bestfirst.run`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from solver.kernel.layout import Board, Game, I32Array, I64Array, U64Array, pack, unpack
from solver.kernel.moves import (
    COLUMN_MASK,
    COUNT_SHIFT,
    DEAL,
    DEAL_COUNT,
    MAX_MOVES,
    TAKE_COUNT,
    TARGET_SHIFT,
    apply,
    generate,
    is_dead,
)
from solver.kernel.score import Keys, derive, derive_after, full_key, judge
from solver.kernel.table import FREE, ONE, insert

# What `run` returns.
SLICE_DONE = 0
WON = 1
EMPTY = 2
TRAIL_FULL = 3
TABLE_FULL = 4

NONE = -1

# Fields of a trail entry.
TRAIL_PARENT = 0
TRAIL_MOVE = 1
TRAIL_FIELDS = 2

# Fields of a position of a layer, beside its cards.
ENTRY_TRAIL = 0
ENTRY_LEVEL = 1
ENTRY_RUNS = 2
ENTRY_MISSING = 3
"""Links that the position lacks of all completed runs."""
ENTRY_FIELDS = 4

# Fields of a candidate.
CANDIDATE_PARENT = 0
"""Index of the parent in its layer."""
CANDIDATE_MOVE = 1
CANDIDATE_MISSING = 2
CANDIDATE_FIELDS = 3

GOAL_SLOTS = 1 << 11
"""Places for the keys of a line, a power of two."""
MAX_GOALS = GOAL_SLOTS // 2
GOAL_MASK = np.uint64(GOAL_SLOTS - 1)


class Layers(NamedTuple):
    """The arrays of a beam; S stages, W positions a stage.  Layer d uses row d & 1 of the first three."""

    states: U64Array
    """(2, S * W, WORDS) uint64; stage s has its positions from s * W on."""
    entries: I32Array
    """(2, S * W, ENTRY_FIELDS) int32."""
    counts: I64Array
    """(2, S) int64: positions of each stage."""
    offered: I64Array
    """(S,) int64: candidates in the heap of each stage."""
    priorities: I64Array
    """(S, W) int64: the heap of the candidates of each stage, the lowest priority first."""
    places: I32Array
    """(S, W) int32: place in `candidates` of each element of the heap."""
    candidates: I32Array
    """(S, W, CANDIDATE_FIELDS) int32."""
    trail: I32Array
    """(capacity, TRAIL_FIELDS) int32."""
    table: U64Array
    """(capacity, 1) uint64."""
    goal_keys: U64Array
    """(GOAL_SLOTS,) uint64, `table.FREE` where there is none."""
    goal_places: I64Array
    """(GOAL_SLOTS,) int64: place in the line, moves from its start."""


class Beam(Protocol):
    """Where a beam stands between slices, its settings and its scratch.  A record of `BEAM`."""

    width: int
    """W."""
    bound: int
    """Moves that a line from the root may have at most."""
    gifts: int
    """Links that a row still to be dealt may make."""
    root_place: int
    """Place of the root in the line of the goals."""

    depth: int
    """Moves from the root to the present layer."""
    cursor_stage: int
    cursor_index: int
    trail_count: int
    key_count: int
    expansions: int
    children: int
    dropped: int
    """Candidates that found no room; 0: the beam has left nothing out that the bound allows."""
    win_trail: int
    """Trail entry that the winning move leaves from, -1 before there is one."""
    win_move: int
    goal_trail: int
    """Trail entry that the last move of the best shortcut leaves from, -1 before there is one."""
    goal_move: int
    goal_place: int
    """Place in the line where the shortcut ends."""
    goal_gain: int
    """Moves that the shortcut saves."""
    moves: I64Array
    """(MAX_MOVES,) int64."""


BEAM = np.dtype(
    (
        np.record,
        [
            *(
                (name, "i8")
                for name in (
                    "width",
                    "bound",
                    "gifts",
                    "root_place",
                    "depth",
                    "cursor_stage",
                    "cursor_index",
                    "trail_count",
                    "key_count",
                    "expansions",
                    "children",
                    "dropped",
                    "win_trail",
                    "win_move",
                    "goal_trail",
                    "goal_move",
                    "goal_place",
                    "goal_gain",
                )
            ),
            ("moves", "i8", (MAX_MOVES,)),
        ],
    )
)


@njit(cache=True)
def missing_links(board: Board, game: Game) -> int:
    """Return how many links all runs of the game have that the table and the completed runs lack."""
    links = 0
    for column in range(game.columns):
        for i in range(1, board.length[column]):
            if board.cards[column, i] + 1 == board.cards[column, i - 1]:
                links += 1
    return (game.ranks - 1) * (game.runs - board.runs) - links


@njit(cache=True)
def _missing_after(board: Board, game: Game, move: int, missing: int) -> int:
    """Return what `missing_links` would say after a move; a run that is completed changes nothing."""
    count = move >> COUNT_SHIFT
    if count == TAKE_COUNT:
        return missing
    if count == DEAL_COUNT:
        for column in range(game.columns):
            card = int(game.row_cards[board.stage, column])
            if card != 0 and card + 1 == board.open_cards[column]:
                missing -= 1
        return missing
    source = move & COLUMN_MASK
    n = board.length[source] - count
    head = int(board.cards[source, n])
    if n > 0 and head + 1 == int(board.cards[source, n - 1]):
        missing += 1
    if head + 1 == board.open_cards[move >> TARGET_SHIFT & COLUMN_MASK]:
        missing -= 1
    return missing


@njit(cache=True)
def line_keys(board: Board, game: Game, keys: Keys, moves: I64Array, out: U64Array) -> None:
    """Write the keys of the positions of a legal line from the board, its start and its end included."""
    derive(board, game, keys)
    out[0] = full_key(board, keys, 0)
    for i in range(moves.shape[0]):
        apply(board, game, moves[i])
        derive_after(board, game, keys, moves[i])
        out[i + 1] = full_key(board, keys, 0)


@njit(cache=True)
def add_goal(keys: U64Array, places: I64Array, key: np.uint64, place: int) -> None:
    """Enter a position of the known line; of two with one key the later counts."""
    if key == FREE:
        key = ONE
    i = key & GOAL_MASK
    while keys[i] != FREE and keys[i] != key:
        i = (i + ONE) & GOAL_MASK
    keys[i] = key
    places[i] = max(places[i], place)


@njit(cache=True)
def _goal_place(keys: U64Array, places: I64Array, key: np.uint64) -> int:
    """Return the place of a position in the known line, -1 when it is not there."""
    if key == FREE:
        key = ONE
    i = key & GOAL_MASK
    while keys[i] != FREE:
        if keys[i] == key:
            return places[i]
        i = (i + ONE) & GOAL_MASK
    return NONE


@njit(cache=True)
def _offer(layers: Layers, beam: Beam, stage: int, priority: int, parent: int, move: int, missing: int) -> None:
    """Add a candidate to the heap of a stage, in place of the worst when that is full; of equals the first stays."""
    width = beam.width
    count = layers.offered[stage]
    heap = layers.priorities[stage]
    places = layers.places[stage]
    if count < width:
        # Sift up from the end.
        place = count
        i = count
        layers.offered[stage] = count + 1
        while i > 0:
            up = (i - 1) >> 1
            if heap[up] <= priority:
                break
            heap[i] = heap[up]
            places[i] = places[up]
            i = up
    else:
        beam.dropped += 1
        if priority <= heap[0]:
            return
        place = int(places[0])
        i = 0
        while True:
            down = 2 * i + 1
            if down >= width:
                break
            if down + 1 < width and heap[down + 1] < heap[down]:
                down += 1
            if heap[down] >= priority:
                break
            heap[i] = heap[down]
            places[i] = places[down]
            i = down
    heap[i] = priority
    places[i] = place
    layers.candidates[stage, place, CANDIDATE_PARENT] = parent
    layers.candidates[stage, place, CANDIDATE_MOVE] = move
    layers.candidates[stage, place, CANDIDATE_MISSING] = missing


@njit(cache=True)
def begin(layers: Layers, beam: Beam, board: Board, game: Game, keys: Keys) -> None:
    """Make the root the first layer: the board's cards, lengths, face-down counts, stage, level and runs are set.

    The arrays are zero, and of `beam` only the settings are set.
    """
    derive(board, game, keys)
    beam.win_trail = NONE
    beam.goal_trail = NONE
    insert(layers.table, full_key(board, keys, 0))
    beam.key_count = 1
    place = board.stage * beam.width
    pack(board, layers.states[0, place])
    layers.entries[0, place, ENTRY_TRAIL] = 0
    layers.entries[0, place, ENTRY_LEVEL] = board.level
    layers.entries[0, place, ENTRY_RUNS] = board.runs
    layers.entries[0, place, ENTRY_MISSING] = missing_links(board, game)
    layers.trail[0, TRAIL_PARENT] = NONE
    layers.trail[0, TRAIL_MOVE] = NONE
    beam.trail_count = 1
    layers.counts[0, board.stage] = 1


@njit(cache=True)
def _expand(layers: Layers, beam: Beam, board: Board, game: Game, keys: Keys, place: int) -> None:
    """Offer the unseen children of a position of the layer; a winning move is left in the beam."""
    row = beam.depth & 1
    trail = int(layers.entries[row, place, ENTRY_TRAIL])
    unpack(layers.states[row, place], board)
    board.level = layers.entries[row, place, ENTRY_LEVEL]
    board.runs = layers.entries[row, place, ENTRY_RUNS]
    missing = int(layers.entries[row, place, ENTRY_MISSING])
    derive(board, game, keys)
    beam.expansions += 1
    if is_dead(board.on_table, board.stage < game.rows, game):
        return
    count = generate(board, game, beam.moves)
    beam.children += count
    depth = beam.depth + 1
    for i in range(count):
        move = beam.moves[i]
        judge(board, game, keys, move)
        if board.runs + board.child_removed == game.runs:
            beam.win_trail = trail
            beam.win_move = move
            return
        stage = board.stage + 1 if move == DEAL else board.stage
        left = _missing_after(board, game, move, missing)
        rows = game.rows - stage
        if depth + left + rows - beam.gifts * rows > beam.bound:
            continue
        key = board.child_key[0]
        if not insert(layers.table, key):
            continue
        beam.key_count += 1
        goal = _goal_place(layers.goal_keys, layers.goal_places, key)
        if goal != NONE and goal - beam.root_place - depth > beam.goal_gain:
            beam.goal_gain = goal - beam.root_place - depth
            beam.goal_place = goal
            beam.goal_trail = trail
            beam.goal_move = move
        _offer(layers, beam, stage, board.child_score, place, move, left)


@njit(cache=True)
def _next_layer(layers: Layers, beam: Beam, board: Board, game: Game) -> int:
    """Make the candidates the layer; return how many there are."""
    row = beam.depth & 1
    other = 1 - row
    total = 0
    for stage in range(layers.counts.shape[1]):
        count = layers.offered[stage]
        for i in range(count):
            parent = int(layers.candidates[stage, i, CANDIDATE_PARENT])
            move = int(layers.candidates[stage, i, CANDIDATE_MOVE])
            unpack(layers.states[row, parent], board)
            board.level = layers.entries[row, parent, ENTRY_LEVEL]
            board.runs = layers.entries[row, parent, ENTRY_RUNS]
            apply(board, game, move)
            place = stage * beam.width + i
            pack(board, layers.states[other, place])
            layers.entries[other, place, ENTRY_TRAIL] = beam.trail_count
            layers.entries[other, place, ENTRY_LEVEL] = board.level
            layers.entries[other, place, ENTRY_RUNS] = board.runs
            layers.entries[other, place, ENTRY_MISSING] = layers.candidates[stage, i, CANDIDATE_MISSING]
            layers.trail[beam.trail_count, TRAIL_PARENT] = layers.entries[row, parent, ENTRY_TRAIL]
            layers.trail[beam.trail_count, TRAIL_MOVE] = move
            beam.trail_count += 1
        layers.counts[other, stage] = count
        layers.offered[stage] = 0
        total += count
    beam.depth += 1
    beam.cursor_stage = 0
    beam.cursor_index = 0
    return total


@njit(cache=True)
def run(layers: Layers, beam: Beam, board: Board, game: Game, keys: Keys, limit: int) -> int:
    """Search until the expansions reach `limit`; return why it stopped."""
    stages = layers.counts.shape[1]
    while True:
        row = beam.depth & 1
        while beam.cursor_stage < stages:
            stage = beam.cursor_stage
            if beam.cursor_index >= layers.counts[row, stage]:
                beam.cursor_stage = stage + 1
                beam.cursor_index = 0
                continue
            if beam.expansions >= limit:
                return SLICE_DONE
            if 2 * (beam.key_count + MAX_MOVES) > layers.table.shape[0]:
                return TABLE_FULL
            _expand(layers, beam, board, game, keys, stage * beam.width + beam.cursor_index)
            if beam.win_trail != NONE:
                return WON
            beam.cursor_index += 1
        # A win from the next layer takes two moves more than this one is deep.
        if beam.depth + 2 > beam.bound:
            return EMPTY
        if beam.trail_count + stages * beam.width > layers.trail.shape[0]:
            return TRAIL_FULL
        if _next_layer(layers, beam, board, game) == 0:
            return EMPTY
