"""Which deals a batch solves: ranges, lists, samples, shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.numbering import SCHEMES, NumberError, deal_from_id
from solver.winrate.deals import (
    FULL_RANGES,
    Deals,
    DealsError,
    Shard,
    all_deals,
    numbers_in_order,
    parse_deals,
    parse_shard,
)


def numbers(text: str) -> list[str]:
    return list(parse_deals(text, "pysolfc", 4))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", ["7"]),
        ("1-3", ["1", "2", "3"]),
        ("ms2-ms4", ["ms2", "ms3", "ms4"]),
        ("ms2-4", ["ms2", "ms3", "ms4"]),
        ("MS2-4", ["ms2", "ms3", "ms4"]),
        (" 5, 3-4 ,ms1", ["5", "3", "4", "ms1"]),
        ("007", ["7"]),
        ("31999-32000", ["31999", "32000"]),
        ("100000000000000000000", ["100000000000000000000"]),
    ],
)
def test_text_names_deals(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected
    for number in expected:
        assert deal_from_id(f"pysolfc:{number}").id == f"pysolfc:{number}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no deals"),
        ("1-", "names no deals"),
        ("a-b", "names no deals"),
        ("1..5", "names no deals"),
        ("5-1", "goes down"),
        ("5-ms9", "from plain to ms"),
        ("1-10,5", "5 is named twice"),
        ("3,3", "3 is named twice"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(DealsError, match=message):
        numbers(text)


@pytest.mark.parametrize("text", ["0-5", "ms0", "1-100000000000000000001", "x5"])
def test_numbers_that_the_scheme_does_not_have_are_refused(text: str) -> None:
    with pytest.raises(NumberError):
        numbers(text)


def test_linear_and_plain_32000_are_different_deals() -> None:
    assert deal_from_id(f"pysolfc:{numbers('ms32000')[0]}").columns != deal_from_id("pysolfc:32000").columns


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_its_full_range(scheme: str) -> None:
    first, last = FULL_RANGES[scheme]
    for number in (first, last):
        assert deal_from_id(f"{scheme}:{number}", 4).id == f"{scheme}:{number}"
    for number in (first - 1, last + 1):
        if number >= 0:
            with pytest.raises(NumberError):
                deal_from_id(f"{scheme}:{number}", 4)


def test_long_ranges_cost_nothing() -> None:
    deals = all_deals("pysolfc")
    assert deals.count == 10**20
    assert len(set(deals.sample(1000, seed=1))) == 1000


def test_a_sample_is_the_same_everywhere_and_can_be_extended() -> None:
    deals = parse_deals("1-1000000", "pysolfc", 4)
    sample = deals.sample(5, seed=7)
    assert sample == ["323833", "650935", "535883", "58002", "37500"]
    assert deals.sample(50, seed=7)[:5] == sample
    assert deals.sample(5, seed=8) != sample


@given(st.integers(1, 60), st.integers(0, 2**63 - 1))
def test_a_sample_of_all_is_all(size: int, seed: int) -> None:
    deals = parse_deals(f"5-{4 + size},ms1", "pysolfc", 4)
    assert sorted(deals.sample(size + 1, seed)) == sorted(deals)


def test_a_sample_larger_than_the_range_is_refused() -> None:
    with pytest.raises(DealsError, match="11 out of 10"):
        parse_deals("1-10", "pysolfc", 4).sample(11, 0)


@given(st.lists(st.integers(0, 22), max_size=5))
def test_pick_agrees_with_the_order(places: list[int]) -> None:
    deals = parse_deals("1-10,ms5-ms16,77", "pysolfc", 4)
    assert isinstance(deals, Deals)
    everything = list(deals)
    assert list(deals.pick(places)) == [everything[place] for place in places]


@given(st.integers(1, 9), st.integers(0, 40))
def test_every_place_is_in_one_share(count: int, places: int) -> None:
    shards = [Shard(index, count) for index in range(1, count + 1)]
    for place in range(places):
        assert sum(shard.takes(place) for shard in shards) == 1


def test_shares_are_read_and_printed() -> None:
    assert str(parse_shard(" 2/8 ")) == "2/8"


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "1/4/5", "-1/4"])
def test_other_shares_are_refused(text: str) -> None:
    with pytest.raises(DealsError, match="is no share"):
        parse_shard(text)


def test_numbers_are_sorted_by_value() -> None:
    assert numbers_in_order(["10", "ms2", "9", "ms10"]) == ["9", "10", "ms2", "ms10"]
