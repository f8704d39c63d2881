"""The history of a game: reading moves, the verdict after each, the move that lost it; and single lines verified."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import naive
import pytest
from click.testing import CliRunner, Result

from solver.cli import cli
from solver.history import Checked, check, positions_of, read_line, split_record
from solver.judge import Judge
from solver.move import DEAL, Line
from solver.notation import NotationError, format_line, format_position, parse_position
from solver.numbering import deal_from_id
from solver.position import Position
from solver.rules import Rules, make_rules
from solver.search import Budget, solve

STRICT = make_rules()
MINI = Rules("mini", columns=4, ranks=3, packs=2, heights=(3, 3, 3, 3), rows=(4, 4, 4))
MINI_OPTIONS = ("--columns", "4", "--ranks", "3", "--loose")


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False, **options)


def checked(start: Position, line: Line, rules: Rules = MINI, seconds: float = 30.0) -> Checked:
    return check(start, line, Judge(rules, seconds=seconds))


# ---- reading -------------------------------------------------------------------------------------


def test_a_record_is_split_and_keeps_its_places() -> None:
    cards, moves = split_record("# a\n3S\nMoves: 1-2x1\n2-1x1 bad\n")
    assert cards == "# a\n3S"
    assert moves.splitlines() == ["", "", "       1-2x1", "2-1x1 bad"]
    with pytest.raises(NotationError, match=r"^game:4:7: 'bad' is not a move"):
        read_line(moves, "game")


def test_a_text_without_the_label_has_no_moves() -> None:
    assert split_record("3S # moves: none\n") == ("3S # moves: none\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "5-7x1 deal take 4",
        "5-7x1, deal\ntake 4 # comment",
        "win: 12345 is won\n   1  5-7x1    TD onto JD\n   2  deal     4H 6D\n  10  take 4   the run\n0.05 s (0.02 s)\n",
        '{"line": ["5-7x1", "deal", "take 4"]}',
    ],
)
def test_forms_of_a_line(text: str) -> None:
    assert format_line(read_line(text, "<line>")) == "5-7x1 deal take 4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5-7x1 5-7y1", "<line>:1:7: '5-7y1' is not a move"),
        ("   1  5-7x1    TD onto JD\n   2  5-7y1    8S onto\n", "<line>:2:7: '5-7y1' is not a move"),
        ('{"moves": 3}', '<line>: the JSON has no "line"'),
        ("{", "<line>: it starts like JSON and is none"),
    ],
)
def test_what_is_no_line(text: str, message: str) -> None:
    with pytest.raises(NotationError, match="^" + re.escape(message)):
        read_line(text, "<line>")


# ---- verdicts along a game -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_are_those_of_single_searches(seed: int) -> None:
    rng = random.Random(seed)
    start = naive.shuffled_game(rng, MINI)
    line = tuple(move for _, move in naive.random_playout(start, MINI, rng, 25))
    result = checked(start, line)
    positions = positions_of(start, line, MINI)
    assert list(result.verdicts) == [solve(position, MINI).verdict for position in positions]
    lost = [number for number, verdict in enumerate(result.verdicts) if verdict == "loss"]
    assert result.first_loss == (lost[0] if lost else None)
    assert result.turning_move == (lost[0] if lost and lost[0] else None)
    # Bisection, and not a search after every move.
    assert result.searches <= 7


def test_the_move_that_lost_it_is_named() -> None:
    """Among random games some are lost by a move; the text and the JSON agree on which."""
    for seed in range(100):
        rng = random.Random(seed)
        start = naive.shuffled_game(rng, MINI)
        line = tuple(move for _, move in naive.random_playout(start, MINI, rng, 25))
        turning = checked(start, line).turning_move
        if turning is not None:
            break
    assert turning is not None
    text = f"{format_position(start)}\nmoves: {format_line(line)}\n"
    result = run("check", "-", *MINI_OPTIONS, input=text)
    assert result.exit_code == 3
    assert f"loss: move {turning}, {line[turning - 1]}, turned the win into a loss" in result.stdout
    (marked,) = [row for row in result.stdout.splitlines() if row.endswith("<- here a win became a loss")]
    assert marked.split()[:2] == [str(turning), "loss"]
    told = json.loads(run("check", "-", *MINI_OPTIONS, "--json", input=text).stdout)
    assert (told["turning_move"], told["last_win"], told["first_loss"]) == (turning, turning - 1, turning)
    assert told["verdicts"] == ["win"] * turning + ["loss"] * (len(line) + 1 - turning)


def test_a_game_that_was_won_needs_no_search() -> None:
    deal = deal_from_id("ms2001")
    line = solve(deal, STRICT).line
    result = checked(deal.position(), line, STRICT)
    assert set(result.verdicts) == {"win"}
    assert result.searches == 0
    assert result.turning_move is None


def test_a_long_game_in_play_needs_few_searches() -> None:
    deal = deal_from_id("ms2001")
    line = solve(deal, STRICT).line[:150]
    result = checked(deal.position(), line, STRICT)
    assert set(result.verdicts) == {"win"}
    assert result.searches == 1


def test_what_was_not_decided_stays_apart() -> None:
    """Rows dealt at once, of a hard deal, in no time: neither won nor lost may be said."""
    result = run("check", "-", "--deal", "10957", "--timeout", "0.05", input="deal")
    assert result.exit_code == 4
    assert "timeout: no position was found winnable; what follows was not decided" in result.stdout


def test_the_last_point_that_was_found_winnable() -> None:
    verdicts = ("win", "win", "timeout", "timeout", "loss")
    result = Checked(verdicts, 1, 1)  # type: ignore[arg-type]
    assert (result.last_win, result.first_loss, result.turning_move) == (1, 4, None)


def test_a_lost_deal_was_lost_from_the_start(data: Path) -> None:
    start = parse_position((data / "cases" / "mini-solvitaire-ComplexUnsolvable-from-end.txt").read_text(), MINI)
    result = checked(start, (DEAL,))
    assert result.verdicts == ("loss", "loss")
    assert result.turning_move is None


# ---- the command check ---------------------------------------------------------------------------


def test_a_deal_by_number_with_moves_from_stdin() -> None:
    result = run("check", "-", "--deal", "12345", input="5-7x1\n6-2x1\n")
    assert result.exit_code == 0
    rows = result.stdout.splitlines()
    assert rows[0].startswith("pysolfc:12345, 2 moves")
    assert rows[1].split() == ["0", "win", "the", "start"]
    assert rows[2].startswith("   1  win      5-7x1    TD onto JD, turns up 8S")
    assert rows[-2] == "win: it can still be won at its end"


def test_an_illegal_move_is_told_with_the_board(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(run("show", "12345").stdout + "moves: 5-7x1 1-2x1\n", encoding="utf-8")
    result = run("check", str(record))
    assert result.exit_code == 1
    assert result.stdout == ""
    first, *board = result.stderr.splitlines()
    assert first == (
        f"spider: error: {record}: move 2, 1-2x1, is not legal: column 2 ends in KH: a 9C goes only onto a ten or an "
        "empty column"
    )
    assert board[0] == "# before move 2"
    assert board[6] == "<3H> <7H> <QS> 8S"


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (["-", "--deal", "-"], "", 2, "RECORD and --deal cannot both be standard input"),
        (["-"], "3S\n", 1, "standard input has no line 'moves:'"),
        (["-", "--deal", "12345"], "3S\nmoves: deal", 2, "standard input has the cards itself, before 'moves:'"),
        (["-", "--deal", "12345"], "5-7y1", 1, "standard input:1:1: '5-7y1' is not a move"),
        (["-", "--deal", "12345"], "", 1, "standard input is empty"),
        (["nowhere.txt"], "", 1, "there is no file 'nowhere.txt', and it is no move"),
        (["-", "--deal", "kpta:1"], "deal", 2, "kpta"),
    ],
)
def test_mistakes_of_check(arguments: list[str], text: str, code: int, message: str) -> None:
    result = run("check", *arguments, input=text)
    assert result.exit_code == code
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.startswith("spider: error: ")


def test_unknown_cards_cannot_be_checked() -> None:
    text = run("show", "12345").stdout.replace("<6D> <AS>", "? ?", 1)
    result = run("check", "-", input=f"{text}moves: deal")
    assert result.exit_code == 1
    assert "a search needs every card" in result.stderr


# ---- the command verify --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def won() -> Line:
    return solve(deal_from_id("ms2001"), STRICT, Budget(seconds=30)).line


def test_a_line_that_wins(won: Line, tmp_path: Path) -> None:
    text = format_line(won)
    path = tmp_path / "line.txt"
    path.write_text(text)
    for result in (
        run("verify", "ms2001", text),
        run("verify", "ms2001", str(path)),
        run("verify", "ms2001", "-", input=text),
    ):
        assert result.exit_code == 0
        assert result.stdout.startswith("right: the line wins pysolfc:ms2001 under standard (strict, ")
        assert "5 rows dealt, 8 runs removed" in result.stdout


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_what_solve_prints_can_be_verified(form: list[str]) -> None:
    printed = run("solve", "ms2001", "--suits", "1", *form).stdout
    assert run("verify", "ms2001", "-", "--suits", "1", input=printed).exit_code == 0


def test_the_first_fault_is_explained() -> None:
    result = run("verify", "12345", "5-7x1 1-2x1 9-9x9")
    assert result.exit_code == 1
    assert result.stdout.startswith("wrong: <line>: move 2, 1-2x1, is not legal: column 2 ends in KH")
    assert "# before move 2" in result.stdout
    told = json.loads(run("verify", "12345", "5-7x1 1-2x1 9-9x9", "--json").stdout)
    assert (told["legal"], told["wins"], told["fault"]["index"]) == (False, False, 2)


def test_a_line_that_stops_short(won: Line) -> None:
    result = run("verify", "ms2001", format_line(won[:-1]))
    assert result.exit_code == 1
    assert result.stdout.startswith("wrong: every move is legal, but the game is not won at the end: 13 cards")
    told = json.loads(run("verify", "ms2001", format_line(won[:-1]), "--json").stdout)
    assert (told["legal"], told["wins"], told["fault"]) == (True, False, None)


@pytest.mark.parametrize("cut", range(0, 160, 20))
def test_no_line_passes_with_a_move_left_out(won: Line, cut: int) -> None:
    assert run("verify", "ms2001", format_line(won[:cut] + won[cut + 1 :])).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["12345"], 2, "which line of 12345? write: spider verify 12345 LINE"),
        (["-", "-"], 2, "DEAL and LINE cannot both be standard input"),
        (["12345", "no-such-file"], 1, "there is no file 'no-such-file', and it is no move"),
        (["no-such-store.sqlite"], 1, "no-such-store.sqlite"),
    ],
)
def test_mistakes_of_verify(arguments: list[str], code: int, message: str) -> None:
    result = run("verify", *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stderr.startswith("spider: error: ")
