"""The transposition table is a set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.kernel.layout import U64Array
from solver.kernel.table import insert, insert_wide, new_table, rehash, rehash_wide

pytestmark = pytest.mark.kernel

# Few low bits, so that probes collide and wrap around the end; zero, which is kept as one; and any others.
words = st.one_of(st.integers(0, 3), st.sampled_from([61, 62, 63, 64, 127, 2**64 - 1]), st.integers(0, 2**64 - 1))
keys = st.lists(st.tuples(words, words), max_size=31)


NARROW, WIDE = 1, 2
widths = pytest.mark.parametrize("width", [NARROW, WIDE], ids=["narrow", "wide"])


def add(table: U64Array, key: tuple[int, int]) -> bool:
    first, second = map(np.uint64, key)
    return insert(table, first) if table.shape[1] == NARROW else insert_wide(table, first, second)


def stored(key: tuple[int, int], width: int) -> tuple[int, ...]:
    """Return what the table keeps of a key: a first word of 0 is kept as 1, a narrow table keeps one word."""
    return (key[0] or 1, key[1])[:width]


@widths
@given(added=keys)
def test_insert_says_whether_a_key_is_new(width: int, added: list[tuple[int, int]]) -> None:
    # Only a narrow table wants a power of two.
    table = new_table(64 if width == NARROW else 45, width)
    seen: set[tuple[int, ...]] = set()
    for key in added:
        assert add(table, key) == (stored(key, width) not in seen)
        seen.add(stored(key, width))
    assert sorted(tuple(row) for row in table.tolist() if row[0]) == sorted(seen)


@widths
@given(added=keys)
def test_a_larger_table_holds_the_same_keys(width: int, added: list[tuple[int, int]]) -> None:
    table = new_table(64, width)
    for key in added:
        add(table, key)
    larger = new_table(128 if width == NARROW else 77, width)
    (rehash if width == NARROW else rehash_wide)(table, larger)
    assert sorted(row for row in larger.tolist() if row[0]) == sorted(row for row in table.tolist() if row[0])
    for key in added:
        assert not add(larger, key)


def test_keys_that_differ_in_one_word_only_are_two_in_a_wide_table() -> None:
    table = new_table(16, WIDE)
    for key in ((5, 0), (5, 1), (21, 0), (0, 5), (2**64 - 1, 0)):
        assert add(table, key)
    narrow = new_table(16, NARROW)
    # Zero and one are the same key, documented: two positions of 2^64.
    assert add(narrow, (0, 0))
    assert not add(narrow, (1, 0))
