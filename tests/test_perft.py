"""Perft: the kernel's counts of lines against the file and against the naive game."""

from __future__ import annotations

import json
import random
from typing import Any

import naive
import perft_data
import pytest
from boards import board_of, game_of, state_of
from conftest import COMPILED

from solver.kernel.perft import perft
from solver.position import Position
from solver.rules import Rules

pytestmark = pytest.mark.kernel

RECORDS: list[dict[str, Any]] = json.loads(perft_data.PATH.read_text())


def name_of(record: dict[str, Any]) -> str:
    return f"{record.get('deal') or record['case']}-{record['suits']}-{record['rules']}"


def kernel_counts(position: Position, rules: Rules, depth: int) -> list[int]:
    board = board_of(position)
    game = game_of(position, rules)
    before = state_of(board, rules.columns)
    counts = [int(perft(board, game, n)) for n in range(1, depth + 1)]
    assert state_of(board, rules.columns) == before
    return counts


@pytest.mark.parametrize("record", RECORDS, ids=map(name_of, RECORDS))
def test_counts_are_those_of_the_file(record: dict[str, Any]) -> None:
    """The file is what the naive game counted; `python tests/perft_data.py` writes it anew."""
    position, rules = perft_data.root_of(record)
    # As plain Python only what takes a moment.
    counts = [count for count in record["counts"] if COMPILED or count < 1000]
    assert kernel_counts(position, rules, len(counts)) == counts
    for depth, count in enumerate(record["counts"], start=1):
        if count < 1000:
            assert naive.perft(position, depth, rules, lossless=True) == count


def test_the_file_has_twelve_deals_of_each_number_of_suits() -> None:
    for suits in (1, 2, 4):
        deals = {record["deal"] for record in RECORDS if record["suits"] == suits and "deal" in record}
        assert len(deals) >= 12


@pytest.mark.parametrize("rules", naive.SMALL_RULES.values(), ids=naive.SMALL_RULES)
def test_small_games_count_as_in_the_naive_game(rules: Rules) -> None:
    depth = 4 if COMPILED else 3
    for seed in range(3):
        rng = random.Random(seed)
        root = naive.small_game(rng, rules)
        for position, _ in naive.random_playout(root, rules, rng, 12):
            root = position  # the last one before the end: often without stock
        expected = [naive.perft(root, n, rules, lossless=True) for n in range(1, depth + 1)]
        assert kernel_counts(root, rules, depth) == expected
