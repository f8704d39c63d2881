"""The members that a solve tries one after the other, as data, and the order in which it does.

A *member* is one way to search: weights of the score (see kernel/score.py), breadth K, noise, budget.  Failures
of different members are nearly independent, so after a failed try another member helps more than a larger budget for
the same one; when all have failed, random weights and noise on the scores remove what is left.

Provenance of the weights, all on four suits under strict rules:

============  ==============================================================================================
tuned         CMA-ES on the share of PySolFC deals won (all legal moves, K = 8); given with the design
tuned-b       the same from another start; its failures differ
tuned-c       the same with the first sixteen terms only
tuned-quick   `benchmarks/tune.py first` from tuned, 16 generations of 14 vectors on 100 of ms1..ms1000 each, objective
              mean log2(expansions), 2026-11-30; on ms301..ms600 it wins more within 5,000 (157 of 300 against 134) and
              fewer within 100,000 (287 against 295), so it complements tuned and does not replace it
tuned-beam    for beams: from the mean of tuned and breaks by some sixty steps of a (1+1) evolution strategy, on the
              mean length of the lines that a beam of width 60 leaves of ms1..ms40 (the line known before where it
              wins none), 2026-11-30: 148.2 instead of 156.2 with tuned; with width 200 142.9 instead of 146.2
learned       a quarter of what `benchmarks/learn.py` fits on lines of PySolFC 32001..32150, three quarters tuned
breaks        written by hand: minus the number of breaks; measured, and not scheduled
============  ==============================================================================================

Provenance of the schedule: `benchmarks/portfolio.py derive` on ``results/portfolio-data.csv`` (PySolFC 32001..33500,
twenty-seven candidates, all with macros, on the 30 deals that the first does not win within 50,000), 2026-11-30.  Why
the random members sweep, what macros and beams win: ``results/search-notes.md``.  The result on deals not used,
ms1001..ms3000, is in ``results/judged.md``.

Where the stock is empty other members are tried, `ending_members`; what they were chosen from is in the section on
endings of ``results/search-notes.md``, their result in ``results/endings.md``.
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
    sweep: int = 0
    """Every so many rounds visit all levels and not K alone; 0 for never."""
    noise: int = 0
    """Amplitude of the noise on every score, hundredths of a point."""
    noise_seed: int = 0
    macros: bool = False
    """Whether macros are among the moves (see kernel/macros.py)."""
    lossless: bool = False
    """Whether the moves are all that matter and not the reduced list (see kernel/moves.py); with macros only for
    endings."""
    width: int = 0
    """Positions a stage that each layer of a beam keeps, which is searched instead; 0 for best-first.  Of the fields
    above only weights and budget are for beams."""


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
TUNED_QUICK = _weights(
    724.71, 3.24, -3.17, 3.21, 5.80, -2.92, -1.13, -0.22, -0.01, 0.03, 7.35, -0.06,
    4.13, 3.79, 3.12, 16.63, 2.61, 2.03, 3.64, 5.00, -0.09, -0.91, -0.45,
)  # fmt: skip
TUNED_BEAM = (
    15958, 1293, -106, 127, 184, -652, 51, -7, -7, 167, 430, 7, 15, 549, 343, 1144, 206, 121, 78, 77, -4, 5, -24,
)  # fmt: skip
LEARNED = (
    51048, 1313, 59, 137, 394, -940, -190, -44, -88, 517, 1063, -417, 320, 277, 3423, 1976, 460, 610, 542, 994, 253,
    -174, 238,
)  # fmt: skip
BREAKS = _weights(0, 1, 0, 0, 0.02, -1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1)

SPREAD = 0.35
"""Standard deviation of the logarithm of the factor on each weight."""
NOISE = 40 * POINT
BREADTHS = (6, 8, 12)
SWEEPS = (4, 2, 1)


def random_member(seed: int, number: int) -> Member:
    """Return the random member of that number, 1 and up; the same arguments give the same member."""
    # Only `random()` promises the same stream in every version of Python, so the normal deviates are made from it.
    stream = random.Random(f"{seed}/{number}")
    base = (TUNED, TUNED_B, TUNED_C)[int(3 * stream.random())]
    normal = NormalDist(0.0, SPREAD)
    weights = tuple(round(weight * math.exp(normal.inv_cdf(stream.random() or 0.5))) for weight in base)
    return Member(
        f"random-{number}",
        weights,
        breadth=BREADTHS[int(3 * stream.random())],
        expansions=200_000 if number <= 8 else 600_000,
        noise=NOISE,
        noise_seed=int(2**62 * stream.random()),
        sweep=SWEEPS[int(3 * stream.random())],
        macros=True,
    )


MEMBERS: tuple[Member, ...] = (
    Member("learned", LEARNED, breadth=8, expansions=50_000, macros=True),
    Member("tuned-c-noise", TUNED_C, breadth=8, expansions=50_000, macros=True, noise=NOISE, noise_seed=1),
    Member("learned-noise", LEARNED, breadth=8, expansions=50_000, macros=True, noise=NOISE, noise_seed=40),
    Member("tuned-quick", TUNED_QUICK, breadth=6, expansions=100_000, macros=True),
    Member("tuned-quick-sweep", TUNED_QUICK, 8, 200_000, sweep=4, macros=True, noise=NOISE, noise_seed=1),
)


BEAM_EXPANSIONS = 100_000_000
"""No bound in practice: a beam ends by itself."""
BEAMS: dict[int, Member] = {
    0: Member("beam-2000", TUNED_BEAM, breadth=0, expansions=BEAM_EXPANSIONS, width=2_000),
    4: Member("beam-6000", TUNED_BEAM, breadth=0, expansions=BEAM_EXPANSIONS, width=6_000),
    8: Member("beam-20000", TUNED, breadth=0, expansions=BEAM_EXPANSIONS, width=20_000),
    12: Member("beam-60000", TUNED_BEAM, breadth=0, expansions=BEAM_EXPANSIONS, width=60_000),
    16: Member("beam-300000", TUNED_BEAM, breadth=0, expansions=BEAM_EXPANSIONS, width=300_000),
}
"""Beams, by the number of random members that are tried before; some 1, 4, 15, 45 and 200 CPU seconds.  The widest one
wants 2 GiB; where it has less its outcome is ``memory`` and the next member's turn comes.  What each of them wins is in
``results/search-notes.md``."""


ENDING_MEMBERS: tuple[Member, ...] = (
    Member("ending", LEARNED, 4, 100_000, macros=True, lossless=True, noise=NOISE, noise_seed=6),
    Member("ending-quick", TUNED, 8, 30_000, macros=True, noise=16 * NOISE, noise_seed=7),
    Member("ending-c", TUNED_C, 2, 100_000, macros=True, lossless=True, noise=NOISE, noise_seed=10),
    Member("ending-b", TUNED_B, 4, 100_000, macros=True, lossless=True, noise=NOISE, noise_seed=7),
)
"""The first members where the stock is empty: what wins most a CPU second of those that the ones before leave, chosen
on endings of weak play 2001 and up of ``benchmarks/endings.py``, as 1..1000 are for judging."""
REDUCED_ENDINGS = 6
"""Every so many of the random members for endings is over the reduced list, with much noise."""


def random_ending_member(seed: int, number: int) -> Member:
    """Return the random member for endings of that number, 1 and up; the same arguments give the same member."""
    stream = random.Random(f"{seed}/ending/{number}")
    base = (LEARNED, TUNED_B, TUNED_C, TUNED_C)[int(4 * stream.random())]
    noise_seed = int(2**62 * stream.random())
    name = f"ending-random-{number}"
    if number % REDUCED_ENDINGS == 0:
        return Member(name, base, 8, 50_000, macros=True, noise=16 * NOISE, noise_seed=noise_seed)
    return Member(
        name,
        base,
        breadth=(2, 4)[int(2 * stream.random())],
        expansions=100_000 if number <= 8 else 400_000,
        noise=NOISE,
        noise_seed=noise_seed,
        macros=True,
        lossless=True,
    )


def ending_members(seed: int) -> Iterator[Member]:
    """Yield the members to try where the stock is empty, without end: the fixed ones, then random ones."""
    yield from ENDING_MEMBERS
    for number in count(1):
        yield random_ending_member(seed, number)


def members(seed: int) -> Iterator[Member]:
    """Yield the members to try, without end: the fixed ones, then random ones drawn from the seed, beams among them."""
    yield from MEMBERS
    for number in count(1):
        if number - 1 in BEAMS:
            yield BEAMS[number - 1]
        yield random_member(seed, number)
