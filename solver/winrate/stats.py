"""Intervals for a share, percentiles, and the comparison of two runs on the same deals.

A deal that was not decided may be a win or a loss.  So an interval that is to hold for the game, not for
the program, takes its lower end with all undecided deals counted as losses, and its upper end with all
of them counted as wins.

* `wilson`: E. B. Wilson 1927, the score interval; close to its level on average.
* `clopper_pearson`: C. Clopper & E. S. Pearson 1934, the exact interval; never below its level.
* `mcnemar`: Q. McNemar 1947, here the exact test: deals on which two runs agree say nothing about which is better.
* `paired_difference`: A. Agresti & Y. Min 2005, Wald's interval after half a deal is added to each cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
"""Confidence level of every interval unless another is asked for."""

_TINY = 1e-300
_STEPS = 200
"""Halvings in a search for a quantile, more than a double has digits."""


@dataclass(frozen=True)
class Interval:
    """An interval for a share, 0..1, or for a difference of two."""

    low: float
    high: float

    def percent(self, digits: int = 2) -> str:
        """Return the interval in percent."""
        return f"{100 * self.low:.{digits}f}..{100 * self.high:.{digits}f} %"


@dataclass(frozen=True)
class Counts:
    """Verdicts of a number of deals."""

    wins: int = 0
    losses: int = 0
    """Proved."""
    timeouts: int = 0
    errors: int = 0

    @property
    def deals(self) -> int:
        """All deals."""
        return self.wins + self.losses + self.undecided

    @property
    def undecided(self) -> int:
        """Deals of which nothing is known."""
        return self.timeouts + self.errors


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return Wilson's score interval for a share."""
    _check(successes, trials)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    # At the ends the formula is exact and the arithmetic is not.
    return Interval(
        (middle - half) / scale if successes else 0.0,
        (middle + half) / scale if successes < trials else 1.0,
    )


def clopper_pearson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the exact interval of Clopper and Pearson for a share."""
    _check(successes, trials)
    tail = (1 - level) / 2
    low = beta_quantile(tail, successes, trials - successes + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, trials - successes) if successes < trials else 1.0
    return Interval(low, high)


def widened(interval: Callable[[int, int, float], Interval], counts: Counts, level: float = LEVEL) -> Interval:
    """Return an interval for the share of wins that holds however the undecided deals would end."""
    return Interval(
        interval(counts.wins, counts.deals, level).low,
        interval(counts.wins + counts.undecided, counts.deals, level).high,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` (0..1) of the values do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * share) - 1, 0)]


def _check(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no share")


# ---- two runs on the same deals ------------------------------------------------------------------


@dataclass(frozen=True)
class Pairs:
    """How two runs, A and B, did on the same deals."""

    both: int
    """Deals that both won."""
    only_a: int
    only_b: int
    neither: int

    @property
    def deals(self) -> int:
        """All deals that both tried."""
        return self.both + self.only_a + self.only_b + self.neither


def mcnemar(pairs: Pairs) -> float:
    """Return the two-sided p of the exact test: how likely so uneven a split is, if both are equally good."""
    trials = pairs.only_a + pairs.only_b
    fewer = min(pairs.only_a, pairs.only_b)
    tail = sum(math.exp(_log_choose(trials, k) - trials * math.log(2)) for k in range(fewer + 1))
    return min(2 * tail, 1.0)


def paired_difference(pairs: Pairs, level: float = LEVEL) -> Interval:
    """Return an interval for the share that A wins minus the share that B wins."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    deals = pairs.deals + 2
    only_a, only_b = pairs.only_a + 0.5, pairs.only_b + 0.5
    difference = (only_a - only_b) / deals
    half = z * math.sqrt(only_a + only_b - (only_a - only_b) ** 2 / deals) / deals
    return Interval(max(difference - half, -1.0), min(difference + half, 1.0))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


# ---- the beta distribution -----------------------------------------------------------------------


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the x at which the distribution function of Beta(a, b) is `share`."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_cdf(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the distribution function of Beta(a, b), which is the regularised incomplete beta function."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    # The fraction converges fast on this side of the mean; the other side is its mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1.0 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method."""
    value = numerator = 1.0
    denominator = 1.0 - (a + b) * x / (a + 1)
    denominator = 1.0 / (denominator or _TINY)
    value = denominator
    m = 0
    while True:
        m += 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            denominator = 1.0 / (1.0 + term * denominator or _TINY)
            numerator = 1.0 + term / numerator or _TINY
            value *= numerator * denominator
        if abs(numerator * denominator - 1.0) < 1e-15:
            return value
