"""Kernel microbenchmark: nanoseconds of each step of the search, on positions met in play.

    python benchmarks/kernel.py

The positions are taken every ten moves from the winning lines of three four-suit deals.  Each figure is the
median over `REPEATS` rounds of the mean over the positions; compare two versions only within one run on one
machine.  Writes ``results/kernel.json``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import click
import numpy as np
from common import environment, environment_line, write_json
from numba import njit

from solver import Budget, deal_from_id, make_rules, referee, solve
from solver.kernel import cache

cache.import_kernels()

from solver import attempt, portfolio  # noqa: E402
from solver.kernel.layout import WORDS, pack, unpack  # noqa: E402
from solver.kernel.moves import MAX_MOVES, apply, generate, undo  # noqa: E402
from solver.kernel.score import derive, judge  # noqa: E402

DEALS = ("ms1001", "ms1002", "ms1003")
EVERY = 10
REPEATS = 7
CALLS = 1000


@njit
def _time_generate(board: Any, game: Any, moves: Any, calls: int) -> int:
    total = 0
    for _ in range(calls):
        total += generate(board, game, moves)
    return total


@njit
def _time_judge(board: Any, game: Any, keys: Any, moves: Any, count: int, calls: int) -> int:
    total = 0
    for _ in range(calls):
        for i in range(count):
            judge(board, game, keys, moves[i])
            total += board.child_score
    return total


@njit
def _time_derive(board: Any, game: Any, keys: Any, calls: int) -> None:
    for _ in range(calls):
        derive(board, game, keys)


@njit
def _time_apply(board: Any, game: Any, moves: Any, count: int, calls: int) -> None:
    for _ in range(calls):
        for i in range(count):
            undo(board, game, moves[i], apply(board, game, moves[i]))


@njit
def _time_pack(board: Any, words: Any, calls: int) -> None:
    for _ in range(calls):
        pack(board, words)


@njit
def _time_unpack(board: Any, words: Any, calls: int) -> None:
    for _ in range(calls):
        unpack(words, board)


def boards() -> list[tuple[Any, Any]]:
    """Return (board, game) records of positions met in play, derived."""
    rules = make_rules()
    found = []
    for deal in DEALS:
        position = deal_from_id(deal).position()
        line = solve(position, rules, Budget(seconds=60)).line
        for number, move in enumerate(line):
            if number % EVERY == 0:
                game = attempt.make_game(position, rules, lossless=False, wide=False)
                game.weights[:] = portfolio.TUNED
                board = attempt.make_board(position)
                derive(board, game, attempt.KEYS)
                found.append((board, game))
            position = referee.apply(position, move, rules)
    return found


def nanoseconds(step: Callable[[int], Any]) -> float:
    """Return the median time of one call, in nanoseconds."""
    step(1)
    rounds = []
    for _ in range(REPEATS):
        begun = time.perf_counter_ns()
        step(CALLS)
        rounds.append((time.perf_counter_ns() - begun) / CALLS)
    return statistics.median(rounds)


@click.command(help=__doc__)
def main() -> None:
    figures: dict[str, list[float]] = {}
    for board, game in boards():
        moves = np.zeros(MAX_MOVES, np.int64)
        words = np.zeros(WORDS, np.uint64)
        count = generate(board, game, moves)
        b, g, k, m, w = board, game, attempt.KEYS, moves, words
        steps: list[tuple[str, int, Callable[[int], Any]]] = [
            ("generate (a position)", 1, partial(_time_generate, b, g, m)),
            ("derive (a position)", 1, partial(_time_derive, b, g, k)),
            ("judge (a child)", count, partial(_time_judge, b, g, k, m, count)),
            ("apply + undo (a move)", count, partial(_time_apply, b, g, m, count)),
            ("pack (a position)", 1, partial(_time_pack, b, w)),
            ("unpack (a position)", 1, partial(_time_unpack, b, w)),
        ]
        for name, divisor, step in steps:
            if divisor:
                figures.setdefault(name, []).append(nanoseconds(step) / divisor)
    means = {name: round(statistics.mean(values), 1) for name, values in figures.items()}
    where = environment()
    click.echo(environment_line(where))
    for name, value in means.items():
        click.echo(f"{name:24}{value:10.1f} ns")
    write_json("kernel.json", {**where, "nanoseconds": means})


if __name__ == "__main__":
    main()
