"""Tune the weights of a new member by CMA-ES on the deals that the present portfolio leaves.

    python benchmarks/tune.py NAME --start tuned --generations 60 --jobs 2 --seed 1
    python benchmarks/tune.py NAME --after 1 ...          only deals that the first member does not win

Objective, lower is better: the mean over deals of log2(expansions); a deal that is not won counts as 4 times the limit.
Each generation has its own sample of the deals, the same for all its candidates; the order of the samples is fixed by
the seed.  Tuning deals are PySolFC ms1..ms1000 and, for members after the first, 32001 and up, as many as it
takes; ms1001..ms3000 are for judging (`solve.py`, `portfolio.py`) and are refused here.

Every generation is appended to ``results/tune-NAME.jsonl`` before the next starts.  Called again with the same
arguments it reads them back, so an interrupted run goes on where it stopped and gives what an uninterrupted one
gives: with one seed CMA-ES asks the same questions after the same answers.  The result is the mean of the final
distribution.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import random
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import click
import cma
from common import RESULTS, environment, play
from tqdm import tqdm

from solver.kernel import cache
from solver.portfolio import MEMBERS, POINT, Member

LIMIT = 30_000
"""Expansions of a try while tuning; the first tens of thousands are where most deals are decided."""
FAILED = 4
MEMORY = 512 << 20
POPULATION = 14
SMALLEST_SCALE = 0.5
"""Points: what a weight that starts near zero is tried in steps of."""


def expansions_to_win(number: str, suits: int, member: Member) -> int | None:
    """Return the expansions that a member needs for a deal, None when it does not win within its budget."""
    won, expansions = play(number, suits, member, MEMORY)
    return expansions if won else None


def cost(task: tuple[tuple[int, ...], int, int, tuple[str, ...]]) -> float:
    """Return the objective of a vector on some deals."""
    weights, breadth, suits, numbers = task
    member = Member("candidate", weights, breadth, LIMIT)
    costs = [expansions_to_win(number, suits, member) or FAILED * LIMIT for number in numbers]
    return sum(map(math.log2, costs)) / len(costs)


def tuning_numbers() -> Iterator[str]:
    """Yield the numbers of the deals that may be tuned on, without end."""
    yield from (f"ms{number}" for number in range(1, 1001))
    yield from map(str, count(32001))


def tuning_deals(after: int, wanted: int, suits: int, pool: Executor) -> list[str]:
    """Return deals that the first `after` members of the portfolio do not win."""
    numbers = tuning_numbers()
    if after == 0:
        return [next(numbers) for _ in range(wanted)]
    left: list[str] = []
    with tqdm(total=wanted, desc="deals left by the portfolio", disable=None) as bar:
        while len(left) < wanted:
            batch = [next(numbers) for _ in range(200)]
            for number, won in zip(
                batch, pool.map(_is_won, [(n, suits, after) for n in batch], chunksize=5), strict=True
            ):
                if not won:
                    left.append(number)
                    bar.update()
    return left[:wanted]


def _is_won(task: tuple[str, int, int]) -> bool:
    number, suits, after = task
    return any(expansions_to_win(number, suits, member) is not None for member in MEMBERS[:after])


@click.command(help=__doc__)
@click.argument("name")
@click.option("--start", default=MEMBERS[0].name, show_default=True, help="Member whose weights are the start.")
@click.option("--after", default=0, show_default=True, help="Leave out deals won by the first so many members.")
@click.option("--deals", default=1000, show_default=True, help="Deals to sample from.")
@click.option("--sample", default=120, show_default=True, help="Deals of a generation.")
@click.option("--suits", default=4, show_default=True)
@click.option("--generations", default=60, show_default=True)
@click.option("--sigma", default=0.25, show_default=True, help="First step, relative to each weight.")
@click.option("--jobs", default=1, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(
    name: str, start: str, after: int, deals: int, sample: int, suits: int, generations: int, sigma: float, jobs: int,
    seed: int,
) -> None:  # fmt: skip
    if after == 0 and deals > 1000:
        raise click.UsageError("the first member is tuned on ms1..ms1000: --deals is at most 1000")
    member = next((member for member in MEMBERS if member.name == start), None)
    if member is None:
        raise click.UsageError(f"no member {start!r}: there are {', '.join(member.name for member in MEMBERS)}")
    setting = {
        "start": start, "weights": member.weights, "breadth": member.breadth, "after": after, "deals": deals,
        "sample": sample, "suits": suits, "sigma": sigma, "seed": seed, "limit": LIMIT,
        "kernels": cache.kernel_digest(),
    }  # fmt: skip
    path = RESULTS / f"tune-{name}.jsonl"
    known = read_log(path, setting)
    scale = [max(abs(weight) / POINT, SMALLEST_SCALE) for weight in member.weights]
    options = {"seed": seed, "popsize": POPULATION, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(
        [weight / POINT / s for weight, s in zip(member.weights, scale, strict=True)], sigma, options
    )
    with (
        ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), cache.import_kernels) as pool,
        path.open("a") as log,
    ):
        if not path.stat().st_size:
            log.write(json.dumps({"setting": setting, **environment()}) + "\n")
        numbers = tuning_deals(after, deals, suits, pool)
        for generation in tqdm(range(generations), desc=name, disable=None):
            candidates = strategy.ask()
            drawn = tuple(random.Random(f"{seed}/{generation}").sample(numbers, sample))
            vectors = [
                tuple(round(POINT * x * s) for x, s in zip(candidate, scale, strict=True)) for candidate in candidates
            ]
            values = known.get(generation)
            if values is None:
                values = list(pool.map(cost, [(vector, member.breadth, suits, drawn) for vector in vectors]))
                mean = tuple(round(POINT * x * s) for x, s in zip(strategy.mean, scale, strict=True))
                log.write(json.dumps({"generation": generation, "costs": values, "mean": mean}) + "\n")
                log.flush()
            strategy.tell(candidates, values)
            middle = statistics.median(values)
            tqdm.write(f"{generation}: best {min(values):.3f}, median {middle:.3f}", file=sys.stderr)
    final = [round(x * s, 2) for x, s in zip(strategy.mean, scale, strict=True)]
    click.echo(", ".join(f"{weight:g}" for weight in final))


def read_log(path: Path, setting: dict[str, Any]) -> dict[int, list[float]]:
    """Return the costs of every generation that a former run finished under the same setting."""
    if not path.exists():
        return {}
    entries = []
    for line in path.read_text().splitlines():
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            # The last line of a run that was killed while writing.
            break
    if entries and json.loads(json.dumps(setting)) != entries[0]["setting"]:
        raise click.UsageError(f"{path} was made with other settings or kernels: choose another NAME")
    return {entry["generation"]: entry["costs"] for entry in entries[1:]}


if __name__ == "__main__":
    main()
