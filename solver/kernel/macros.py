"""Macro moves: several moves between columns that the search judges and plays as one child.

A *sequence* is a row of cards each one rank below the last, of whatever suits; the rules move one run of it at a time.
On the way some runs must wait elsewhere, and the positions in between look worse than either end, so that the search
would come to them late or, as the reduced list moves no run from a sequence to another of the same kind, not at all.
With e empty columns two things are done at once:

* *sequence*: at most ``2 ** e`` runs that end a column move together.  Onto a card: the whole sequence wherever it
  fits, a part of it only to join its suit.  To an empty column, which leaves one less: the whole sequence, if there
  are cards below it.
* *swap*: the last run x of one column and the last run y of another change places, where both lie in sequence
  after it, and more of them joined to their suit or in sequence than before.

Codes continue those of moves.py::

    bit   16   15..12   11..8   7..4          3..0
          1    0        count   target        source          a sequence
          1    y        x       column of y   column of x     a swap, of so many cards

Without an empty column one run can still wait on a card of any other column; that is enough for two runs and for a
swap.  No macro completes a run: there an ordinary move does as well.  Macros go with the reduced list, or in
endings with the lossless one, and there are none while strict rules hold a row back and the table has fewer runs than
columns.  `unfold` in ../macros.py has the moves that they stand for.
"""

from __future__ import annotations

from numba import njit

from solver.kernel.layout import Board, Game, I64Array
from solver.kernel.moves import COLUMN_MASK, COUNT_SHIFT, TAKE_COUNT, TARGET_SHIFT, apply, has_fewer_runs, rows_left
from solver.kernel.score import NO_SALT, RANK_MASK, Keys, column_key, cut, full_key, table_points

SWAP_SHIFT = 12
COUNT_MASK = 15
MACRO = 1 << 16


@njit(cache=True)
def fit(upper: int, lower: int) -> int:
    """Return how a card lies on another: 2 for one lower and of its suit, 1 for one lower, else 0."""
    if lower + 1 == upper:
        return 2
    return 1 if (lower & RANK_MASK) + 1 == upper & RANK_MASK else 0


@njit(cache=True)
def _can_wait(board: Board, game: Game, column: int, head: int, count: int) -> bool:
    """Whether a run can wait on the last card of a column, without being taken from there."""
    fits = fit(board.open_cards[column], head)
    return fits == 1 or (fits == 2 and board.run[column, board.length[column]] + count < game.ranks)


@njit(cache=True)
def _has_place(board: Board, game: Game, source: int, target: int, head: int, count: int) -> bool:
    """Whether a run can wait on a column that is neither of two."""
    for column in range(game.columns):
        if column not in (source, target) and _can_wait(board, game, column, head, count):
            return True
    return False


@njit(cache=True)
def add_macros(board: Board, game: Game, out: I64Array, count: int) -> int:
    """Write the macros of a derived board to `out` after the moves of its reduced list; return the number of both.

    There is one a pair of columns at most, and a swap a pair, so that `MAX_MOVES` bounds them too: that list has no
    more than 90 moves onto cards, 20 to the empty column and a deal.
    """
    empty = board.empty
    if count == 1 and out[0] >> COUNT_SHIFT == TAKE_COUNT:
        return count
    if empty > 0 and game.strict != 0 and rows_left(board, game) > 0 and has_fewer_runs(board, game, game.columns):
        return count
    return _add_swaps(board, game, out, _add_sequences(board, game, out, count))


@njit(cache=True)
def _add_sequences(board: Board, game: Game, out: I64Array, count: int) -> int:
    limit = 1 << board.empty
    open_ranks = 0
    for column in range(game.columns):
        open_ranks |= 1 << (board.open_cards[column] & RANK_MASK)
    for source in range(game.columns):
        n = board.length[source]
        down = board.down[source]
        start = n - int(board.run[source, n])
        head = board.heads[source]
        runs = 1
        while start > down and runs < max(limit, 2):
            if (head & RANK_MASK) + 1 != board.cards[source, start - 1] & RANK_MASK:
                break
            runs += 1
            start -= int(board.run[source, start])
            head = int(board.cards[source, start])
            whole = start <= down or (head & RANK_MASK) + 1 != board.cards[source, start - 1] & RANK_MASK
            if open_ranks >> ((head & RANK_MASK) + 1) & 1:
                last = int(board.run[source, n])
                for target in range(game.columns):
                    fits = fit(board.open_cards[target], head)
                    if (fits == 2 or (fits == 1 and whole)) and (
                        runs <= limit or _has_place(board, game, source, target, board.heads[source], last)
                    ):
                        out[count] = MACRO | (n - start) << COUNT_SHIFT | target << TARGET_SHIFT | source
                        count += 1
            if whole:
                if 2 * runs <= limit and start > 0:
                    target = 0
                    while board.length[target] != 0:
                        target += 1
                    out[count] = MACRO | (n - start) << COUNT_SHIFT | target << TARGET_SHIFT | source
                    count += 1
                break
    return count


