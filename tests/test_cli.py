"""The command line: exit codes, what goes to which stream, and one clear message for each mistake."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from solver import __version__, improve, search
from solver.cli import cli
from solver.improve import Improvement
from solver.move import DEAL, parse_move
from solver.notation import parse_position
from solver.numbering import deal_from_id
from solver.rules import PRESETS, Rules, make_rules

DEALS = Path(__file__).parent / "data" / "deals"

SOLVE_FIELDS = [
    "schema", "deal", "rules", "verdict", "line", "moves", "rows_dealt", "runs_removed",
    "expansions", "children", "tries", "attempts", "seconds", "cpu_seconds", "version",
]  # fmt: skip
"""The fields of schema 1, in order."""


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False, **options)


def spider(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as users do, in a process of its own."""
    command = [sys.executable, "-m", "solver", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def error_of(result: Result) -> str:
    """Return the one error message of a run that failed properly."""
    assert result.exit_code in {1, 2}, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("spider: error: ")
    assert result.stderr.count("error") == 1
    assert "Traceback" not in result.stderr
    return result.stderr.removeprefix("spider: error: ")


def text_of(deal: str = "12345", suits: int = 4) -> str:
    """Return the text of a deal, as the command prints it."""
    return run("show", deal, "--suits", str(suits)).stdout


def write(folder: Path, text: str) -> str:
    path = folder / "deal.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


# ---- help, version, start-up ---------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["solve", "-h"], ["show", "--help"]], ids=" ".join)
def test_help_names_every_exit_code(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    codes = result.stdout.partition("Exit codes:")[2].partition("Environment:")[0]
    assert re.findall(r"^ +(\d+) ", codes, re.MULTILINE) == ["0", "1", "2", "3", "4", "130"]


def test_every_option_has_help() -> None:
    context = cli.make_context("spider", ["--version"], resilient_parsing=True)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.help
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or getattr(parameter, "help", None), parameter.name


def test_version() -> None:
    assert run("--version").stdout == f"spider {__version__}\n"


def test_without_a_command_help_goes_to_stderr() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: spider")


@pytest.mark.parametrize("code", ["import solver", "import solver.cli", "from solver.cli import cli; cli(['-h'])"])
def test_numba_and_numpy_wait_for_a_search(code: str) -> None:
    probe = "import atexit, sys; atexit.register(lambda: print({'numba', 'numpy', 'tqdm'} & set(sys.modules)));" + code
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60)
    assert result.stdout.endswith("set()\n")
    assert result.returncode == 0


def test_module_is_the_command() -> None:
    result = spider("--version")
    assert result.stdout == f"spider {__version__}\n"
    assert result.stderr == ""


def test_completion_is_offered() -> None:
    # What a shell reads when it sets completion up; see the README.
    result = spider(env=os.environ | {"_SPIDER_COMPLETE": "bash_source"})
    assert result.returncode == 0
    assert "_SPIDER_COMPLETE=bash_complete" in result.stdout


# ---- show ----------------------------------------------------------------------------------------


def test_show_prints_the_deal_as_the_files_have_it() -> None:
    result = run("show", "pysolfc:12345")
    title, suits, *cards = result.stdout.splitlines()
    assert title == "# pysolfc:12345"
    assert suits == "# 4 suits, layout spread"
    expected = (DEALS / "pysolfc_4suit_12345.txt").read_text(encoding="utf-8").splitlines()
    assert cards == [line for line in expected if not line.startswith("#")]


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_show_reads_back(suits: int) -> None:
    text = text_of(suits=suits)
    again = run("show", "-", input=text)
    assert again.stdout.splitlines()[1:] == text.splitlines()[1:]
    assert parse_position(text, make_rules(suits=suits)) == deal_from_id("12345", suits).position()


def test_show_json() -> None:
    shown = json.loads(run("show", "12345", "--suits", "2", "--json").stdout)
    assert shown["schema"] == 1
    assert shown["deal"] == {"id": "12345", "suits": 2}
    assert shown["rules"] == json.loads(json.dumps(make_rules(suits=2).as_dict()))
    assert [len(column) for column in shown["columns"]] == [6, 5, 5, 6, 5, 5, 6, 5, 5, 6]
    assert shown["columns"][0][0] == {"card": "6H", "face_up": False}
    assert [column[-1]["face_up"] for column in shown["columns"]] == [True] * 10
    assert [len(row) for row in shown["rows"]] == [10] * 5
    assert shown["completed"] == []
    assert shown["stage"] == 0


@pytest.mark.parametrize("name", ["pysolfc_1suit_ms40000", "pysolfc_2suit_24", "pysolfc_4suit_14934"])
def test_suits_of_a_file_are_those_of_its_cards(name: str) -> None:
    shown = json.loads(run("show", str(DEALS / f"{name}.txt"), "--json").stdout)
    assert shown["deal"]["suits"] == int(name[8])


def test_the_suit_of_a_run_that_has_left_counts() -> None:
    # A game of two suits in which all cards of one have gone, four runs of it.
    text = "".join(f"{' '.join(f'{rank}S' for rank in 'KQJT98765432')}\n" for _ in range(4))
    text += "AS\n" * 4 + "--\n--\ncompleted: H H H H\n"
    shown = json.loads(run("show", "-", "--json", input=text).stdout)
    assert shown["deal"]["suits"] == 2
    assert shown["completed"] == ["H"] * 4
    assert shown["stage"] == 5


def test_layout_of_a_file_is_the_one_it_shows() -> None:
    lines = text_of().splitlines()[2:]
    columns = sorted(lines[:10], key=len, reverse=True)
    result = run("show", "-", input="\n".join(columns + lines[10:]))
    assert result.stdout.splitlines()[1] == "# 4 suits, layout left"


def bicycle_text(text: str) -> str:
    """Return a standard deal dealt anew in Bicycle's layout: the sixth cards become a last row of four."""
    columns, rows = text.splitlines()[2:12], text.splitlines()[12:]
    extra = [column.split()[0].strip("<>") for column in columns if len(column.split()) == 6]
    short = [" ".join(column.split()[-5:]) for column in columns]
    return "\n".join([*short, *rows, f"deal: {' '.join(extra)}"]) + "\n"


def test_bicycle_file() -> None:
    text = bicycle_text(text_of())
    for options in (["--rules", "bicycle"], ["--layout", "bicycle"]):
        shown = json.loads(run("show", "-", "--json", *options, input=text).stdout)
        assert shown["rules"]["rows"] == [10, 10, 10, 10, 10, 4]
    assert "it is a deal in Bicycle's layout: ask for --rules bicycle" in error_of(run("show", "-", input=text))


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_reach_the_game(preset: str) -> None:
    text = bicycle_text(text_of()) if preset == "bicycle" else text_of()
    shown = json.loads(run("show", "-", "--json", "--rules", preset, input=text).stdout)
    assert shown["rules"] == json.loads(json.dumps(PRESETS[preset].as_dict()))


def test_single_rules_override_the_preset() -> None:
    options = ["--rules", "bvs", "--deal-onto-empty", "--removal", "automatic"]
    rules = json.loads(run("show", "1", "--json", *options).stdout)["rules"]
    assert (rules["preset"], rules["deal_onto_empty"], rules["removal"]) == ("bvs", True, "automatic")
    assert not json.loads(run("show", "1", "--json", "--rules", "relaxed", "--strict").stdout)["rules"][
        "deal_onto_empty"
    ]


def test_options_from_the_environment() -> None:
    result = run("show", "1", "--json", env={"SPIDER_SHOW_SUITS": "2", "SPIDER_SHOW_RULES": "relaxed"})
    assert json.loads(result.stdout)["deal"]["suits"] == 2


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "kpatience:5"], "unknown scheme 'kpatience' in 'kpatience:5': choose one of pysolfc"),
        (["show", "0"], "'0' is out of range: pysolfc numbers go from 1 to 1"),
        (["show", "pysolfc:100000000000000000001"], "is out of range: pysolfc numbers go from 1 to 1"),
        (["show", "pysolfc:ms8589934592"], "is out of range: pysolfc numbers go from ms1 to ms8589934591"),
        (["show", "pysolfc:twelve"], "'twelve' is no pysolfc number: write digits"),
        (["show", "12345", "--suits", "3"], "pysolfc has no game of three suits: ask for 1, 2 or 4 suits"),
        (["show", "12345", "--suits", "5"], "Invalid value for '--suits'"),
        (["show", "12345", "--rules", "windows"], "Invalid value for '--rules': 'windows' is not one of 'standard'"),
        (["show", "12345", "--rules", "bicycle"], "dealt in layout spread, not in layout bicycle"),
        (["show", "12345", "--layout", "left"], "dealt in layout spread, not in layout left"),
        (["show"], "Missing argument 'DEAL'"),
        (["show", "1", "2"], "Got unexpected extra argument"),
        (["solv", "1"], "No such command 'solv'"),
        (["solve", "1", "--timeout", "0"], "Invalid value for '--timeout': 0 is not a positive number of seconds"),
        (["solve", "1", "--timeout", "-3"], "Invalid value for '--timeout': -3 is not a positive number"),
        (["solve", "1", "--timeout", "nan"], "Invalid value for '--timeout': nan is not a positive number"),
        (["solve", "1", "--timeout", "soon"], "Invalid value for '--timeout'"),
        (["solve", "1", "--improve", "0"], "Invalid value for '--improve': 0 is not a positive number of seconds"),
        (["solve", "1", "--memory", "0"], "Invalid value for '--memory'"),
        (["solve", "1", "--memory", "9"], "9 is not in the range x>=256"),
        (["solve", "1", "--seed", "-1"], "Invalid value for '--seed'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert message in error_of(result)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Try 'spider")


