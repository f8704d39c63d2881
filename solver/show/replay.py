"""A line played step by step: on a terminal forwards and backwards by keys, in a pipe from start to end.

A *frame* is a position of the line with the move that led to it; frame 0 is the start.  On a terminal each is drawn
over the one before::

    step 41 of 168   5-8x3    JH TH 9H onto QS, turns up 4C
    (the board)
    → forwards   ← backwards   page down/up ten steps   home/end   q quits

In a pipe every step is printed with its board, so that a pager leads through the game.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO, cast

import click

from solver.move import Line
from solver.notation import Step, describe_line
from solver.position import Position
from solver.show.board import board_picture
from solver.start import Start

FORWARDS = frozenset({"\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "\xe0M", "\xe0P", " ", "\r", "\n", "n", "l", "j"})
BACKWARDS = frozenset({"\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\xe0K", "\xe0H", "\x7f", "\x08", "b", "p", "h", "k"})
PAGE_FORWARDS = frozenset({"\x1b[6~", "\xe0Q", "f"})
PAGE_BACKWARDS = frozenset({"\x1b[5~", "\xe0I", "r"})
TO_START = frozenset({"\x1b[H", "\x1bOH", "\x1b[1~", "\xe0G", "g", "0"})
TO_END = frozenset({"\x1b[F", "\x1bOF", "\x1b[4~", "\xe0O", "G", "$"})
QUIT = frozenset({"q", "Q", "\x1b", "\x04", ""})
"""Keys as terminals and as Windows send them; the letters are those of pagers."""

PAGE = 10
KEYS = "→ or space forwards   ← backwards   page down/up ten steps   home/end   q quits"
OTHER_SCREEN, FIRST_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
CLEAR = "\x1b[H\x1b[J"
PLAIN_WIDTH = 80
"""Characters of a line where there is no terminal."""


@dataclass(frozen=True)
class Frame:
    """A position of a line."""

    position: Position
    step: Step | None
    """The move that led to it; None at the start."""


def frames_of(start: Start, line: Line) -> list[Frame]:
    """Return the frames of a line; raises `IllegalMove` where the rules forbid a move."""
    steps = describe_line(start.game, line, start.rules)
    return [Frame(start.position, None), *(Frame(step.after, step) for step in steps)]


def show_line(start: Start, line: Line) -> None:
    """Step through a line on the terminal, or print it where there is none."""
    frames = frames_of(start, line)
    if _is_terminal(sys.stdin) and _is_terminal(sys.stdout):
        _step_through(start, frames, click.getchar)
        return
    for text in plain_texts(start, frames):
        click.echo(text)


def plain_texts(start: Start, frames: Sequence[Frame]) -> Iterator[str]:
    """Yield the text of each frame, for a pipe."""
    for number in range(len(frames)):
        yield frame_text(start, frames, number, PLAIN_WIDTH)


def frame_text(start: Start, frames: Sequence[Frame], number: int, width: int) -> str:
    """Return what a frame shows: which step it is, the move in words, the board."""
    frame = frames[number]
    what = "the start" if frame.step is None else str(frame.step)
    end = ", the game is won" if frame.position.is_won else ""
    head = click.style(f"step {number} of {len(frames) - 1}", bold=True)
    return f"{head}   {what}{end}\n{board_picture(replace(start, game=frame.position), width)}"


def next_frame(number: int, key: str, last: int) -> int | None:
    """Return the number of the frame that a key leads to, None to quit; other keys change nothing."""
    if key in QUIT:
        return None
    targets: Iterable[tuple[frozenset[str], int]] = (
        (FORWARDS, number + 1),
        (BACKWARDS, number - 1),
        (PAGE_FORWARDS, number + PAGE),
        (PAGE_BACKWARDS, number - PAGE),
        (TO_START, 0),
        (TO_END, last),
    )
    target = next((target for keys, target in targets if key in keys), number)
    return min(max(target, 0), last)


def _step_through(start: Start, frames: Sequence[Frame], read_key: Callable[[], str]) -> None:
    number: int | None = 0
    # The screen as it was comes back at the end, whatever ends it.
    click.echo(OTHER_SCREEN, nl=False)
    try:
        while number is not None:
            size = shutil.get_terminal_size()
            text = frame_text(start, frames, number, size.columns).rstrip("\n").splitlines()
            # What does not fit would scroll the step out of sight.
            click.echo(CLEAR + "\n".join([*text[: max(size.lines - 2, 1)], KEYS[: size.columns]]), nl=False)
            try:
                key = read_key()
            except EOFError:
                return
            number = next_frame(number, key, len(frames) - 1)
    finally:
        click.echo(FIRST_SCREEN, nl=False)


def _is_terminal(stream: TextIO) -> bool:
    # None when the process was started with it closed.
    maybe = cast("TextIO | None", stream)
    return maybe is not None and not maybe.closed and maybe.isatty()
