"""Needless moves of a winning line: replay it without some of them and see whether it still wins.

A move means a *card*, not a column: "this seven, with what lies on it, onto that eight".  So the rest of a line goes on
to mean something when a move is dropped: the cards are found where they are, as many of them as lie there now, and a
move whose card lies where it is to go, or has left, is void.  Both packs are told apart::

    cards      numbered in the order columns, stock; codes[id] is the code of a card
    heads[i]   card that move i moves, or the king of the run that it takes; -1 for a deal
    onto[i]    card that it goes onto; `ONTO_EMPTY` for an empty column, `TAKEN` for a take, `DEALT` for a deal

What is tried: each move dropped; each two moves dropped; a card that moves twice sent to its second place at once.
A replay takes some 5 us.  Every replay keeps to the rules of the game, and the referee replays what comes out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solver.kernel.layout import COLUMNS, Board, Game, I8Array, I64Array
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, DEAL, DEAL_COUNT, TAKE_COUNT, TARGET_SHIFT

MAX_CARDS = 104
RANK_MASK = 15

NONE = -1
ONTO_EMPTY = -1
TAKEN = -2
DEALT = -3
GONE = -1
"""Column of a card that has left; `IN_STOCK` is that of one that is to come."""
IN_STOCK = -2


# Fields of `Pile.counts`.
ROWS_DEALT = 0
CARDS_LEFT = 1
"""Cards in the columns and in the stock."""
NEXT_CARD = 2
"""The first card of the row that is dealt next."""
COUNTS = 3


class Pile(NamedTuple):
    """The table with every card told apart."""

    codes: I8Array
    """(104,) int8: code of a card."""
    cards: I64Array
    """(10, 104) int64: numbers of the cards of a column."""
    length: I64Array
    """(10,) int64."""
    down: I64Array
    """(10,) int64."""
    column: I64Array
    """(104,) int64: where a card is."""
    counts: I64Array
    """(3,) int64: `ROWS_DEALT`, `CARDS_LEFT`, `NEXT_CARD`."""


class Script(NamedTuple):
    """A line as moves of cards, (capacity,) int64 each."""

    heads: I64Array
    onto: I64Array
    columns: I64Array
    """Target column of a move in the line that was read: where to go when any empty column would do."""


@njit(cache=True)
def set_up(pile: Pile, board: Board, game: Game) -> None:
    """Number the cards of the board and of the stock."""
    number = 0
    for column in range(COLUMNS):
        n = board.length[column]
        pile.length[column] = n
        pile.down[column] = board.down[column]
        for i in range(n):
            pile.codes[number] = board.cards[column, i]
            pile.cards[column, i] = number
            pile.column[number] = column
            number += 1
    pile.counts[ROWS_DEALT] = 0
    pile.counts[NEXT_CARD] = number
    for row in range(game.rows):
        for column in range(game.columns):
            if game.row_cards[row, column] != 0:
                pile.codes[number] = game.row_cards[row, column]
                pile.column[number] = IN_STOCK
                number += 1
    pile.counts[CARDS_LEFT] = number


@njit(cache=True)
def _reset(pile: Pile, root: Pile) -> None:
    """Put the table back as `root` has it."""
    for column in range(COLUMNS):
        n = root.length[column]
        pile.length[column] = n
        pile.down[column] = root.down[column]
        for i in range(n):
            pile.cards[column, i] = root.cards[column, i]
    for i in range(MAX_CARDS):
        pile.column[i] = root.column[i]
        pile.codes[i] = root.codes[i]
    for i in range(COUNTS):
        pile.counts[i] = root.counts[i]


@njit(cache=True)
def _code(pile: Pile, column: int, i: int) -> int:
    return np.int64(pile.codes[pile.cards[column, i]])  # type: ignore[return-value]


@njit(cache=True)
def _uncover(pile: Pile, column: int) -> None:
    n = pile.length[column]
    if n > 0 and pile.down[column] >= n:
        pile.down[column] = n - 1


@njit(cache=True)
def _run_length(pile: Pile, column: int) -> int:
    n = pile.length[column]
    if n == 0:
        return 0
    i = n - 1
    while i > pile.down[column] and _code(pile, column, i - 1) == _code(pile, column, i) + 1:
        i -= 1
    return n - i


@njit(cache=True)
def _remove_completed(pile: Pile, game: Game, column: int) -> bool:
    """Remove the completed run at the end of a column, if there is one; return whether there was."""
    n = pile.length[column]
    if n < game.ranks or _code(pile, column, n - 1) & RANK_MASK != 1 or _run_length(pile, column) != game.ranks:
        return False
    for i in range(n - game.ranks, n):
        pile.column[pile.cards[column, i]] = GONE
    pile.length[column] = n - game.ranks
    pile.counts[CARDS_LEFT] -= game.ranks
    _uncover(pile, column)
    return True


@njit(cache=True)
def _deal(pile: Pile, game: Game) -> bool:
    """Deal the next row if that is legal."""
    stage = pile.counts[ROWS_DEALT]
    if stage >= game.rows:
        return False
    if game.strict != 0:
        for column in range(game.columns):
            if pile.length[column] == 0:
                return False
    number = pile.counts[NEXT_CARD]
    for column in range(game.columns):
        if game.row_cards[stage, column] == 0:
            continue
        n = pile.length[column]
        pile.cards[column, n] = number
        pile.column[number] = column
        pile.length[column] = n + 1
        number += 1
        if game.automatic != 0:
            _remove_completed(pile, game, column)
    pile.counts[ROWS_DEALT] = stage + 1
    pile.counts[NEXT_CARD] = number
    return True


@njit(cache=True)
def _move(pile: Pile, game: Game, source: int, target: int, count: int) -> None:
    n = pile.length[source] - count
    m = pile.length[target]
    for i in range(count):
        card = pile.cards[source, n + i]
        pile.cards[target, m + i] = card
        pile.column[card] = target
    pile.length[source] = n
    pile.length[target] = m + count
    _uncover(pile, source)
    if game.automatic != 0:
        _remove_completed(pile, game, target)


@njit(cache=True)
def read(script: Script, pile: Pile, root: Pile, game: Game, moves: I64Array, count: int) -> None:
    """Write what the moves of a legal line mean."""
    _reset(pile, root)
    for i in range(count):
        move = moves[i]
        cards = move >> COUNT_SHIFT
        source = move & COLUMN_MASK
        target = move >> TARGET_SHIFT & COLUMN_MASK
        script.columns[i] = target
        if cards == DEAL_COUNT:
            script.heads[i] = -1
            script.onto[i] = DEALT
            _deal(pile, game)
        elif cards == TAKE_COUNT:
            script.heads[i] = pile.cards[source, pile.length[source] - game.ranks]
            script.onto[i] = TAKEN
            _remove_completed(pile, game, source)
        else:
            script.heads[i] = pile.cards[source, pile.length[source] - cards]
            m = pile.length[target]
            script.onto[i] = pile.cards[target, m - 1] if m > 0 else ONTO_EMPTY
            _move(pile, game, source, target, cards)


@njit(cache=True)
def _height(pile: Pile, column: int, card: int) -> int:
    i = pile.length[column] - 1
    while pile.cards[column, i] != card:
        i -= 1
    return i


@njit(cache=True)
def _play(pile: Pile, game: Game, head: int, onto: int, wish: int) -> int:
    """Play one move of a script; return its code, 0 when it is void, -1 when it cannot be played."""
    if onto == DEALT:
        return DEAL if _deal(pile, game) else -1
    source = pile.column[head]
    if source == GONE:
        return 0
    if source == IN_STOCK:
        return -1
    if onto == TAKEN:
        n = pile.length[source]
        if n < game.ranks or pile.cards[source, n - game.ranks] != head:
            return -1
        return TAKE_COUNT << COUNT_SHIFT | source if _remove_completed(pile, game, source) else -1
    i = _height(pile, source, head)
    count = pile.length[source] - i
    if onto == ONTO_EMPTY:
        if i == 0:
            return 0
    elif i > 0 and pile.cards[source, i - 1] == onto:
        return 0
    if count > _run_length(pile, source):
        return -1
    if onto == ONTO_EMPTY:
        target = wish
        if pile.length[target] != 0:
            target = -1
            for column in range(game.columns):
                if pile.length[column] == 0:
                    target = column
                    break
            if target < 0:
                return -1
    else:
        target = pile.column[onto]
        if target < 0 or target == source:
            return -1
        m = pile.length[target]
        if pile.cards[target, m - 1] != onto:
            return -1
        if pile.down[target] >= m or (_code(pile, target, m - 1) ^ (_code(pile, source, i) + 1)) & RANK_MASK != 0:
            return -1
    _move(pile, game, source, target, count)
    return count << COUNT_SHIFT | target << TARGET_SHIFT | source


@njit(cache=True)
def replay_without(
    script: Script, length: int, pile: Pile, root: Pile, game: Game, first: int, second: int, moves: I64Array
) -> int:
    """Play a script without two of its moves (-1 for none); return the moves that it takes to win, -1 if it fails."""
    _reset(pile, root)
    count = 0
    for i in range(length):
        if i in (first, second):
            continue
        move = _play(pile, game, script.heads[i], script.onto[i], script.columns[i])
        if move < 0:
            return -1
        if move > 0:
            moves[count] = move
            count += 1
            if pile.counts[CARDS_LEFT] == 0:
                return count
    return -1


@njit(cache=True)
def shorten(
    script: Script,
    length: int,
    pile: Pile,
    root: Pile,
    game: Game,
    first: int,
    last: int,
    pairs: bool,
    moves: I64Array,
) -> int:
    """Try the moves from `first` up to `last`, each dropped alone, or with `pairs` each with every later one.

    The first shorter line that wins is written to `moves`, (length,) int64, and its length returned; 0 for none.
    """
    for i in range(first, last):
        if script.onto[i] == DEALT or script.onto[i] == TAKEN:
            continue
        if pairs:
            for j in range(i + 1, length):
                count = replay_without(script, length, pile, root, game, i, j, moves)
                if 0 < count < length:
                    return count
            continue
        count = replay_without(script, length, pile, root, game, i, NONE, moves)
        if 0 < count < length:
            return count
        onto = script.onto[i]
        for j in range(i + 1, length):
            if script.heads[j] != script.heads[i] or script.onto[j] < 0:
                continue
            script.onto[i] = script.onto[j]
            count = replay_without(script, length, pile, root, game, j, NONE, moves)
            script.onto[i] = onto
            if 0 < count < length:
                return count
    return 0
