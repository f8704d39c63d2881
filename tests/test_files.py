"""Save files: each reader gives back what was saved, and refuses the rest with a place and a reason."""

from __future__ import annotations

import json
import pickle
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import saves
from games import any_games, late, played
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import random_playout

from solver.files import FORMATS, FileError, kpat, native, pso, read_save, solvitaire, windows7, windowsxp
from solver.files.common import SavedGame
from solver.notation import format_position
from solver.numbering import deal_from_id
from solver.partial import UNKNOWN, PartialPosition, fill, partial_of
from solver.position import Position, check_position
from solver.rules import LAYOUTS, Rules, make_rules
from solver.show.board import board_json
from solver.show.formats import WRITERS
from solver.start import (
    MAX_TEXT,
    InputChoice,
    PartialStart,
    RulesChoice,
    Start,
    StartError,
    recoloured,
    start_from_data,
)
from solver.words import NotationError

DATA = Path(__file__).parent / "data"
MS = 2**1000


def game_in_play(scheme: str, number: int, suits: int, moves: int) -> list[Position]:
    """Return the positions of some random moves from a deal."""
    deal = deal_from_id(f"{scheme}:{number}", suits)
    rules = make_rules(suits=suits, heights=tuple(map(len, deal.columns)))
    start = deal.position()
    rng = random.Random(number)
    return [start, *(position for position, _ in random_playout(start, rules, rng, moves))][:1] + [
        position for position, _ in random_playout(start, rules, rng, moves)
    ]


def plain(saved: SavedGame, suits: int) -> Position:
    """Return the present position of a save, its completed runs deduced."""
    position = fill(saved.current, make_rules(suits=suits)).position
    assert position is not None
    return position


# ---- real saves ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "original", "deal"),
    [
        ("pysolfc_11_12345.pso", pso.FORMAT, "pysolfc:ms12345", "pysolfc:12345"),
        ("kpat_4suit_42.kpat.xml", kpat.FORMAT, "kpat:42", "kpat:42"),
    ],
)
def test_real_saves_hold_the_deal_of_their_number(name: str, kind: str, original: str, deal: str) -> None:
    saved = read_save((DATA / "deals" / name).read_bytes(), name)
    assert saved is not None
    assert (saved.format, saved.suits, saved.notes) == (kind, 4, ())
    assert saved.original is not None
    assert saved.original.id == original
    expected = deal_from_id(deal)
    assert saved.original.position() == expected.position() == plain(saved, 4)


def test_a_real_save_in_play_shows_what_the_screen_showed() -> None:
    """Saved by KPat 22.12.3 after fourteen moves, two rows dealt and one move taken back, which the file still has."""
    saved = kpat.read((DATA / "deals" / "kpat_4suit_42_in_play.kpat.xml").read_bytes(), "save")
    assert saved.original == deal_from_id("kpat:42")
    text = format_position(plain(saved, 4)).splitlines()
    ends = [" ".join(word for word in line.split() if "<" not in word) for line in text[:10]]
    assert ends == [
        "AC", "9S 5D 4C 3S", "8D 7S", "4H TC", "3C KD", "JH 4S 3H", "2D KH JS TD 9H", "2C TC QC", "6S 7C 2S AC",
        "KS TD 5D 4S",
    ]  # fmt: skip
    assert len(saved.current.rows) == 3
    assert saved.current.rows[0] == deal_from_id("kpat:42").rows[2]


def test_a_save_of_kpat_says_that_the_program_deals_onto_empty_columns() -> None:
    data = (DATA / "deals" / "kpat_4suit_42.kpat.xml").read_bytes()
    strict = start_from_data(data, "save", RulesChoice())
    assert isinstance(strict, Start)
    assert "ask for --rules relaxed" in strict.advice[0]
    for choice in (RulesChoice("relaxed"), RulesChoice(deal_onto_empty=True), RulesChoice(deal_onto_empty=False)):
        start = start_from_data(data, "save", choice)
        assert isinstance(start, Start)
        assert start.advice == ()


