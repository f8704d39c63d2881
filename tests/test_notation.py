"""Notation: what is printed reads back unchanged, and what cannot be read is refused with its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import SMALL_RULES, random_playout, shuffled_game

from solver.cards import HEARTS, SPADES, Card, make_card
from solver.move import DEAL, Line, tableau_move, take
from solver.notation import (
    NotationError,
    describe_line,
    format_line,
    format_position,
    parse_line,
    parse_position,
)
from solver.position import Position, check_position
from solver.referee import IllegalMove, replay
from solver.rules import PRESETS, Rules, make_rules

STANDARD = make_rules()
THREE = SMALL_RULES["triples-strict-automatic"]
"""A small game of three columns, so that texts stay short."""
RELAXED_THREE = SMALL_RULES["triples-relaxed-automatic"]
OPTIONAL_THREE = SMALL_RULES["triples-relaxed-optional"]

NO_CARD = "is not a card: write rank A23456789TJQK (or 10), then suit CDHS, such as TH or 2S"
UNKNOWN_CARD = "is an unknown card: every card must be known, face-down ones too; write <TH>"

DEALS = {
    "pysolfc_1suit_ms40000": 1,
    "pysolfc_2suit_24": 2,
    "pysolfc_4suit_12345": 4,
    "pysolfc_4suit_1234567": 4,
    "pysolfc_4suit_14934": 4,
    "pysolfc_4suit_32000": 4,
    "pysolfc_4suit_ms32000": 4,
}


# ---- positions: out and in -----------------------------------------------------------------------

card_lists = st.lists(
    st.builds(make_card, st.integers(1, 13), st.integers(0, 3)), max_size=20
).map(tuple)  # fmt: skip


@st.composite
def any_positions(draw: st.DrawFn) -> Position:
    """Draw positions of any cards: whatever can be written down, possible in a game or not."""
    columns: list[tuple[Card, ...]] = draw(st.lists(card_lists, min_size=10, max_size=10))
    face_down = [draw(st.integers(0, len(column))) for column in columns]
    rows = draw(st.lists(card_lists.filter(bool), max_size=6))
    completed = sorted(draw(st.lists(st.integers(0, 3), max_size=8)))
    return Position(tuple(columns), tuple(face_down), tuple(rows), tuple(completed))


@settings(max_examples=100)
@given(any_positions(), st.sampled_from(sorted(PRESETS)), st.integers(1, 4))
def test_any_position_reads_back_unchanged(position: Position, preset: str, suits: int) -> None:
    assert parse_position(format_position(position), make_rules(preset, suits=suits)) == position


@pytest.mark.parametrize("rules", [*PRESETS.values(), *SMALL_RULES.values()], ids=[*PRESETS, *SMALL_RULES])
def test_positions_of_a_game_read_back_unchanged(rules: Rules) -> None:
    rng = random.Random(11)
    for position, _ in random_playout(shuffled_game(rng, rules), rules, rng, 30):
        text = format_position(position)
        assert parse_position(text, rules) == position
        assert format_position(parse_position(text, rules)) == text


@pytest.mark.parametrize("name", DEALS)
def test_deals_are_printed_in_the_form_of_their_files(name: str, data: Path) -> None:
    rules = make_rules(suits=DEALS[name])
    text = (data / "deals" / f"{name}.txt").read_text()
    position = parse_position(text, rules)
    check_position(position, rules)
    assert format_position(position) == "".join(line for line in text.splitlines(True) if not line.startswith("#"))


def test_text_shows_face_down_cards_empty_columns_rows_and_completed_runs() -> None:
    text = "<2S> <AH> 3S\n--\nAS\ndeal: 3H 2H 2S\ncompleted: H S\n"
    position = parse_position(text, THREE)
    assert position == Position(
        columns=((make_card(2, SPADES), make_card(1, HEARTS), make_card(3, SPADES)), (), (make_card(1, SPADES),)),
        face_down=(2, 0, 0),
        rows=((make_card(3, HEARTS), make_card(2, HEARTS), make_card(2, SPADES)),),
        completed=(HEARTS, SPADES),
    )
    assert format_position(position) == text


def test_reading_forgives_what_is_unambiguous() -> None:
    """Comments, blank lines, commas, lower case, 10, labels without space, Windows line ends and a byte-order mark."""
    text = "\ufeff# a comment\r\n\r\n <10s>,, ah  # face-down ten\r\n--\r\n\tas\r\nDEAL:3H,2H,2S\r\nCompleted: s h\r\n"
    assert format_position(parse_position(text, THREE)) == "<TS> AH\n--\nAS\ndeal: 3H 2H 2S\ncompleted: H S\n"


def test_completed_runs_are_deduced_only_when_not_written() -> None:
    columns = "3S\n2S\nAS\ndeal: 3H 2H AH\n"
    assert parse_position(columns, THREE).completed == (HEARTS, SPADES)
    assert parse_position(columns + "completed: --\n", THREE).completed == ()
    assert parse_position(columns + "completed:\n", THREE).completed == ()
    assert parse_position(columns + "completed: S\n", THREE).completed == (SPADES,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3S\n2S 1Z\n--", f"game.txt:2:4: '1Z' {NO_CARD}"),
        (
            "3S\n2S 1H\n--",
            "game.txt:2:4: '1H' is doubtful, it could be TH: write it so",
        ),
        ("3S\n<2X> 3H\n--", f"game.txt:2:1: '<2X>' {NO_CARD}"),
        ("3S\n<2H 3H\n--", f"game.txt:2:1: '<2H' {NO_CARD}"),
        (
            "3S\n2S <AH>\n--",
            "game.txt:2:4: '<AH>' is face-down but lies on the face-up 2S: "
            "face-down cards come first, the bottom card of a column is written first",
        ),
        ("? 3S\n--\n--", f"game.txt:1:1: '?' {UNKNOWN_CARD}"),
        ("<??> 3S\n--\n--", f"game.txt:1:1: '<??>' {UNKNOWN_CARD}"),
        ("--\nXX 3S\n--", f"game.txt:2:1: 'XX' {UNKNOWN_CARD}"),
        ("-- 3S\n--\n--", "game.txt:1:4: '3S' follows --, which is an empty column: write one or the other"),
        ("3S\n2S", "game.txt: 2 columns: the rules have 3; write one line a column, -- for an empty one"),
        ("3S\ndeal: 2S", "game.txt: 1 column: the rules have 3; write one line a column, -- for an empty one"),
        ("", "game.txt: 0 columns: the rules have 3; write one line a column, -- for an empty one"),
        (
            "3S\n2S\nAS\ndeal: 3H 2H AH\n  AS",
            "game.txt:5:3: 'AS' starts column 4: the rules have 3; a row of the stock starts with deal:",
        ),
        (
            "score: 3S\n2S\nAS",
            "game.txt:1:1: 'score:' labels no line: a column may have its number, "
            "a row of the stock starts with deal:, "
            "the suits of the runs that have left with completed:",
        ),
        ("3S\n2S\nAS\ndeal:", "game.txt:4:1: 'deal:' without cards: write the cards of the row, or leave the line out"),
        ("3S\n2S\nAS\ndeal: 3H ?", f"game.txt:4:10: '?' {UNKNOWN_CARD}"),
        (
            "3S\n2S\nAS\ncompleted: H X",
            "game.txt:4:14: 'X' is not a suit: write one of CDHS for each completed run, or -- for none",
        ),
        ("3S\n2S\nAS\ncompleted: H\ncompleted: S", "game.txt:5:1: a second 'completed:' line: write all suits on one"),
    ],
)  # fmt: skip
def test_other_texts_are_refused_with_place_word_and_remedy(text: str, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_position(text, THREE, source="game.txt")
    assert str(caught.value) == message


def test_an_error_carries_its_place() -> None:
    with pytest.raises(NotationError) as caught:
        parse_position("3S\n2S 1Z\n--", THREE)
    error = caught.value
    assert (error.source, error.line, error.column) == ("<text>", 2, 4)
    assert str(error) == f"<text>:2:4: {error.problem}"


# ---- lines ---------------------------------------------------------------------------------------

columns = st.integers(0, 9)
lines = st.lists(
    st.one_of(st.just(DEAL), st.builds(take, columns), st.builds(tableau_move, columns, columns, st.integers(1, 13)))
).map(tuple)


@given(lines)
def test_a_line_reads_back_unchanged(line: Line) -> None:
    assert parse_line(format_line(line)) == line
    assert parse_line(",\n".join(map(str, line))) == line


def test_a_line_is_tokens_apart() -> None:
    text = "# opening\n5-8x3,deal\ttake 4\n\nTake\n10, 1-2X1 # the end: 3-4x1\n"
    assert parse_line(text) == (tableau_move(4, 7, 3), DEAL, take(3), take(9), tableau_move(0, 1, 1))
    assert format_line(parse_line(text)) == "5-8x3 deal take 4 take 10 1-2x1"
    assert parse_line("") == parse_line("# nothing\n") == ()


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("5-8x3 dealt", "1:7", "dealt"),
        ("deal\n  5-8", "2:3", "5-8"),
        ("deal take", "1:6", "take"),
        ("deal take 1-2x3", "1:6", "take 1-2x3"),
        ("take4", "1:1", "take4"),
    ],
)
def test_other_words_in_a_line_are_refused_with_place_and_remedy(text: str, place: str, word: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_line(text, source="line.txt")
    assert str(caught.value) == (
        f"line.txt:{place}: {word!r} is not a move: "
        "write 5-8x3 (three cards from column 5 to column 8), deal, or take 4"
    )


# ---- lines in words ------------------------------------------------------------------------------


def describe(text: str, line: str, rules: Rules) -> list[str]:
    return [str(step) for step in describe_line(parse_position(text, rules), parse_line(line), rules)]


@pytest.mark.parametrize(
    ("text", "line", "rules", "steps"),
    [
        (
            "<AH> 3S 2S\n<2H> AS\n3H",
            "2-1x1 2-3x1 1-3x1",
            THREE,
            [
                "2-1x1    AS onto 2S, turns up 2H, completes the run of spades in column 1, turns up AH",
                "2-3x1    2H onto 3H, empties column 2",
                "1-3x1    AH onto 2H, empties column 1, completes the run of hearts in column 3, empties column 3",
            ],
        ),
        (
            "3S 2S\n<2H> 3H\n--",
            "1-3x2",
            THREE,
            ["1-3x2    3S 2S onto the empty column 3, empties column 1"],
        ),
        (
            "3S 2S\n<AS> 3H 2H\n--\ndeal: AS AH 3S",
            "deal",
            RELAXED_THREE,
            [
                "deal     AS AH 3S onto columns 1 to 3, completes the run of spades in column 1, empties column 1, "
                "completes the run of hearts in column 2, turns up AS"
            ],
        ),
        (
            "<AH> 3S 2S AS\n--\n--",
            "take 1",
            OPTIONAL_THREE,
            ["take 1   the run of spades leaves column 1, turns up AH"],
        ),
    ],
)
def test_steps_name_the_cards_and_what_a_move_brings_about(
    text: str, line: str, rules: Rules, steps: list[str]
) -> None:
    assert describe(f"{text}\ncompleted: --", line, rules) == steps


def test_steps_carry_the_positions_of_the_replay(data: Path) -> None:
    position = parse_position((data / "deals" / "pysolfc_4suit_12345.txt").read_text(), STANDARD)
    line = (DEAL, DEAL)
    steps = list(describe_line(position, line, STANDARD))
    assert [step.move for step in steps] == list(line)
    assert [step.after for step in steps] == [replay(position, line[:count], STANDARD) for count in (1, 2)]
    assert str(steps[0]) == "deal     4H 6D TH 4S QS 2H 5C 7S 9H JC onto columns 1 to 10"


def test_an_illegal_move_is_reported_when_it_is_reached() -> None:
    steps = describe_line(parse_position("3S\n2S\nAS\ncompleted: --", THREE), parse_line("2-1x1 3-2x2"), THREE)
    assert str(next(steps)) == "2-1x1    2S onto 3S, empties column 2"
    with pytest.raises(IllegalMove, match="move 2 of the line, 3-2x2: column 3 has only 1 card"):
        next(steps)
