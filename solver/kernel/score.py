"""Score and key of a position, and of every child without playing the move.

The score (higher is better) is a sum over columns plus a few terms of the whole table, in hundredths of a point
(integers, so that no sum depends on its order).  ``w[i]`` are the weights, named in `WEIGHT_NAMES`.
A column of n cards, h of them face-down, gets

* ``-w[1]`` per face-down card, ``+w[16]`` / ``+w[17]`` for two face-down neighbours that already link in the
  same / another suit;
* for every face-up card above the first face-up one, compared with the card under it:
  same-suit link ``+w[3] + w[4]*L`` (L = length of the run up to this card); other-suit link ``+w[5]``, and a new
  segment; break ``-w[6]``, ``-w[7]`` more if the card is not even lower, and a new segment and a new unit;
* ``-w[8]`` per face-up card higher than the lowest card anywhere below it, ``-w[9]`` per face-up king not at the
  bottom;
* if h > 0: ``-w[2] - w[10]*segments - w[11]*units``; if h = 0: ``-w[12]*(segments - 1)``, ``+w[13]`` for a king at
  the bottom.

The whole table gets ``+w[0]`` per completed run; with e > 0 empty columns ``+w[14] + w[15]*(e-1)``; per column whose
end run could be placed (the rank above its head lies open) ``+w[18]``, ``+w[19]`` more if of the same suit;
``+w[20]`` per distinct open rank; per column whose open card is one above the card that the next row brings
``+w[21]``, ``+w[22]`` more if of the same suit.

All of it is additive along a column, so `derive` stores the sum for every prefix and a child costs
O(cards moved) for its key and O(columns) for its score.

The key is the sum over columns of a mixed 64-bit Zobrist value (which cards at which height, how many
face-down), salted with the column's number while rows remain and *not* once the stock is empty: columns
are interchangeable then, and a sum does not see their order.  The rows dealt are added.  For proofs there
is a second, independent word.

Source of the terms: measured on deals, see results/.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba import njit

from solver.kernel.layout import (
    COLUMN_CAPACITY,
    COLUMNS,
    MAX_ROWS,
    WEIGHTS,
    Board,
    Game,
    I64Array,
    U64Array,
    new_record,
    signed,
)
from solver.kernel.moves import (
    COLUMN_MASK,
    COUNT_SHIFT,
    DEAL_COUNT,
    RUN_LEVELS,
    TAKE_COUNT,
    TARGET_SHIFT,
)

WEIGHT_NAMES = (
    "run",
    "face_down",
    "covering",
    "link",
    "link_length",
    "other_link",
    "break",
    "break_upward",
    "above_lower",
    "king_covering",
    "segment_covering",
    "unit_covering",
    "segment",
    "king_at_bottom",
    "first_empty",
    "more_empty",
    "face_down_link",
    "face_down_other_link",
    "placeable",
    "placeable_suit",
    "open_rank",
    "row_fit",
    "row_fit_suit",
)
assert len(WEIGHT_NAMES) == WEIGHTS

NO_SALT = COLUMNS
"""Index of the zero in the column salts, for positions whose stock is empty."""
NO_LOW = 15
RANK_MASK = 15
KEY_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
KEY_SHIFT_1 = np.uint64(32)
KEY_SHIFT_2 = np.uint64(29)
RANK_LANE = np.uint64(0xFFFE)
ONE = np.uint64(1)
ZERO = np.uint64(0)


class Keys(Protocol):
    """Random words of the position key; first axis: key word 0 or 1.  A record of `KEYS`."""

    card: U64Array
    """(2, 128, 64) uint64: a card at a height."""
    down: U64Array
    """(2, 16) uint64: number of face-down cards."""
    column: U64Array
    """(2, 11) uint64: salt of a column; the last is zero."""
    stage: U64Array
    """(2, 16) uint64: rows dealt."""


KEYS = np.dtype(
    (
        np.record,
        [
            ("card", "u8", (2, COLUMN_CAPACITY, 64)),
            ("down", "u8", (2, 16)),
            ("column", "u8", (2, COLUMNS + 1)),
            ("stage", "u8", (2, MAX_ROWS + 1)),
        ],
    )
)


def new_keys() -> Any:
    """Return the words, the same in every process: a splitmix64 stream (Steele, Lea, Flood 2014)."""
    keys = new_record(KEYS)
    z = np.arange(1, KEYS.itemsize // 8 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    start = 0
    for name in ("card", "down", "column", "stage"):
        field = keys[name]
        field[...] = z[start : start + field.size].reshape(field.shape)
        start += field.size
    keys.column[:, NO_SALT] = 0
    return keys


@njit(cache=True)
def mix(x: np.uint64) -> np.uint64:
    """Scatter the bits of a column's Zobrist value, so that sums of columns do not cancel."""
    x ^= x >> KEY_SHIFT_1
    x *= KEY_MULTIPLIER
    x ^= x >> KEY_SHIFT_2
    return x