# ---- saves of games in play ----------------------------------------------------------------------


@pytest.mark.parametrize(("game", "suits"), sorted(pso.GAMES.items()))
@pytest.mark.parametrize("protocol", [1, 2, 4, 5])
def test_pysolfc_in_play(game: int, suits: int, protocol: int) -> None:
    for ms, number in ((True, 7), (False, 40_000)):
        position = game_in_play("pysolfc", number, suits, 30)[-1]
        seed = number + MS * ms
        saved = pso.read(saves.pysolfc_save(position, seed, game=game, suits=suits, protocol=protocol), "save")
        assert plain(saved, suits) == position
        assert saved.original is not None
        assert saved.original.position() == deal_from_id(f"pysolfc:{'ms' if ms else ''}{number}", suits).position()
        assert saved.rules == ("relaxed" if game == 10 else "standard")


@pytest.mark.parametrize("suits", [1, 2, 3, 4])
def test_kpat_in_play(suits: int) -> None:
    game = game_in_play("kpat", 42, suits, 30)
    for current in (0, 7, len(game) - 1):
        data = saves.kpat_save(game, 42, suits, current)
        saved = kpat.read(data, "save")
        assert plain(saved, suits) == game[current]
        assert saved.original is not None
        assert saved.original.position() == game[0]
        assert saved.rules == "relaxed"
    old = kpat.read(saves.kpat_old_save(game[-1], 42, suits), "save")
    assert plain(old, suits) == game[-1]
    assert old.original == deal_from_id("kpat:42", suits)


def test_windows7_in_play() -> None:
    game = game_in_play("windows7", 8115, 4, 30)
    saved = windows7.read(saves.windows7_save(game[-1], 8115), "save")
    assert plain(saved, 4) == game[-1]
    assert saved.original == deal_from_id("windows7:8115")


def test_windows7_of_two_suits_has_no_known_deal() -> None:
    position = game_in_play("windowsxp", 5, 2, 10)[-1]
    saved = windows7.read(saves.windows7_save(position, 5), "save")
    assert (saved.suits, saved.original) == (2, None)
    assert plain(saved, 2) == position
    with pytest.raises(StartError, match="save does not tell its deal: the deal of this save is not known"):
        start_from_data(saves.windows7_save(position, 5), "save", RulesChoice(), InputChoice("original"))


def test_the_windows_case_is_the_save_it_came_from() -> None:
    # The position of the case file was read off a real save; built into a save again it names the same deal.
    start = start_from_data(
        (DATA / "cases" / "win7-save-seed2747804-after-deal1.txt").read_bytes(), "case", RulesChoice()
    )
    assert isinstance(start, Start)
    saved = windows7.read(saves.windows7_save(start.position, 2747804), "save")
    assert plain(saved, 4) == start.position
    assert saved.original is not None
    assert saved.original.id == "windows7:2747804"


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_windowsxp_in_play(suits: int) -> None:
    position = game_in_play("windowsxp", 12345, suits, 30)[-1]
    numbers = saves.windowsxp_numbers(position, 12345, suits)
    saved = windowsxp.read(saves.pack_numbers(numbers), "save")
    assert plain(saved, suits) == position
    assert saved.original == deal_from_id("windowsxp:12345", suits)
    assert windowsxp.recognises(saves.pack_numbers(numbers))
    if suits == 4:
        older = windowsxp.read(saves.pack_numbers(numbers[1:]), "save")
        assert older.current == saved.current


@given(late())
@settings(max_examples=30)
def test_saves_of_late_games(drawn: tuple[Position, Rules]) -> None:
    position, rules = drawn
    assert plain(windows7.read(saves.windows7_save(position, 1), "save"), rules.suits) == position
    assert plain(kpat.read(saves.kpat_old_save(position, 1, rules.suits), "save"), rules.suits) == position
    assert plain(kpat.read(saves.kpat_save([position], 1, rules.suits, 0), "save"), rules.suits) == position
    if rules.suits in (2, 4):
        # PySolFC's two suits are others than those drawn.
        four = recoloured(position, 1) if rules.suits == 2 else position
        suits = 4 if rules.suits == 4 else 1
        if suits == 4:
            assert plain(pso.read(saves.pysolfc_save(four, 5), "save"), suits) == four


