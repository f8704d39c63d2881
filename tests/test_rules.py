"""Rules: presets are the variants of real programs, and contradictions are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from naive import SMALL_RULES

from solver.rules import LAYOUTS, PRESETS, Rules, RulesError, make_rules


def test_standard_is_two_packs_on_ten_columns_with_five_rows() -> None:
    rules = make_rules()
    assert rules == PRESETS["standard"] == Rules()
    assert (rules.cards, rules.runs, sum(rules.heights), rules.rows) == (104, 8, 54, (10,) * 5)
    assert not rules.deal_onto_empty
    assert rules.removal == "automatic"


@pytest.mark.parametrize(
    ("preset", "deal_onto_empty", "removal"),
    [
        ("standard", False, "automatic"),
        ("relaxed", True, "automatic"),
        ("bvs", False, "optional"),
        ("morehead-1949", False, "optional"),
        ("bicycle", False, "automatic"),
    ],
)
def test_presets(preset: str, deal_onto_empty: bool, removal: str) -> None:
    rules = make_rules(preset)
    assert (rules.preset, rules.deal_onto_empty, rules.removal) == (preset, deal_onto_empty, removal)
    assert rules.cards == 104


def test_bicycle_deals_fifty_cards_and_a_last_row_of_four() -> None:
    rules = make_rules("bicycle")
    assert rules.heights == (5,) * 10
    assert rules.rows == (10, 10, 10, 10, 10, 4)


def test_layouts_place_the_four_sixth_cards() -> None:
    assert [column for column, height in enumerate(LAYOUTS["spread"], start=1) if height == 6] == [1, 4, 7, 10]
    assert [column for column, height in enumerate(LAYOUTS["left"], start=1) if height == 6] == [1, 2, 3, 4]


@pytest.mark.parametrize(("suits", "runs"), [(1, (8,)), (2, (4, 4)), (3, (4, 2, 2)), (4, (2, 2, 2, 2))])
def test_suits_share_the_eight_runs(suits: int, runs: tuple[int, ...]) -> None:
    assert make_rules(suits=suits).suit_runs == runs


def test_overrides_replace_single_fields() -> None:
    rules = make_rules("relaxed", suits=2, removal="optional")
    assert (rules.preset, rules.suits, rules.removal, rules.deal_onto_empty) == ("relaxed", 2, "optional", True)


def test_description_names_the_variant_in_words() -> None:
    assert make_rules(suits=1).describe() == "standard (strict, automatic removal, 1 suit)"
    assert make_rules("relaxed", removal="optional").describe() == (
        "relaxed (deal onto empty columns, optional removal, 4 suits)"
    )


@pytest.mark.parametrize("rules", [*PRESETS.values(), *SMALL_RULES.values()], ids=[*PRESETS, *SMALL_RULES])
def test_as_dict_is_json_that_builds_the_same_rules(rules: Rules) -> None:
    read: dict[str, Any] = json.loads(json.dumps(rules.as_dict()))
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in read.items()}
    assert Rules(**values) == rules


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"suits": 0}, "suits is 0: it must be 1 to 4"),
        ({"suits": 5}, "suits is 5: it must be 1 to 4"),
        ({"columns": 11}, "columns is 11: it must be 1 to 10"),
        ({"ranks": 1}, "ranks is 1: it must be 2 to 13"),
        ({"ranks": 14}, "ranks is 14: it must be 2 to 13"),
        ({"packs": 3}, "packs is 3: it must be 1 to 2"),
        ({"removal": "never"}, "removal is 'never': it must be automatic or optional"),
        ({"heights": (54,)}, r"heights (54,) do not fit 10 columns"),
        (
            {"heights": (17, 5, 5, 5, 5, 5, 5, 5, 1, 1)},
            "heights (17, 5, 5, 5, 5, 5, 5, 5, 1, 1): a column starts with 0 to 16 cards",
        ),
        ({"rows": (1,) * 16}, "16 stock rows: at most 15 are possible"),
        ({"rows": (11, 9, 10, 10, 10)}, "rows (11, 9, 10, 10, 10): a row has 1 to 10 cards"),
        ({"rows": (10, 10, 0, 10, 10)}, "rows (10, 10, 0, 10, 10): a row has 1 to 10 cards"),
        ({"rows": (10, 10)}, "heights and rows deal 74 cards, but 2 pack(s) of 13 ranks have 104"),
    ],
)
def test_contradictions_are_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        make_rules(**overrides)
    assert str(caught.value) == message


def test_unknown_preset_names_those_there_are() -> None:
    with pytest.raises(RulesError) as caught:
        make_rules("spiderette")
    assert str(caught.value) == (
        "unknown rules 'spiderette': choose one of standard, relaxed, bvs, morehead-1949, bicycle"
    )