@njit(cache=True)
def column_key(keys: Keys, word: int, zobrist: np.uint64, down: int, salt: int) -> np.uint64:
    """Return what a column adds to the key."""
    return mix(zobrist ^ keys.down[word, down] ^ keys.column[word, salt])


@njit(cache=True)
def single_points(board: Board, game: Game, column: int, down: int) -> int:
    """Return the points of a column of which only the card above `down` face-down ones is face-up."""
    rank = int(board.cards[column, down]) & RANK_MASK
    if down == 0:
        return game.weights[13] if rank == game.ranks else 0
    points = board.down_points[column, down] - game.weights[2] - game.weights[10] - game.weights[11]
    if rank > board.low[column, down]:
        points -= game.weights[8]
    if rank == game.ranks:
        points -= game.weights[9]
    return points


@njit(cache=True)
def added_points(board: Board, game: Game, column: int, head: int, count: int) -> int:
    """Return the points of a column after a run of `count` cards from `head` down has come onto it."""
    n = board.length[column]
    rank = head & RANK_MASK
    # Same-suit links of the cards after the head: run lengths 2..count.
    links = count - 1
    lengths = count * (count + 1) // 2 - 1
    if n == 0:
        return links * game.weights[3] + lengths * game.weights[4] + (game.weights[13] if rank == game.ranks else 0)
    under = int(board.cards[column, n - 1])
    covering = board.down[column] > 0
    points = int(board.points[column, n])
    if head + 1 == under:
        run = int(board.run[column, n])
        links = count
        lengths = count * run + count * (count + 1) // 2
    else:
        points -= game.weights[10] if covering else game.weights[12]
        if rank + 1 == under & RANK_MASK:
            points += game.weights[5]
        else:
            points -= game.weights[6]
            if rank >= under & RANK_MASK:
                points -= game.weights[7]
            if covering:
                points -= game.weights[11]
    # The moved cards have ranks rank, rank-1, ...: those above the lowest card count.
    above = min(max(rank - int(board.low[column, n]), 0), count)
    points += links * game.weights[3] + lengths * game.weights[4] - above * game.weights[8]
    if rank == game.ranks:
        points -= game.weights[9]
    return points


@njit(cache=True)
def derive_column(board: Board, game: Game, keys: Keys, column: int) -> None:
    """Fill the prefix fields of one column from its cards."""
    n = board.length[column]
    down = board.down[column]
    wide = game.wide != 0
    king = game.ranks
    low = NO_LOW
    zobrist = ZERO
    zobrist2 = ZERO
    points = 0
    run = 0
    under = 0
    board.hashes[0, column, 0] = ZERO
    board.hashes[1, column, 0] = ZERO
    board.down_points[column, 0] = 0
    board.points[column, 0] = 0
    board.run[column, 0] = 0
    board.low[column, 0] = NO_LOW
    for i in range(n):
        card = int(board.cards[column, i])
        rank = card & RANK_MASK
        if i < down:
            points -= game.weights[1]
            if i > 0:
                if card + 1 == under:
                    points += game.weights[16]
                elif rank + 1 == under & RANK_MASK:
                    points += game.weights[17]
            board.down_points[column, i + 1] = points
        elif i == down:
            points = single_points(board, game, column, down)
            run = 1
        else:
            if card + 1 == under:
                run += 1
                points += game.weights[3] + game.weights[4] * run
            else:
                run = 1
                points -= game.weights[10] if down > 0 else game.weights[12]
                if rank + 1 == under & RANK_MASK:
                    points += game.weights[5]
                else:
                    points -= game.weights[6]
                    if rank >= under & RANK_MASK:
                        points -= game.weights[7]
                    if down > 0:
                        points -= game.weights[11]
            if rank > low:
                points -= game.weights[8]
            if rank == king:
                points -= game.weights[9]
        zobrist ^= keys.card[0, i, card]
        board.hashes[0, column, i + 1] = zobrist
        if wide:
            zobrist2 ^= keys.card[1, i, card]
            board.hashes[1, column, i + 1] = zobrist2
        board.points[column, i + 1] = points
        board.run[column, i + 1] = run
        low = rank if rank < low else low
        board.low[column, i + 1] = low
        under = card