# ---- what is recognised --------------------------------------------------------------------------


def test_formats_are_recognised_by_content() -> None:
    position = game_in_play("kpat", 1, 4, 5)[-1]
    start = Start("x", position, make_rules(heights=LAYOUTS["left"]))
    samples = {
        windows7.FORMAT: saves.windows7_save(position, 1),
        pso.FORMAT: saves.pysolfc_save(position, MS + 1),
        kpat.FORMAT: saves.kpat_save([position], 1, 4, 0),
        solvitaire.FORMAT: solvitaire.write(position, make_rules()).encode(),
        native.FORMAT: WRITERS["json"](start).encode(),
        windowsxp.FORMAT: saves.pack_numbers(saves.windowsxp_numbers(deal_from_id("windowsxp:3").position(), 3, 4)),
    }
    assert set(samples) == set(FORMATS)
    for name, data in samples.items():
        saved = read_save(data, "save")
        assert saved is not None
        assert saved.format == name
    assert read_save(format_position(position).encode(), "text") is None
    assert read_save(b"", "text") is None


# ---- nothing is run, nothing expanded ------------------------------------------------------------


class Trap:
    """Unpickled it would write a file."""

    path = ""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (Trap.path, "w")


def test_a_pickle_that_calls_is_not_followed(tmp_path: Path) -> None:
    Trap.path = str(tmp_path / "trapped")
    # Where a value is needed the file is refused; in the generator's state, which is passed over, nothing happens.
    head = [pickle.dumps(value, 4) for value in ("PySolFC", "3.6.1", (3, 6, 1), 0, 1)]
    for index in range(len(head)):
        data = b"".join([*head[:index], pickle.dumps(Trap(), 4)])
        with pytest.raises(FileError, match=r"nothing is executed|ends in the middle"):
            pso.read(data, "save")
    whole = saves.pysolfc_save(deal_from_id("pysolfc:ms5").position(), MS + 5, protocol=4)
    state = pickle.dumps((12345, 0), 4)
    assert whole.count(state) == 1
    assert pso.read(whole.replace(state, pickle.dumps(Trap(), 4)), "save") == pso.read(whole, "save")
    assert not (tmp_path / "trapped").exists()


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(10))


