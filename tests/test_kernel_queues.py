"""The open lists: priority queues that share one pool of nodes, against heapq."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.kernel.queues import CHILD, NODE_FIELDS, NONE, SCORE, SIBLING, pop, push

pytestmark = pytest.mark.kernel

STAGES, LEVELS, NODES = 2, 3, 200

lists = st.tuples(st.integers(0, STAGES - 1), st.integers(0, LEVELS - 1))
scores = st.one_of(st.integers(-3, 3), st.integers(-(2**31), 2**31 - 1))
steps = st.lists(st.tuples(lists, st.none() | scores), max_size=NODES)
"""Each a push of a score to a list, or a pop."""


def new_pool() -> tuple[Any, Any]:
    nodes = np.full((NODES, NODE_FIELDS), 12345, np.int32)  # what was there before must not matter
    return nodes, np.full((STAGES, LEVELS), NONE, np.int32)


def play(steps: list[tuple[tuple[int, int], int | None]]) -> list[int]:
    """Push and pop, checking every pop against heapq; return the nodes in the order in which they came."""
    nodes, roots = new_pool()
    model: dict[tuple[int, int], list[int]] = {}
    where: dict[int, tuple[int, int]] = {}
    popped = []

    def take(place: tuple[int, int]) -> None:
        node = int(pop(nodes, roots, *place))
        assert where.pop(node) == place
        assert nodes[node, SCORE] == -heapq.heappop(model[place])
        popped.append(node)

    for count, (place, score) in enumerate(steps):
        if score is not None:
            nodes[count, SCORE] = score
            push(nodes, roots, *place, count)
            where[count] = place
            heapq.heappush(model.setdefault(place, []), -score)
        elif model.get(place):
            take(place)
        for stage, level in np.ndindex(STAGES, LEVELS):
            assert (roots[stage, level] == NONE) == (not model.get((stage, level)))
    for place, scores in model.items():
        while scores:
            take(place)
    assert not where
    assert (roots == NONE).all()
    return popped


@given(steps)
def test_the_best_node_comes_first_and_none_is_lost(steps: list[tuple[tuple[int, int], int | None]]) -> None:
    assert play(steps) == play(steps)


def test_a_node_goes_ahead_of_the_equals_that_lead_its_list() -> None:
    assert play([((0, 0), 7)] * 5) == [4, 3, 2, 1, 0]


def test_the_root_of_a_list_is_its_best_node() -> None:
    nodes, roots = new_pool()
    for node, score in enumerate([3, 9, 9, -2]):
        nodes[node, SCORE] = score
        push(nodes, roots, 1, 2, node)
    assert roots[1, 2] == 2
    assert nodes[2, SIBLING] == NONE
    assert nodes[2, CHILD] != NONE
