"""Moves on a `Board`: the two move lists, apply, undo.

A move is one small integer::

    bit   11..8   7..4     3..0
          count   target   source        columns from 0
          15      0        column        take the completed run of a column (optional removal)
          14      0        0             deal the next row

Two lists:

* *lossless*: enough to decide a position.  While rows remain it is every legal move, for the
  column that is emptied or filled decides where the next row falls.  Once the stock is empty
  columns are interchangeable, so only the first empty column is a target, and a whole column never
  moves to an empty one (the result is the same position with two columns swapped).
* *reduced*: for finding wins.  At any stage one empty column as a target, and only whole runs go there, no whole
  column; a run is split only to join a longer run of its suit than it leaves; a whole run that lies in sequence on a
  card of another suit moves on only to join its suit, or to an empty column; under optional removal a completed
  run leaves at once.  Where strict rules hold a row back and the table has fewer runs than columns (each face-down
  card counts as one), whole runs cannot fill the columns: then single cards go to the empty column too, and only a
  move that completes a run empties a column (without that, joining what was split wins over filling).  An
  exhausted reduced search proves nothing.  Measured: wins more and costs a third, see results/search-notes.md.

Dealing when it cannot help: under strict rules with fewer cards on the table than columns, no row
can ever be dealt again (cards reach the table only by dealing), so the position is lost; see `is_dead`.

Warning: nothing here checks legality.  The readable rules are in rules.py and referee.py.
"""

from __future__ import annotations

from numba import njit

from solver.kernel.layout import Board, Game, I64Array

COUNT_SHIFT = 8
TARGET_SHIFT = 4
COLUMN_MASK = 15
TAKE_COUNT = 15
DEAL_COUNT = 14
DEAL = DEAL_COUNT << COUNT_SHIFT

MAX_MOVES = 512
"""Bound of any list: with e empty columns (10-e)*e*13 <= 325 moves to them, 90 pairs, 10 takes, a deal."""

RUN_LEVELS = 2
"""A completed run counts as two face-down cards turned up in the level of a position."""

# What `apply` reports for `undo`: one bit a column each.
COMPLETED_SHIFT = 0
TURNED_SHIFT = 10  # the card below a completed run turned up
SOURCE_TURNED = 1 << 20
SUIT_SHIFT = 21  # suit of the run that a move completed or took (a dealt card tells its own)


@njit(cache=True)
def rows_left(board: Board, game: Game) -> int:
    """Return the number of rows in the stock."""
    return game.rows - board.stage


@njit(cache=True)
def run_length(board: Board, column: int) -> int:
    """Return the length of the run at the end of a column, counted from its cards."""
    n = board.length[column]
    if n == 0:
        return 0
    i = n - 1
    while i > board.down[column] and board.cards[column, i - 1] == board.cards[column, i] + 1:
        i -= 1
    return n - i


@njit(cache=True)
def has_fewer_runs(board: Board, game: Game, bound: int) -> bool:
    """Whether the table has fewer runs than `bound`, each face-down card counted as one."""
    runs = 0
    for column in range(game.columns):
        for i in range(board.length[column]):
            if i <= board.down[column] or board.cards[column, i] + 1 != board.cards[column, i - 1]:
                runs += 1
                if runs == bound:
                    return False
    return True


@njit(cache=True)
def generate(board: Board, game: Game, out: I64Array) -> int:
    """Write the moves of the list that the game asks for to `out`, (MAX_MOVES,) int64; return their number.

    Reads cards, length, down and the counts; runs are counted anew, so it needs no derived field.
    """
    columns = game.columns
    ranks = game.ranks
    lossless = game.lossless != 0
    has_rows = rows_left(board, game) > 0
    every_empty = lossless and has_rows
    held_back = has_rows and game.strict != 0 and board.empty > 0
    filling = not lossless and held_back and has_fewer_runs(board, game, columns)
    count = 0

    if game.automatic == 0:
        for source in range(columns):
            n = board.length[source]
            if n > 0 and board.cards[source, n - 1] & 15 == 1 and run_length(board, source) == ranks:
                out[count] = TAKE_COUNT << COUNT_SHIFT | source
                count += 1
                if not lossless:
                    return count

    for source in range(columns):
        n = board.length[source]
        if n == 0:
            continue
        run = run_length(board, source)
        top = int(board.cards[source, n - 1]) & 15
        under = n - run - 1
        sequenced = under >= board.down[source] and (board.cards[source, under] & 15) == top + run
        for target in range(columns):
            if target == source or board.length[target] == 0:
                continue
            # The moved cards have ranks top .. top + k - 1, the head one below the target's last card.
            onto = int(board.cards[target, board.length[target] - 1])
            k = (onto & 15) - top
            if not 1 <= k <= run:
                continue
            if not lossless:
                joins = onto == int(board.cards[source, n - k]) + 1
                if filling and k == n and not (joins and run_length(board, target) + k == ranks):
                    continue
                if k < run:
                    if not joins or run_length(board, target) + k <= run:
                        continue
                elif sequenced and not joins:
                    continue
            out[count] = k << COUNT_SHIFT | target << TARGET_SHIFT | source
            count += 1
        if board.empty > 0:
            for target in range(columns):
                if board.length[target] != 0:
                    continue
                for k in range(1 if lossless or filling else run, run + 1):
                    if filling and 1 < k < run:
                        continue
                    if k < n or every_empty:
                        out[count] = k << COUNT_SHIFT | target << TARGET_SHIFT | source
                        count += 1
                if not every_empty:
                    break
    if has_rows and not held_back:
        out[count] = DEAL
        count += 1
    return count