@pytest.mark.parametrize(
    "doctype",
    [
        f"<!DOCTYPE kpat-game [{LAUGHS}]>",
        '<!DOCTYPE kpat-game [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE kpat-game SYSTEM "http://localhost/kpat.dtd">',
        "<!DOCTYPE kpat-game>",
    ],
    ids=["laughs", "external-entity", "external-type", "type"],
)
def test_document_types_are_refused(doctype: str) -> None:
    data = saves.kpat_save([deal_from_id("kpat:1").position()], 1, 4, 0).decode()
    entity = "&a9;" if "a9" in doctype else "&x;" if "ENTITY x" in doctype else ""
    data = data.replace("<kpat-game", doctype + "<kpat-game", 1).replace("<state", f"{entity}<state", 1)
    with pytest.raises(FileError, match="a document type: KPat writes none, and entities are not read"):
        kpat.read(data.encode(), "save")
    xml = saves.windows7_xml(deal_from_id("windows7:1").position(), 1)
    with pytest.raises(FileError, match="a document type in its XML"):
        windows7.read(saves.windows7_file(xml.replace("<Root>", doctype + "<Root>")), "save")


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x05\x8c\x07PySolFC.\x80\x05\x8e" + (2**62).to_bytes(8, "little"),
        b"\x80\x05\x8c\x07PySolFC.\x8b" + (2**31 - 1).to_bytes(4, "little") + b"1",
        b"\x80\x05\x8c\x07PySolFC." + b"(" * 1_000_000,
        b"\x80\x05\x8c\x07PySolFC.r" + b"\xff" * 4 + b"K\x01.",
        b"S'PySolFC'\n." * 100_000,
        b'{"tableau piles": ' + b"[" * 60_000,
        b'{"tableau piles": ' + b"9" * 60_000 + b"}",
        b'{"columns": ' + b'[{"card":' * 6_000,
        b"<kpat-game game-type='spider'>" + b"<state>" * 100_000,
        b"<kpat-game game-type='spider'>" + b"<state/>" * 200_000,
        b"<kpat-game game-type='spider' x='" + b"y" * 5_000_000 + b"'",
        b"RGMH" + b"\xff" * 100,
        saves.windows7_file("<Root>" * 20_000),
        b"\x04\x00\x00\x00" * 100,
        *(
            (pattern * MAX_TEXT)[: MAX_TEXT - len(end)] + end
            for pattern, end in [
                (b" ", b"x"),
                (b"9H", b""),
                (b"9H ", b""),
                (b"<", b""),
                (b"< a", b""),
                (b"a", b""),
                (b"1", b":"),
                (b"-", b""),
                (b"| ", b""),
                (b"|9H", b"|"),
                (b"x:\n", b""),
                (b"deal:\n", b""),
                (b"deal: 9H\n", b""),
                (b"\n", b"9H"),
                (b"9H\n", b""),
                (b"?\n", b""),
                (b"9H,,", b""),
                (b"1:\n", b""),
                (b"row 1: 9H\n", b""),
            ]
        ),
    ],
    ids=lambda data: repr(data[:24]),
)
def test_bombs_are_refused_in_little_time_and_memory(data: bytes) -> None:
    begun = time.process_time()
    with pytest.raises((FileError, StartError, NotationError)) as caught:
        start_from_data(data, "bomb", RulesChoice())
    assert time.process_time() - begun < 5  # a second on a busy machine; what is meant is seconds, not minutes
    assert len(str(caught.value)) < 4_000
    tracemalloc.start()
    try:
        with pytest.raises((FileError, StartError, NotationError)):
            start_from_data(data, "bomb", RulesChoice(), InputChoice(loose=True))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 << 20


# ---- any bytes -----------------------------------------------------------------------------------

READERS = [windows7, pso, kpat, solvitaire, native, windowsxp]


def sample(reader: object) -> bytes:
    position = deal_from_id("kpat:3").position()
    if reader is windows7:
        return saves.windows7_save(position, 3)
    if reader is pso:
        return saves.pysolfc_save(position, MS + 3)
    if reader is kpat:
        return saves.kpat_old_save(position, 3, 4)
    if reader is solvitaire:
        return solvitaire.write(position, make_rules()).encode()
    if reader is native:
        return json.dumps(board_json(Start("x", position, make_rules(heights=LAYOUTS["left"])))).encode()
    return saves.pack_numbers(saves.windowsxp_numbers(deal_from_id("windowsxp:3").position(), 3, 4))


SAMPLES = {reader.__name__.rpartition(".")[2]: (reader, sample(reader)) for reader in READERS}


@contextmanager
def own_errors(messages: list[str]) -> Iterator[None]:
    """Let the package's own errors for bad input pass, and note what they say; all others are failures."""
    try:
        yield
    except (FileError, NotationError, StartError) as error:
        messages.append(str(error))


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Draw a file with some bytes changed, cut out, doubled or put in."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        data = data[:start] + draw(st.one_of(st.binary(max_size=12), st.just(data[start:end] * 2))) + data[end:]
    return data


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
@settings(max_examples=150)
def test_any_bytes_are_a_game_or_an_error_of_the_package(name: str, data: st.DataObject) -> None:
    reader, whole = SAMPLES[name]
    bytes_ = data.draw(
        st.one_of(damaged(whole), st.binary(max_size=400), st.binary(max_size=40).map(whole[:20].__add__))
    )
    messages: list[str] = []
    with own_errors(messages):
        format_position(reader.read(bytes_, "file").current)
    assert all(message.startswith("file: ") and len(message) < 500 for message in messages)
    for choice in (InputChoice(), InputChoice(loose=True), InputChoice(recolour=1)):
        with own_errors(messages):
            start_from_data(bytes_, "file", RulesChoice(), choice)


