"""A sharper relaxation of endings, which knows the suits of cards that cannot move, and its search.

It adds to the relaxation of relax.py, whose words it uses, what is known of *links*: which loose card lies on which
open one, and of *bottoms*: which lies at the bottom of a floor.  Let bare(r) = open(r) - loose(r - 1), call rank r
*tight* while bare(r) <= 0, and let s floors be left free by (1).  The cards of rank r - 1 that lie on no floor lie on
different open cards of rank r.  So with surplus(r), the cards of rank r - 1 at bottoms less max(0, -bare(r)), which is
never negative, it holds of every position that

    empty columns + sum over ranks r of surplus(r) = s                                                         (2)

and max(0, bare(r)) + surplus(r) cards of rank r have none on them.  A change of the fixed cards or of the runs that
have left is an *exit*.  Between two exits no count changes.  A card x of rank r moves with those on it when they are a
run of its suit whose last card, of rank l, has none on it, to an empty column or to such a card of rank r + 1.

* s = 0: there is no empty column, and no card of a tight rank is without one on it.  So neither l nor r + 1 is tight.
* s = 1: there is one empty column, or one card more without any on it, be its rank tight or not.  So l is not tight,
  or that card is the last of the run and rank r + 1 is not tight.

A card is *single* if a run of its suit may go from it to a rank that is not tight; *double* if it may go there or to a
card of which it is not known what lies on it.  What lies on a card is known by links, else it may be any card of which
it is not known what it lies on.  A link of x to a card of rank r + 1, or x at the bottom of a floor, stays

    s = 0    a link to a tight rank and a bottom always, a link to another rank unless x is single
    s = 1    a link to a tight rank and a bottom unless x is single, a link to another rank unless x is double
    s > 1    never: nothing is known

For look at the first move that changes what is to stay: until then what is known was right.  (With s = 1 a card that
leaves a bottom for a rank that is not tight lies there as surplus, so the last card of its run is of no tight rank.)
Cards are taken lowest rank first, so that what is forgotten of lower ones counts.

If with s = 1 cards stay at bottoms where (1) does not want them, they are surplus for good.  Then they are counted like
heads, the floors they lie on are none, s is 0, and all is looked at once more.  If with s = 0 there is such a card, the
state cannot be.

A state is the fixed cards, the runs that have left and what is known.  A link is known when it is one of the root, or
lies within a segment, which opens with its links, or when it was chosen for a run that moved; then it was there before,
as nothing that is forgotten later was known to change.  The moves are those of relax.py where, in addition,

* with s = 0, or s = 1 where rank r + 1 is tight, a head of rank r moves only with links, known or chosen, that make a
  run of one suit which goes on to a rank that is not tight; with s = 1 otherwise if it is double;
* a run leaves only if such links make it.

Every choice is tried, so every line of the game is a line of this relaxation, too.

Cards of one rank and suit with the same known links on them are alike, so that states are known by 128-bit keys in
which such cards count for one another::

    state    10 lowest open segments, 4 runs that have left, 10 bottoms by column: 1 + the card, 0 not known,
             104 links by the place of a card in the root: 1 + the card on it, 0 not known, -1 the card has left
    table    word 0  key, not zero;  word 1  key, but for bits 1..0: 0 being searched, 1 lost, 2 not proved lost
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numba import njit

from solver.kernel.layout import COLUMNS, Board, Game, I8Array, I64Array, U64Array, signed
from solver.kernel.relax import ALIVE, LOST, RANKS, SUITS, Relaxation, add, is_lost, slack

CARDS = 104
BOTTOMS = COLUMNS + SUITS
LINKS = BOTTOMS + COLUMNS
STATE = LINKS + CARDS
CODES = 64
MAX_DEPTH = 256
"""Every move takes a segment or a run away, as in relax.py."""
STACK = 8_192
"""States that wait; a search that has more gives up."""

HEAD = 1
LOOSE = 2

_ONE = np.uint64(1)
_STATUS = np.uint64(3)
_HALF = np.uint64(32)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_2 = np.uint64(0xD6E8FEB86659FD93)


class Suited(Protocol):
    """The state at hand and the stack of the search.  A record of `SUITED`."""

    cards: int
    """Cards of the root."""
    first: I64Array
    """(11,) int64: number of the first card of a column."""
    code: I64Array
    """(104,) int64."""
    order: I64Array
    """(104,) int64: the cards by rank, lowest first, and by suit."""
    place: I64Array
    """(64,) int64: where the cards of a code begin there."""
    nexts: I64Array
    """(64,) int64: the same, behind those that `load` has used."""
    state: I8Array
    """(STATE,) int8."""
    next: I8Array
    """(STATE,) int8: a state in the making."""
    kind: I64Array
    """(104,) int64: HEAD or LOOSE, 0 for a card that is not open."""
    lies: I64Array
    """(104,) int64: whether it is known what the card lies on."""
    one_suit: I64Array
    """(104,) int64: whether the known links on the card are of one suit."""
    single: I64Array
    """(104,) int64: whether the card is single."""
    double: I64Array
    """(104,) int64: whether it is double."""
    on_floor: I64Array
    """(104,) int64: whether the card is known to lie at the bottom of a floor."""
    bare: I64Array
    """(16,) int64, by rank."""
    kept: I8Array
    """(STATE,) int8: the state at hand before anything was forgotten."""
    at: I64Array
    """(16,) int64: lowest card so far of a run in the making, by links chosen."""
    chosen: I64Array
    """(16,) int64: card that was put on it."""
    lengths: I64Array
    """(16,) int64: lengths of the pieces that were tried there, a bit each."""
    key: U64Array
    """(2,) uint64."""
    keys: U64Array
    """(MAX_DEPTH, 2) uint64: of the states on the way."""
    waiting: I64Array
    """(MAX_DEPTH,) int64: where the children of a state begin on the stack."""
    top: int
    full: int
    known: int
    """Keys in the table."""
    stack: I8Array
    """(STACK, STATE) int8."""


SUITED = np.dtype(
    (
        np.record,
        [
            ("cards", "i8"),
            ("first", "i8", (COLUMNS + 1,)),
            ("code", "i8", (CARDS,)),
            ("order", "i8", (CARDS,)),
            ("place", "i8", (CODES,)),
            ("nexts", "i8", (CODES,)),
            ("state", "i1", (STATE,)),
            ("next", "i1", (STATE,)),
            ("kind", "i8", (CARDS,)),
            ("lies", "i8", (CARDS,)),
            ("one_suit", "i8", (CARDS,)),
            ("single", "i8", (CARDS,)),
            ("double", "i8", (CARDS,)),
            ("on_floor", "i8", (CARDS,)),
            ("bare", "i8", (RANKS + 1,)),
            ("kept", "i1", (STATE,)),
            ("at", "i8", (RANKS + 1,)),
            ("chosen", "i8", (RANKS + 1,)),
            ("lengths", "i8", (RANKS + 1,)),
            ("key", "u8", (2,)),
            ("keys", "u8", (MAX_DEPTH, 2)),
            ("waiting", "i8", (MAX_DEPTH,)),
            ("top", "i8"),
            ("full", "i8"),
            ("known", "i8"),
            ("stack", "i1", (STACK, STATE)),
        ],
    )
)


@njit(cache=True)
def prepare_suited(suited: Suited, board: Board, game: Game) -> None:
    """Number the cards of the root; all else is zero."""
    n = 0
    for column in range(game.columns):
        suited.first[column] = n
        for i in range(board.length[column]):
            suited.code[n] = board.cards[column, i]
            n += 1
    for column in range(game.columns, COLUMNS + 1):
        suited.first[column] = n
    suited.cards = n
    place = 0
    for rank in range(1, game.ranks + 1):
        for suit in range(SUITS):
            suited.place[suit << 4 | rank] = place
            for card in range(n):
                if suited.code[card] == suit << 4 | rank:
                    suited.order[place] = card
                    place += 1


@njit(cache=True)
def _count(suited: Suited, relaxation: Relaxation, state: I8Array, game: Game) -> int:
    """Make the state that of the relaxation, say what kind its cards are of; return how many floors (1) leaves free."""
    relaxation.open[:] = 0
    relaxation.loose[:] = 0
    relaxation.open_ranks[:] = 0
    relaxation.loose_ranks[:] = 0
    relaxation.floors = 0
    relaxation.cards_left = 0
    for suit in range(SUITS):
        relaxation.gone[suit] = state[COLUMNS + suit]
    for column in range(game.columns):
        lowest = int(state[column])
        relaxation.lowest[column] = lowest
        if lowest == 0:
            relaxation.floors += 1
        first = suited.first[column] + int(relaxation.starts[column, lowest])
        for card in range(suited.first[column], suited.first[column + 1]):
            suited.kind[card] = 0
            if state[LINKS + card] < 0:
                continue
            relaxation.cards_left += 1
            if card >= first:
                loose = 0 if card == first and lowest > 0 else 1
                suited.kind[card] = LOOSE if loose else HEAD
                add(relaxation, suited.code[card], 1, loose)
    for rank in range(1, game.ranks + 1):
        suited.bare[rank] = relaxation.open_ranks[rank] - relaxation.loose_ranks[rank - 1]
    suited.bare[game.ranks + 1] = -relaxation.loose_ranks[game.ranks]
    return slack(relaxation, game)


@njit(cache=True)
def _forget(suited: Suited, state: I8Array, free: int) -> None:
    """Forget the links and bottoms of a state that was counted which may change; `free` floors are free.

    Say which cards what is left is about, and which cards are single and double.
    """
    for card in range(suited.cards):
        suited.on_floor[card] = 0
        suited.lies[card] = 0
        suited.one_suit[card] = 1
        suited.single[card] = 1
        suited.double[card] = 1
    for column in range(COLUMNS):
        card = int(state[BOTTOMS + column]) - 1
        if card >= 0 and suited.kind[card] != 0:
            suited.on_floor[card] = 1
    first = 0
    lower = 0
    while first < suited.cards:
        rank = suited.code[suited.order[first]] & 15
        tight = suited.bare[rank] <= 0
        end = first
        while end < suited.cards and suited.code[suited.order[end]] & 15 == rank:
            card = suited.order[end]
            end += 1
            child = int(state[LINKS + card]) - 1
            if child < 0:
                continue
            if tight:
                moves = free > 0 and suited.single[child] != 0
            else:
                moves = suited.single[child] != 0 or (free > 0 and suited.double[child] != 0)
            if free > 1 or moves:
                state[LINKS + card] = 0
                continue
            suited.lies[child] = 1
            if not suited.one_suit[child] or suited.code[child] + 1 != suited.code[card]:
                suited.one_suit[card] = 0
        # Suits of the cards one rank lower that may lie anywhere and begin a run that can move.
        suits = 0
        for i in range(lower, first):
            card = suited.order[i]
            if suited.kind[card] == LOOSE and not suited.lies[card]:
                suits |= suited.single[card] << (suited.code[card] >> 4)
        for i in range(first, end):
            card = suited.order[i]
            child = int(state[LINKS + card]) - 1
            if child >= 0:
                fits = suited.code[child] + 1 == suited.code[card]
                suited.single[card] = suited.single[child] if fits else 0
                suited.double[card] = max(suited.single[child], suited.double[child] if fits else 0)
            elif tight:
                suited.single[card] = suits >> (suited.code[card] >> 4) & 1
            if suited.on_floor[card]:
                if free > 1 or (free > 0 and suited.single[card]):
                    suited.on_floor[card] = 0
                else:
                    suited.lies[card] = 1
        lower = first
        first = end
    for column in range(COLUMNS):
        card = int(state[BOTTOMS + column]) - 1
        if card >= 0 and not suited.on_floor[card]:
            state[BOTTOMS + column] = 0


@njit(cache=True)
def _settle(suited: Suited, state: I8Array, game: Game, free: int) -> int:
    """Forget what may change in a state that was counted, of which (1) leaves `free` floors free.

    Return how many are free, or -1 if the state cannot be.
    """
    suited.kept[:] = state
    _forget(suited, state, free)
    if free > 1:
        return free
    # Bottoms that (1) does not want are surplus for good.
    for rank in range(1, game.ranks + 1):
        bottoms = 0
        for column in range(COLUMNS):
            card = int(state[BOTTOMS + column]) - 1
            if card >= 0 and suited.code[card] & 15 == rank:
                bottoms += 1
        wasted = bottoms - max(0, -suited.bare[rank + 1])
        if wasted > 0:
            free -= wasted
            if free < 0:
                return -1
            suited.bare[rank + 1] += bottoms
            state[:] = suited.kept
            _forget(suited, state, free)
            return free
    return free


@njit(cache=True)
def _make_key(suited: Suited, state: I8Array, game: Game) -> None:
    """Compute the key of a state whose cards were counted and whose links were cleared."""
    word = np.uint64(1)
    word2 = np.uint64(2)
    for i in range(BOTTOMS):
        word = (word ^ np.uint64(state[i])) * _MULTIPLIER
        word ^= word >> _HALF
        word2 = (word2 ^ np.uint64(state[i])) * _MULTIPLIER_2
        word2 ^= word2 >> _HALF
    for column in range(game.columns):
        for card in range(suited.first[column], suited.first[column + 1]):
            if suited.kind[card] == 0 or (suited.lies[card] and not suited.on_floor[card]):
                continue
            # What lies on the card; only heads are told apart by their column.
            head = column + 1 if suited.kind[card] == HEAD else 0
            if suited.on_floor[card]:
                head = COLUMNS + 1
            part = np.uint64(head + 16)
            part2 = np.uint64(head + 32)
            below = card
            while below >= 0:
                part = (part ^ np.uint64(suited.code[below])) * _MULTIPLIER
                part ^= part >> _HALF
                part2 = (part2 ^ np.uint64(suited.code[below])) * _MULTIPLIER_2
                part2 ^= part2 >> _HALF
                below = int(state[LINKS + below]) - 1
            word += part * _MULTIPLIER_2
            word2 += part2 * _MULTIPLIER
    word = (word ^ word >> _HALF) * _MULTIPLIER
    word ^= word >> _HALF
    word2 = (word2 ^ word2 >> _HALF) * _MULTIPLIER_2
    word2 ^= word2 >> _HALF
    suited.key[0] = max(word, _ONE)
    suited.key[1] = word2 & ~_STATUS


@njit(cache=True)
def _slot(table: U64Array, word: np.uint64, word2: np.uint64) -> int:
    """Return the slot of a key, or the free one where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    i = (word >> _HALF) & mask
    while table[i, 0] != 0:
        if table[i, 0] == word and table[i, 1] & ~_STATUS == word2:
            break
        i = (i + _ONE) & mask
    return signed(i)


