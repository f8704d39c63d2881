"""The transposition table: a set of position keys, open addressing, linear probing.

``slots`` is a (capacity, words) uint64 array.  Searches for wins keep one word a key (`insert`; the capacity a power of
two), proofs two (`insert_wide`; any capacity).  First word 0 means a free slot, so a first word of 0 is kept as 1.
Nothing is ever removed or replaced: a key that was seen stays seen, which is what an exhausted search relies on.  The
caller grows the table (`rehash`, `rehash_wide`) in time; at a load of one half a probe is 1.5 slots long on the mean,
most often one cache line.

Two positions with one key make the second vanish from the search.  With n positions and 64 bits that
happens with probability n^2 / 2^65 (1e-6 for 6 million): harmless for wins, whose lines are
replayed.  Proofs use two words: n^2 / 2^129.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solver.kernel.layout import U64Array

FREE = np.uint64(0)
ONE = np.uint64(1)
HALF = np.uint64(32)


def new_table(capacity: int, words: int) -> U64Array:
    """Return an empty table; a power of two where `insert` fills it."""
    return np.zeros((capacity, words), np.uint64)


@njit(cache=True)
def insert(slots: U64Array, key: np.uint64) -> bool:
    """Add a key of one word; return whether it was new.  Warning: never returns when the table is full."""
    mask = np.uint64(slots.shape[0] - 1)
    if key == FREE:
        key = ONE
    i = key & mask
    while slots[i, 0] != FREE:
        if slots[i, 0] == key:
            return False
        i = (i + ONE) & mask
    slots[i, 0] = key
    return True


@njit(cache=True)
def rehash(old: U64Array, new: U64Array) -> None:
    """Insert every key of `old` into the larger, empty table `new`."""
    for i in range(old.shape[0]):
        if old[i, 0] != FREE:
            insert(new, old[i, 0])


@njit(cache=True)
def insert_wide(slots: U64Array, key: np.uint64, key2: np.uint64) -> bool:
    """Add a key of 128 bits to a table of any capacity below 2^32, which `insert` cannot; return whether it was new.

    The high half of the first word times the capacity, without its low half, is the slot: a division without one.
    """
    capacity = np.uint64(slots.shape[0])
    if key == FREE:
        key = ONE
    i = ((key >> HALF) * capacity) >> HALF
    while slots[i, 0] != FREE:
        if slots[i, 0] == key and slots[i, 1] == key2:
            return False
        i += ONE
        if i == capacity:
            i = FREE
    slots[i, 0] = key
    slots[i, 1] = key2
    return True


@njit(cache=True)
def rehash_wide(old: U64Array, new: U64Array) -> None:
    """Insert every key of `old` into the larger, empty table `new`, both filled by `insert_wide`."""
    for i in range(old.shape[0]):
        if old[i, 0] != FREE:
            insert_wide(new, old[i, 0], old[i, 1])