def test_digits_are_a_number_even_where_a_file_has_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "12345").write_text("no deal", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("show", "12345").exit_code == 0
    assert run("show", "./12345").exit_code == 1


def test_missing_file() -> None:
    assert "there is no file 'nowhere.txt', and it is no deal number: write" in error_of(run("show", "nowhere.txt"))


def test_folder_instead_of_a_file(tmp_path: Path) -> None:
    assert error_of(run("show", str(tmp_path))) == f"cannot read {str(tmp_path)!r}: Is a directory\n"


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "deal.bin"
    path.write_bytes(b"KS QS\xff\xfe")
    assert "is no text: byte 6 is not UTF-8" in error_of(run("show", str(path)))


def test_endless_file() -> None:
    assert "/dev/zero is too large to be a deal" in error_of(run("show", "/dev/zero"))


def test_empty_file(tmp_path: Path) -> None:
    assert "deal.txt is empty: a deal is one line a column" in error_of(run("show", write(tmp_path, "\n \n")))


def test_no_card(tmp_path: Path) -> None:
    name = write(tmp_path, text_of().replace("9C", "9X", 1))
    assert error_of(run("show", name)).startswith(f"{name}:3:26: '9X' is not a card: write rank")


def test_wrong_number_of_columns(tmp_path: Path) -> None:
    lines = text_of().splitlines()
    name = write(tmp_path, "\n".join(lines[:5] + lines[6:]))
    assert error_of(run("show", name)).startswith(f"{name}: 9 columns: the rules have 10")


def test_wrong_number_of_cards_and_a_card_missing(tmp_path: Path) -> None:
    name = write(tmp_path, text_of().replace(" KH\n", "\n", 1).replace("<4S>", "4S", 1))
    message = error_of(run("show", name))
    assert message.startswith(f"{name} is no game of standard (strict, automatic removal, 4 suits), layout spread:\n")
    assert "  103 cards make 103: the rules have 104\n" in message
    assert "  KH is missing 1 time (there is stock row 4 card 1)\n" in message


def test_a_card_too_many_is_named_with_its_places(tmp_path: Path) -> None:
    name = write(tmp_path, text_of().replace(" KH\n", " QC\n", 1))
    message = error_of(run("show", name))
    assert "QC is there 4 times" not in message
    assert "QC is there 3 times, 1 too many: column 2 card 5, " in message
    assert "KH is missing 1 time (there is " in message


def test_wrong_column_heights(tmp_path: Path) -> None:
    lines = text_of().splitlines()
    lines[2], lines[3] = lines[2].removeprefix("<6D> "), "<6D> " + lines[3]
    name = write(tmp_path, "\n".join(lines))
    assert "column 2 has 5 face-down cards: this layout starts it with 4" in error_of(run("show", name))


def test_layout_that_the_file_does_not_have(tmp_path: Path) -> None:
    name = write(tmp_path, text_of())
    message = error_of(run("show", name, "--layout", "left"))
    assert "layout left:" in message
    assert "column 7 has 5 face-down cards: this layout starts it with 4" in message


def test_suits_that_the_file_does_not_have(tmp_path: Path) -> None:
    name = write(tmp_path, text_of())
    result = run("show", name, "--suits", "2")
    assert "the cards are of 4 suits (C, D, H, S): the rules have 2" in error_of(result)
    assert result.exit_code == 1


def test_empty_standard_input() -> None:
    assert error_of(run("show", "-", input="")).startswith("standard input is empty: a deal is one line a column")


@pytest.mark.parametrize("command", ["show", "solve"])
def test_closed_standard_input(command: str) -> None:
    script = f"exec {sys.executable} -m solver {command} - <&-"
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "spider: error: standard input is closed: pipe a deal into it, or name a number or a file\n"
    )


