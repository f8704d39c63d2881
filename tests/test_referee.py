"""The referee: the worked examples of the written rules, the words of a refusal, and agreement with `naive`."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from pathlib import Path

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cards import HEARTS, SPADES
from solver.move import DEAL, Move, parse_move, tableau_move, take
from solver.notation import parse_line, parse_position
from solver.position import Deal, Position
from solver.referee import (
    IllegalMove,
    LineCounts,
    apply,
    count_line,
    end_run_length,
    has_completed_run,
    is_dead,
    legal_moves,
    replay,
    why_illegal,
)
from solver.rules import PRESETS, Rules, make_rules

STRICT = make_rules()
RELAXED = make_rules("relaxed")
OPTIONAL = make_rules("bvs")
RUN = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"

REAL_DEALS = {
    "pysolfc_1suit_ms40000": 1,
    "pysolfc_2suit_24": 2,
    "pysolfc_4suit_12345": 4,
    "pysolfc_4suit_14934": 4,
}


def board(*columns: str, rows: str = "", completed: str = "--", rules: Rules = STRICT) -> Position:
    """Return a position: columns left to right, the rest empty; rows separated by slashes."""
    lines = [column or "--" for column in columns] + ["--"] * (rules.columns - len(columns))
    lines += [f"deal: {row}" for row in rows.split("/") if row]
    return parse_position("\n".join([*lines, f"completed: {completed}"]), rules)


def tokens(position: Position, rules: Rules = STRICT) -> set[str]:
    return set(map(str, legal_moves(position, rules)))


def reason(position: Position, token: str, rules: Rules = STRICT) -> str | None:
    return why_illegal(position, parse_move(token), rules)


def play(position: Position, text: str, rules: Rules = STRICT) -> Position:
    return replay(position, parse_line(text), rules)


# ---- worked examples from the written rules: single cards ----------------------------------------


@pytest.mark.parametrize(("card", "onto"), [("8H", "9C"), ("QS", "KD"), ("4C", "5C"), ("TD", "JH"), ("AS", "2H")])
def test_a_card_goes_onto_one_rank_higher_of_any_suit(card: str, onto: str) -> None:
    position = board(card, onto)
    assert reason(position, "1-2x1") is None
    assert apply(position, tableau_move(0, 1, 1), STRICT).columns[:2] == ((), board(f"{onto} {card}").columns[0])


@pytest.mark.parametrize(
    ("card", "onto", "why"),
    [
        ("8H", "TC", "column 2 ends in TC: an 8H goes only onto a nine or an empty column"),
        ("8H", "8C", "column 2 ends in 8C: an 8H goes only onto a nine or an empty column"),
        ("JD", "TC", "column 2 ends in TC: a JD goes only onto a queen or an empty column"),
        ("9S", "4C", "column 2 ends in 4C: a 9S goes only onto a ten or an empty column"),
        ("2H", "AH", "column 2 ends in AH: nothing goes onto an ace"),
        ("KH", "AH", "column 2 ends in AH: nothing goes onto an ace"),
        ("AC", "AH", "column 2 ends in AH: nothing goes onto an ace"),
        ("KH", "QS", "column 2 ends in QS: a KH goes only onto an empty column"),
        ("KH", "KS", "column 2 ends in KS: a KH goes only onto an empty column"),
        ("AH", "KS", "column 2 ends in KS: an AH goes only onto a two or an empty column"),
    ],
)
def test_a_card_goes_onto_nothing_else(card: str, onto: str, why: str) -> None:
    position = board(card, onto)
    assert reason(position, "1-2x1") == why
    assert "1-2x1" not in tokens(position)


# ---- worked examples from the written rules: groups ----------------------------------------------


def counts_that_leave(column: str) -> set[int]:
    """Return how many cards may leave the end of a column for an empty one."""
    return {move.count for move in legal_moves(board(column), STRICT) if move.target == 1}


@pytest.mark.parametrize(
    ("column", "counts"),
    [
        ("10S 9S 8S", {1, 2, 3}),
        ("TS 9H 8H", {1, 2}),
        ("JC TD 9D 8D", {1, 2, 3}),
        ("7S 6H 5H", {1, 2}),
        ("7S 5S", {1}),
        ("7S 6S 5S", {1, 2, 3}),
        ("8C 7S 6C", {1}),
        ("AS KS", {1}),
        ("<9S> 8S", {1}),
    ],
)
def test_a_run_of_one_suit_or_its_tail_moves(column: str, counts: set[int]) -> None:
    assert counts_that_leave(column) == counts
    assert end_run_length(board(column), 0) == max(counts)


def test_tails_of_a_run_go_where_their_head_fits_and_the_rest_stays() -> None:
    position = board("KC 7S 6S 5S", "7D", "6H", "8H", "QH")
    assert {token for token in tokens(position) if token.startswith("1-") and token[2] in "2345"} == {
        "1-2x2", "1-3x1", "1-4x3",
    }  # fmt: skip
    assert apply(position, parse_move("1-2x2"), STRICT).columns[:2] == board("KC 7S", "7D 6S 5S").columns[:2]


def test_a_covered_card_does_not_leave_alone() -> None:
    """The 7 cannot go onto the 8 while 6 and 5 lie on it: a move takes cards from the end only."""
    after = apply(board("7S 6S 5S", "8H"), parse_move("1-2x3"), STRICT)
    assert after.columns[1] == board("8H 7S 6S 5S").columns[0]
    assert reason(board("7S 6S 5S", "8H"), "1-2x1") == (
        "column 2 ends in 8H: a 5S goes only onto a six or an empty column"
    )


@pytest.fixture
def lettered() -> Position:
    """A: 9C, B: 8H 7H 6H, C: 5H 4H, D: TC, E: empty; the others occupied."""
    return board("9C", "8H 7H 6H", "5H 4H", "TC", "", *["KD"] * 5, rows="2S " * 10)


def test_lettered_example_group_onto_another_suit_moves_on_alone(lettered: Position) -> None:
    after = play(lettered, "2-1x3")
    assert after.columns[0] == board("9C 8H 7H 6H").columns[0]
    assert end_run_length(after, 0) == 3
    assert reason(after, "1-4x4") == (
        "the 4 cards at the end of column 1 (9C 8H 7H 6H) are not a run: 8H does not follow 9C in suit"
    )
    assert reason(after, "1-5x3") is None


def test_lettered_example_group_to_the_empty_column(lettered: Position) -> None:
    assert play(lettered, "3-5x2").columns[2:5:2] == board("", "5H 4H").columns[:2]


def test_lettered_example_two_groups_join_into_one_run(lettered: Position) -> None:
    after = play(lettered, "2-1x3 3-1x2")
    assert end_run_length(after, 0) == 5
    assert reason(after, "1-5x5") is None


def test_lettered_example_no_row_while_a_column_is_empty(lettered: Position) -> None:
    assert reason(lettered, "deal") == "column 5 is empty: strict rules deal no row then"
    assert "deal" not in tokens(lettered)
    assert reason(lettered, "deal", RELAXED) is None
    assert "deal" in tokens(lettered, RELAXED)


def test_head_of_the_group_decides() -> None:
    """9S 8H 7H 6H and an open TH: the hearts do not go onto TH, but to an empty column, then 9S onto TH."""
    position = board("9S 8H 7H 6H", "TH")
    assert reason(position, "1-2x3") == "column 2 ends in TH: an 8H goes only onto a nine or an empty column"
    assert play(position, "1-3x3 1-2x1").columns[:3] == board("", "TH 9S", "8H 7H 6H").columns[:3]


# ---- worked examples from the written rules: completed runs --------------------------------------


def test_king_to_ace_leaves_at_once() -> None:
    after = play(board(RUN.removesuffix(" AS"), "AS"), "2-1x1")
    assert after.columns[:2] == ((), ())
    assert after.completed == (SPADES,)


@pytest.mark.parametrize(
    "column",
    [RUN.replace("7S", "7H"), RUN.replace("7S", "7C"), RUN.replace("7S ", ""), RUN.replace("KS ", "")],
    ids=["red card inside", "clubs are not spades", "gap inside", "no king"],
)
def test_anything_less_than_king_to_ace_of_one_suit_stays(column: str) -> None:
    after = play(board(column.removesuffix(" AS"), "AS"), "2-1x1")
    assert after.columns[0] == board(column).columns[0]
    assert after.completed == ()


def test_suit_is_what_the_cards_say_when_suits_are_ignored() -> None:
    """In a one-suit game all cards are of one suit, so the same cards in spades leave."""
    assert has_completed_run(board(RUN.replace("S", "C")), 0, make_rules(suits=1))


def test_a_row_can_complete_several_runs_and_turn_cards_up() -> None:
    twelve = RUN.removesuffix(" AS")
    hearts = twelve.replace("S", "H")
    position = board(f"<4C> {hearts}", twelve, *["KD"] * 8, rows="AH AS" + " 3D" * 8)
    after = apply(position, DEAL, STRICT)
    assert after.completed == (HEARTS, SPADES)
    assert after.columns[:2] == board("4C").columns[:2]
    assert after.face_down == (0,) * 10
    assert after.rows == ()


def test_removal_may_lose_the_last_card_of_a_column_and_uncover_another() -> None:
    after = play(board(f"<4H> <5C> {RUN.removesuffix(' AS')}", "<9D> AS"), "2-1x1")
    assert after.columns[:2] == board("4H 5C", "9D").columns[:2]
    assert after.face_down[:2] == (1, 0)


def test_only_eight_runs_gone_is_a_win() -> None:
    one_suit = make_rules(suits=1)
    twelve = RUN.removesuffix(" AS")
    last = board(twelve, "AS", completed="S " * 7, rules=one_suit)
    assert not last.is_won  # all cards face-up and the stock used up
    won = play(last, "2-1x1", one_suit)
    assert won.is_won
    assert won.completed == (SPADES,) * 8
    assert legal_moves(won, one_suit) == []


# ---- worked examples from the written rules: the stock -------------------------------------------


def test_a_used_up_stock_stays_used_up(data: Path) -> None:
    position = parse_position((data / "deals" / "pysolfc_4suit_12345.txt").read_text(), STRICT)
    after = play(position, "deal deal deal deal deal")
    assert after.rows == ()
    assert "deal" not in tokens(after)
    assert reason(after, "deal") == "the stock is empty"


def test_a_row_falls_one_card_on_every_column_from_the_left(data: Path) -> None:
    position = parse_position((data / "deals" / "pysolfc_4suit_12345.txt").read_text(), STRICT)
    after = play(position, "deal")
    assert tuple(column[-1] for column in after.columns) == position.rows[0]
    assert all(new[:-1] == old for new, old in zip(after.columns, position.columns, strict=True))


def test_bicycle_deals_its_last_row_of_four_onto_the_leftmost_columns() -> None:
    bicycle = make_rules("bicycle")
    position = naive.shuffled_game(random.Random(1), bicycle)
    assert position.cards_in_columns == 50
    assert sum(position.face_down) == 40
    before_last = play(position, "deal " * 5, bicycle)
    after = play(before_last, "deal", bicycle)
    assert [len(column) for column in before_last.columns] == [10] * 10
    assert [len(column) for column in after.columns] == [11] * 4 + [10] * 6


def test_strict_rules_want_a_card_on_columns_that_a_short_row_does_not_reach() -> None:
    bicycle = make_rules("bicycle")
    position = board(*["KS"] * 9, rows="AS AH AD AC")
    assert reason(position, "deal", bicycle) == "column 10 is empty: strict rules deal no row then"
    assert reason(position, "deal", make_rules("bicycle", deal_onto_empty=True)) is None


def test_several_empty_columns_are_all_named() -> None:
    position = board("", "KS", "", *["KH"] * 6, rows="AS " * 10)
    assert reason(position, "deal") == "columns 1, 3 and 10 are empty: strict rules deal no row then"


@pytest.mark.parametrize(
    ("cards", "rows", "words"),
    [
        (9, 1, "nine cards cannot fill ten columns, and strict rules deal no row while one is empty: "
               "the row that is left can never be dealt"),
        (1, 2, "one card cannot fill ten columns, and strict rules deal no row while one is empty: "
               "the 2 rows that are left can never be dealt"),
        (0, 5, "an empty tableau cannot fill ten columns, and strict rules deal no row while one is empty: "
               "the 5 rows that are left can never be dealt"),
    ],
)  # fmt: skip
def test_fewer_cards_than_columns_are_lost_at_once_under_strict_rules(cards: int, rows: int, words: str) -> None:
    position = board(*["KS"] * cards, rows="/".join(["AS " * 10] * rows))
    assert is_dead(position, STRICT) == words
    assert is_dead(position, OPTIONAL) == words
    assert is_dead(position, RELAXED) is None
    assert is_dead(replace(position, rows=()), STRICT) is None


def test_ten_cards_in_few_columns_are_not_lost_at_once() -> None:
    assert is_dead(board("TS 9S 8S 7S 6S 5S 4S 3S 2S AS", rows="KS " * 10), STRICT) is None


# ---- optional removal ----------------------------------------------------------------------------


def test_optional_removal_leaves_a_completed_run_until_it_is_taken() -> None:
    complete = play(board(f"<4H> {RUN.removesuffix(' AS')}", "AS", "2C"), "2-1x1", OPTIONAL)
    assert complete.completed == ()
    assert len(complete.columns[0]) == 14
    assert {"take 1", "1-2x13", "1-3x1"} <= tokens(complete, OPTIONAL)
    taken = apply(complete, take(0), OPTIONAL)
    assert taken.columns[0] == board("4H").columns[0]
    assert taken.face_down[0] == 0
    assert taken.completed == (SPADES,)
    covered = apply(board(RUN, *["3C"] * 9, rows="KH" + " 2D" * 9), DEAL, OPTIONAL)
    assert covered.completed == ()
    assert "take 1" not in tokens(covered, OPTIONAL)


@pytest.mark.parametrize(
    ("column", "rules", "why"),
    [
        (RUN, STRICT, "under automatic removal a completed run leaves by itself"),
        ("", OPTIONAL, "column 1 is empty"),
        ("7S 6H 5H", OPTIONAL, "column 1 ends in a run of 2 (6H 5H): a completed run has 13, KH to AH, all face-up"),
        (
            f"<KS> {RUN.removeprefix('KS ')}",
            OPTIONAL,
            "column 1 ends in a run of 12 (QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS): "
            "a completed run has 13, KS to AS, all face-up",
        ),
    ],
)
def test_reasons_against_a_take(column: str, rules: Rules, why: str) -> None:
    position = board(column)
    assert reason(position, "take 1", rules) == why
    assert "take 1" not in tokens(position, rules)


# ---- other reasons, and where they are reported --------------------------------------------------


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("0-1x1", "there is no column 0: columns are 1 to 10"),
        ("1-11x1", "there is no column 11: columns are 1 to 10"),
        ("2-2x1", "column 2 is both source and target"),
        ("1-2x0", "0 cards cannot move: at least one must"),
        ("3-1x1", "column 3 is empty"),
        ("2-3x2", "column 2 has only 1 card"),
        ("1-3x5", "column 1 has only 4 cards"),
        ("1-3x4", "column 1 has only 3 face-up: face-down cards do not move"),
        ("1-3x3", "the 3 cards at the end of column 1 (TS 9H 8H) are not a run: 9H does not follow TS in suit"),
        ("5-3x2", "the 2 cards at the end of column 5 (7S 5S) are not a run: 5S does not follow 7S in rank"),
        ("1-2x2", "column 2 ends in 4C: a 9H goes only onto a ten or an empty column"),
        ("deal", "the stock is empty"),
        ("take 4", "under automatic removal a completed run leaves by itself"),
    ],
)
def test_reasons_against_a_move(token: str, why: str) -> None:
    position = board("<JS> TS 9H 8H", "4C", "", "KD", "7S 5S")
    assert reason(position, token) == why
    with pytest.raises(IllegalMove) as caught:
        apply(position, parse_move(token), STRICT)
    assert str(caught.value) == f"{token}: {why}"
    assert (caught.value.reason, caught.value.index) == (why, None)


def test_columns_out_of_range_are_refused_for_a_take() -> None:
    assert reason(board("KS"), "take 0", OPTIONAL) == "there is no column 0: columns are 1 to 10"
    assert reason(board("KS"), "take 11", OPTIONAL) == "there is no column 11: columns are 1 to 10"


def test_replay_names_the_first_illegal_move_and_its_place() -> None:
    position = board("8H", "9C", "TD")
    with pytest.raises(IllegalMove) as caught:
        play(position, "1-2x1 2-3x1 deal")
    assert caught.value.index == 2
    assert caught.value.move == tableau_move(1, 2, 1)
    assert str(caught.value) == (
        "move 2 of the line, 2-3x1: column 3 ends in TD: an 8H goes only onto a nine or an empty column"
    )


def test_replay_starts_from_a_deal_or_a_position(data: Path) -> None:
    position = parse_position((data / "deals" / "pysolfc_4suit_12345.txt").read_text(), STRICT)
    deal = Deal("pysolfc:12345", position.columns, position.rows)
    assert replay(deal, (), STRICT) == position
    assert replay(deal, (DEAL,), STRICT) == replay(position, (DEAL,), STRICT)


def test_counts_keep_moves_rows_and_runs_apart() -> None:
    twelve = RUN.removesuffix(" AS")
    position = board(twelve, "QH", *["KD"] * 8, rows="AS" + " 3D" * 9)
    assert count_line(position, parse_line("2-3x1 3-2x1 deal 4-1x1"), STRICT) == LineCounts(3, 1, 1)
    optional = board(RUN, "QH", *["KD"] * 8)
    assert count_line(optional, parse_line("2-3x1 take 1"), OPTIONAL) == LineCounts(1, 0, 1)


# ---- agreement with the second implementation ----------------------------------------------------


def assert_agreement(position: Position, move: Move, rules: Rules) -> None:
    """Judge one position and one of its moves twice."""
    listed = legal_moves(position, rules)
    assert len(listed) == len(set(listed))
    assert set(listed) == naive.legal_moves(position, rules)
    assert apply(position, move, rules) == naive.apply(position, move, rules)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", REAL_DEALS)
def test_real_deals_play_out_as_in_the_naive_game(name: str, preset: str, data: Path) -> None:
    suits = REAL_DEALS[name]
    rules = make_rules(preset, suits=suits)
    position = parse_position((data / "deals" / f"{name}.txt").read_text(), rules)
    if preset == "bicycle":
        # No program's deal has this layout: the cards are laid out again in the order in which they are dealt.
        cards = iter([card for pile in (*position.columns, *position.rows) for card in pile])
        columns = tuple(tuple(islice(cards, height)) for height in rules.heights)
        position = Deal(name, columns, tuple(tuple(islice(cards, size)) for size in rules.rows)).position()
    pack = naive.card_counts(position)
    assert pack.total() == 104
    for before, move in naive.random_playout(position, rules, random.Random(preset), 100):
        assert_agreement(before, move, rules)
        assert naive.card_counts(before) == pack


@pytest.mark.parametrize("rules", naive.SMALL_RULES.values(), ids=naive.SMALL_RULES)
def test_small_games_play_out_as_in_the_naive_game(rules: Rules) -> None:
    removed = 0
    for seed in range(10):
        rng = random.Random(seed)
        for before, move in naive.random_playout(naive.small_game(rng, rules), rules, rng, 40):
            assert_agreement(before, move, rules)
            removed = max(removed, len(before.completed))
            in_play = before.cards_in_columns + sum(map(len, before.rows))
            assert in_play + rules.ranks * len(before.completed) == rules.cards
    assert removed, "no play-out completed a run: the comparison has missed the removal"


@settings(max_examples=60)
@given(st.sampled_from(sorted(naive.SMALL_RULES)), st.randoms(use_true_random=False), st.integers(0, 30))
def test_a_move_is_listed_exactly_when_nothing_is_wrong_with_it(name: str, rng: random.Random, steps: int) -> None:
    rules = naive.SMALL_RULES[name]
    position = naive.small_game(rng, rules)
    for _, move in naive.random_playout(position, rules, rng, steps):
        position = apply(position, move, rules)
    everything = [DEAL, *map(take, range(-1, rules.columns + 1))]
    span = range(-1, rules.columns + 1)
    everything += [tableau_move(s, t, n) for s in span for t in span for n in range(rules.ranks + 2)]
    assert {move for move in everything if why_illegal(position, move, rules) is None} == set(
        legal_moves(position, rules)
    )


@pytest.mark.parametrize("name", [name for name in naive.SMALL_RULES if name.startswith(("pairs", "triples"))])
def test_perft_of_small_games_agrees_with_the_naive_game(name: str) -> None:
    rules = naive.SMALL_RULES[name]

    def perft(position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(perft(apply(position, move, rules), depth - 1) for move in legal_moves(position, rules))

    for seed in range(3):
        position = naive.small_game(random.Random(seed), rules)
        assert perft(position, 4) == naive.perft(position, 4, rules)


@pytest.mark.parametrize("name", [name for name in naive.SMALL_RULES if name.startswith(("pairs", "triples"))])
def test_the_reason_for_a_lost_stock_is_never_given_where_a_win_exists(name: str) -> None:
    rules = naive.SMALL_RULES[name]
    dead = 0
    for seed in range(30):
        rng = random.Random(seed)
        for position, _ in naive.random_playout(naive.small_game(rng, rules), rules, rng, 30):
            if is_dead(position, rules):
                dead += 1
                assert naive.exhaust(position, rules, limit=5000) == "loss"
    assert not (dead and rules.deal_onto_empty)