@njit(cache=True)
def load(suited: Suited, relaxation: Relaxation, board: Board, game: Game) -> None:
    """Make the board the state at hand, after `enter` of relax.py: the known links are all of its links."""
    state = suited.state
    state[:] = 0
    for suit in range(SUITS):
        state[COLUMNS + suit] = relaxation.gone[suit]
    for card in range(suited.cards):
        suited.kind[card] = 0
    # Fixed cards and heads are where they were in the root.
    for column in range(game.columns):
        lowest = relaxation.lowest[column]
        state[column] = lowest
        first = suited.first[column] + int(relaxation.starts[column, lowest])
        for card in range(suited.first[column], first):
            suited.kind[card] = HEAD
        if lowest > 0:
            suited.kind[first] = HEAD
    # Any card of the same rank and suit will do for a loose one.
    suited.nexts[:] = suited.place
    for column in range(game.columns):
        lowest = relaxation.lowest[column]
        first = int(relaxation.starts[column, lowest])
        last = suited.first[column] + first if lowest > 0 else -1
        for i in range(first + 1 if lowest > 0 else 0, board.length[column]):
            code = int(board.cards[column, i]) & 63
            card = suited.order[suited.nexts[code]]
            while suited.kind[card] != 0:
                suited.nexts[code] += 1
                card = suited.order[suited.nexts[code]]
            suited.kind[card] = LOOSE
            if last >= 0:
                state[LINKS + last] = card + 1
            else:
                state[BOTTOMS + column] = card + 1
            last = card
    for card in range(suited.cards):
        if suited.kind[card] == 0:
            state[LINKS + card] = -1


