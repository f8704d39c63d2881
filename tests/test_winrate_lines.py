"""Compact lines and files of them: what is written reads back, and nothing else is read."""

from __future__ import annotations

import lzma
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.move import DEAL, Line, Move, tableau_move, take
from solver.notation import format_line
from solver.numbering import deal_from_id
from solver.referee import apply, legal_moves
from solver.rules import PRESETS, make_rules
from solver.winrate import lines
from solver.winrate.lines import (
    LineFileError,
    is_line_file,
    pack_line,
    pack_places,
    read_lines,
    rules_from_dict,
    unpack_line,
    unpack_places,
    write_lines,
)

PUBLISHED = '!"!%("$!!(,*\'&6"'
PUBLISHED_MOVES = "2-4x1 2-4x1 1-4x1 4-7x4 9-7x1 2-1x1 3-1x1 1-5x3 1-2x1 7-1x6 7-3x1 7-1x1 2-4x2 2-1x1 5-1x4 1-7x1"
"""The first moves of a line, in places and as moves."""

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


# ---- places --------------------------------------------------------------------------------------


@given(st.integers(1, 31_000), st.sampled_from(["standard", "bvs"]), st.integers(0, 2**32))
def test_places_name_the_moves_of_any_game(number: int, preset: str, seed: int) -> None:
    deal, rules, choose = deal_from_id(str(number)), make_rules(preset), random.Random(seed)
    position = deal.position()
    line: list[Move] = []
    while len(line) < 60 and (legal := legal_moves(position, rules)):
        line.append(choose.choice(legal))
        position = apply(position, line[-1], rules)
    text = pack_places(deal, line, rules)
    assert unpack_places(deal, text, rules) == tuple(line)
    assert len(text) == len(line)


def test_places_have_two_digits_where_there_are_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    deal, rules = deal_from_id("1"), make_rules()
    (move, *_) = legal_moves(deal.position(), rules)
    monkeypatch.setattr(lines, "legal_moves", lambda *_: [DEAL] * 200 + [move])
    text = pack_places(deal, [move], rules)
    assert text == "~#5"
    assert unpack_places(deal, text, rules) == (move,)


def test_places_are_those_of_published_files() -> None:
    # The order of the legal moves is part of the format: published files depend on it.
    deal, rules = deal_from_id("pysolfc:ms1", 1), make_rules(suits=1)
    assert format_line(unpack_places(deal, PUBLISHED, rules)) == PUBLISHED_MOVES


@pytest.mark.parametrize("text", ["z", "~", "~!", "~!~", " ", "\x7f"])
def test_places_of_no_move_are_refused(text: str) -> None:
    with pytest.raises(LineFileError, match=r"is number \d+ of \d+ legal moves|is no digit of a place"):
        unpack_places(deal_from_id("1"), text, make_rules())


# ---- files ---------------------------------------------------------------------------------------


def test_a_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt.xz"
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
    "text",
    [
        "",
        "# spider lines 1\n",
        "# spider lines 2\n# {}\n",
        "# spider lines 1\n# {}\nms1 58\n",
        '# spider lines 1\n# {"scheme": "pysolfc", "rules": {"suits": 9}}\n',
        '# spider lines 1\n# {"scheme": "pysolfc", "rules": {"suits": 4}}\nms1\n',
    ],
    ids=["empty", "head alone", "other version", "no rules", "impossible rules", "no line"],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lines.txt.xz"
    path.write_bytes(lzma.compress(text.encode()))
    assert is_line_file(path)
    with pytest.raises(LineFileError, match="no file of lines"):
        read_lines(path)


def test_a_torn_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt.xz"
    write_lines(path, "pysolfc", make_rules(), [("ms1", "58")])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LineFileError, match="cut off"):
        read_lines(path)


def test_a_file_that_is_not_there_is_no_file_of_lines(tmp_path: Path) -> None:
    assert not is_line_file(tmp_path / "missing")


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_read_back(preset: str) -> None:
    rules = make_rules(preset, suits=2)
    assert rules_from_dict(rules.as_dict()) == rules