@given(st.text(alphabet="A23456789TJQKCDHSXx?-<>()[]|#:;.,0 1\n♠♥ТКДВ", max_size=300))
@example("deal:\n" * 50)
@example("|" * 200)
@example("- " * 200)
@example("1: 2: 3:\n")
@settings(max_examples=300)
def test_any_text_is_a_game_or_an_error_of_the_package(text: str) -> None:
    for choice in (InputChoice(), InputChoice(loose=True, stock_from="end"), InputChoice(as_dealt=True, recolour=1)):
        with own_errors([]):
            start_from_data(text.encode(), "text", RulesChoice(), choice)


def test_what_broke_a_reader_once_breaks_it_no_more() -> None:
    for path in sorted((DATA / "fuzz").glob("*/*")):
        reader = SAMPLES.get(path.parent.name)
        for choice in (InputChoice(), InputChoice(loose=True)):
            with own_errors([]):
                start_from_data(path.read_bytes(), path.name, RulesChoice(), choice)
        with own_errors([]):
            if reader is not None:
                reader[0].read(path.read_bytes(), path.name)


# ---- formats that are written --------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITERS)
@given(drawn=any_games())
@settings(max_examples=60)
def test_what_is_written_reads_back(name: str, drawn: tuple[Position, Rules]) -> None:
    position, rules = drawn
    written = WRITERS[name](Start("a game", position, rules))
    choice = RulesChoice(suits=rules.suits, layout="bicycle" if len(rules.rows) == 6 else None)
    read = start_from_data(written.encode(), "written", choice)
    assert isinstance(read, Start)
    assert read.position == position
    assert WRITERS[name](Start("a game", read.position, rules)) == written


@pytest.mark.parametrize("name", WRITERS)
@given(drawn=played(4), data=st.data())
@settings(max_examples=40)
def test_unknown_cards_are_written_and_read(name: str, drawn: tuple[Position, Rules], data: st.DataObject) -> None:
    position, rules = drawn
    hidden = data.draw(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=30))
    columns = tuple(
        tuple(UNKNOWN if index < down and (number, index) in hidden else card for index, card in enumerate(column))
        for number, (column, down) in enumerate(zip(position.columns, position.face_down, strict=True))
    )
    rows = tuple(tuple(UNKNOWN for _ in row) if data.draw(st.booleans()) else row for row in position.rows)
    partial = PartialPosition(columns, position.face_down, rows, position.completed)
    written = WRITERS[name](PartialStart("a game", partial, rules, {}, None))
    choice = RulesChoice(suits=4, layout="bicycle" if len(rules.rows) == 6 else None)
    read = start_from_data(written.encode(), "written", choice)
    if isinstance(read, Start):
        assert partial.unknown == sum(read.notes[index].count("filled in") for index in range(len(read.notes)))
        assert read.position == position
    else:
        assert read.shown == partial
        assert sum(read.missing.values()) == partial.unknown


# ---- other colours -------------------------------------------------------------------------------


@given(played(4), st.sampled_from([1, 2]))
@settings(max_examples=20)
def test_recoloured_games_are_games_of_fewer_suits(drawn: tuple[Position, Rules], suits: int) -> None:
    position, rules = drawn
    fewer = recoloured(position, suits)
    check_position(
        Position(fewer.columns, fewer.face_down, fewer.rows, fewer.completed),
        make_rules("bvs", suits=suits, heights=rules.heights, rows=rules.rows),
    )
    assert recoloured(partial_of(position), suits) == partial_of(fewer)
