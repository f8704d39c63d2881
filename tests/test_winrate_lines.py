"""Compact lines and files of them: what is written reads back, and nothing else is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.move import DEAL, Line, tableau_move, take
from solver.rules import PRESETS, make_rules
from solver.winrate.lines import (
    LineFileError,
    is_line_file,
    pack_line,
    read_lines,
    rules_from_dict,
    unpack_line,
    write_lines,
)

columns = st.integers(0, 9)
moves = st.one_of(
    st.just(DEAL), st.builds(take, columns), st.builds(tableau_move, columns, columns, st.integers(1, 13))
)


@given(st.lists(moves, max_size=300).map(tuple))
def test_what_is_packed_unpacks(line: Line) -> None:
    assert unpack_line(pack_line(line)) == line


def test_the_form_is_that_of_the_documentation() -> None:
    line = (tableau_move(4, 7, 1), tableau_move(4, 7, 3), DEAL, take(3), tableau_move(9, 0, 13))
    assert pack_line(line) == "5858c.!401m"


@pytest.mark.parametrize("text", ["5", "58n", "58a", "x", "!", "!x", "58 58", "c58"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(LineFileError, match="is no compact move"):
        unpack_line(text)


@pytest.mark.parametrize("name", ["lines.txt", "lines.txt.xz"])
def test_a_file_reads_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    entries = (("ms1", "58."), ("ms2", "!4"))
    rules = make_rules("bvs", suits=2)
    write_lines(path, "pysolfc", rules, entries)
    first = path.read_bytes()
    write_lines(path, "pysolfc", rules, entries)
    assert path.read_bytes() == first
    assert is_line_file(path)
    file = read_lines(path)
    assert (file.scheme, file.rules, file.lines) == ("pysolfc", rules, entries)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# spider lines 1\n",
        b"# spider lines 2\n# {}\n",
        b"# spider lines 1\n# {}\nms1 58\n",
        b'# spider lines 1\n# {"scheme": "pysolfc", "rules": {"suits": 9}}\n',
        b"\xfd7zXZ\0 cut off",
    ],
    ids=["empty", "head alone", "other version", "no rules", "impossible rules", "torn"],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(data)
    with pytest.raises(LineFileError, match="no file of lines"):
        read_lines(path)


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_read_back(preset: str) -> None:
    rules = make_rules(preset, suits=2)
    assert rules_from_dict(rules.as_dict()) == rules
