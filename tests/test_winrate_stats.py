"""Intervals and tests of the statistics, held against scipy and against their definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from solver.winrate.stats import (
    Counts,
    Pairs,
    beta_cdf,
    beta_quantile,
    clopper_pearson,
    mcnemar,
    paired_difference,
    percentile,
    widened,
    wilson,
)

SHARES = [
    (0, 1), (1, 1), (0, 10), (5, 10), (10, 10), (1, 1000), (9_998, 10_000), (10_000, 10_000), (31_998, 32_000),
    (32_000, 32_000), (1, 32_000), (16_000, 32_000), (999_999, 1_000_000),
]  # fmt: skip


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("wins", "deals"), SHARES)
def test_intervals_are_those_of_scipy(wins: int, deals: int, level: float) -> None:
    test = binomtest(wins, deals)
    for interval, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = test.proportion_ci(level, method)
        found = interval(wins, deals, level)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-11)


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.9999))
def test_intervals_are_those_of_scipy_everywhere(share: tuple[int, int], level: float) -> None:
    wins, deals = share
    for interval, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = binomtest(wins, deals).proportion_ci(level, method)
        found = interval(wins, deals, level)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.floats(0.001, 0.999), st.floats(0.5, 500), st.floats(0.5, 500))
def test_beta_is_that_of_scipy(x: float, a: float, b: float) -> None:
    assert beta_cdf(x, a, b) == pytest.approx(beta.cdf(x, a, b), abs=1e-10)
    assert beta_cdf(beta_quantile(x, a, b), a, b) == pytest.approx(x, abs=1e-9)


def test_a_published_interval_comes_out() -> None:
    # plspider won 31,998 of 32,000 deals and left two undecided; JAIR 85:21 gives that as 99.9886 % +- 0.0114 at 95 %.
    interval = widened(wilson, Counts(wins=31_998, timeouts=2))
    assert 50 * (interval.low + interval.high) == pytest.approx(99.9886, abs=0.00005)
    assert 50 * (interval.high - interval.low) == pytest.approx(0.0114, abs=0.00005)


def test_undecided_deals_widen_the_interval() -> None:
    counts = Counts(wins=90, losses=4, timeouts=5, errors=1)
    assert (counts.deals, counts.undecided) == (100, 6)
    for interval in (wilson, clopper_pearson):
        found = widened(interval, counts)
        assert found.low == interval(90, 100, 0.95).low
        assert found.high == interval(96, 100, 0.95).high


@pytest.mark.parametrize(("wins", "deals"), [(-1, 10), (11, 10), (0, 0)])
def test_no_share_is_refused(wins: int, deals: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(wins, deals)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sign_test_of_the_deals_that_differ(only_a: int, only_b: int) -> None:
    expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar(Pairs(100, only_a, only_b, 3)) == pytest.approx(expected, abs=1e-12)


def test_mcnemar_of_many_deals_does_not_overflow() -> None:
    assert 0 <= mcnemar(Pairs(0, 20_000, 10_000, 0)) < 1e-300
    assert mcnemar(Pairs(0, 20_000, 20_000, 0)) == pytest.approx(1.0, abs=0.01)


@given(st.tuples(*[st.integers(0, 200)] * 4).filter(any))
def test_paired_difference_holds_the_shrunken_difference_and_is_symmetric(cells: tuple[int, int, int, int]) -> None:
    both, only_a, only_b, neither = cells
    found = paired_difference(Pairs(both, only_a, only_b, neither))
    mirrored = paired_difference(Pairs(both, only_b, only_a, neither))
    assert -1 <= found.low <= (only_a - only_b) / (sum(cells) + 2) <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low))


@given(st.lists(st.integers(-50, 50), min_size=1), st.floats(0, 1))
def test_percentile_by_its_definition(values: list[int], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= math.floor(share * len(values) * (1 - 1e-12))
    assert sum(value < found for value in values) <= max(math.ceil(share * len(values)) - 1, 0)