def test_reader_that_stops_early() -> None:
    script = f"{sys.executable} -m solver show 12345 | true"
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_full_disk() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "solver", "show", "12345"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (1, "spider: error: No space left on device\n")


# ---- solve, with an answer made up ---------------------------------------------------------------


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let `solve` give the fields of this dictionary, and record what it was asked under ``asked``."""
    fields: dict[str, Any] = {
        "verdict": "win", "line": (), "reason": "", "moves": 154, "rows_dealt": 5, "runs_removed": 8,
        "expansions": 12_345, "children": 1, "seconds": 0.12345, "cpu_seconds": 0.1, "attempts": (), "asked": None,
    }  # fmt: skip

    def solve(start: Any, rules: Rules, budget: Any, **callbacks: Any) -> Any:
        fields["asked"] = (start, rules, budget, callbacks)
        if "raises" in fields:
            raise fields["raises"]
        if "warns" in fields:
            warnings.warn(fields["warns"], stacklevel=2)
        if callbacks["on_compile"] is not None:
            callbacks["on_compile"]()
        return search.Solution(rules=rules, **{k: v for k, v in fields.items() if k not in {"asked", "warns"}})

    monkeypatch.setattr(search, "solve", solve)
    return fields


@pytest.mark.parametrize(("verdict", "code"), [("win", 0), ("loss", 3), ("timeout", 4)])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_exit_code_of_each_verdict(verdict: str, code: int, form: list[str], answer: dict[str, Any]) -> None:
    answer.update(verdict=verdict)
    result = run("solve", "12345", *form)
    assert result.exit_code == code
    if form:
        assert json.loads(result.stdout)["verdict"] == verdict
    else:
        assert result.stdout.startswith(f"{verdict}: pysolfc:12345 ")


def test_win_in_words(answer: dict[str, Any]) -> None:
    answer.update(line=(parse_move("1-5x1"), DEAL))
    lines = run("solve", "12345").stdout.splitlines()
    assert lines[0] == ("win: pysolfc:12345 is won under standard (strict, automatic removal, 4 suits), layout spread")
    assert lines[1] == "154 tableau moves, 5 rows dealt, 8 runs removed"
    assert lines[2].startswith("   1  1-5x1    9C onto TD, turns up KC")
    assert lines[3].startswith("   2  deal ")
    assert lines[4] == "0.12 s (0.10 s of CPU time), 12,345 positions searched, 1 position made, 0 tries"


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let `improve` give the fields of this dictionary, and record what it was asked under ``asked``."""
    fields: dict[str, Any] = {"line": (DEAL,), "length_before": 34, "work": 5, "seconds": 1.2345}

    def made_up(start: Any, line: Any, rules: Rules, **options: Any) -> Improvement:
        fields["asked"] = options
        return Improvement(**{name: value for name, value in fields.items() if name != "asked"})

    monkeypatch.setattr(improve, "improve", made_up)
    return fields