@njit(cache=True)
def derive_end(board: Board, game: Game, keys: Keys, column: int) -> None:
    """Enter the end of a column, of which the prefix fields are filled, into the fields of whole columns."""
    n = board.length[column]
    board.points_sum -= board.column_points[column]
    board.open_cards[column] = 0
    board.heads[column] = 0
    board.column_points[column] = 0
    if n > 0:
        board.open_cards[column] = board.cards[column, n - 1]
        board.heads[column] = board.cards[column, n - board.run[column, n]]
        board.column_points[column] = board.points[column, n]
    board.points_sum += board.column_points[column]
    salt = column if board.stage < game.rows else NO_SALT
    for word in range(2 if game.wide != 0 else 1):
        board.key_sums[word] -= board.column_keys[word, column]
        value = column_key(keys, word, board.hashes[word, column, n], board.down[column], salt)
        board.column_keys[word, column] = value
        board.key_sums[word] += value


@njit(cache=True)
def derive(board: Board, game: Game, keys: Keys) -> None:
    """Fill every derived field from cards, length, down and stage, and the counts of cards and of empty columns."""
    on_table = 0
    empty = 0
    for column in range(game.columns):
        derive_column(board, game, keys, column)
        derive_end(board, game, keys, column)
        on_table += board.length[column]
        if board.length[column] == 0:
            empty += 1
    board.on_table = on_table
    board.empty = empty


@njit(cache=True)
def derive_after(board: Board, game: Game, keys: Keys, move: int) -> None:
    """Bring the derived fields up to date after a move was applied to a board of which they were right."""
    count = move >> COUNT_SHIFT
    if count == DEAL_COUNT:
        derive(board, game, keys)
        return
    source = move & COLUMN_MASK
    derive_column(board, game, keys, source)
    derive_end(board, game, keys, source)
    if count != TAKE_COUNT:
        target = move >> TARGET_SHIFT & COLUMN_MASK
        derive_column(board, game, keys, target)
        derive_end(board, game, keys, target)


@njit(cache=True)
def table_points(open_cards: I64Array, heads: I64Array, stage: int, empty: int, game: Game) -> int:
    """Return the points of the whole table but for completed runs."""
    columns = game.columns
    points = 0
    if empty > 0:
        points += game.weights[14] + game.weights[15] * (empty - 1)
    cards = ZERO
    for column in range(columns):
        cards |= ONE << np.uint64(open_cards[column])
    # Bit r of each 16-bit lane is rank r of one suit; an empty column has set bit 0, which is no rank.
    lanes = cards | cards >> np.uint64(32)
    lanes |= lanes >> np.uint64(16)
    ranks = signed(lanes & RANK_LANE)
    placeable = 0
    placeable_suit = 0
    for column in range(columns):
        head = heads[column]
        if head != 0:
            placeable += ranks >> ((head & RANK_MASK) + 1) & 1
            # Card codes end at 61, so the shift stays below 64; the code after a king is no card.
            placeable_suit += signed(cards >> np.uint64(head + 1) & ONE)
    points += placeable * game.weights[18] + placeable_suit * game.weights[19]
    if game.weights[20] != 0:
        distinct = 0
        while ranks != 0:
            ranks &= ranks - 1
            distinct += 1
        points += distinct * game.weights[20]
    if stage < game.rows:
        fit = 0
        fit_suit = 0
        for column in range(columns):
            coming = int(game.row_cards[stage, column])
            if coming != 0 and (coming & RANK_MASK) + 1 == open_cards[column] & RANK_MASK:
                fit += 1
                if coming + 1 == open_cards[column]:
                    fit_suit += 1
        points += fit * game.weights[21] + fit_suit * game.weights[22]
    return points


@njit(cache=True)
def cut(board: Board, game: Game, column: int, n: int) -> tuple[int, int, int, int]:
    """Return (face-down, points, open card, head) of a column of which only the first n cards stay."""
    down = board.down[column]
    if n > down:
        return (
            down,
            int(board.points[column, n]),
            int(board.cards[column, n - 1]),
            int(board.cards[column, n - board.run[column, n]]),
        )
    if n == 0:
        return 0, 0, 0, 0
    card = int(board.cards[column, n - 1])
    return n - 1, single_points(board, game, column, n - 1), card, card


