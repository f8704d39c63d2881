"""The command line's way with inputs: schemes, save files, conversion, boards, and what it says about guesses."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import saves
from click.testing import CliRunner, Result

from solver.cli import cli
from solver.numbering import SCHEMES, deal_from_id
from solver.rules import LAYOUTS, make_rules
from solver.show.board import board_picture
from solver.show.formats import WRITERS
from solver.start import PartialStart, RulesChoice, Start, start_from_data

DEALS = Path(__file__).parent / "data" / "deals"
PSO, KPAT = str(DEALS / "pysolfc_11_12345.pso"), str(DEALS / "kpat_4suit_42.kpat.xml")
ANSI = re.compile("\x1b\\[[0-9;]*m")


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False, **options)


def cards_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


# ---- schemes -------------------------------------------------------------------------------------


def test_schemes_are_listed_with_all_that_matters() -> None:
    text = run("schemes").stdout
    for scheme in SCHEMES.values():
        entry = text.partition(f"{scheme.name}  ")[2].partition("example")[0]
        assert scheme.numbers in entry
        assert f"layout {scheme.layout}" in entry
        assert f"{scheme.status}: {scheme.evidence}" in entry
        assert scheme.rules in entry
        assert ("rows fall onto empty columns" in entry) == (scheme.name == "kpat")


def test_schemes_as_json() -> None:
    listed = json.loads(run("schemes", "--json").stdout)
    assert listed["schema"] == 1
    assert {scheme["name"]: scheme["status"] for scheme in listed["schemes"]} == {
        scheme.name: scheme.status for scheme in SCHEMES.values()
    }
    assert listed["schemes"][1]["suits"] == [1, 2, 3, 4]


@pytest.mark.parametrize("path", sorted(DEALS.glob("*.txt")), ids=lambda path: path.stem)
def test_every_deal_is_shown_as_its_program_dealt_it(path: Path) -> None:
    program, suits, number = path.stem.split("_")
    scheme = {"win7": "windows7", "winxp": "windowsxp"}.get(program, program)
    assert cards_of(run("show", f"{scheme}:{number}", "--suits", suits[0]).stdout) == cards_of(path.read_text())
    assert cards_of(run("show", str(path)).stdout) == cards_of(path.read_text())


def test_the_rules_of_a_program_that_deals_onto_empty_columns_are_named() -> None:
    # The games are no matter here: a lost one would take as long.
    strict = run("solve", "kpat:42", "--suits", "1", "--json")
    assert "KPat (KDE Patience) deals rows onto empty columns; the rules here are standard" in strict.stderr
    assert "ask for --rules relaxed" in strict.stderr
    assert json.loads(strict.stdout)["rules"]["deal_onto_empty"] is False
    relaxed = run("solve", "kpat:42", "--suits", "1", "--json", "--rules", "relaxed")
    assert "empty columns" not in relaxed.stderr
    assert json.loads(relaxed.stdout)["rules"]["deal_onto_empty"] is True


# ---- save files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "deal"), [(PSO, "12345"), (KPAT, "kpat:42")])
def test_save_files_are_shown(path: str, deal: str) -> None:
    expected = cards_of(run("show", deal).stdout)
    for options in ([], ["--position", "original"], ["--position", "current"]):
        assert cards_of(run("show", path, *options).stdout) == expected
    piped = run("show", "-", input=Path(path).read_bytes())
    assert cards_of(piped.stdout) == expected


def test_the_present_position_and_the_deal_differ(tmp_path: Path) -> None:
    deal = deal_from_id("windows7:8115").position()
    row, *rows = deal.rows
    later = Start("x", deal, make_rules(heights=LAYOUTS["left"])).position
    later = type(later)(tuple((*c, r) for c, r in zip(deal.columns, row, strict=True)), deal.face_down, tuple(rows))
    path = tmp_path / "game"
    path.write_bytes(saves.windows7_save(later, 8115))
    shown = run("show", str(path))
    assert cards_of(shown.stdout)[0] == "<6C> <AC> <TD> <7H> <5S> 9H 2D"
    assert (
        "the present position of windows7:8115 was taken from the Windows 7 save; --position original" in shown.stderr
    )
    original = run("show", str(path), "--position", "original")
    assert original.stdout == run("show", "windows7:8115").stdout
    assert original.stderr == ""


def test_a_text_has_no_deal_but_its_own(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(run("show", "5").stdout)
    assert run("show", str(path), "--position", "original").exit_code == 0
    path.write_text((DEALS.parent / "cases" / "win7-save-seed2747804-after-deal1.txt").read_text())
    result = run("show", str(path), "--position", "original")
    assert result.exit_code == 1
    assert "shows a game in play, and a text does not tell its deal" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["12345", "--stock-from", "end"], "--stock-from is for texts: 12345 tells by itself what lies where"),
        (["kpat:1", "--as-dealt"], "--as-dealt is for texts: kpat:1 tells by itself"),
        ([PSO, "--stock-from", "end"], "--stock-from is for texts: "),
        (["12345", "--loose"], "--loose is for puzzles: 12345 is a deal of full packs"),
        (
            ["12345", "--ranks", "3"],
            "12345 is a deal of two packs in ten columns: leave --columns, --ranks and --packs",
        ),
    ],
)
def test_options_without_effect_are_refused(arguments: list[str], message: str) -> None:
    result = run("show", *arguments)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert message in result.stderr


# ---- conversion ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WRITERS)
@pytest.mark.parametrize("source", ["12345", "kpat:42", PSO, KPAT])
def test_converted_games_are_the_same_game(target: str, source: str) -> None:
    converted = run("convert", source, "--to", target)
    assert converted.exit_code == 0
    assert cards_of(run("show", "-", input=converted.stdout).stdout) == cards_of(run("show", source).stdout)


def test_convert_needs_a_format_that_there_is() -> None:
    assert "Missing option '--to'" in run("convert", "1").stderr
    result = run("convert", "1", "--to", "pso")
    assert result.exit_code == 2
    assert "'pso' is not one of 'text', 'table', 'talon', 'json', 'solvitaire'" in result.stderr


def test_recoloured_deals() -> None:
    shown = json.loads(run("show", "kpat:42", "--recolour", "2", "--json").stdout)
    assert shown["deal"]["suits"] == 2
    assert {card["card"][1] for column in shown["columns"] for card in column} == {"H", "S"}
    one = run("show", "12345", "--recolour", "1").stdout
    assert one.startswith("# pysolfc:12345 recoloured to 1 suit\n# 1 suit, layout spread\n<6S> <AS> <TS>")
    assert cards_of(run("show", str(DEALS / "pysolfc_4suit_12345.txt"), "--recolour", "1").stdout) == cards_of(one)
    refused = run("show", "12345", "--suits", "1", "--recolour", "2")
    assert refused.exit_code == 1
    assert "--recolour 2: the game has 1 suit already" in refused.stderr


# ---- unknown cards -------------------------------------------------------------------------------


def test_unknown_cards_are_shown_counted_and_not_searched(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(run("show", "12345").stdout.replace("<6D> <AS>", "? ?", 1))
    shown = run("show", str(path))
    assert shown.exit_code == 0
    assert cards_of(shown.stdout)[0] == "<?> <?> <TH> <5H> <KC> 9C"
    assert f"note: {path} has 2 unknown cards (missing: 6D, AS)" in shown.stderr
    columns = json.loads(run("show", str(path), "--json").stdout)["columns"]
    assert columns[0][0] == {"card": None, "face_up": False}
    solved = run("solve", str(path))
    assert (solved.exit_code, solved.stdout) == (1, "")
    assert "2 fillings are possible: write the cards that you know; a search needs every card" in solved.stderr


def test_doubtful_words_are_said_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(run("show", "12345").stdout.replace("<TH>", "<1H>", 1).replace("TC", "xc", 1))
    shown = run("show", str(path))
    assert f"spider: note: {path}:3:11: '<1H>' was taken for TH" in shown.stderr
    assert "'xc' was taken for TC" in shown.stderr
    assert cards_of(shown.stdout) == cards_of(run("show", "12345").stdout)


# ---- the board -----------------------------------------------------------------------------------


def picture(deal: str = "12345", width: int = 80) -> str:
    position = deal_from_id(deal)
    return board_picture(Start(deal, position, make_rules()), width)


@pytest.mark.parametrize("width", [20, 46, 50, 56, 80, 200])
def test_the_board_fits_the_terminal(width: int) -> None:
    lines = ANSI.sub("", picture(width=width)).splitlines()
    if width >= 46:
        assert max(map(len, lines)) <= width
        assert len(lines) == 2 + 1 + 6 + 5
    assert "next" in "".join(lines)
    # Every card is there, each as often as in the deal.
    shown = sorted(re.findall(r"\b[A2-9TJQK][CDHS]\b", "\n".join(lines[2:])))
    deal = deal_from_id("12345")
    written = run("show", "12345").stdout
    assert shown == sorted(re.findall(r"\b[A2-9TJQK][CDHS]\b", "\n".join(cards_of(written))))
    assert len(shown) == sum(map(len, (*deal.columns, *deal.rows)))


def test_the_board_has_columns_side_by_side_and_the_next_row_first() -> None:
    lines = ANSI.sub("", picture()).splitlines()
    assert lines[:4] == [
        "12345",
        "4 suits, layout spread",
        "          1    2    3    4    5    6    7    8    9   10",
        "       <6D> <7C> <AD> <QD> <3H> <3D> <QH> <AH> <3H> <9H>",
    ]
    assert lines[8].split() == ["9C", "2D", "JD", "QC"]
    assert lines[9].split() == ["next", *["4H", "6D", "TH", "4S", "QS", "2H", "5C", "7S", "9H", "JC"]]
    assert lines[10].split()[0] == "+1"


def test_the_board_shows_empty_columns_unknown_cards_and_runs_that_have_left() -> None:
    text = "? ? KS QS JS TS 9S 8S 7S 6S 5S 4S 3S\n" + "--\n" * 9
    start = start_from_data(text.encode(), "game", RulesChoice(suits=1))
    assert isinstance(start, PartialStart)
    lines = ANSI.sub("", board_picture(start, 80)).splitlines()
    assert lines[3].split() == ["<?>", *["--"] * 9]
    assert lines[-1] == "completed: S S S S S S S"


def test_suits_have_letters_and_colours() -> None:
    text = picture()
    for card, colour in (("9C", "\x1b[32m"), ("2D", "\x1b[36m"), ("KH", "\x1b[31m")):
        assert f"{colour}\x1b[1m{card}\x1b[0m" in text
    assert "\x1b[1mQS\x1b[0m" in text


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Return what the command prints when its output is a terminal."""
    terminal, stdout = pty.openpty()
    command = [sys.executable, "-m", "solver", *arguments]
    with subprocess.Popen(command, stdout=stdout, env=os.environ | {"COLUMNS": "80"} | environment) as process:
        os.close(stdout)
        shown = b""
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # Linux reports so that the other side is closed
                break
            if not data:
                break
            shown += data
    os.close(terminal)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_the_board_and_a_pipe_the_text() -> None:
    text = run("show", "12345").stdout
    shown = on_a_terminal("show", "12345", NO_COLOR="")
    assert "\x1b[31m" in shown
    assert ANSI.sub("", shown) == ANSI.sub("", picture()).replace("12345", "pysolfc:12345", 1)
    assert "\x1b" not in on_a_terminal("show", "12345", NO_COLOR="1")
    assert on_a_terminal("show", "12345", "--plain") == text
