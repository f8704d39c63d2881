"""Real cases: positions on which Spider programs went wrong, with the right answer.

The files of ``data/cases`` say in their first lines where each comes from and what is right.  Most
hold other cards than a pack, to show one rule, so they pass the loose check only.
"""

from __future__ import annotations

from pathlib import Path

import naive
import pytest

from solver.cards import SPADES
from solver.move import DEAL, parse_move
from solver.notation import parse_line, parse_position
from solver.position import Position, PositionError, check_position, fit_layout, stage_of
from solver.referee import apply, count_line, end_run_length, is_dead, legal_moves, replay, why_illegal
from solver.rules import LAYOUTS, Rules, make_rules

STRICT = make_rules()
RELAXED = make_rules("relaxed")
MINI = Rules("mini-solvitaire", columns=4, ranks=3, packs=2, heights=(3, 3, 3, 3), rows=(4, 4, 4))
MINI_RELAXED = Rules(
    "mini-solvitaire", deal_onto_empty=True, columns=4, ranks=3, packs=2, heights=(3, 3, 3, 3), rows=(4, 4, 4)
)


def read_case(data: Path, name: str, rules: Rules = STRICT) -> Position:
    """Return the position of a case, which passes the loose check."""
    path = data / "cases" / f"{name}.txt"
    position = parse_position(path.read_text(), rules, source=path.name)
    check_position(position, rules, loose=True)
    return position


def onto(position: Position, target: int) -> set[str]:
    """Return the legal moves onto a column, counted from 1."""
    return {str(move) for move in legal_moves(position, STRICT) if move.target == target - 1}


# ---- cases that show one rule --------------------------------------------------------------------


def test_a_dealt_row_completes_a_run(data: Path) -> None:
    position = read_case(data, "synth-deal-completes-run")
    after = apply(position, DEAL, STRICT)
    assert after.columns[0] == ()
    assert after.completed == (SPADES,)
    assert [len(column) for column in after.columns[1:]] == [3, 2, 2, 2, 2, 2, 2, 2, 2]
    kept = apply(position, DEAL, make_rules("bvs"))
    assert len(kept.columns[0]) == 13
    assert apply(kept, parse_move("take 1"), make_rules("bvs")) == after


def test_a_removal_uncovers_the_card_below(data: Path) -> None:
    position = read_case(data, "synth-removal-uncovers")
    assert position.face_down[0] == 1
    after = apply(position, parse_move("2-1x1"), STRICT)
    assert after.completed == (SPADES,)
    assert after.columns[0] == position.columns[0][:1]
    assert after.columns[1] == ()
    assert after.face_down[0] == 0


def test_a_face_down_king_is_no_part_of_a_run(data: Path) -> None:
    position = read_case(data, "synth-facedown-king-in-run")
    assert end_run_length(position, 0) == 12
    assert why_illegal(position, parse_move("1-2x13"), STRICT) == (
        "column 1 has only 12 face-up: face-down cards do not move"
    )
    twelve = {str(move) for move in legal_moves(position, STRICT) if move.count == 12}
    assert twelve == {f"1-{king}x12" for king in range(2, 11)}
    after = apply(position, parse_move("1-2x12"), STRICT)
    assert after.completed == ()  # the other king is of hearts
    assert after.columns[0] == position.columns[0][:1]
    assert after.face_down[0] == 0
    # The open king makes a completed run only when the twelve come back to it.
    assert apply(after, parse_move("2-1x12"), STRICT).completed == (SPADES,)


def test_a_face_down_neighbour_of_the_same_suit_hides_no_move(data: Path) -> None:
    position = read_case(data, "synth-hidden-same-suit-neighbour")
    assert onto(position, 2) == {"1-2x1"}
    after = apply(position, parse_move("1-2x1"), STRICT)
    assert after.columns[0] == position.columns[0][:1]
    assert after.face_down[0] == 0


def test_nine_cards_are_lost_at_once_under_strict_rules_only(data: Path) -> None:
    position = read_case(data, "synth-nine-cards-stalemate")
    assert position.cards_in_columns == 9
    assert is_dead(position, STRICT) == (
        "nine cards cannot fill ten columns, and strict rules deal no row while one is empty: "
        "the row that is left can never be dealt"
    )
    assert why_illegal(position, DEAL, STRICT) == "column 10 is empty: strict rules deal no row then"
    assert is_dead(position, RELAXED) is None
    assert DEAL in legal_moves(position, RELAXED)


