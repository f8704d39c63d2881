"""A position in bits, and as the work arrays that the kernels read.

Packed: twelve uint64 (96 bytes).  The columns are written one after the other, bottom card first,
each closed by a zero; ten six-bit slots fill the low 60 bits of a word, and the nibbles left over
at the top of the words hold the small numbers::

    bit   63..60           59..54    ...    11..6     5..0
    word  nibble           slot 9           slot 1    slot 0

    slots    6D AS TH 5H KC 9C 0  7C 3D KS 4S KH 0  AD ...   (card codes of cards.py)
    nibbles  0..9   face-down cards of column 0..9
             10     rows dealt since the root
             11     unused, zero

104 cards + 10 column ends = 114 slots fit the 120 there are.  Runs that have left are implied by the
missing cards, the stock by the root and the rows dealt.  The packing is one to one, so equal words
mean equal positions.

Unpacked: a `Board`, whose arrays have one row a column.  ``cards[c, :length[c]]`` are its cards, the first
``down[c]`` face-down.  `score.derive` fills the rest for every prefix of a column, which is
what lets a child be judged in time that does not grow with the column.

Sizes are checked where positions enter (`position.check_position`), not here.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

U64Array: TypeAlias = NDArray[np.uint64]
I64Array: TypeAlias = NDArray[np.int64]
I32Array: TypeAlias = NDArray[np.int32]
I8Array: TypeAlias = NDArray[np.int8]

COLUMNS = 10
MAX_ROWS = 15
COLUMN_CAPACITY = 128
"""Row length of the column arrays: no column exceeds 104 cards, and 128 makes addressing a shift."""

WORDS = 12
SLOTS = 10
SLOT_BITS = np.uint64(6)
SLOT_MASK = np.uint64(63)
NIBBLE_SHIFT = np.uint64(60)
STAGE_NIBBLE = 10
assert WORDS * SLOTS >= 104 + COLUMNS
assert SLOTS * int(SLOT_BITS) == int(NIBBLE_SHIFT)

WEIGHTS = 23
"""Weights of the score, see score.py."""


class Game(Protocol):
    """The rules, the root's stock and the weights: constant during a search.  A record of `GAME`."""

    columns: int
    ranks: int
    strict: int
    automatic: int
    rows: int
    """Rows in the stock of the root."""
    runs: int
    """Runs to complete from the root; more than can be when its cards are no whole runs."""
    lossless: int
    """Which move list, see moves.py."""
    wide: int
    """Whether keys have 128 bits."""
    row_cards: I8Array
    """(15, 10) int8, in dealing order; zero where a short row has no card."""
    weights: I64Array
    """(WEIGHTS,) int64, hundredths of a point."""


GAME = np.dtype(
    (
        np.record,
        [
            ("columns", "i8"),
            ("ranks", "i8"),
            ("strict", "i8"),
            ("automatic", "i8"),
            ("rows", "i8"),
            ("runs", "i8"),
            ("lossless", "i8"),
            ("wide", "i8"),
            ("row_cards", "i1", (MAX_ROWS, COLUMNS)),
            ("weights", "i8", (WEIGHTS,)),
        ],
    )
)


class Board(Protocol):
    """The position at hand and what `score.derive` knows of it.  A record of `BOARD`."""

    cards: I8Array
    """(10, 128) int8; what lies beyond the length of a column means nothing."""
    length: I64Array
    """(10,) int64."""
    down: I64Array
    """(10,) int64 face-down cards."""
    stage: int
    """Rows dealt since the root."""
    level: int
    """Face-down cards turned up + 2 * runs completed, since the root."""
    runs: int
    """Runs completed since the root; `Game.runs` of them win."""
    on_table: int
    """Cards in the tableau."""
    empty: int
    """Empty columns."""

    # Derived, for every prefix of a column.
    hashes: U64Array
    """(2, 10, 128) uint64; [w, c, n]: Zobrist xor of the first n cards of column c, for key word w."""
    points: I32Array
    """(10, 128) int32; [c, n]: score of column c if only its first n cards were there (n > down)."""
    down_points: I32Array
    """(10, 16) int32; [c, n]: score of n face-down cards."""
    run: I8Array
    """(10, 128) int8; [c, n]: length of the run that ends the first n cards; 0 when they are all face-down."""
    low: I8Array
    """(10, 128) int8; [c, n]: lowest rank among the first n cards, face-down ones included; 15 for none."""

    # Derived, for every column as it is.
    open_cards: I64Array
    """(10,) int64: last card, 0 for an empty column."""
    heads: I64Array
    """(10,) int64: first card of the run that ends the column, 0 for an empty column."""
    column_points: I64Array
    """(10,) int64."""
    column_keys: U64Array
    """(2, 10) uint64, mixed and salted for the stage."""
    points_sum: int
    """Sum of column_points."""
    key_sums: U64Array
    """(2,) uint64: sum of column_keys a word."""

    # What `score.judge` says of a child.
    child_score: int
    child_level: int
    child_removed: int
    """Runs that the move completes."""
    child_key: U64Array
    """(2,) uint64; word 1 is written in wide games only."""