@njit(cache=True)
def is_dead(on_table: int, has_rows: bool, game: Game) -> bool:
    """Whether strict rules forbid every later deal because too few cards are left to fill the columns."""
    return has_rows and game.strict != 0 and on_table < game.columns


@njit(cache=True)
def _remove_run(board: Board, game: Game, column: int) -> bool:
    """Take the last `ranks` cards of a column away; return whether the card below turned up."""
    ranks = game.ranks
    board.length[column] -= ranks
    board.runs += 1
    board.on_table -= ranks
    board.level += RUN_LEVELS
    return _uncover(board, column)


@njit(cache=True)
def _uncover(board: Board, column: int) -> bool:
    """Turn up the last card of a column that lost cards; return whether one was face-down."""
    n = board.length[column]
    if n == 0:
        board.empty += 1
        return False
    if board.down[column] == n:
        board.down[column] = n - 1
        board.level += 1
        return True
    return False


@njit(cache=True)
def _completes(board: Board, game: Game, column: int) -> bool:
    n = board.length[column]
    return board.cards[column, n - 1] & 15 == 1 and run_length(board, column) == game.ranks


@njit(cache=True)
def apply(board: Board, game: Game, move: int) -> int:
    """Play a legal move; return what happened beyond it, for `undo`.

    Changes cards, length, down and the counts; the derived fields become stale.
    """
    source = move & COLUMN_MASK
    count = move >> COUNT_SHIFT
    if count == DEAL_COUNT:
        effects = 0
        row = game.row_cards[board.stage]
        board.stage += 1
        for column in range(game.columns):
            if row[column] == 0:
                continue
            n = board.length[column]
            if n == 0:
                board.empty -= 1
            board.cards[column, n] = row[column]
            board.length[column] = n + 1
            board.on_table += 1
            if game.automatic != 0 and _completes(board, game, column):
                effects |= 1 << (COMPLETED_SHIFT + column)
                if _remove_run(board, game, column):
                    effects |= 1 << (TURNED_SHIFT + column)
        return effects
    if count == TAKE_COUNT:
        suit = int(board.cards[source, board.length[source] - 1]) >> 4
        effects = 1 << (COMPLETED_SHIFT + source) | suit << SUIT_SHIFT
        if _remove_run(board, game, source):
            effects |= 1 << (TURNED_SHIFT + source)
        return effects
    target = move >> TARGET_SHIFT & COLUMN_MASK
    n = board.length[source] - count
    m = board.length[target]
    if m == 0:
        board.empty -= 1
    for i in range(count):
        board.cards[target, m + i] = board.cards[source, n + i]
    board.length[source] = n
    board.length[target] = m + count
    effects = SOURCE_TURNED if _uncover(board, source) else 0
    if game.automatic != 0 and _completes(board, game, target):
        suit = int(board.cards[target, m]) >> 4
        effects |= 1 << (COMPLETED_SHIFT + target) | suit << SUIT_SHIFT
        if _remove_run(board, game, target):
            effects |= 1 << (TURNED_SHIFT + target)
    return effects


@njit(cache=True)
def _put_back_run(board: Board, game: Game, column: int, suit: int, turned: bool) -> None:
    ranks = game.ranks
    n = board.length[column]
    if n == 0:
        board.empty -= 1
    if turned:
        board.down[column] += 1
        board.level -= 1
    for i in range(ranks):
        board.cards[column, n + i] = suit << 4 | (ranks - i)
    board.length[column] = n + ranks
    board.runs -= 1
    board.on_table += ranks
    board.level -= RUN_LEVELS


@njit(cache=True)
def undo(board: Board, game: Game, move: int, effects: int) -> None:
    """Take back the move that was applied last, given what `apply` returned for it."""
    source = move & COLUMN_MASK
    count = move >> COUNT_SHIFT
    if count == DEAL_COUNT:
        board.stage -= 1
        row = game.row_cards[board.stage]
        for column in range(game.columns):
            if row[column] == 0:
                continue
            if effects >> (COMPLETED_SHIFT + column) & 1:
                turned = effects >> (TURNED_SHIFT + column) & 1 != 0
                _put_back_run(board, game, column, int(row[column]) >> 4, turned)
            board.length[column] -= 1
            board.on_table -= 1
            if board.length[column] == 0:
                board.empty += 1
        return
    if count == TAKE_COUNT:
        _put_back_run(board, game, source, effects >> SUIT_SHIFT, effects >> (TURNED_SHIFT + source) & 1 != 0)
        return
    target = move >> TARGET_SHIFT & COLUMN_MASK
    if effects >> (COMPLETED_SHIFT + target) & 1:
        _put_back_run(board, game, target, effects >> SUIT_SHIFT, effects >> (TURNED_SHIFT + target) & 1 != 0)
    if effects & SOURCE_TURNED:
        board.down[source] += 1
        board.level -= 1
    m = board.length[target] - count
    n = board.length[source]
    if n == 0:
        board.empty -= 1
    for i in range(count):
        board.cards[source, n + i] = board.cards[target, m + i]
    board.length[source] = n + count
    board.length[target] = m
    if m == 0:
        board.empty += 1
