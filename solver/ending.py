"""What the searches of an ending share: the Python side of kernel/endings.py.

Like `solver.attempt` it imports numba and is loaded when it is first needed.
"""

from __future__ import annotations

from solver.attempt import make_board, make_game
from solver.kernel.endings import NO_ENDING, Ending, prepare_ending
from solver.kernel.layout import new_record
from solver.kernel.relax import MAX_RUNS, RELAXATION
from solver.kernel.suited import SUITED
from solver.kernel.table import new_table
from solver.position import Position
from solver.rules import Rules

MOST_SLOTS = 1 << 20
SHARE = 16
"""Each of the two tables takes at most one part in so many of the memory."""
SLOT_BYTES = 16


def make_ending(position: Position, rules: Rules, *, memory: int) -> Ending:
    """Return the relaxations of an ending, `NO_ENDING` for a position that is none or has too many cards for them.

    `memory` is what all searches of it may take, in bytes.
    """
    if position.rows or position.cards_in_columns > MAX_RUNS * rules.ranks:
        return NO_ENDING
    slots = min(max(memory // (SLOT_BYTES * SHARE), 1 << 10), MOST_SLOTS)
    capacity = 1 << (slots.bit_length() - 1)
    ending = Ending(new_record(RELAXATION), new_table(capacity, 2), new_record(SUITED), new_table(capacity, 2))
    prepare_ending(ending, make_board(position), make_game(position, rules, lossless=True, wide=False))
    return ending


def memory_used(ending: Ending) -> int:
    """Return the bytes that its records and tables take."""
    records = RELAXATION.itemsize + SUITED.itemsize
    return records + ending.states.nbytes + ending.suited_states.nbytes