BOARD = np.dtype(
    (
        np.record,
        [
            ("cards", "i1", (COLUMNS, COLUMN_CAPACITY)),
            ("length", "i8", (COLUMNS,)),
            ("down", "i8", (COLUMNS,)),
            ("stage", "i8"),
            ("level", "i8"),
            ("runs", "i8"),
            ("on_table", "i8"),
            ("empty", "i8"),
            ("hashes", "u8", (2, COLUMNS, COLUMN_CAPACITY)),
            ("points", "i4", (COLUMNS, COLUMN_CAPACITY)),
            ("down_points", "i4", (COLUMNS, 16)),
            ("run", "i1", (COLUMNS, COLUMN_CAPACITY)),
            ("low", "i1", (COLUMNS, COLUMN_CAPACITY)),
            ("open_cards", "i8", (COLUMNS,)),
            ("heads", "i8", (COLUMNS,)),
            ("column_points", "i8", (COLUMNS,)),
            ("column_keys", "u8", (2, COLUMNS)),
            ("points_sum", "i8"),
            ("key_sums", "u8", (2,)),
            ("child_score", "i8"),
            ("child_level", "i8"),
            ("child_removed", "i8"),
            ("child_key", "u8", (2,)),
        ],
    )
)


def new_record(dtype: np.dtype[Any]) -> Any:
    """Return one zero record of a dtype, the form in which kernels take small state.

    A record is one pointer, and every offset and stride is known when the kernel is compiled; a tuple of arrays passes
    some ten words for each of them at every call (measured: a third of the speed).
    """
    return np.zeros(1, dtype)[0]


@njit(cache=True)
def signed(word: np.uint64) -> int:
    """Return a small unsigned value as int64: `int` would keep it unsigned when compiled, and sums of both go wrong."""
    return np.int64(word)  # type: ignore[return-value]


@njit(cache=True)
def pack(board: Board, words: U64Array) -> None:
    """Write cards, face-down counts and stage of the board into `words`, (12,) uint64."""
    word = np.uint64(0)
    index = 0
    slot = 0
    for column in range(COLUMNS):
        n = board.length[column]
        for i in range(n + 1):
            if i < n:
                word |= np.uint64(board.cards[column, i]) << (np.uint64(slot) * SLOT_BITS)
            slot += 1
            if slot == SLOTS:
                words[index] = word
                word = np.uint64(0)
                index += 1
                slot = 0
    while index < WORDS:
        words[index] = word
        word = np.uint64(0)
        index += 1
    for column in range(COLUMNS):
        words[column] |= np.uint64(board.down[column]) << NIBBLE_SHIFT
    words[STAGE_NIBBLE] |= np.uint64(board.stage) << NIBBLE_SHIFT


@njit(cache=True)
def unpack(words: U64Array, board: Board) -> None:
    """Read cards, lengths, face-down counts and stage back; the other fields are left as they are."""
    column = 0
    n = 0
    for index in range(WORDS):
        word = words[index]
        for _ in range(SLOTS):
            card = np.int8(word & SLOT_MASK)
            word >>= SLOT_BITS
            board.cards[column, n] = card
            n += 1
            if card == 0:
                board.length[column] = n - 1
                column += 1
                n = 0
                if column == COLUMNS:
                    break
        if column == COLUMNS:
            break
    for column in range(COLUMNS):
        board.down[column] = signed(words[column] >> NIBBLE_SHIFT)
    board.stage = signed(words[STAGE_NIBBLE] >> NIBBLE_SHIFT)