@njit(cache=True)
def _add_swaps(board: Board, game: Game, out: I64Array, count: int) -> int:
    for a in range(game.columns):
        x = int(board.run[a, board.length[a]])
        i = board.length[a] - x
        if i <= board.down[a]:
            continue
        head_a = board.heads[a]
        under_a = int(board.cards[a, i - 1])
        for b in range(a + 1, game.columns):
            y = int(board.run[b, board.length[b]])
            j = board.length[b] - y
            if j <= board.down[b]:
                continue
            head_b = board.heads[b]
            under_b = int(board.cards[b, j - 1])
            on_b = fit(under_b, head_a)
            on_a = fit(under_a, head_b)
            if on_a == 0 or on_b == 0 or on_a + on_b <= fit(under_a, head_a) + fit(under_b, head_b):
                continue
            if on_b == 2 and board.run[b, j] + x >= game.ranks:
                continue
            if on_a == 2 and board.run[a, i] + y >= game.ranks:
                continue
            if board.empty > 0 or _has_place(board, game, a, b, head_a, x) or _has_place(board, game, a, b, head_b, y):
                out[count] = MACRO | y << SWAP_SHIFT | x << COUNT_SHIFT | b << TARGET_SHIFT | a
                count += 1
    return count


@njit(cache=True)
def _swap(board: Board, a: int, b: int, x: int, y: int) -> None:
    """Exchange the last x cards of column a and the last y of b."""
    i = board.length[a] - x
    j = board.length[b] - y
    for k in range(max(x, y)):
        card = board.cards[a, i + k]
        board.cards[a, i + k] = board.cards[b, j + k]
        board.cards[b, j + k] = card
    board.length[a] = i + y
    board.length[b] = j + x


@njit(cache=True)
def play(board: Board, game: Game, move: int) -> int:
    """Play a move or a macro, as `moves.apply` does."""
    y = move >> SWAP_SHIFT & COUNT_MASK
    if y == 0:
        # Playing a move does not look at suits.
        return apply(board, game, move & ~MACRO)
    a = move & COLUMN_MASK
    b = move >> TARGET_SHIFT & COLUMN_MASK
    _swap(board, a, b, move >> COUNT_SHIFT & COUNT_MASK, y)
    return 0


@njit(cache=True)
def _judge_end(board: Board, game: Game, keys: Keys, column: int, n: int, source: int, start: int, count: int) -> None:
    """Enter what a column becomes whose first n cards are followed by others into the fields of the child."""
    down = board.down[column]
    if count == 0:
        down, points, under, head = cut(board, game, column, n)
        zobrist = board.hashes[0, column, n]
    else:
        points = int(board.points[column, n])
        run = int(board.run[column, n])
        low = int(board.low[column, n])
        zobrist = board.hashes[0, column, n]
        under = int(board.cards[column, n - 1]) if n > 0 else 0
        head = int(board.cards[column, n - run]) if n > 0 else 0
        # Each card goes onto one that is a rank higher, but for the first in an empty column.
        for k in range(count):
            card = int(board.cards[source, start + k])
            rank = card & RANK_MASK
            if card + 1 == under:
                run += 1
                points += game.weights[3] + game.weights[4] * run
            else:
                run = 1
                head = card
                if under == 0:
                    points += game.weights[13] if rank == game.ranks else 0
                else:
                    points += game.weights[5] - (game.weights[10] if down > 0 else game.weights[12])
            if under != 0 and rank > low:
                points -= game.weights[8]
            zobrist ^= keys.card[0, n + k, card]
            low = min(low, rank)
            under = card
    board.child_level += board.down[column] - down
    board.child_score += points - board.column_points[column]
    salt = column if board.stage < game.rows else NO_SALT
    board.child_key[0] += column_key(keys, 0, zobrist, down, salt) - board.column_keys[0, column]
    board.open_cards[column] = under
    board.heads[column] = head


@njit(cache=True)
def judge_macro(board: Board, game: Game, keys: Keys, move: int) -> None:
    """Do what `score.judge` does for a move; the second word of the key is left alone."""
    a = move & COLUMN_MASK
    b = move >> TARGET_SHIFT & COLUMN_MASK
    x = move >> COUNT_SHIFT & COUNT_MASK
    y = move >> SWAP_SHIFT & COUNT_MASK
    i = board.length[a] - x
    j = board.length[b] - y
    open_a = board.open_cards[a]
    open_b = board.open_cards[b]
    head_a = board.heads[a]
    head_b = board.heads[b]
    board.child_key[0] = full_key(board, keys, 0)
    board.child_score = board.points_sum + game.weights[0] * board.runs
    board.child_level = board.level
    board.child_removed = 0
    _judge_end(board, game, keys, a, i, b, j, y)
    _judge_end(board, game, keys, b, j, a, i, x)
    empty = board.empty
    if i + y == 0:
        empty += 1
    if open_b == 0:
        empty -= 1
    board.child_score += table_points(board.open_cards, board.heads, board.stage, empty, game)
    board.open_cards[a] = open_a
    board.open_cards[b] = open_b
    board.heads[a] = head_a
    board.heads[b] = head_b