def test_improvement_in_words(answer: dict[str, Any], shorter: dict[str, Any]) -> None:
    lines = run("solve", "12345", "--improve", "1.5", "--memory", "512").stdout.splitlines()
    assert (shorter["asked"]["seconds"], shorter["asked"]["memory"]) == (1.5, 512)
    assert lines[1] == "121 tableau moves, 5 rows dealt, 8 runs removed"
    assert lines[2] == "shortened from 154 tableau moves to 121 in 1.23 s more"
    assert lines[3].startswith("   1  deal ")
    shorter["length_before"] = 1
    lines = run("solve", "12345", "--improve", "1.5").stdout.splitlines()
    assert lines[2] == "no shorter line than 154 tableau moves was found in 1.23 s more"


def test_improvement_in_json(answer: dict[str, Any], shorter: dict[str, Any]) -> None:
    solved = json.loads(run("solve", "12345", "--json", "--improve", "2").stdout)
    assert list(solved) == [*SOLVE_FIELDS, "improvement"]
    assert (solved["moves"], solved["line"]) == (121, ["deal"])
    assert solved["improvement"] == {"moves_before": 154, "moves": 121, "work": 5, "seconds": 1.234}


def test_a_real_line_is_improved_and_verified() -> None:
    printed = run("solve", "12345", "--suits", "1", "--improve", "0.2").stdout
    assert re.match(r"(shortened from|no shorter line than) \d+ tableau moves? ", printed.splitlines()[2])
    moves = re.search(r"^(\d+) tableau moves, 5 rows dealt, 8 runs removed$", printed, re.MULTILINE)
    assert moves is not None
    checked = CliRunner().invoke(cli, ["verify", "12345", "-", "--suits", "1"], input=printed)
    assert checked.stdout.startswith("right: the line wins")
    assert f" {moves[1]} tableau moves" in checked.stdout


