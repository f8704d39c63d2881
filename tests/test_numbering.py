"""Deal numbers: decks that the original programs dealt, the edges of each range, and bad numbers."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.cards import CLUBS, HEARTS, card_name, make_card, suit_of
from solver.numbering import SCHEMES, NumberError, Scheme, deal_from_id
from solver.numbering.common import Status, ms_values, shuffled_down, twister_words
from solver.position import Deal, check_position
from solver.rules import LAYOUTS, PRESETS, make_rules

DEALS = Path(__file__).parent / "data" / "deals"
FILES = sorted(DEALS.glob("*.txt"))
SCHEME_OF_FILE = {"win7": "windows7", "winxp": "windowsxp"}
"""Where the name of a file differs from the scheme."""

numbers = st.one_of(
    st.integers(1, 31999).map(str),
    st.integers(32000, 10**20).map(str),
    st.integers(1, 2**33 - 1).map("ms{}".format),
)


def lines_of(deal: Deal) -> list[str]:
    """Write the deal as the files do, by code of the test's own."""
    columns = [
        " ".join([f"<{card_name(card)}>" for card in pile[:-1]] + [card_name(pile[-1])]) for pile in deal.columns
    ]
    return columns + ["deal: " + " ".join(map(card_name, row)) for row in deal.rows]


def test_the_files_are_there() -> None:
    assert len(FILES) == 19
    assert {scheme_of_file(path) for path in FILES} == set(SCHEMES)


def scheme_of_file(path: Path) -> str:
    program = path.stem.partition("_")[0]
    return SCHEME_OF_FILE.get(program, program)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_scheme_deals_what_its_program_dealt(path: Path) -> None:
    match = re.fullmatch(r"[a-z0-9]+_(\d)suit_(\w+)", path.stem)
    assert match is not None
    expected = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines_of(deal_from_id(f"{scheme_of_file(path)}:{match[2]}", int(match[1]))) == expected


def test_words_of_the_twister() -> None:
    # The first words that the authors' own program prints for its default seed.
    assert list(islice(twister_words(5489), 3)) == [3499211612, 581869302, 3890346734]
    assert next(islice(twister_words(5489), 9999, None)) == 4123659995


NUMBERED = [(scheme, suits) for scheme in SCHEMES.values() for suits in scheme.suits]


@pytest.mark.parametrize(("scheme", "suits"), NUMBERED, ids=[f"{scheme.name}-{suits}" for scheme, suits in NUMBERED])
@given(number=st.integers(1, 2**31 - 1))
def test_every_scheme_deals_two_full_packs_in_its_layout(scheme: Scheme, suits: int, number: int) -> None:
    deal = deal_from_id(f"{scheme.name}:{number}", suits)
    assert deal == scheme.deal(str(number), suits)
    assert deal_from_id(deal.id, suits) == deal
    check_position(deal.position(), make_rules(suits=suits, heights=LAYOUTS[scheme.layout]))
    assert len({suit_of(card) for pile in (*deal.columns, *deal.rows) for card in pile}) == suits


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=lambda scheme: scheme.name)
def test_every_scheme_describes_itself(scheme: Scheme) -> None:
    assert scheme.rules in PRESETS
    assert scheme.status in get_args(Status)
    assert deal_from_id(scheme.example, scheme.suits[0]).id == scheme.example
    for suits in {1, 2, 3, 4} - set(scheme.suits):
        with pytest.raises(NumberError, match=f"^{scheme.name} has no game of .*: ask for "):
            deal_from_id(scheme.example, suits)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "pysolfc"])
@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "ms1", "0x10", "9" * 5000, str(2**32)])
def test_numbers_that_the_other_schemes_do_not_have(scheme: str, number: str) -> None:
    with pytest.raises(NumberError, match=f"is no {scheme} number: write digits|{scheme} numbers go from ") as caught:
        deal_from_id(f"{scheme}:{number}", SCHEMES[scheme].suits[-1])
    assert len(str(caught.value)) < 200


def test_generator_of_the_ms_numbers() -> None:
    # The well-known first values of Microsoft's rand() after srand(1).
    assert list(islice(ms_values(1), 5)) == [41, 18467, 6334, 26500, 19169]


