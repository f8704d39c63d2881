"""Bucketed best-first search with a transposition table: the engine that finds wins.

Open lists by (stage, level).  A round visits the stages in order; in each it takes the best node
of each of the K most advanced non-empty levels, expands it and pushes its unseen children.  Plain best-first
search drowns in rearrangements of one position; levels force progress and keep the alternatives.
Where the most advanced levels are a dead end with room to wander in, K levels would never look elsewhere, so a search
may *sweep*: every so many rounds it visits all levels.
In an ending the levels are the breaks that are gone, each with several lists in place of stages, and positions that a
relaxation proves lost are not expanded (see endings.py), unless the caller gives no relaxations.
After an expansion the search *dives*: while the best unseen child is better than its parent or more
advanced, it is expanded at once, `MAX_DIVE` times at most.

Memory::

    expanded   states[i]   packed position (96 bytes), written when it is expanded
               trail[i]    parent state, move from it, level, runs        the way back to the root
    open       nodes[j]    20 bytes, see queues.py: parent state and move, no position
    seen       table       8 bytes a slot, see table.py

A node's position is rebuilt from its parent's when its turn comes.  Nothing is dropped: when all lists are
empty the move list has been exhausted.

`run` works in slices and stops where a visit ends, so that where the slices fall changes nothing.
It never allocates: when it needs room it says so and the caller grows the arrays.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from solver.kernel.endings import (
    MOST_SUITED,
    Ending,
    breaks,
    breaks_undone,
    is_ending,
    list_of,
    may_change_state,
    proves_loss,
)
from solver.kernel.layout import Board, Game, I32Array, I64Array, U64Array, pack, signed, unpack
from solver.kernel.macros import add_macros, judge_macro, play
from solver.kernel.moves import DEAL, MAX_MOVES, RUN_LEVELS, generate, is_dead
from solver.kernel.queues import MOVE, NONE, PARENT, SCORE, pop, push
from solver.kernel.score import Keys, derive, derive_after, full_key, full_score, judge
from solver.kernel.table import insert

MAX_DIVE = 10
VISIT_EXPANSIONS = MAX_DIVE + 1
VISIT_NODES = VISIT_EXPANSIONS * MAX_MOVES
"""Bound of the nodes and keys that one visit adds; room for them is made before it starts."""

# What `run` returns.
SLICE_DONE = 0
WON = 1
EXHAUSTED = 2
STATES_FULL = 3
NODES_FULL = 4
TABLE_FULL = 5

# Fields of a trail entry.
TRAIL_PARENT = 0
TRAIL_MOVE = 1
TRAIL_LEVEL = 2
TRAIL_RUNS = 3
TRAIL_FIELDS = 4

NOISE_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
NOISE_SHIFT = np.uint64(32)
HALF_MASK = np.uint64(0xFFFF)
HALF_BITS = np.uint64(16)


class Space(NamedTuple):
    """The arrays of one search that grow with it."""

    states: U64Array
    """(capacity, WORDS) uint64."""
    trail: I32Array
    """(capacity, TRAIL_FIELDS) int32."""
    nodes: I32Array
    """(capacity, NODE_FIELDS) int32."""
    table: U64Array
    """(capacity, 1) uint64."""
    roots: I32Array
    """(lists, levels) int32; the lists are the stages, in an ending those of endings.py."""


class Search(Protocol):
    """Where a search stands between slices, its settings, and its scratch.  A record of `SEARCH`."""

    breadth: int
    """K, the levels that a round visits in each stage."""
    sweep: int
    """Every so many rounds visit all levels; 0 for never."""
    breaks: int
    """Breaks of the root of an ending."""
    macros: int
    """Whether macros are among the moves, see macros.py; not where lists are lossless."""
    noise: int
    """Amplitude of the noise on scores, hundredths of a point; 0 for none."""
    noise_seed: int

    state_count: int
    node_count: int
    key_count: int
    expansions: int
    children: int
    cursor_stage: int
    cursor_level: int
    cursor_taken: int
    """Levels visited so far in the stage."""
    rounds: int
    """Rounds ended."""
    idle_stages: int
    """Stages found empty in a row; all of them: exhausted."""
    win_state: int
    """State that the winning move leaves from, -1 before there is one."""
    win_move: int
    best_state: int
    """The most advanced expanded position, by level, then by rows dealt."""
    best_rank: int

    moves: I64Array
    """(MAX_MOVES,) int64: the moves of the position at hand; the four below go with them."""
    scores: I64Array
    lists: I64Array
    levels: I64Array
    keys: U64Array
    """(MAX_MOVES,) uint64."""


SEARCH = np.dtype(
    (
        np.record,
        [
            *(
                (name, "i8")
                for name in (
                    "breadth",
                    "sweep",
                    "breaks",
                    "macros",
                    "noise",
                    "noise_seed",
                    "state_count",
                    "node_count",
                    "key_count",
                    "expansions",
                    "children",
                    "cursor_stage",
                    "cursor_level",
                    "cursor_taken",
                    "rounds",
                    "idle_stages",
                    "win_state",
                    "win_move",
                    "best_state",
                    "best_rank",
                )
            ),
            ("moves", "i8", (MAX_MOVES,)),
            ("scores", "i8", (MAX_MOVES,)),
            ("lists", "i8", (MAX_MOVES,)),
            ("levels", "i8", (MAX_MOVES,)),
            ("keys", "u8", (MAX_MOVES,)),
        ],
    )
)


@njit(cache=True)
def noise(key: np.uint64, seed: int, amplitude: int) -> int:
    """Return a triangular pseudo-random number in [-amplitude, amplitude], a function of key and seed."""
    x = (key ^ np.uint64(seed)) * NOISE_MULTIPLIER
    x ^= x >> NOISE_SHIFT
    x *= NOISE_MULTIPLIER
    x ^= x >> NOISE_SHIFT
    first = signed(x & HALF_MASK)
    second = signed((x >> HALF_BITS) & HALF_MASK)
    return (first - second) * amplitude >> 16


@njit(cache=True)
def _room(space: Space, search: Search) -> int:
    if search.state_count + VISIT_EXPANSIONS > space.states.shape[0]:
        return STATES_FULL
    if search.node_count + VISIT_NODES > space.nodes.shape[0]:
        return NODES_FULL
    if 2 * (search.key_count + VISIT_NODES) > space.table.shape[0]:
        return TABLE_FULL
    return SLICE_DONE


@njit(cache=True)
def _record(space: Space, search: Search, board: Board, parent: int, move: int) -> int:
    """Store the board as an expanded position; return its index."""
    state = search.state_count
    search.state_count += 1
    pack(board, space.states[state])
    space.trail[state, TRAIL_PARENT] = parent
    space.trail[state, TRAIL_MOVE] = move
    space.trail[state, TRAIL_LEVEL] = board.level
    space.trail[state, TRAIL_RUNS] = board.runs
    # One level outweighs any number of rows dealt.
    rank = board.level * 16 + board.stage
    if rank > search.best_rank:
        search.best_rank = rank
        search.best_state = state
    return state


@njit(cache=True)
def _expand(
    space: Space, search: Search, ending: Ending, board: Board, game: Game, keys: Keys, state: int, may_dive: bool
) -> int:
    """Judge every move of the derived board, push the unseen children but the one to dive into.

    Return the move to dive into, -1 for none.  A winning move is left in the search.
    """
    search.expansions += 1
    count = generate(board, game, search.moves)
    single = count
    if search.macros != 0:
        count = add_macros(board, game, search.moves, count)
    search.children += count
    amplitude = search.noise
    ends = is_ending(ending)
    level = board.level
    marks = np.uint64(0)
    if ends:
        left, marks = breaks(board, game)
        level = search.breaks - left + RUN_LEVELS * board.runs
    for i in range(count):
        move = search.moves[i]
        if i < single:
            judge(board, game, keys, move)
        else:
            judge_macro(board, game, keys, move)
        if board.runs + board.child_removed == game.runs:
            search.win_state = state
            search.win_move = move
            return NONE
        key = board.child_key[0]
        score = board.child_score
        if amplitude != 0:
            score += noise(key, search.noise_seed, amplitude)
        search.scores[i] = score
        search.lists[i] = board.stage + 1 if move == DEAL else board.stage
        search.levels[i] = board.child_level
        if ends:
            undone, undone_marks = breaks_undone(board, game, move, board.child_removed)
            search.lists[i] = list_of(marks - undone_marks)
            search.levels[i] = level + undone + RUN_LEVELS * board.child_removed
        search.keys[i] = key
    # The table is asked in a loop of its own, so that the memory accesses of the probes overlap.
    best = NONE
    unseen = 0
    for i in range(count):
        if insert(space.table, search.keys[i]):
            search.moves[unseen] = search.moves[i]
            search.scores[unseen] = search.scores[i]
            search.lists[unseen] = search.lists[i]
            search.levels[unseen] = search.levels[i]
            if search.moves[unseen] != DEAL and (best == NONE or search.scores[unseen] > search.scores[best]):
                best = unseen
            unseen += 1
    search.key_count += unseen
    dive = NONE
    if may_dive and best != NONE:
        current = full_score(board, game)
        if amplitude != 0:
            current += noise(full_key(board, keys, 0), search.noise_seed, amplitude)
        if search.scores[best] > current or search.levels[best] > level:
            dive = best
    for i in range(unseen):
        if i != dive:
            move = search.moves[i]
            node = search.node_count
            search.node_count += 1
            space.nodes[node, PARENT] = state
            space.nodes[node, MOVE] = move
            space.nodes[node, SCORE] = search.scores[i]
            push(space.nodes, space.roots, search.lists[i], search.levels[i], node)
    return search.moves[dive] if dive != NONE else NONE


@njit(cache=True)
def _visit(
    space: Space,
    search: Search,
    ending: Ending,
    board: Board,
    game: Game,
    keys: Keys,
    parent: int,
    move: int,
    asks: bool,
) -> None:
    """Record the board, which is `move` away from the state `parent`, expand it, and dive.

    `asks` says whether a relaxation may prove it lost.
    """
    derive(board, game, keys)
    for step in range(VISIT_EXPANSIONS):
        parent = _record(space, search, board, parent, move)
        if is_dead(board.on_table, board.stage < game.rows, game):
            return
        if asks and proves_loss(ending, board, game, MOST_SUITED):
            return
        move = _expand(space, search, ending, board, game, keys, parent, step < MAX_DIVE)
        if move == NONE:
            return
        asks = is_ending(ending) and may_change_state(board, move)
        play(board, game, move)
        derive_after(board, game, keys, move)


@njit(cache=True)
def start(space: Space, search: Search, ending: Ending, board: Board, game: Game, keys: Keys) -> None:
    """Begin a search from the board's cards, lengths and face-down counts; its other fields are zero.

    Space must be empty (table zero, roots -1) with room for one visit; of `search` only the settings are set.
    """
    search.best_rank = -1
    search.win_state = NONE
    search.cursor_level = space.roots.shape[1] - 1
    derive(board, game, keys)
    search.breaks = breaks(board, game)[0]
    insert(space.table, full_key(board, keys, 0))
    search.key_count = 1
    _visit(space, search, ending, board, game, keys, NONE, NONE, is_ending(ending))


@njit(cache=True)
def run(space: Space, search: Search, ending: Ending, board: Board, game: Game, keys: Keys, limit: int) -> int:
    """Search until the expansions reach `limit` (by one visit more at most); return why it stopped."""
    stages = space.roots.shape[0]
    levels = space.roots.shape[1]
    while search.win_state == NONE:
        # Find the next non-empty list: K levels a stage from the top, all of them in a sweep, then the next stage.
        stage = search.cursor_stage
        level = search.cursor_level
        while level >= 0 and space.roots[stage, level] == NONE:
            level -= 1
        sweeps = search.sweep > 0 and search.rounds % search.sweep == search.sweep - 1
        if level < 0 or (search.cursor_taken == search.breadth and not sweeps):
            search.idle_stages = search.idle_stages + 1 if search.cursor_taken == 0 else 0
            if search.idle_stages == stages:
                return EXHAUSTED
            search.cursor_stage = (stage + 1) % stages
            if search.cursor_stage == 0:
                search.rounds += 1
            search.cursor_level = levels - 1
            search.cursor_taken = 0
            continue
        search.cursor_level = level
        if search.expansions >= limit:
            return SLICE_DONE
        room = _room(space, search)
        if room != SLICE_DONE:
            return room
        node = pop(space.nodes, space.roots, stage, level)
        search.cursor_level = level - 1
        search.cursor_taken += 1
        parent = space.nodes[node, PARENT]
        move = space.nodes[node, MOVE]
        unpack(space.states[parent], board)
        board.level = space.trail[parent, TRAIL_LEVEL]
        board.runs = space.trail[parent, TRAIL_RUNS]
        # The counts that `unpack` leaves stale are made anew by `derive`.
        asks = is_ending(ending) and may_change_state(board, move)
        play(board, game, move)
        _visit(space, search, ending, board, game, keys, parent, move, asks)
    return WON
