"""Learn weights of the score from searches that won: which of the positions of one list lie on the line?

    python benchmarks/learn.py --first 32001 --deals 150 --share 25

A search with the weights `tuned` is run on each deal.  Positions that it expanded are compared within their stage and
level, as its open lists do: each on the winning line with others that are not, by a conditional logit whose features
are the terms of the score.  The fit alone is a poor guide (see ``results/search-notes.md``): what is printed is so many
per cent of it, of the same spread as `tuned`, and `tuned` for the rest.  Deals are PySolFC 32001 and up, which are for
tuning.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from solver import deal_from_id, make_rules
from solver.kernel import cache
from solver.portfolio import TUNED, Member

Matrix = NDArray[np.float64]
Group = tuple[list[int], list[int]]
"""Rows on the line, rows beside it."""

MEMBER = Member("tuned", TUNED, breadth=8, expansions=50_000, macros=True)
MEMORY = 1 << 30
ON_LINE = 3
BESIDE = 15
FEWEST = 3
"""Positions of one list that are drawn, and how many there must be beside the line."""
ROUNDS = 12


def collect(numbers: range) -> tuple[Matrix, list[Group]]:
    """Return the terms of positions, each as if its weight alone were 1, and the groups they belong to."""
    cache.import_kernels()
    from solver.attempt import KEYS, Attempt, make_board, make_game
    from solver.kernel.bestfirst import TRAIL_LEVEL, TRAIL_PARENT, TRAIL_RUNS
    from solver.kernel.layout import NIBBLE_SHIFT, STAGE_NIBBLE, unpack
    from solver.kernel.score import derive, full_score

    rng = np.random.default_rng(1)
    rows: list[list[int]] = []
    groups: list[Group] = []
    for number in numbers:
        position = deal_from_id(str(number), 4).position()
        attempt = Attempt(position, make_rules(), MEMBER, memory=MEMORY)
        outcome = None
        while outcome is None:
            outcome = attempt.step(MEMBER.expansions)
        if outcome != "win":
            continue
        states, trail = attempt.expanded()
        on_line = np.zeros(len(states), bool)
        state = attempt.winning_state
        while state >= 0:
            on_line[state] = True
            state = int(trail[state, TRAIL_PARENT])
        lists = (states[:, STAGE_NIBBLE] >> NIBBLE_SHIFT).astype(int) * 100 + trail[:, TRAIL_LEVEL]
        board: Any = make_board(position)
        game: Any = make_game(position, make_rules(), lossless=False, wide=False)

        def terms(state: int, board: Any = board, game: Any = game, states: Any = states, trail: Any = trail) -> int:
            unpack(states[state], board)
            board.runs = int(trail[state, TRAIL_RUNS])
            row = []
            for weight in range(len(TUNED)):
                game.weights[:] = 0
                game.weights[weight] = 1
                derive(board, game, KEYS)
                row.append(int(full_score(board, game)))
            rows.append(row)
            return len(rows) - 1

        for which in np.unique(lists[on_line]):
            line = np.flatnonzero(on_line & (lists == which))
            beside = np.flatnonzero(~on_line & (lists == which))
            if len(beside) < FEWEST:
                continue
            beside = rng.choice(beside, min(BESIDE, len(beside)), replace=False)
            line = rng.choice(line, min(ON_LINE, len(line)), replace=False)
            groups.append(([terms(int(s)) for s in line], [terms(int(s)) for s in beside]))
    return np.array(rows, float), groups


def fit(terms: Matrix, groups: list[Group]) -> Matrix:
    """Return the weights of a conditional logit with a ridge of 1, by Newton's method."""
    size = terms.shape[1]
    weights = np.zeros(size)
    for _ in range(ROUNDS):
        gradient = -weights
        hessian = np.eye(size)
        for line, beside in groups:
            for row in line:
                chosen = terms[[row, *beside]]
                values = chosen @ weights
                shares = np.exp(values - values.max())
                shares /= shares.sum()
                mean = shares @ chosen
                gradient = gradient + chosen[0] - mean
                hessian += (chosen * shares[:, None]).T @ chosen - np.outer(mean, mean)
        weights = weights + np.linalg.solve(hessian, gradient)
    return weights


def spread(terms: Matrix, groups: list[Group], weights: Matrix) -> float:
    """Return the median over the groups of the standard deviation of the score."""
    return float(np.median([(terms[line + beside] @ weights).std() for line, beside in groups]))


def pairs_in_order(terms: Matrix, groups: list[Group], weights: Matrix) -> float:
    """Return the share of pairs of which the one on the line scores better, a tie counting half."""
    better = [
        np.mean(
            (terms[row] @ weights > terms[beside] @ weights) + (terms[row] @ weights == terms[beside] @ weights) / 2
        )
        for line, beside in groups
        for row in line
    ]
    return float(np.mean(better))


@click.command(help=__doc__)
@click.option("--first", default=32001, show_default=True)
@click.option("--deals", default=150, show_default=True)
@click.option("--share", default=25, show_default=True, help="Per cent of the fit in the result.")
def main(first: int, deals: int, share: int) -> None:
    terms, groups = collect(range(first, first + deals))
    scale = terms.std(axis=0)
    scale[scale == 0] = 1
    kept = groups[: len(groups) * 4 // 5]
    fitted = fit(terms / scale, kept) / scale
    tuned = np.array(TUNED, float)
    rest = groups[len(kept) :]
    click.echo(
        f"{len(groups)} groups, {len(terms)} positions; pairs in order on the last fifth: "
        f"{pairs_in_order(terms, rest, fitted):.3f}, tuned {pairs_in_order(terms, rest, tuned):.3f}"
    )
    fitted *= spread(terms, groups, tuned) / spread(terms, groups, fitted)
    # Runs count in the level, so that positions of one list hardly differ in them.
    fitted[0] = tuned[0]
    mixed = tuned + (fitted - tuned) * share / 100
    click.echo(", ".join(str(round(weight)) for weight in mixed))


if __name__ == "__main__":
    main()