@njit(cache=True)
def _push(suited: Suited, relaxation: Relaxation, column: int) -> None:
    """Put the state in the making on the stack; the lowest segment of `column`, if any, opens."""
    if suited.top == STACK:
        suited.full = 1
        return
    made = suited.stack[suited.top]
    suited.top += 1
    made[:] = suited.next
    if column >= 0:
        made[column] -= 1
        lowest = int(made[column])
        first = suited.first[column] + int(relaxation.starts[column, lowest])
        end = suited.first[column] + int(relaxation.starts[column, lowest + 1])
        for card in range(first, end - 1):
            made[LINKS + card] = card + 2


@njit(cache=True)
def _last(suited: Suited, state: I8Array, card: int) -> int:
    """Return the lowest card of the known links on a card."""
    while state[LINKS + card] > 0:
        card = int(state[LINKS + card]) - 1
    return card


@njit(cache=True)
def _play(suited: Suited, relaxation: Relaxation, card: int, column: int, leaves: bool) -> None:
    """Push what follows when a run that begins with `card`, the head of `column` or a king, moves, or leaves.

    The links that the run needs are chosen in every way: down to the ace when it leaves, else to a rank that is not
    tight.
    """
    made = suited.next
    made[:] = suited.state
    depth = 0
    suited.at[0] = _last(suited, made, card)
    suited.chosen[0] = -1
    suited.lengths[0] = 0
    while depth >= 0:
        last = suited.at[depth]
        rank = suited.code[last] & 15
        if suited.chosen[depth] < 0 and (rank == 1 or (not leaves and suited.bare[rank] > 0)):
            if leaves:
                suit = suited.code[card] >> 4
                kept = made.copy()
                made[COLUMNS + suit] += 1
                below = card
                while below >= 0:
                    following = int(made[LINKS + below]) - 1
                    made[LINKS + below] = -1
                    for bottom in range(COLUMNS):
                        if made[BOTTOMS + bottom] == below + 1:
                            made[BOTTOMS + bottom] = 0
                    below = following
                _push(suited, relaxation, column)
                made[:] = kept
            else:
                _push(suited, relaxation, column)
            depth -= 1
            if depth >= 0:
                made[LINKS + suited.at[depth]] = 0
            continue
        other = suited.chosen[depth] + 1
        while other < suited.cards:
            if suited.code[other] == suited.code[last] - 1 and suited.kind[other] == LOOSE and not suited.lies[other]:
                length = 1 << (rank - (suited.code[_last(suited, made, other)] & 15))
                if suited.one_suit[other] and not suited.lengths[depth] & length:
                    suited.lengths[depth] |= length
                    break
            other += 1
        if other == suited.cards:
            depth -= 1
            if depth >= 0:
                made[LINKS + suited.at[depth]] = 0
            continue
        suited.chosen[depth] = other
        made[LINKS + last] = other + 1
        depth += 1
        suited.at[depth] = _last(suited, made, other)
        suited.chosen[depth] = -1
        suited.lengths[depth] = 0


