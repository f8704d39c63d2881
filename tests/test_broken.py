"""Broken inputs: every mistake yields one clear message of its own, before any search.

``data/broken`` holds the files, ``data/broken_messages.txt`` what is said of each, with FILE for its name.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver import search
from solver.cli import cli

DATA = Path(__file__).parent / "data"
MESSAGES: dict[str, str] = dict(
    re.findall(
        r"^== (.+)\n((?:(?!== ).*\n)+)", (DATA / "broken_messages.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
)
OPTIONS = {"two-suits.txt": ["--suits", "4"]}


@pytest.fixture(autouse=True)
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        pytest.fail("a broken input was searched")

    monkeypatch.setattr(search, "solve", refuse)


def test_every_file_has_its_message_and_there_are_forty() -> None:
    assert set(MESSAGES) == {path.name for path in (DATA / "broken").iterdir()}
    assert len(MESSAGES) >= 40
    reasons = {
        message.partition("\n")[0] if "is no game of" not in message else message for message in MESSAGES.values()
    }
    assert len(reasons) >= 40


@pytest.mark.parametrize("name", MESSAGES)
def test_a_broken_file_is_refused_with_its_message(name: str) -> None:
    path = str(DATA / "broken" / name)
    result = CliRunner().invoke(cli, ["solve", path, *OPTIONS.get(name, [])])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "spider: error: " + MESSAGES[name].replace("FILE", path)