def test_what_is_not_won_is_not_improved(answer: dict[str, Any], shorter: dict[str, Any]) -> None:
    answer.update(verdict="timeout", reason="The time was spent.")
    assert "asked" not in shorter
    assert list(json.loads(run("solve", "1", "--json", "--improve", "2").stdout)) == SOLVE_FIELDS
    assert "asked" not in shorter


def test_timeout_does_not_mean_lost(answer: dict[str, Any]) -> None:
    answer.update(verdict="timeout", reason="The time was spent.")
    lines = run("solve", "1", "--timeout", "2.5").stdout.splitlines()
    assert lines[0].startswith("timeout: pysolfc:1 was not decided within 2.5 s, which does not mean lost, under ")
    assert lines[1] == "The time was spent."


def test_loss_says_why(answer: dict[str, Any]) -> None:
    answer.update(verdict="loss", reason="All 9 positions were searched.")
    lines = run("solve", "1", "--rules", "relaxed").stdout.splitlines()
    assert lines[0].startswith("loss: pysolfc:1 cannot be won under relaxed (deal onto empty columns, ")
    assert lines[1] == "All 9 positions were searched."


def test_json_of_solve(answer: dict[str, Any]) -> None:
    answer.update(line=(parse_move("5-8x3"), DEAL, parse_move("take 4")))
    solved = json.loads(run("solve", "12,345", "--json", "--rules", "bvs").stdout)
    assert list(solved) == SOLVE_FIELDS
    assert solved["schema"] == 1
    assert solved["deal"] == {"id": "12,345", "suits": 4}
    assert solved["rules"]["preset"] == "bvs"
    assert solved["rules"]["removal"] == "optional"
    assert solved["line"] == ["5-8x3", "deal", "take 4"]
    assert (solved["moves"], solved["rows_dealt"], solved["runs_removed"]) == (154, 5, 8)
    assert solved["version"] == __version__


def test_options_reach_the_search(answer: dict[str, Any]) -> None:
    run("solve", "7", "--suits", "2", "--timeout", "3", "--memory", "640", "--seed", "9", "--rules", "relaxed")
    start, rules, budget, _ = answer["asked"]
    assert start == deal_from_id("7", 2)
    assert rules == make_rules("relaxed", suits=2)
    assert (budget.seconds, budget.memory, budget.seed) == (3.0, 640, 9)


def test_compiling_is_said_once_on_stderr(answer: dict[str, Any]) -> None:
    loud, quiet = run("solve", "1"), run("solve", "1", "--quiet")
    assert loud.stderr == "spider: compiling the search kernels (first run only) ...\n"
    assert quiet.stderr == ""
    assert loud.stdout == quiet.stdout


@pytest.mark.filterwarnings("default")
def test_warning_is_one_line(answer: dict[str, Any]) -> None:
    answer.update(warns="the cache folder cannot be written")
    assert run("solve", "1", "--quiet").stderr == "spider: warning: the cache folder cannot be written\n"


def test_interrupted(answer: dict[str, Any]) -> None:
    answer.update(raises=KeyboardInterrupt())
    result = run("solve", "1")
    assert (result.exit_code, result.stdout, result.stderr.strip()) == (130, "", "spider: interrupted")


def test_out_of_memory(answer: dict[str, Any]) -> None:
    answer.update(raises=MemoryError())
    assert "out of memory: give less than --memory 777" in error_of(run("solve", "1", "--memory", "777"))


def test_no_colour(answer: dict[str, Any]) -> None:
    coloured = run("solve", "1", color=True, env={"NO_COLOR": ""}).stdout
    plain = run("solve", "1", color=True, env={"NO_COLOR": "1"}).stdout
    assert coloured.startswith("\x1b[32m\x1b[1mwin\x1b[0m: ")
    assert plain.startswith("win: ")