@njit(cache=True)
def _expand(suited: Suited, relaxation: Relaxation, game: Game, free: int) -> None:
    """Push the states that may follow the one at hand, which was counted and settled; `free` floors are free."""
    for column in range(game.columns):
        lowest = int(suited.state[column])
        if lowest == 0:
            continue
        head = suited.first[column] + int(relaxation.starts[column, lowest])
        rank = suited.code[head] & 15
        if free == 0:
            if rank < game.ranks and suited.bare[rank + 1] > 0 and suited.one_suit[head]:
                _play(suited, relaxation, head, column, False)
        else:
            # The head among the loose, what it lay on not yet open.
            left = free if suited.bare[rank + 1] > 0 else free - 1
            if left == 0:
                _play(suited, relaxation, head, column, False)
            elif free > 1 or suited.double[head]:
                suited.next[:] = suited.state
                _push(suited, relaxation, column)
    for card in range(suited.cards):
        if suited.code[card] & 15 == game.ranks and suited.kind[card] != 0 and suited.one_suit[card]:
            column = -1
            if suited.kind[card] == HEAD:
                column = 0
                while suited.first[column + 1] <= card:
                    column += 1
            _play(suited, relaxation, card, column, True)


@njit(cache=True)
def is_lost_suited(
    suited: Suited, relaxation: Relaxation, table: U64Array, states: U64Array, game: Game, most: int, most_states: int
) -> bool:
    """Whether the relaxation proves the state at hand lost; `states` is the table of relax.py.

    `most` bounds the states that are looked at; the answer is no when they do not suffice or when a table is full.
    """
    limit = suited.known + most
    suited.top = 0
    suited.full = 0
    depth = -1
    while True:
        # The state at hand is a new one, unless even what it counts proves it lost.
        free = _count(suited, relaxation, suited.state, game)
        status = LOST if free < 0 or is_lost(relaxation, states, game, most_states) else 0
        slot = 0
        if status == 0:
            free = _settle(suited, suited.state, game, free)
            if free < 0:
                status = LOST
        if status == 0:
            _make_key(suited, suited.state, game)
            slot = _slot(table, suited.key[0], suited.key[1])
            if table[slot, 0] != 0:
                status = signed(table[slot, 1] & _STATUS)
            elif relaxation.cards_left == 0 or suited.known >= limit or 4 * suited.known >= 3 * table.shape[0]:
                status = ALIVE
        if status == 0:
            table[slot, 0] = suited.key[0]
            table[slot, 1] = suited.key[1]
            suited.known += 1
            depth += 1
            suited.keys[depth] = suited.key
            suited.waiting[depth] = suited.top
            _expand(suited, relaxation, game, free)
            if suited.full:
                status = ALIVE
        if status == ALIVE:
            # So is every state on the way.
            for i in range(depth + 1):
                slot = _slot(table, suited.keys[i, 0], suited.keys[i, 1])
                table[slot, 1] = suited.keys[i, 1] | np.uint64(ALIVE)
            return False
        while depth >= 0 and suited.top == suited.waiting[depth]:
            slot = _slot(table, suited.keys[depth, 0], suited.keys[depth, 1])
            table[slot, 1] = suited.keys[depth, 1] | np.uint64(LOST)
            depth -= 1
        if depth < 0:
            return True
        suited.top -= 1
        suited.state[:] = suited.stack[suited.top]
