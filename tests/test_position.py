"""Positions: the faults that make one impossible are all named, with their places."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from naive import SMALL_RULES, random_playout, shuffled_game

from solver.cards import CLUBS, DIAMONDS, HEARTS, SPADES, make_card, parse_card
from solver.notation import parse_position
from solver.position import (
    Cards,
    Deal,
    Position,
    PositionError,
    check_position,
    deduce_completed,
    fit_layout,
    stage_of,
)
from solver.rules import LAYOUTS, PRESETS, Rules, make_rules

STANDARD = make_rules()
ONE_SUIT = make_rules(suits=1)


def cards(text: str) -> Cards:
    return tuple(map(parse_card, text.split()))


def faults(position: Position, rules: Rules = STANDARD, *, loose: bool = False) -> list[str]:
    try:
        check_position(position, rules, loose=loose)
    except PositionError as error:
        return list(error.faults)
    return []


def with_card(position: Position, column: int, index: int, name: str) -> Position:
    """Return the position with one card of the tableau replaced; column and index from 1, as in messages."""
    pile = list(position.columns[column - 1])
    pile[index - 1] = parse_card(name)
    return with_column(position, column, tuple(pile))


def with_column(position: Position, column: int, pile: Cards, face_down: int | None = None) -> Position:
    columns, down = list(position.columns), list(position.face_down)
    columns[column - 1] = pile
    if face_down is not None:
        down[column - 1] = face_down
    return replace(position, columns=tuple(columns), face_down=tuple(down))


def one_suit_end(*piles: str) -> Position:
    """Return a one-suit position without stock; missing columns are empty."""
    columns = tuple(cards(pile) for pile in piles) + ((),) * (10 - len(piles))
    return Position(columns, (0,) * 10, (), deduce_completed(columns, (), ONE_SUIT))


@pytest.fixture(scope="module")
def deal(data: Path) -> Position:
    """PySolFC deal 12345: column 1 is <6D> <AS> <TH> <5H> <KC> 9C, row 1 starts 4H 6D."""
    return parse_position((data / "deals" / "pysolfc_4suit_12345.txt").read_text(), STANDARD)


# ---- what is possible ----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS.values(), *SMALL_RULES.values()], ids=[*PRESETS, *SMALL_RULES])
def test_every_position_of_a_game_passes_and_its_completed_runs_are_deduced(rules: Rules) -> None:
    rng = random.Random(7)
    for position, _ in random_playout(shuffled_game(rng, rules), rules, rng, 60):
        check_position(position, rules)
        assert len(deduce_completed(position.columns, position.rows, rules)) == len(position.completed)


@pytest.mark.parametrize("suits", [1, 2, 3, 4])
def test_a_deal_starts_with_the_last_card_of_each_column_face_up(suits: int) -> None:
    rules = make_rules(suits=suits)
    shuffled = shuffled_game(random.Random(suits), rules)
    position = Deal("test", shuffled.columns, shuffled.rows).position()
    assert position == shuffled
    assert position.face_down == (5, 4, 4, 5, 4, 4, 5, 4, 4, 5)
    assert stage_of(position, rules) == 0
    assert position.cards_in_columns == 54
    check_position(position, rules)


def test_a_position_is_won_when_no_card_is_left() -> None:
    empty = ((),) * 10
    assert Position(empty, (0,) * 10, (), (SPADES,) * 8).is_won
    assert not Position(empty, (0,) * 10, (cards("AS"),), ()).is_won
    assert not Position((cards("AS"), *empty[1:]), (0,) * 10).is_won


def test_completed_runs_are_deduced_suit_by_suit() -> None:
    two_suits = make_rules(suits=2)
    spades, hearts = cards("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"), cards("KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H AH")
    columns = (spades, spades, spades, hearts)
    assert deduce_completed(columns, (), two_suits) == (HEARTS, HEARTS, HEARTS, SPADES)
    # A lone missing card is a fault for the check, not a run.
    assert deduce_completed((spades * 4, hearts * 4 + hearts[1:]), (), two_suits) == ()


def test_no_completed_run_is_deduced_when_all_cards_are_there() -> None:
    """A one-suit deal read under four-suit rules has no clubs, but they have not left."""
    position = shuffled_game(random.Random(1), ONE_SUIT)
    assert deduce_completed(position.columns, position.rows, STANDARD) == ()
    assert faults(position)[0] == "the cards are of 1 suit (S): the rules have 4"


def test_layout_follows_the_face_down_cards() -> None:
    left = make_rules(heights=LAYOUTS["left"])
    position = shuffled_game(random.Random(2), left)
    assert fit_layout(position, STANDARD) == left
    assert fit_layout(position, left) == left
    impossible = with_column(position, 10, position.columns[9] + position.columns[8], 8)
    assert fit_layout(impossible, STANDARD) == STANDARD


# ---- faults of structure -------------------------------------------------------------------------


def test_number_of_columns(deal: Position) -> None:
    nine = replace(deal, columns=deal.columns[:9], face_down=deal.face_down[:9])
    assert faults(nine) == ["9 columns: the rules have 10"]
    assert faults(nine, loose=True) == ["9 columns: the rules have 10"]


def test_face_down_counts_for_every_column(deal: Position) -> None:
    assert faults(replace(deal, face_down=deal.face_down[:9])) == [
        "face-down cards are given for 9 columns: there are 10"
    ]


@pytest.mark.parametrize("code", [0, 14, 15, 16, 62, 64, -1])
def test_numbers_that_are_no_card(deal: Position, code: int) -> None:
    broken = with_column(deal, 1, (code, *deal.columns[0][1:]))
    assert faults(broken, loose=True) == [f"{code} (column 1 card 1) is no card code"]


def test_last_card_must_be_face_up(deal: Position) -> None:
    assert faults(with_column(deal, 1, deal.columns[0], 6)) == [
        "column 1 ends in a face-down card (9C): its last card must be face-up"
    ]
    assert faults(with_column(deal, 1, (), 2))[0] == "column 1 is empty but has 2 face-down cards"


def test_number_of_face_down_cards(deal: Position) -> None:
    many = deal.columns[0] * 3
    assert "column 1 has 16 face-down cards: at most 15 are possible" in faults(with_column(deal, 1, many, 16))
    assert "column 1 has -1 face-down cards: at most 15 are possible" in faults(with_column(deal, 1, many, -1))


def test_ranks_beyond_a_small_game() -> None:
    rules = SMALL_RULES["triples-strict-automatic"]
    position = shuffled_game(random.Random(3), rules)
    in_tableau = replace(position, columns=((make_card(4, SPADES), *position.columns[0][1:]), *position.columns[1:]))
    assert faults(in_tableau, rules)[0] == "4S (column 1 card 1) has no place in a game of 3 ranks"
    in_stock = replace(position, rows=(position.rows[0], (*position.rows[1][:2], make_card(13, HEARTS))))
    assert faults(in_stock, rules, loose=True) == ["KH (stock row 2 card 3) has no place in a game of 3 ranks"]


def test_number_and_size_of_rows(deal: Position) -> None:
    assert faults(replace(deal, rows=(*deal.rows, deal.rows[0])))[0] == "6 rows in the stock: the rules have 5"
    short = replace(deal, rows=(deal.rows[0][:9], *deal.rows[1:]))
    assert faults(short)[0] == "stock row 1 has 9 cards: the rules have 10"
    # The last rows are left, so Bicycle's row of four is the one that must be short.
    bicycle = make_rules("bicycle")
    position = replace(shuffled_game(random.Random(4), bicycle), rows=deal.rows[:2])
    assert faults(position, bicycle)[0] == "stock row 2 has 10 cards: the rules have 4"


def test_the_message_is_all_faults(deal: Position) -> None:
    with pytest.raises(PositionError) as caught:
        check_position(with_card(deal, 1, 1, "9C"), STANDARD)
    assert len(caught.value.faults) == 2
    assert str(caught.value) == "; ".join(caught.value.faults)


def test_loose_checks_ask_for_what_a_search_needs(deal: Position) -> None:
    assert faults(replace(deal, rows=((), *deal.rows[1:])), loose=True) == [
        "stock row 1 has 0 cards: 1 to 10 are possible"
    ]
    assert faults(replace(deal, rows=(deal.rows[0] * 2, *deal.rows[2:])), loose=True) == [
        "stock row 1 has 20 cards: 1 to 10 are possible"
    ]
    assert faults(replace(deal, rows=(cards("AS"),) * 16), loose=True) == ["16 rows in the stock: the rules have 15"]
    assert faults(with_column(deal, 1, (*deal.columns[0], *cards("AS"))), loose=True) == [
        "105 cards: at most 104 are possible"
    ]
    assert faults(one_suit_end("KS KS KS", "2S 2S"), STANDARD, loose=True) == []
    run = one_suit_end("2S KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS", "2S 2S")
    # Searches rely on it: a whole column is not moved to an empty one, where this run would leave.
    assert "column 1 holds the completed run of KS" in faults(run, STANDARD, loose=True)[0]
    assert faults(run, make_rules("bvs"), loose=True) == []


# ---- faults of the cards -------------------------------------------------------------------------


def test_a_card_too_many_and_one_missing_are_named_with_places(deal: Position) -> None:
    broken = with_card(deal, 1, 1, "9C")
    assert sorted(faults(broken)) == [
        "6D is missing 1 time (there is stock row 1 card 2)",
        "9C is there 3 times, 1 too many: column 1 card 1, column 1 card 6, stock row 2 card 6",
    ]


def test_a_card_missing_wholly(deal: Position) -> None:
    row = (deal.rows[0][0], parse_card("9C"), *deal.rows[0][2:])
    both_gone = replace(with_card(deal, 1, 1, "9C"), rows=(row, *deal.rows[1:]))
    assert sorted(faults(both_gone)) == [
        "6D is missing 2 times",
        "9C is there 4 times, 2 too many: column 1 card 1, column 1 card 6, stock row 1 card 2, stock row 2 card 6",
    ]


def test_number_of_cards(deal: Position) -> None:
    fewer = with_column(deal, 1, deal.columns[0][1:], 4)
    assert faults(fewer)[:2] == [
        "103 cards make 103: the rules have 104",
        "6D is missing 1 time (there is stock row 1 card 2)",
    ]
    with_run = replace(deal, completed=(SPADES,))
    assert faults(with_run)[0] == "104 cards and 1 completed runs make 117: the rules have 104"


@pytest.mark.parametrize(
    ("dealt", "asked", "names"), [(4, 2, "C, D, H, S"), (2, 4, "H, S"), (1, 2, "S"), (3, 1, "C, H, S")]
)
def test_number_of_suits(dealt: int, asked: int, names: str) -> None:
    position = shuffled_game(random.Random(5), make_rules(suits=dealt))
    suits = f"{dealt} suit{'s' if dealt > 1 else ''}"
    assert faults(position, make_rules(suits=asked)) == [f"the cards are of {suits} ({names}): the rules have {asked}"]


def test_more_completed_runs_than_the_suit_has() -> None:
    assert "3 completed runs of C: there are 2" in faults(
        Position(((),) * 10, (0,) * 10, (), (CLUBS,) * 3 + (DIAMONDS,) * 2 + (HEARTS,) * 2 + (SPADES,))
    )


# ---- faults of the layout and of removal ---------------------------------------------------------


def test_more_face_down_cards_than_the_layout_deals() -> None:
    left = shuffled_game(random.Random(6), make_rules(heights=LAYOUTS["left"]))
    assert faults(left, STANDARD) == [
        "column 2 has 5 face-down cards: this layout starts it with 4",
        "column 3 has 5 face-down cards: this layout starts it with 4",
    ]


def test_column_heights_of_an_untouched_deal(deal: Position) -> None:
    """Two cards of the stock lie on column 1 although no row was dealt and no card turned up."""
    taller = replace(deal, columns=(deal.columns[0] + deal.rows[4][:2], *deal.columns[1:]))
    assert faults(taller)[-1] == (
        "the columns have (8, 5, 5, 6, 5, 5, 6, 5, 5, 6) cards: this layout deals (6, 5, 5, 6, 5, 5, 6, 5, 5, 6)"
    )


def test_a_completed_run_has_left_under_automatic_removal_only() -> None:
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"
    whole = one_suit_end(run)
    covered = one_suit_end(f"6S {run} 5S", "KS QS JS TS 9S 8S 7S", "4S 3S 2S AS")
    for position in (whole, covered):
        assert faults(position, ONE_SUIT) == [
            "column 1 holds the completed run of KS, which automatic removal has taken away: "
            "leave it out, or ask for optional removal"
        ]
        assert faults(position, make_rules("bvs", suits=1)) == []
    face_down_king = with_column(whole, 1, whole.columns[0], 1)
    assert faults(face_down_king, ONE_SUIT) == []


def test_positions_without_any_fault(deal: Position) -> None:
    assert faults(deal) == []
    assert faults(deal, loose=True) == []
    assert faults(one_suit_end("KS QS JS TS 9S 8S 7S", "6S 5S 4S 3S 2S AS"), ONE_SUIT) == []
