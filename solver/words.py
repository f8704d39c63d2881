"""Words of a text with their places, and the error that names such a place.

A text is split into lines and a line into words; each word knows the line and the character where it starts, so
that whatever is wrong with it is said with its place: ``game.txt:2:4: '1Z' is not a card ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

COMMENT = "#"
MAX_QUOTED = 40
"""Characters of a word that a message repeats."""

_WORD = re.compile(r"[^\s,:]+:|[^\s,]+")
"""A label with its colon, which need not be followed by a space, or anything else between separators."""


class NotationError(ValueError):
    """A text that is no position or no line; the message says where and what to write instead."""

    def __init__(self, problem: str, source: str, line: int | None = None, column: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        """Line in the text, the first is 1; None when the text as a whole is wrong."""
        self.column = column
        """Character in the line, the first is 1; None when the line as a whole is wrong."""
        self.others: tuple[NotationError, ...] = ()
        """What else is wrong with the text."""
        place = ":".join(str(part) for part in (source, line, column) if part is not None)
        super().__init__(f"{place}: {problem}")

    def __str__(self) -> str:
        return "\n  ".join(str(part) for part in (*self.args, *self.others))

    @staticmethod
    def of_all(errors: Sequence[NotationError]) -> NotationError:
        """Return the first error with the others in its message, a line each."""
        first = errors[0]
        first.others = tuple(errors[1:])
        return first


class Word(NamedTuple):
    """A word of a text, with the place where it starts."""

    text: str
    source: str
    line: int
    column: int

    @property
    def place(self) -> str:
        """``game.txt:2:4``."""
        return f"{self.source}:{self.line}:{self.column}"

    @property
    def quoted(self) -> str:
        """The word as messages repeat it: quoted, and cut where it is too long to be any."""
        return repr(self.text if len(self.text) <= MAX_QUOTED else f"{self.text[:MAX_QUOTED]}...")

    def error(self, problem: str) -> NotationError:
        """Return the error that something is wrong with the word."""
        return NotationError(problem, self.source, self.line, self.column)


def text_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers from 1, without comments and without a byte-order mark."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        yield number, line.partition(COMMENT)[0]


def split_words(text: str, source: str) -> Iterator[list[Word]]:
    """Yield the words of each line that has any, without comments."""
    for number, content in text_lines(text):
        words = [Word(match[0], source, number, match.start() + 1) for match in _WORD.finditer(content)]
        if words:
            yield words
