"""IDA*: shortest winning lines, by depth-first searches with a limit that rises, and a table of distances refuted.

A *step* is a tableau move, a row dealt or, under optional removal, a run taken; each costs 1.  An iteration with the
limit T looks for a line of at most T steps.  It leaves every position whose steps so far and `lower_bound` of those to
come exceed T, and every one of which the table says so.  When an iteration finds nothing, the least sum
that it left is a bound that holds for the root, and the limit of the next one.  The first line found is a shortest
one: an iteration with a limit below its length has ended before.

The moves are those of the lossless list, which keeps distances: what it leaves out are moves whose result is the
position that they start from or that another move of the list leads to, but for the order of columns, and once the
stock is empty any line can be played with columns renamed.

The table keeps for the key of a position (128 bits) a *bound*: no line from there wins in fewer steps.

    keys    (slots, 2) uint64     four slots, one cache line, are a bucket
    bounds  (slots,)   int16      max(lower bound, 1 + the least bound of its children)
    gains   (slots,)   int16      what the search added to the lower bound: the least gain of a bucket is replaced

While a position is being searched with r steps left, its entry says r + 1, which stops the search from coming back to
it with fewer.  That is true only if the iteration finds nothing, and it is only used then.  For suppose that
an iteration ended without a win and some bound that it used was above the true distance; take the position with
the least such distance d > 0.  Its bound was, when it was left, at most 1 + the bound used for the child through
which d leads, and that child, at distance d - 1, had no false bound.  So no bound was false; after an iteration that
was cut short or that has won, the table must not be used.

A full table forgets and never lies: keys are compared whole.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solver.kernel.layout import COLUMNS, Board, Game, I32Array, I64Array, U64Array, signed
from solver.kernel.moves import (
    COLUMN_MASK,
    COUNT_SHIFT,
    DEAL,
    DEAL_COUNT,
    MAX_MOVES,
    TARGET_SHIFT,
    apply,
    generate,
    is_dead,
    rows_left,
    undo,
)
from solver.kernel.score import RANK_MASK, Keys, derive, derive_after, full_key, judge
from solver.kernel.table import FREE, ONE

I16Array: TypeAlias = NDArray[np.int16]

# What `walk_on` returns.
SLICE_DONE = 0
WON = 1
REFUTED = 2
TABLE_FULL = 3

INFINITE = 1 << 14
"""The bound of a position without moves; more than any line that anyone looks for, and an int16."""
BUCKET = 4
CARD_CODES = 64

# How a move changes the base of the lower bound: by -1, 0 or +1.
CLASSES = 3


class Bounds(NamedTuple):
    """The table, see the top; a first key word 0 means a free slot."""

    keys: U64Array
    bounds: I16Array
    gains: I16Array


class Path(NamedTuple):
    """The way from the root to the position at hand, a row for each position; one more than the limit."""

    moves: I32Array
    """(rows, MAX_MOVES) int32: those that lower the base first, those that raise it last."""
    ends: I32Array
    """(rows, CLASSES) int32: number of moves up to the end of each class."""
    nexts: I32Array
    """(rows,) int32: index of the move to try next; the one before it leads to the next row."""
    effects: I32Array
    """(rows,) int32: what `apply` said of that move."""
    bases: I32Array
    """(rows,) int32: base of the lower bound."""
    estimates: I32Array
    """(rows,) int32: lower bound."""
    lows: I32Array
    """(rows,) int32: 1 + the least bound of the children so far."""
    keys: U64Array
    """(rows, 2) uint64."""


class Walk(Protocol):
    """Where the search stands between slices, and its scratch.  A record of `WALK`."""

    depth: int
    """Steps from the root to the position at hand; -1 when the iteration is over."""
    limit: int
    """Steps of the longest line that this iteration looks for."""
    expansions: int
    children: int
    used: int
    """Slots of the table that are not free."""
    base_steps: int
    """Second result of `lower_bound`: the part of it that changes by at most 1 with a move."""
    moves: I64Array
    """(MAX_MOVES,) int64."""
    columns_of: I64Array
    """(CARD_CODES,) int64: columns in which a card lies under the segment that ends them, a bit each."""
    heights: I64Array
    """(COLUMNS,) int64: cards of a column that have not been put away."""
    heads: I64Array
    """(COLUMNS,) int64: index of the head of the segment at the end of those."""
    needs: I64Array
    """(COLUMNS,) int64: columns that a head waits for, a bit each."""


WALK = np.dtype(
    (
        np.record,
        [
            ("depth", "i8"),
            ("limit", "i8"),
            ("expansions", "i8"),
            ("children", "i8"),
            ("used", "i8"),
            ("base_steps", "i8"),
            ("moves", "i8", (MAX_MOVES,)),
            ("columns_of", "i8", (CARD_CODES,)),
            ("heights", "i8", (COLUMNS,)),
            ("heads", "i8", (COLUMNS,)),
            ("needs", "i8", (COLUMNS,)),
        ],
    )
)


# ---- the lower bound -----------------------------------------------------------------------------


@njit(cache=True)
def lower_bound(board: Board, game: Game, walk: Walk, enough: int) -> int:
    """Return a number of steps that no winning line from the board is shorter than; 0 only if it is won.

    Once it is more than `enough` it may not grow to what it could be.

    It is a *base*, left in ``walk.base_steps``, and the number of cards that `_late` counts.  The base counts

    * the rows of the stock: a won game has no stock, and each row is a step;
    * under optional removal, the runs that have not left: every one is a step;
    * the *heads* in the tableau, face-down ones included: cards but kings (of the highest rank) that do not lie on the
      next higher card of their suit, or on one that is face-down;
    * the cards in the stock that cannot fall onto the next higher card of their suit: every copy of that is in the
      same row or a later one.

    Proof.  A card that is no king leaves in a run, in which it lies on the next higher card of its suit, its
    *successor*, face-up.  Cards come to lie on others by a move or by a deal.  When a move brings a card onto its
    successor and it did not lie on one before, it is the head of the moved group, for the others of a group
    lie on their successors.  If the successor right under it is face-down, the card has to leave it, for a card
    turns up only as the last of its column: by a move, as the head of the group, since what lies face-down is not moved
    and no run that leaves has a part face-down.  A card of the stock falls onto its successor only if that
    has been on the table before its row is dealt; if not, it must be moved like a head.  So each card that is counted
    is the head of a move, and a move has one head.  A row and a run taken are steps of their own.

    The base changes by at most 1 downwards with any step (it is consistent): a move links one card at most; a row
    that is dealt counts no more, and of its cards those counted before do not fall onto their successors and so are
    counted as heads; what is counted in the stock can only become more while cards leave the table.  The whole bound
    is admissible, but not consistent.
    """
    columns = game.columns
    ranks = game.ranks
    table = 0
    free = 0
    base = rows_left(board, game)
    if game.automatic == 0:
        base += game.runs - board.runs
    for column in range(columns):
        down = board.down[column]
        under = 0
        for i in range(board.length[column]):
            card = int(board.cards[column, i])
            table |= 1 << card
            if i <= down or card + 1 != under:
                free |= 1 << under
                if card & RANK_MASK != ranks:
                    base += 1
            under = card
        free |= 1 << under
    stock = 0
    held = 0
    late = 0
    for number in range(board.stage, game.rows):
        row = 0
        for column in range(columns):
            card = int(game.row_cards[number, column])
            if card != 0:
                row |= 1 << card
                if card & RANK_MASK != ranks:
                    if (table | stock) >> (card + 1) & 1 == 0:
                        base += 1
                    elif (free | stock | held) >> (card + 1) & 1 == 0:
                        late += 1
                        held |= 1 << (card + 1)
        stock |= row
    walk.base_steps = base
    if base + late > enough:
        return base + late
    return base + late + _late(board, game, walk, stock, held, enough - base - late)


@njit(cache=True)
def _late(board: Board, game: Game, walk: Walk, stock: int, held: int, enough: int) -> int:
    """Return a number of cards in the tableau, each of which is the head of more moves than the base counts for it.

    `stock` has a bit for every card in the stock; `held` has one for those of which `lower_bound` has counted a holder.
    The count ends when it is more than `enough`.

    A *segment* is a head with the cards on it that are not heads.  A card is *late* if it is the head of more moves
    than the base counts: a head of two, a king or a card within a segment of one.  A card of the tableau is *free* if
    it ends a segment; on one that is not its *holder* lies, and to get there another copy of the holder needs that to
    leave, which makes it late.  Suppose that no card is late, and put segments away in an order in which that may be:
    the one at the end of a column may go if its head is

    * no king, and a free copy of its successor is within reach: in the stock, at the end of a segment put away, or
      at the end of a column now;
    * a king with cards under it, and a copy of every lower rank of its suit is within reach, in any place of these
      segments or the stock, so that the run may leave.

    A king at the bottom may stay.  When nothing may go, each head at the end of a column waits for a card (its
    successor, or one that a king lacks) of which all copies are held within reach or lie deeper in columns of such
    heads.  Take a set of these columns that is closed: the deeper copies of what its heads wait for lie within it.
    All its heads have to go, and the first to go finds all those copies still covered.  So it is late: it moves, but
    not onto its successor, and has to be moved again, or it is a king that moves; or it moves onto its successor
    after a holder has left that, and then the holder is late.  Count one for the set, put its heads away, and go on.
    No head is in two sets, so as many cards are late as there are sets, if no holder is counted for two of them: what
    heads of a set have waited for while a copy was held within reach counts as free in later sets.  In the same way
    `lower_bound` counts a card of the stock or the holder for which it cannot fall onto its successor.

    Small sets first, as they leave most for others; one column alone is a head that lies above all copies of its own
    successor.  What is within reach here may not be in play, since columns fill up as well: the count errs
    downwards only.
    """
    columns = game.columns
    ranks = game.ranks
    reach = stock
    free = stock
    for column in range(columns):
        walk.heights[column] = board.length[column]
        reach |= _end_segment(board, walk, column)
        if walk.heights[column] > 0:
            free |= 1 << int(board.cards[column, walk.heights[column] - 1])
    late = 0
    while True:
        moved = True
        while moved:
            moved = False
            onto = free | (held & reach)
            for column in range(columns):
                while walk.heights[column] > 0:
                    head = int(board.cards[column, walk.heads[column]])
                    if head & RANK_MASK == ranks:
                        run = ((1 << (ranks - 1)) - 1) << (head - ranks + 1)
                        if walk.heads[column] == 0 or reach & run != run:
                            break
                    elif onto >> (head + 1) & 1 == 0:
                        break
                    walk.heights[column] = walk.heads[column]
                    reach |= _end_segment(board, walk, column)
                    if walk.heights[column] > 0:
                        free |= 1 << int(board.cards[column, walk.heights[column] - 1])
                    onto = free | (held & reach)
                    moved = True
        waiting = 0
        for column in range(columns):
            if walk.heights[column] > 0:
                head = int(board.cards[column, walk.heads[column]])
                if walk.heads[column] > 0 or head & RANK_MASK != ranks:
                    waiting |= 1 << column
        if waiting == 0:
            return late
        _find_needs(board, game, walk, waiting, reach)
        least = 0
        least_size = COLUMNS + 1
        for column in range(columns):
            # One that waits for its own column alone is closed; the mask also takes one that waits for nothing.
            if waiting >> column & 1 and walk.needs[column] | 1 << column == 1 << column:
                least = 1 << column
                least_size = 1
                break
        for column in range(columns):
            if least_size > 2 and waiting >> column & 1:
                closed = _closure(walk, columns, 1 << column)
                size = 0
                for other in range(columns):
                    size += closed >> other & 1
                if size < least_size:
                    least = closed
                    least_size = size
        late += 1
        if late > enough:
            return late
        for column in range(columns):
            if least >> column & 1:
                head = int(board.cards[column, walk.heads[column]])
                if head & RANK_MASK != ranks:
                    held |= reach & 1 << (head + 1)
        for column in range(columns):
            if least >> column & 1:
                walk.heights[column] = walk.heads[column]
                reach |= _end_segment(board, walk, column)
                if walk.heights[column] > 0:
                    free |= 1 << int(board.cards[column, walk.heights[column] - 1])


@njit(cache=True)
def _find_needs(board: Board, game: Game, walk: Walk, waiting: int, reach: int) -> None:
    """Fill ``walk.needs`` for the waiting columns: those in which copies of what their heads wait for lie deeper."""
    wanted_cards = 0
    for column in range(game.columns):
        walk.needs[column] = 0
        if waiting >> column & 1:
            wanted = int(board.cards[column, walk.heads[column]]) + 1
            if wanted - 1 & RANK_MASK == game.ranks:
                wanted -= game.ranks
                while reach >> wanted & 1:
                    wanted += 1
            walk.needs[column] = wanted
            walk.columns_of[wanted] = 0
            wanted_cards |= 1 << wanted
    for column in range(game.columns):
        if waiting >> column & 1:
            for i in range(walk.heads[column]):
                card = int(board.cards[column, i])
                if wanted_cards >> card & 1:
                    walk.columns_of[card] |= 1 << column
    for column in range(game.columns):
        if waiting >> column & 1:
            walk.needs[column] = walk.columns_of[walk.needs[column]]


@njit(cache=True)
def _end_segment(board: Board, walk: Walk, column: int) -> int:
    """Find the head of the segment that ends what is left of a column; return its cards, a bit each."""
    height = walk.heights[column]
    if height == 0:
        return 0
    i = height - 1
    last = int(board.cards[column, i])
    while i > board.down[column] and board.cards[column, i - 1] == board.cards[column, i] + 1:
        i -= 1
    walk.heads[column] = i
    return ((1 << (height - i)) - 1) << last


@njit(cache=True)
def _closure(walk: Walk, columns: int, start: int) -> int:
    """Return the columns that the heads of some columns wait for, and theirs in turn, a bit each."""
    closed = start
    while True:
        grown = closed
        for column in range(columns):
            if closed >> column & 1:
                grown |= walk.needs[column]
        if grown == closed:
            return closed
        closed = grown


# ---- the table -----------------------------------------------------------------------------------


@njit(cache=True)
def bound_of(table: Bounds, key: np.uint64, key2: np.uint64) -> int:
    """Return the bound that the table has for a key, 0 for none."""
    if key == FREE:
        key = ONE
    first = signed(key & np.uint64(table.keys.shape[0] - BUCKET))
    for i in range(first, first + BUCKET):
        if table.keys[i, 0] == key and table.keys[i, 1] == key2:
            return int(table.bounds[i])
    return 0


@njit(cache=True)
def store(table: Bounds, key: np.uint64, key2: np.uint64, bound: int, gain: int) -> bool:
    """Set the bound of a key, at the cost of another one where its bucket is full; return whether a slot was free.

    The number of slots is a power of two, `BUCKET` at least.
    """
    if key == FREE:
        key = ONE
    first = signed(key & np.uint64(table.keys.shape[0] - BUCKET))
    place = first
    is_free = False
    for i in range(first, first + BUCKET):
        is_free = table.keys[i, 0] == FREE
        if is_free or (table.keys[i, 0] == key and table.keys[i, 1] == key2):
            place = i
            break
        if table.gains[i] < table.gains[place]:
            place = i
    table.keys[place, 0] = key
    table.keys[place, 1] = key2
    table.bounds[place] = bound
    table.gains[place] = gain
    return is_free


@njit(cache=True)
def copy_bounds(old: Bounds, new: Bounds) -> int:
    """Enter all of `old` into the larger, empty table `new`; return how many slots that takes."""
    used = 0
    for i in range(old.keys.shape[0]):
        if old.keys[i, 0] != FREE and store(new, old.keys[i, 0], old.keys[i, 1], int(old.bounds[i]), int(old.gains[i])):
            used += 1
    return used


# ---- the search ----------------------------------------------------------------------------------


@njit(cache=True)
def _class_of(board: Board, move: int) -> int:
    """Return 0 for a move that lowers the base by 1 (or a deal, which may), 1 for no change, 2 if it raises it."""
    count = move >> COUNT_SHIFT
    # Runs taken have the larger code.
    if count >= DEAL_COUNT:
        return 0
    source = move & COLUMN_MASK
    target = move >> TARGET_SHIFT & COLUMN_MASK
    place = board.length[source] - count
    head = int(board.cards[source, place])
    before = 0
    if place > board.down[source] and int(board.cards[source, place - 1]) == head + 1:
        before = 1
    after = 0
    if board.length[target] > 0 and int(board.cards[target, board.length[target] - 1]) == head + 1:
        after = 1
    return 1 + before - after


@njit(cache=True)
def _enter(
    table: Bounds, path: Path, walk: Walk, board: Board, game: Game, depth: int, estimate: int, key: U64Array
) -> None:
    """Make the position of the derived board, whose lower bound was computed last, the one at hand."""
    path.keys[depth, 0] = key[0]
    path.keys[depth, 1] = key[1]
    path.bases[depth] = walk.base_steps
    path.estimates[depth] = estimate
    path.lows[depth] = INFINITE
    path.nexts[depth] = 0
    count = generate(board, game, walk.moves)
    listed = 0
    for wanted in range(CLASSES):
        for i in range(count):
            move = walk.moves[i]
            if _class_of(board, move) == wanted:
                path.moves[depth, listed] = move
                listed += 1
        path.ends[depth, wanted] = listed
    bound = walk.limit - depth + 1
    if store(table, key[0], key[1], bound, bound - estimate):
        walk.used += 1
    walk.expansions += 1
    walk.depth = depth


@njit(cache=True)
def begin(table: Bounds, path: Path, walk: Walk, board: Board, game: Game, keys: Keys) -> int:
    """Start an iteration at the root, whose cards, lengths, face-down counts and own counts are set.

    ``walk.limit`` is set, and at least the lower bound of the root, which is returned; with a limit of -1 nothing else
    is done.
    """
    derive(board, game, keys)
    estimate = lower_bound(board, game, walk, INFINITE)
    if walk.limit >= 0:
        key = np.empty(2, np.uint64)
        key[0] = full_key(board, keys, 0)
        key[1] = full_key(board, keys, 1)
        _enter(table, path, walk, board, game, 0, estimate, key)
    return estimate


@njit(cache=True)
def walk_on(table: Bounds, path: Path, walk: Walk, board: Board, game: Game, keys: Keys, until: int, most: int) -> int:
    """Search until there are `until` expansions in all, or `most` slots of the table are taken; return why it stopped.

    After WON the moves before ``nexts`` up to row ``depth`` win; after REFUTED no line has fewer steps than
    ``lows[0]``, and the board is that of the root.
    """
    while walk.depth >= 0:
        if walk.expansions >= until:
            return SLICE_DONE
        if walk.used > most:
            return TABLE_FULL
        depth = walk.depth
        left = walk.limit - depth - 1
        low = int(path.lows[depth]) - 1
        base = int(path.bases[depth])
        i = int(path.nexts[depth])
        count = int(path.ends[depth, CLASSES - 1])
        bound = INFINITE
        descends = False
        while i < count and not descends:
            change = -1
            if i >= path.ends[depth, 0]:
                change = 0 if i < path.ends[depth, 1] else 1
            if left < 0 or base + change > left:
                # What is listed later changes the base by no less.
                low = min(low, max(base + change, 0))
                i = count
                break
            move = int(path.moves[depth, i])
            i += 1
            walk.children += 1
            judge(board, game, keys, move)
            if board.runs + board.child_removed == game.runs:
                path.nexts[depth] = i
                return WON
            known = bound_of(table, board.child_key[0], board.child_key[1])
            if known > left:
                low = min(low, known)
                continue
            effects = apply(board, game, move)
            bound = INFINITE
            if board.stage == game.rows and move != DEAL:
                # Without a stock the base is heads and runs to be taken, and the class of the move tells its change.
                walk.base_steps = base + change
                bound = base + change + _late(board, game, walk, 0, 0, left - base - change)
            elif not is_dead(board.on_table, board.stage < game.rows, game):
                bound = lower_bound(board, game, walk, left)
            if bound > left:
                undo(board, game, move, effects)
                low = min(low, bound)
                continue
            path.effects[depth] = effects
            derive_after(board, game, keys, move)
            descends = True
        path.nexts[depth] = i
        path.lows[depth] = min(low + 1, INFINITE)
        if descends:
            _enter(table, path, walk, board, game, depth + 1, bound, board.child_key)
        else:
            low = int(path.lows[depth])
            if store(table, path.keys[depth, 0], path.keys[depth, 1], low, low - int(path.estimates[depth])):
                walk.used += 1
            walk.depth = depth - 1
            if depth > 0:
                path.lows[depth - 1] = min(int(path.lows[depth - 1]), min(low + 1, INFINITE))
                move = int(path.moves[depth - 1, path.nexts[depth - 1] - 1])
                undo(board, game, move, int(path.effects[depth - 1]))
                derive_after(board, game, keys, move)
    return REFUTED