SPLIT_STRICT = """
    1-3x1 1-4x1 1-5x1 1-6x1 2-7x1 2-8x1 2-9x1 2-10x1    # a card of the two runs on every column
    deal
    2-1x1 3-1x1 1-3x3 4-3x1 3-4x5 5-4x1 4-5x7 7-6x1 6-7x2 5-6x8 6-1x9
    8-7x1 7-8x4 9-8x1 8-9x6 10-9x1 9-10x8 10-2x9
"""
SPLIT_RELAXED = "deal 2-1x1 3-1x1 4-1x1 5-1x1 6-2x1 7-2x1 8-2x1 9-2x1 10-2x1"


def test_runs_may_be_split_to_fill_the_columns_for_a_row(data: Path) -> None:
    rules = make_rules(suits=1)
    position = read_case(data, "synth-split-runs-then-deal", rules)
    check_position(position, rules)
    assert is_dead(position, rules) is None
    assert why_illegal(position, DEAL, rules) is not None
    line = parse_line(SPLIT_STRICT)
    assert replay(position, line, rules).is_won
    assert count_line(position, line, rules).runs_removed == 2


def test_sorted_columns_and_a_row_left_are_won_by_dealing_at_once(data: Path) -> None:
    rules = make_rules("relaxed", suits=1)
    position = read_case(data, "synth-split-runs-then-deal", rules)
    line = parse_line(SPLIT_RELAXED)
    assert len(line) == 10
    assert replay(position, line, rules).is_won


# ---- cases judged by exhausting them with the naive game -----------------------------------------


@pytest.mark.parametrize(
    ("name", "rules", "verdict"),
    [
        ("ComplexSolvable-from-front", MINI, naive.Exhausted("win", 11_220, 24)),
        ("ComplexSolvable-from-front", MINI_RELAXED, naive.Exhausted("win", 11_220, 24)),
        ("ComplexSolvable-from-end", MINI, naive.Exhausted("win", 5_239, 24)),
        ("ComplexSolvable-from-end", MINI_RELAXED, naive.Exhausted("win", 5_239, 24)),
        ("ComplexUnsolvable-from-front", MINI, naive.Exhausted("win", 13_352, 21)),
        ("ComplexUnsolvable-from-front", MINI_RELAXED, naive.Exhausted("win", 13_352, 21)),
        ("ComplexUnsolvable-from-end", MINI, naive.Exhausted("loss", 61_145, None)),
        ("ComplexUnsolvable-from-end", MINI_RELAXED, naive.Exhausted("loss", 75_108, None)),
        ("SimpleUnsolvable-from-front", MINI, naive.Exhausted("loss", 4, None)),
        ("SimpleUnsolvable-from-front", MINI_RELAXED, naive.Exhausted("loss", 4, None)),
        ("SimpleUnsolvable-from-end", MINI, naive.Exhausted("loss", 4, None)),
        ("SimpleUnsolvable-from-end", MINI_RELAXED, naive.Exhausted("loss", 4, None)),
    ],
)
def test_miniature_games_have_their_verdict(name: str, rules: Rules, verdict: naive.Exhausted, data: Path) -> None:
    """The verdict of ComplexUnsolvable hangs on the end from which its stock is dealt."""
    position = read_case(data, f"mini-solvitaire-{name}", rules)
    check_position(position, rules)
    assert naive.explore(position, rules) == verdict


def test_thirteen_cards_in_ten_columns_are_won_in_nine_moves(data: Path) -> None:
    rules = make_rules(suits=1)
    assert naive.explore(read_case(data, "stale-not-13", rules), rules)[::2] == ("win", 9)


def test_fifty_four_odd_cards_pass_the_loose_check_only(data: Path) -> None:
    rules = make_rules(suits=1)
    position = read_case(data, "stale-lost-54", rules)
    assert position.cards_in_columns == 54
    with pytest.raises(PositionError, match="54 cards make 54: the rules have 104"):
        check_position(position, rules)


# ---- a real save ---------------------------------------------------------------------------------


def test_a_windows_save_in_mid_game_is_a_possible_position(data: Path) -> None:
    position = read_case(data, "win7-save-seed2747804-after-deal1")
    with pytest.raises(PositionError, match="face-down cards: this layout starts it with 4"):
        check_position(position, STRICT)
    rules = fit_layout(position, STRICT)
    assert rules.heights == LAYOUTS["left"]
    check_position(position, rules)
    assert stage_of(position, rules) == 1
    assert naive.card_counts(position).total() == 104
    assert set(legal_moves(position, rules)) == naive.legal_moves(position, rules)


def test_every_case_file_is_read(data: Path) -> None:
    """No file lies there unread: each is named in some test of this folder."""
    names = {path.stem for path in (data / "cases").glob("*.txt")}
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert {name for name in names if name.removeprefix("mini-solvitaire-") not in texts} == set()