# ---- solve, for real -----------------------------------------------------------------------------


def test_solve_wins_from_number_and_text_alike() -> None:
    by_number = spider("solve", "12345", "--json", "--suits", "1")
    by_text = spider("solve", "-", "--json", input=text_of(suits=1))
    assert by_number.returncode == by_text.returncode == 0
    first, second = json.loads(by_number.stdout), json.loads(by_text.stdout)
    assert first["verdict"] == "win"
    assert first["line"] == second["line"]
    assert first["line"].count("deal") == first["rows_dealt"] == 5


def test_a_lost_game_says_why() -> None:
    # Nine cards on the table cannot fill ten columns, so the three rows that are left stay in the stock.
    ranks = "A23456789TJQK" * 3
    columns = "".join(f"{rank}S\n" for rank in ranks[:9]) + "--\n"
    rows = "".join("deal: " + " ".join(f"{rank}S" for rank in ranks[at : at + 10]) + "\n" for at in (9, 19, 29))
    text = columns + rows + "completed: S S S S S\n"
    result = run("solve", "-", input=text)
    assert result.exit_code == 3
    assert result.stdout.startswith(
        "loss: standard input cannot be won under standard (strict, automatic removal, 1 suit)"
    )
    assert "nine cards cannot fill ten columns" in result.stdout
    lost = json.loads(run("solve", "-", "--json", input=text).stdout)
    assert (lost["verdict"], lost["line"]) == ("loss", [])


def test_json_with_progress_on() -> None:
    # A terminal on stderr turns progress on; stdout must still be one JSON object.
    terminal, stderr = pty.openpty()
    command = [sys.executable, "-m", "solver", "solve", "10957", "--json", "--timeout", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        os.close(stderr)
        shown = _read_until(terminal, b"best: ", 60) + _drain(terminal, process)
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["verdict"] == "timeout"
    os.close(terminal)
    assert b"best: " in shown
    assert process.returncode == 4


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_within_a_second() -> None:
    terminal, stderr = pty.openpty()
    command = [sys.executable, "-m", "solver", "solve", "10957", "--timeout", "100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        os.close(stderr)
        _read_until(terminal, b"best: ", 60)
        process.send_signal(signal.SIGINT)
        asked = time.monotonic()
        shown = _drain(terminal, process)
        took = time.monotonic() - asked
        assert process.stdout is not None
        assert process.stdout.read() == ""
    os.close(terminal)
    assert process.returncode == 130
    assert b"spider: interrupted" in shown
    assert b"Traceback" not in shown
    assert took < 1


@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0])
def test_ctrl_c_while_the_kernels_are_compiled(delay: float, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "solver", "solve", "1"]
    environment = os.environ | {"SPIDER_CACHE_DIR": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stderr is not None
        assert "compiling" in process.stderr.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        asked = time.monotonic()
        stdout, stderr = process.communicate()
        took = time.monotonic() - asked
    assert process.returncode == 130
    assert (stdout, stderr.strip()) == ("", "spider: interrupted")
    assert took < 1


def test_cache_folder_that_cannot_be_written(tmp_path: Path) -> None:
    # A folder below a file cannot be made, not even by root.
    blocker = tmp_path / "file"
    blocker.touch()
    environment = os.environ | {"SPIDER_CACHE_DIR": str(blocker / "cache")}
    result = spider("solve", "12345", "--suits", "1", "--json", env=environment)
    assert result.returncode == 0
    assert json.loads(result.stdout)["verdict"] == "win"
    messages = [line for line in result.stderr.splitlines() if "compiling" not in line]
    assert len(messages) == 1
    assert messages[0].startswith("spider: warning: ")
    assert str(blocker) in messages[0]


def _read_until(terminal: int, expected: bytes, seconds: float) -> bytes:
    """Return what a terminal shows until it shows the bytes."""
    shown = b""
    deadline = time.monotonic() + seconds
    while expected not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"{expected!r} was not shown within {seconds} s: {shown!r}"
        shown += os.read(terminal, 4096)
    return shown


def _drain(terminal: int, process: subprocess.Popen[str]) -> bytes:
    """Return what a terminal shows until the process has ended."""
    shown = b""
    while True:
        ended = process.poll() is not None
        ready, _, _ = select.select([terminal], [], [], 0.02)
        if ready:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # Linux reports so that the other side is closed
                ready = []
        if ended and not ready:
            return shown
