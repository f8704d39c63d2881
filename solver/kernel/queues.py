"""The open lists: one priority queue per (stage, level), all threaded through one pool of nodes.

A node is a child that was judged but not expanded: 20 bytes, no position, only where it comes from::

    nodes[i] = parent   index of the expanded position it is a move away from
               move     the move, packed as in moves.py
               score    its priority, higher first
               child    first node below it in the heap, -1 for none
               sibling  next node beside it

Each list is a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986): a push is one comparison
with the root, and here there are ten pushes for one pop, most of which never come to the top.
``roots[stage, level]`` is the best node of the list, -1 when it is empty.  Equal scores: a pushed node
goes ahead of the root; below it the shape of the heap decides, the same way every time.  Nothing is dropped.
"""

from __future__ import annotations

from numba import njit

from solver.kernel.layout import I32Array

PARENT = 0
MOVE = 1
SCORE = 2
CHILD = 3
SIBLING = 4
NODE_FIELDS = 5

NONE = -1


@njit(cache=True)
def _meld(nodes: I32Array, a: int, b: int) -> int:
    """Hang the worse of two roots below the better, `b` winning a tie; return the better."""
    if nodes[b, SCORE] >= nodes[a, SCORE]:
        a, b = b, a
    nodes[b, SIBLING] = nodes[a, CHILD]
    nodes[a, CHILD] = b
    return a


@njit(cache=True)
def push(nodes: I32Array, roots: I32Array, stage: int, level: int, node: int) -> None:
    """Add a node, whose parent, move and score are set, to a list."""
    nodes[node, CHILD] = NONE
    nodes[node, SIBLING] = NONE
    root = roots[stage, level]
    roots[stage, level] = node if root == NONE else _meld(nodes, root, node)


@njit(cache=True)
def pop(nodes: I32Array, roots: I32Array, stage: int, level: int) -> int:
    """Remove the best node of a list and return its index.  Warning: the list must not be empty."""
    best = roots[stage, level]
    # First pass: meld the children in pairs, left to right, stacking the pairs through SIBLING.
    pairs = NONE
    node = nodes[best, CHILD]
    while node != NONE:
        other = nodes[node, SIBLING]
        if other == NONE:
            nodes[node, SIBLING] = pairs
            pairs = node
            break
        rest = nodes[other, SIBLING]
        pair = _meld(nodes, other, node)
        nodes[pair, SIBLING] = pairs
        pairs = pair
        node = rest
    # Second pass: meld the pairs right to left.
    root = pairs
    if pairs != NONE:
        pairs = nodes[pairs, SIBLING]
        nodes[root, SIBLING] = NONE
        while pairs != NONE:
            rest = nodes[pairs, SIBLING]
            root = _meld(nodes, root, pairs)
            pairs = rest
        nodes[root, SIBLING] = NONE
    roots[stage, level] = root
    return best
