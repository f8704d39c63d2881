"""The transposition table is a set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.kernel.table import insert, new_table, rehash

pytestmark = pytest.mark.kernel

# Few low bits, so that probes collide and wrap around the end; zero, which is kept as one; and any others.
words = st.one_of(st.integers(0, 3), st.sampled_from([61, 62, 63, 64, 127, 2**64 - 1]), st.integers(0, 2**64 - 1))
keys = st.lists(st.tuples(words, words), max_size=31)


def stored(key: tuple[int, int], width: int) -> tuple[int, ...]:
    """Return what the table keeps of a key: a first word of 0 is kept as 1, a narrow table keeps one word."""
    return (key[0] or 1, key[1])[:width]


@pytest.mark.parametrize("width", [1, 2], ids=["narrow", "wide"])
@given(added=keys)
def test_insert_says_whether_a_key_is_new(width: int, added: list[tuple[int, int]]) -> None:
    table = new_table(64, width)
    seen: set[tuple[int, ...]] = set()
    for first, second in added:
        key = stored((first, second), width)
        assert insert(table, np.uint64(first), np.uint64(second)) == (key not in seen)
        seen.add(key)
    assert sorted(tuple(row) for row in table.tolist() if row[0]) == sorted(seen)


@pytest.mark.parametrize("width", [1, 2], ids=["narrow", "wide"])
@given(added=keys)
def test_a_larger_table_holds_the_same_keys(width: int, added: list[tuple[int, int]]) -> None:
    table = new_table(64, width)
    for first, second in added:
        insert(table, np.uint64(first), np.uint64(second))
    larger = new_table(128, width)
    rehash(table, larger)
    assert sorted(row for row in larger.tolist() if row[0]) == sorted(row for row in table.tolist() if row[0])
    for first, second in added:
        assert not insert(larger, np.uint64(first), np.uint64(second))


def test_keys_that_differ_in_one_word_only_are_two_in_a_wide_table() -> None:
    table = new_table(16, 2)
    for first, second in ((5, 0), (5, 1), (21, 0), (0, 5)):
        assert insert(table, np.uint64(first), np.uint64(second))
    narrow = new_table(16, 1)
    assert insert(narrow, np.uint64(5), np.uint64(0))
    assert not insert(narrow, np.uint64(5), np.uint64(1))
    # Zero and one are the same key, documented: two positions of 2^64.
    assert insert(narrow, np.uint64(0), np.uint64(0))
    assert not insert(narrow, np.uint64(1), np.uint64(0))
