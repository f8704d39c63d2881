"""The README keeps its word: its commands, its Python example and its tables hold."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from solver.cli import EPILOG, cli
from solver.notation import describe_line, parse_line, parse_position
from solver.numbering import deal_from_id
from solver.referee import replay
from solver.rules import LAYOUTS, PRESETS, make_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def table_after(heading: str) -> list[list[str]]:
    """Return the cells of the first table of a section, without its head, code marks removed."""
    section = README.partition(f"\n## {heading}\n")[2]
    table = section[section.index("\n|") + 1 :].partition("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()[2:]]
    return [[cell.strip().replace("`", "") for cell in row] for row in rows]


def test_opens_with_the_two_commands() -> None:
    solve, tests = blocks("sh")[:2]
    assert README.index(solve) < README.index(tests) < README.index("\n## ")
    assert solve.strip().endswith(".venv/bin/pip install . && .venv/bin/spider solve 12345")
    assert tests.strip().endswith(".venv/bin/pip install . --group tests && .venv/bin/python -m pytest")
    assert all(len(command.strip().splitlines()) == 1 for command in (solve, tests))


def test_the_commands_name_what_the_project_has() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "tests" in project["dependency-groups"]
    assert project["project"]["scripts"] == {"spider": "solver.cli:main"}
    assert f"Python {project['project']['requires-python'].removeprefix('>=')} or newer" in README
    assert project["project"]["name"] == README.splitlines()[0].removeprefix("# ")


def test_python_example_runs() -> None:
    (example,) = blocks("python")
    out = io.StringIO()
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(out):
        exec(compile(example, "README.md", "exec"), names)
    counts, line = out.getvalue().splitlines()
    assert re.fullmatch(r"\d+ moves, 5 rows dealt, 8 runs removed", counts)
    assert replay(names["deal"], parse_line(line), names["rules"]).is_won


def test_sample_of_show_is_what_show_prints() -> None:
    (sample,) = [block for block in blocks("console") if block.startswith("$ spider show 12345\n")]
    printed = sample.partition("\n")[2]
    assert CliRunner().invoke(cli, ["show", "12345"]).stdout == printed
    assert parse_position(printed, make_rules()) == deal_from_id("12345").position()


def test_sample_of_solve_is_a_line_that_wins_or_was() -> None:
    """The search may find another line by now; what the sample shows must still be legal, and look like the output."""
    (sample,) = [block for block in blocks("console") if block.startswith("$ spider solve 12345\n")]
    shown = sample.splitlines()[1:]
    printed = CliRunner().invoke(cli, ["solve", "12345"]).stdout.splitlines()
    assert shown[0] == printed[0]
    assert shown[2 : shown.index("...")] == sample_steps(shown[: shown.index("...")])
    for index in (1, -1):
        pattern = re.sub(r"[\d,.]+", lambda _: r"[\d,.]+", re.escape(shown[index]).replace(r"\.", "."))
        assert re.fullmatch(pattern.replace("try", "tr(y|ies)"), printed[index])


def sample_steps(shown: list[str]) -> list[str]:
    """Return the numbered steps of a sample as the program describes their moves."""
    line = parse_line(" ".join(re.split(r"  +", step.strip())[1] for step in shown[2:]))
    steps = describe_line(deal_from_id("12345"), line, make_rules())
    return [f"{number:>4}  {step}" for number, step in enumerate(steps, start=1)]


def test_exit_codes_are_those_of_the_help() -> None:
    in_help = re.findall(r"^  (\d+) +(.+)$", EPILOG, re.MULTILINE)
    assert table_after("Exit codes") == [[code, meaning] for code, meaning in in_help]


def test_presets_are_those_there_are() -> None:
    rows = {preset: (onto_empty, leave, layout) for preset, onto_empty, leave, layout, _ in table_after("Rules")}
    assert list(rows) == list(PRESETS)
    for name, rules in PRESETS.items():
        onto_empty, leave, layout = rows[name]
        assert (onto_empty == "yes") == rules.deal_onto_empty
        assert (leave == "at once") == (rules.removal == "automatic")
        assert any(LAYOUTS[word] == rules.heights for word in layout.split(" or "))


@pytest.mark.parametrize(("name", "section"), [("solve", "Solve a deal"), ("batch", "How often it can be won")])
def test_every_option_is_listed(name: str, section: str) -> None:
    context = cli.make_context("spider", ["--version"], resilient_parsing=True)
    command = cli.get_command(context, name)
    assert command is not None
    listed = set(re.findall(r"--[a-z-]+", " ".join(row[0] for row in table_after(section))))
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert listed == options - {"deal"}


def test_sample_of_hint_is_in_the_words_of_hint() -> None:
    """Which move it is may change with the search, so only the words are compared."""
    (sample,) = [block for block in blocks("console") if block.startswith("$ spider hint 12345\n")]
    printed = CliRunner().invoke(cli, ["hint", "12345", "--no-plan", "--samples", "2"]).stdout
    for lines in (sample.splitlines()[1:], printed.splitlines()):
        move, why, standing = lines
        assert re.match(r"play (deal|\d+-\d+x\d+): .* onto ", move)
        assert re.match(r"why: .*begins a plan of \d+ move", why)
        assert re.match(r"open: won for \d+ of \d+ arrangements? of the 94 cards not seen, drawn at random", standing)
