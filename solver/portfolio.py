"""The members that a solve tries one after the other, as data, and the order in which it does.

A *member* is one way to search: weights of the score (kernel/score.py explains each), breadth K, budget.  Failures of
different weights are nearly independent, so after a failed try another member helps more than a larger budget for the
same one; when all have failed, random weights and noise on the scores remove what is left.

Provenance of the weights: CMA-ES on the share of deals solved, four suits, strict rules, PySolFC deals; the
third vector knows the first sixteen terms only, the fourth was written by hand (minus the number of breaks).
Measured in results/.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from statistics import NormalDist

POINT = 100
"""Scores are integers, hundredths of a point."""


@dataclass(frozen=True)
class Member:
    """One way to search."""

    name: str
    weights: tuple[int, ...]
    """Hundredths of a point, in the order of ``kernel.score.WEIGHT_NAMES``."""
    breadth: int
    """Most advanced levels that a round visits in each stage (K)."""
    expansions: int
    """Budget of the try."""
    noise: int = 0
    """Amplitude of the noise on every score, hundredths of a point."""
    noise_seed: int = 0


def _weights(*points: float) -> tuple[int, ...]:
    padded = (*points, *(0.0 for _ in range(23 - len(points))))
    return tuple(round(POINT * point) for point in padded)


TUNED = _weights(
    510.48, 17.96, -4.72, 2.90, 5.06, -5.05, -3.49, -0.18, -0.16, 2.68, 10.02, 0.21,
    4.41, 2.50, 2.36, 20.41, 2.32, 2.21, 2.37, 3.25, -0.03, -0.65, -0.45,
)  # fmt: skip
TUNED_B = _weights(
    391.40, 21.05, -4.43, 2.57, 2.91, -4.18, -3.94, 0.03, -0.46, 3.19, 10.33, -0.87,
    4.67, 0.39, 3.67, 20.29, 0.73, 1.55, 1.01, 2.64, -0.43, -0.81, -0.52,
)  # fmt: skip
TUNED_C = _weights(
    447.35, 32.86, -4.47, 2.31, 3.05, -2.13, -2.72, 0.46, -0.26, 2.48, 8.44, -1.54,
    3.73, -0.31, 3.55, 20.81,
)  # fmt: skip
BREAKS = _weights(0, 1, 0, 0, 0.02, -1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1)

MEMBERS: tuple[Member, ...] = (
    Member("tuned", TUNED, breadth=6, expansions=100_000),
    Member("tuned-b", TUNED_B, breadth=8, expansions=100_000),
    Member("tuned-wide", TUNED, breadth=12, expansions=100_000),
    Member("tuned-c", TUNED_C, breadth=8, expansions=100_000),
    Member("breaks", BREAKS, breadth=8, expansions=100_000),
)

SPREAD = 0.35
"""Standard deviation of the logarithm of the factor on each weight."""
NOISE = 40 * POINT
BREADTHS = (6, 8, 12)


def members(seed: int) -> Iterator[Member]:
    """Yield the members to try, without end: the fixed ones, then random ones drawn from the seed."""
    yield from MEMBERS
    for number in count(1):
        yield random_member(seed, number)


def random_member(seed: int, number: int) -> Member:
    """Return the random member of that number, 1 and up; the same arguments give the same member."""
    # Only `random()` promises the same stream in every version of Python, so the normal deviates are made from it.
    stream = random.Random(f"{seed}/{number}")
    base = (TUNED, TUNED_B, TUNED_C)[int(3 * stream.random())]
    normal = NormalDist(0.0, SPREAD)
    weights = tuple(round(weight * math.exp(normal.inv_cdf(stream.random() or 0.5))) for weight in base)
    if number <= 3:
        expansions = 100_000
    elif number <= 6:
        expansions = 150_000
    elif number <= 12:
        expansions = 300_000
    else:
        expansions = 600_000
    return Member(
        f"random-{number}",
        weights,
        breadth=BREADTHS[int(3 * stream.random())],
        expansions=expansions,
        noise=NOISE,
        noise_seed=int(2**62 * stream.random()),
    )