def test_shuffle_asks_from_the_last_place_down() -> None:
    asked: list[int] = []

    def pick(place: int) -> int:
        asked.append(place)
        return 0

    assert shuffled_down("abcd", pick) == ["b", "c", "d", "a"]
    assert asked == [3, 2, 1]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("12345", "pysolfc:12345"),
        ("12,345", "12345"),
        ("-5", "5"),
        (" #1 2_3.4-5 ", "12345"),
        ("12345L", "12345"),
        ("0012345", "12345"),
        ("MS40000", "ms40000"),
        ("PySolFC:7", "pysolfc:7"),
    ],
)
def test_ways_to_write_a_number(text: str, same: str) -> None:
    assert deal_from_id(text) == deal_from_id(same)


def test_the_id_names_the_scheme_and_the_generator() -> None:
    assert deal_from_id("12,345").id == "pysolfc:12345"
    assert deal_from_id("ms32000").id == "pysolfc:ms32000"
    assert deal_from_id(deal_from_id("ms32000").id) == deal_from_id("ms32000")


@pytest.mark.parametrize("number", ["1", "31999"])
def test_small_numbers_are_the_ms_numbers(number: str) -> None:
    assert deal_from_id(number).columns == deal_from_id(f"ms{number}").columns


@pytest.mark.parametrize("number", ["32000", "40000", str(2**32)])
def test_large_numbers_are_not_the_ms_numbers(number: str) -> None:
    assert deal_from_id(number).columns != deal_from_id(f"ms{number}").columns


def test_the_three_ranges_of_ms_numbers_differ() -> None:
    # Their generators share the low bits of the state, which a mistaken range would show.
    decks = [deal_from_id(f"ms{number}").columns for number in (7, 2**31 + 7, 2**32 + 7)]
    assert len(set(decks)) == 3


@pytest.mark.parametrize(
    "text", ["1", "31999", "32000", str(10**20), "ms1", f"ms{2**31}", f"ms{2**32}", f"ms{2**33 - 1}"]
)
@pytest.mark.parametrize("suits", [1, 2, 4])
def test_edges_of_the_ranges_deal(text: str, suits: int) -> None:
    check_position(deal_from_id(text, suits).position(), make_rules(suits=suits))


@pytest.mark.parametrize("text", ["0", "000", str(10**20 + 1), "ms0", f"ms{2**33}", "9" * 5000])
def test_out_of_range(text: str) -> None:
    with pytest.raises(NumberError, match=r"out of range: pysolfc numbers go from (ms)?1 to (ms)?\d+$") as caught:
        deal_from_id(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["", "pysolfc:", "abc", "12x", "ms", "1e5", "12345l", "٣"])
def test_no_number(text: str) -> None:
    with pytest.raises(NumberError, match="is no pysolfc number: write digits, such as 12345"):
        deal_from_id(text)


def test_unknown_scheme_lists_those_there_are() -> None:
    with pytest.raises(NumberError, match="unknown scheme 'nowhere' in 'nowhere:5': choose one of pysolfc") as caught:
        deal_from_id("nowhere:5")
    assert all(scheme in str(caught.value) for scheme in SCHEMES)


def test_three_suits() -> None:
    with pytest.raises(NumberError, match="no game of three suits: ask for 1, 2 or 4"):
        deal_from_id("12345", 3)


def test_fewer_suits_recolour_the_same_shuffle() -> None:
    four, two, one = (deal_from_id("12345", suits) for suits in (4, 2, 1))
    ranks = [[[card & 15 for card in pile] for pile in (*deal.columns, *deal.rows)] for deal in (four, two, one)]
    assert ranks[0] == ranks[1] == ranks[2]
    assert {suit_of(card) for pile in one.columns for card in pile} == {CLUBS}
    assert {suit_of(card) for pile in two.columns for card in pile} == {CLUBS, HEARTS}


@given(numbers, st.sampled_from([1, 2, 4]))
def test_every_number_deals_two_full_packs(text: str, suits: int) -> None:
    deal = deal_from_id(text, suits)
    check_position(deal.position(), make_rules(suits=suits))
    counts = Counter(card for pile in (*deal.columns, *deal.rows) for card in pile)
    assert sum(counts.values()) == 104
    assert set(counts.values()) == {2 * 4 // suits}
    assert all(make_card(rank, suit) in counts for rank in range(1, 14) for suit in {suit_of(card) for card in counts})


@given(numbers)
def test_the_id_deals_the_same_cards_again(text: str) -> None:
    deal = deal_from_id(text)
    assert deal_from_id(deal.id) == deal