@njit(cache=True)
def judge(board: Board, game: Game, keys: Keys, move: int) -> None:
    """Write score, level and key of the position after a legal move to the ``child_`` fields of the board.

    The board must be derived; its other fields come out as they went in.
    """
    count = move >> COUNT_SHIFT
    if count == DEAL_COUNT:
        _judge_deal(board, game, keys)
        return
    ranks = game.ranks
    source = move & COLUMN_MASK
    stage = board.stage
    level = board.level
    empty = board.empty
    words = 2 if game.wide != 0 else 1
    has_rows = stage < game.rows
    removed = 0
    taken = count == TAKE_COUNT
    n = board.length[source]
    stay = n - (ranks if taken else count)
    if taken:
        removed = 1

    old_open = board.open_cards[source]
    old_head = board.heads[source]
    down, points, open_card, head = cut(board, game, source, stay)
    if stay == 0:
        empty += 1
    level += board.down[source] - down
    total = board.points_sum - board.column_points[source] + points
    salt = source if has_rows else NO_SALT
    for word in range(words):
        value = column_key(keys, word, board.hashes[word, source, stay], down, salt)
        board.child_key[word] = board.key_sums[word] - board.column_keys[word, source] + value
    board.open_cards[source] = open_card
    board.heads[source] = head

    if not taken:
        target = move >> TARGET_SHIFT & COLUMN_MASK
        m = board.length[target]
        moved_head = int(board.cards[source, stay])
        target_open = board.open_cards[target]
        target_head = board.heads[target]
        target_down = board.down[target]
        joins = m > 0 and moved_head + 1 == target_open
        salt = target if has_rows else NO_SALT
        if m == 0:
            empty -= 1
        if joins and game.automatic != 0 and int(board.run[target, m]) + count == ranks:
            removed = 1
            left = m + count - ranks
            down, points, open_card, head = cut(board, game, target, left)
            if left == 0:
                empty += 1
            level += target_down - down
            for word in range(words):
                value = column_key(keys, word, board.hashes[word, target, left], down, salt)
                board.child_key[word] += value - board.column_keys[word, target]
        else:
            points = added_points(board, game, target, moved_head, count)
            open_card = old_open
            head = target_head if joins else moved_head
            for word in range(words):
                zobrist = board.hashes[word, target, m]
                for i in range(count):
                    zobrist ^= keys.card[word, m + i, moved_head - i]
                value = column_key(keys, word, zobrist, target_down, salt)
                board.child_key[word] += value - board.column_keys[word, target]
        total += points - board.column_points[target]
        board.open_cards[target] = open_card
        board.heads[target] = head
        total += table_points(board.open_cards, board.heads, stage, empty, game)
        board.open_cards[target] = target_open
        board.heads[target] = target_head
    else:
        total += table_points(board.open_cards, board.heads, stage, empty, game)
    board.open_cards[source] = old_open
    board.heads[source] = old_head
    for word in range(words):
        board.child_key[word] += keys.stage[word, stage]
    board.child_score = total + game.weights[0] * (board.runs + removed)
    board.child_level = level + RUN_LEVELS * removed
    board.child_removed = removed


@njit(cache=True)
def _judge_deal(board: Board, game: Game, keys: Keys) -> None:
    ranks = game.ranks
    stage = board.stage
    level = board.level
    words = 2 if game.wide != 0 else 1
    has_rows = stage + 1 < game.rows
    total = 0
    removed = 0
    empty = 0
    open_cards = np.empty(COLUMNS, np.int64)
    heads = np.empty(COLUMNS, np.int64)
    board.child_key[0] = keys.stage[0, stage + 1]
    board.child_key[1] = keys.stage[1, stage + 1] if words == 2 else ZERO
    for column in range(game.columns):
        card = int(game.row_cards[stage, column])
        n = board.length[column]
        down = board.down[column]
        salt = column if has_rows else NO_SALT
        joins = card != 0 and n > 0 and card + 1 == board.open_cards[column]
        stay = n
        if joins and game.automatic != 0 and int(board.run[column, n]) + 1 == ranks:
            removed += 1
            stay = n + 1 - ranks
            down, points, open_card, head = cut(board, game, column, stay)
            level += board.down[column] - down
            card = 0
        elif card == 0:
            points = board.column_points[column]
            open_card = board.open_cards[column]
            head = board.heads[column]
        else:
            points = added_points(board, game, column, card, 1)
            open_card = card
            head = board.heads[column] if joins else card
        if open_card == 0:
            empty += 1
        total += points
        open_cards[column] = open_card
        heads[column] = head
        for word in range(words):
            zobrist = board.hashes[word, column, stay]
            if card != 0:
                zobrist ^= keys.card[word, n, card]
            board.child_key[word] += column_key(keys, word, zobrist, down, salt)
    total += table_points(open_cards, heads, stage + 1, empty, game)
    board.child_score = total + game.weights[0] * (board.runs + removed)
    board.child_level = level + RUN_LEVELS * removed
    board.child_removed = removed


@njit(cache=True)
def full_score(board: Board, game: Game) -> int:
    """Return the score of the derived board itself."""
    points = table_points(board.open_cards, board.heads, board.stage, board.empty, game)
    return board.points_sum + points + game.weights[0] * board.runs


@njit(cache=True)
def full_key(board: Board, keys: Keys, word: int) -> np.uint64:
    """Return one word of the key of the derived board itself."""
    return board.key_sums[word] + keys.stage[word, board.stage]
