"""Lines step by step: in a pipe, by keys on a terminal, and as a page in a real browser."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, browser, missing
from click.testing import CliRunner, Result

from solver.cards import card_name
from solver.cli import cli
from solver.move import Line
from solver.notation import format_line
from solver.numbering import deal_from_id
from solver.rules import make_rules
from solver.search import solve
from solver.show.replay import Frame, frames_of, next_frame, plain_texts
from solver.show.replay_html import replay_page
from solver.start import Start

needs_browser = pytest.mark.skipif(missing() is not None, reason=missing() or "")

LETTERS = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "\ufe0e": None})
"""From what the page shows of a card to its name."""

TITLE = "game </script><script>alert(1)</script> & <b>"
"""A name that a file may have, and that must not become a part of the page."""


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False, **options)


@pytest.fixture(scope="module")
def game() -> tuple[Start, Line]:
    """A game of one suit and a line that wins it."""
    rules = make_rules(suits=1)
    deal = deal_from_id("ms2001", 1)
    return Start(TITLE, deal, rules), solve(deal, rules).line


@pytest.fixture(scope="module")
def frames(game: tuple[Start, Line]) -> list[Frame]:
    return frames_of(*game)


# ---- in a pipe and by keys -----------------------------------------------------------------------


def test_a_pipe_gets_every_step_with_its_board(game: tuple[Start, Line], frames: list[Frame]) -> None:
    texts = list(plain_texts(game[0], frames))
    assert len(texts) == len(game[1]) + 1
    assert "step 0 of" in texts[0]
    assert "the start" in texts[0]
    for move, text in zip(game[1], texts[1:], strict=True):
        assert str(move) in text.splitlines()[0]
    assert "the game is won" in texts[-1]
    assert not any("the game is won" in text for text in texts[:-1])


@pytest.mark.parametrize(
    ("key", "number"),
    [("\x1b[C", 6), (" ", 6), ("\x1b[D", 4), ("b", 4), ("\x1b[6~", 9), ("\x1b[5~", 0), ("g", 0), ("G", 9), ("?", 5)],
)
def test_keys_lead_to_frames(key: str, number: int) -> None:
    assert next_frame(5, key, 9) == number


@pytest.mark.parametrize("key", ["q", "\x1b", ""])
def test_keys_that_quit(key: str) -> None:
    assert next_frame(5, key, 9) is None


def test_neither_end_is_passed() -> None:
    assert next_frame(0, "\x1b[D", 9) == 0
    assert next_frame(9, "\x1b[C", 9) == 9


def test_play_in_a_pipe() -> None:
    result = run("play", "12345", "--line", "5-7x1 deal")
    assert result.exit_code == 0
    heads = [line for line in result.stdout.splitlines() if line.startswith("step ")]
    assert heads[0] == "step 0 of 2   the start"
    assert heads[1].startswith("step 1 of 2   5-7x1    TD onto JD, turns up 8S")
    assert heads[2].startswith("step 2 of 2   deal     4H 6D TH")
    assert "\x1b" not in result.stdout


def test_play_of_an_illegal_line_names_the_move_and_shows_the_board() -> None:
    result = run("play", "12345", "--line", "5-7x1 1-2x1")
    assert result.exit_code == 1
    assert "move 2, 1-2x1, is not legal: column 2 ends in KH" in result.stderr
    assert "# before move 2" in result.stderr


def test_play_on_a_terminal_goes_forwards_and_backwards() -> None:
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "solver", "play", "12345", "--line", "5-7x1 6-2x1"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "40"}
    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        try:
            shown = _press(parent, b"", "step 0 of 2")
            # The board of each step is drawn, and the keys are told.
            assert "9C" in shown
            assert "q quits" in shown
            _press(parent, b"\x1b[C", "step 1 of 2")
            _press(parent, b"\x1b[C", "step 2 of 2")
            _press(parent, b"\x1b[D", "step 1 of 2")
            _press(parent, b"q", "\x1b[?1049l")
            assert process.wait(60) == 0
        finally:
            process.kill()
            os.close(parent)


def _press(terminal: int, key: bytes, text: str) -> str:
    """Press a key and return what is shown then, up to the end of the screen; a key comes again if it was missed.

    What is typed before a program listens is lost, as on any terminal that changes its mode.
    """
    shown = ""
    deadline = time.monotonic() + 60
    while text not in shown:
        assert time.monotonic() < deadline, shown
        os.write(terminal, key)
        while select.select([terminal], [], [], 1.0)[0]:
            try:
                shown += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                # The program has ended, and with it the terminal.
                return shown
            if text == "\x1b[?1049l" and text in shown:
                break
    return shown


# ---- the page ------------------------------------------------------------------------------------


def test_page_is_one_file_and_names_nothing_outside(game: tuple[Start, Line]) -> None:
    page = replay_page(*game)
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|//[a-z]|src=|@import|url\(", page)
    assert "{{" not in page


def test_a_title_cannot_become_markup(game: tuple[Start, Line]) -> None:
    page = replay_page(*game)
    assert page.count("<script") == 2
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page


def test_play_writes_a_page(tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    result = run("play", "12345", "--line", "5-7x1 deal", "--html", str(path))
    assert result.exit_code == 0
    assert result.stdout == f"{path}: pysolfc:12345, 2 steps\n"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    result = run("play", "12345", "--line", "deal", "--html", str(tmp_path / "no" / "replay.html"))
    assert result.exit_code == 1
    assert result.stderr.startswith("spider: error: cannot write ")


@pytest.fixture(scope="module")
def page_path(game: tuple[Start, Line], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "replay.html"
    path.write_text(replay_page(*game), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["desktop", "phone"])
def page(request: pytest.FixtureRequest, page_path: Path) -> Iterator[Browser]:
    """The page in a browser, once of a desktop's size and once of a phone's."""
    with browser(phone=request.param == "phone") as opened:
        opened.open(page_path)
        yield opened
        assert opened.complaints() == []


@pytest.fixture
def at_start(page: Browser) -> Browser:
    page.run("stop(); go(0); window.scrollTo(0, 0)")
    return page


def step_of(page: Browser) -> int:
    shown = re.match(r"Step (\d+) of", page.text("#step"))
    assert shown is not None
    return int(shown[1])


@needs_browser
def test_every_frame_shows_the_cards_of_the_referee(at_start: Browser, frames: list[Frame]) -> None:
    drawn = at_start.run(
        """return frames.map((frame, number) => {
            go(number);
            return [...document.querySelectorAll(".pile")].map((pile) => [
                pile.querySelectorAll(".down").length,
                [...pile.querySelectorAll(".card:not(.down)")].map((card) => card.textContent)]);
        })"""
    )
    assert len(drawn) == len(frames)
    for frame, columns in zip(frames, drawn, strict=True):
        position = frame.position
        for (backs, faces), cards, down in zip(columns, position.columns, position.face_down, strict=True):
            assert backs == down
            names = [face.replace("10", "T").translate(LETTERS) for face in faces]
            assert names == [card_name(card) for card in cards[down:]]


@needs_browser
def test_keys_of_the_page(at_start: Browser, frames: list[Frame]) -> None:
    last = len(frames) - 1
    for key, number in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("ArrowLeft", 0), ("ArrowLeft", 0),
        ("PageDown", 10), ("End", last), ("ArrowRight", last), ("Home", 0),
    ]:  # fmt: skip
        at_start.press(key)
        assert step_of(at_start) == number
    # On the slider, which has keys of its own, a key is one step as well.
    at_start.press("ArrowRight", on="#slider")
    assert step_of(at_start) == 1


@needs_browser
def test_buttons_and_slider(at_start: Browser, frames: list[Frame]) -> None:
    last = len(frames) - 1
    for selector, number in [("#next", 1), ("#next", 2), ("#back", 1), ("#last", last), ("#first", 0)]:
        at_start.click(selector)
        assert step_of(at_start) == number
    at_start.run("const s = document.getElementById('slider'); s.value = 7; s.dispatchEvent(new Event('input'))")
    assert step_of(at_start) == 7
    assert at_start.run("go(0); return document.getElementById('back').disabled")
    assert at_start.run("go(last); return document.getElementById('next').disabled")
    assert "The game is won" in at_start.text("#step")


@needs_browser
def test_it_plays_by_itself_until_it_is_stopped(at_start: Browser) -> None:
    at_start.press(" ")
    assert at_start.text("#play") == "Stop"
    deadline = time.monotonic() + 30
    while step_of(at_start) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    at_start.click("#play")
    assert at_start.text("#play") == "Play"
    stopped = step_of(at_start)
    time.sleep(1.0)
    assert step_of(at_start) == stopped


@needs_browser
def test_list_of_all_steps(at_start: Browser, game: tuple[Start, Line]) -> None:
    at_start.click("summary")
    shown = at_start.run("return [...document.querySelectorAll('#list button')].map((b) => b.textContent)")
    assert [text.split()[1] for text in shown[1:]] == format_line(game[1]).split()
    at_start.click("#list li:nth-child(4) button")
    assert step_of(at_start) == 3
    assert at_start.run("return document.querySelectorAll('#list [aria-current]').length") == 1
    at_start.click("summary")


@needs_browser
def test_it_fits_and_can_be_read(at_start: Browser, frames: list[Frame]) -> None:
    for number in range(0, len(frames), 10):
        at_start.run("go(arguments[0])", number)
        assert at_start.run("return document.documentElement.scrollWidth <= window.innerWidth")
        assert at_start.run(
            "return [...document.querySelectorAll('.card')].every((card) => card.scrollWidth <= card.clientWidth)"
        )
    assert (
        at_start.run("return parseFloat(getComputedStyle(document.querySelector('.card:not(.down)')).fontSize)") >= 12
    )
    # Fingers need 44 points.
    assert (
        at_start.run("return Math.min(...[...document.querySelectorAll('#buttons button')].map((b) => b.offsetHeight))")
        >= 44
    )


@needs_browser
def test_screen_readers_are_told_the_columns_and_the_step(at_start: Browser) -> None:
    labels = at_start.run(
        "return [...document.querySelectorAll('#columns > div')].map((c) => c.getAttribute('aria-label'))"
    )
    assert len(labels) == 10
    assert re.fullmatch(r"Column 1: 5 face-down, (\w+) of clubs", labels[0])
    assert at_start.run("return document.getElementById('step').getAttribute('aria-live')") == "polite"
    value = at_start.run("go(1); return document.getElementById('slider').getAttribute('aria-valuetext')")
    assert re.match(r"Step 1 of \d+: .* of clubs", value)
    unnamed = at_start.run(
        "return [...document.querySelectorAll('button, input')].filter((e) => !e.textContent && !e.ariaLabel).length"
    )
    assert unnamed == 0


@needs_browser
def test_contrast_in_light_and_dark(page_path: Path) -> None:
    contrast = """
        function light(colour) {
            const parts = colour.match(/\\d+/g).slice(0, 3).map((part) => part / 255)
                .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
        }
        function ratio(ink, paper) {
            const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
        }
        const found = [ratio(getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor)];
        for (const suit of "CDHS") {
            const card = document.createElement("div");
            card.className = "card " + suit;
            document.querySelector(".pile").append(card);
            found.push(ratio(getComputedStyle(card).color, getComputedStyle(card).backgroundColor));
        }
        return [Math.min(...found), getComputedStyle(document.body).backgroundColor]"""
    with browser() as opened:
        opened.open(page_path)
        light_ratio, light_page = opened.run(contrast)
        opened.dark()
        dark_ratio, dark_page = opened.run(contrast)
    # 4.5 is what the Web Content Accessibility Guidelines ask of text.
    assert min(light_ratio, dark_ratio) >= 4.5
    assert light_page != dark_page


@needs_browser
def test_nothing_is_requested_and_no_title_is_run(at_start: Browser) -> None:
    assert at_start.run("return performance.getEntriesByType('resource').length") == 0
    assert at_start.run("return document.querySelectorAll('script').length") == 2
    assert at_start.text("h1") == TITLE


def test_solve_replays_its_line() -> None:
    result = run("solve", "ms2001", "--suits", "1", "--replay")
    assert result.exit_code == 0
    assert result.stdout.startswith("step 0 of ")
    assert "the game is won" in result.stdout
    both = run("solve", "12345", "--replay", "--json")
    assert both.exit_code == 2
    assert "--json and --replay are two forms of one output" in both.stderr
