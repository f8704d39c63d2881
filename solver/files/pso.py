"""PySolFC's saves (``.pso``): a row of pickles, of which this reader executes none.

A pickle is a program for a small machine that can call anything.  The machine here knows numbers, texts, tuples and
nothing else, so that it has nothing to build and nothing to call; every other instruction ends the reading.  The
pickles come one after the other::

    "PySolFC"   version   version tuple   bookmark   game version   game id   seed   generator state
    number of stacks   for each stack: number of cards, and for each card: its number, whether face-up   ...

The generator's state is passed over, as its pickle names a function; what follows the stacks is not looked at.
Stack 0 is the talon, bottom card first; 1..8 the foundations; 9..18 the columns.  The number of a card is its
place in the pack before the shuffle (`solver.numbering.pysolfc`).  The original deal comes from the seed: a number,
or 2**1000 more than the number of an ``ms`` deal.

Source: five saves of PySolFC 3.6.1, read with a reader of our own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from solver.cards import ACE, KING, make_card
from solver.files.common import FileError, SavedGame, completed_suits, rows_of, same_game
from solver.numbering import NumberError, pysolfc
from solver.partial import PartialPosition
from solver.position import Deal

FORMAT = "PySolFC save"
MARKER = b"PySolFC"
MARKER_WITHIN = 64
"""Bytes at the start of the file that name the program."""

GAMES = {10: 4, 11: 4, 461: 4, 49: 4, 270: 2, 269: 1}
"""Game ids with their suits: Relaxed Spider, Spider, Open Spider, Black Widow, Spider (2 Suits), Spider (1 Suit)."""
RELAXED_GAMES = frozenset({10})
STACKS = 19
TALON, FOUNDATIONS, COLUMNS = 0, range(1, 9), range(9, 19)
PACK = 104

MS_OFFSET = 1 << 1000
MAX_STEPS = 20_000
"""Instructions that the reader follows; a save takes some two thousand up to the last column."""
MAX_INT_BYTES = 256
MAX_INT_DIGITS = 400
"""The seed of an ``ms`` deal has some three hundred."""

# What follows the one byte of an instruction: so many bytes, a length and so many bytes, or a line.
_FIXED = {
    b"\x80": 1, b"\x95": 8, b"K": 1, b"M": 2, b"J": 4, b"G": 8, b"h": 1, b"j": 4, b"q": 1, b"r": 4,
    b"\x82": 1, b"\x83": 2, b"\x84": 4,
}  # fmt: skip
_COUNTED = {
    b"\x8a": 1, b"\x8b": 4, b"\x8c": 1, b"X": 4, b"\x8d": 8, b"U": 1, b"T": 4, b"C": 1, b"B": 4, b"\x8e": 8,
    b"\x96": 8,
}  # fmt: skip
_LINES = {b"I": 1, b"L": 1, b"F": 1, b"S": 1, b"V": 1, b"P": 1, b"p": 1, b"g": 1, b"c": 2, b"i": 2}
_BARE = frozenset(
    bytes([code]) for code in b"(.012NRQabdeost]})lu\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98"
)
STOP = b"."
_TEXTS = (b"\x8c", b"X", b"U", b"T")
_LONGS = (b"\x8a", b"\x8b")
_IGNORED = frozenset({b"\x80", b"\x95", b"\x94", b"q", b"r", b"p"})
"""Protocol, frames and the storing of values, which nothing here fetches again."""
_MARK = object()


def recognises(data: bytes) -> bool:
    """Return whether a file begins like a save of PySolFC."""
    return MARKER in data[:MARKER_WITHIN] and data[:1] in (b"\x80", b"S", b"U", b"X", b"V", b"T")


def read(data: bytes, source: str) -> SavedGame:
    """Return the game that a save holds.

    Raises `FileError` for a file that is none of Spider's.
    """
    return _Reader(data, source).game()


class _Reader:
    def __init__(self, data: bytes, source: str) -> None:
        self.data = data
        self.source = source
        self.at = 0
        self.steps = 0

    def game(self) -> SavedGame:
        if self.text("the program's name") != MARKER.decode():
            raise self.error("does not begin with the program's name")
        version = self.text("the version")
        self.value()  # the version as a tuple
        for what in ("the bookmark", "the game version"):
            self.number(what)
        game = self.number("the game id")
        if game not in GAMES:
            raise FileError(
                f"a save of PySolFC's game {game}, which is no Spider: its Spider games are "
                f"{', '.join(map(str, sorted(GAMES)))}",
                self.source,
            )
        suits = GAMES[game]
        seed = self.number("the seed")
        self.skip()
        stacks = self.number("the number of stacks")
        if stacks != STACKS:
            raise self.error(f"{stacks} stacks: Spider has {STACKS}; the file is of PySolFC {version[:20]}, "
                             "read here as 3.6.1 writes it")  # fmt: skip
        pack = [
            make_card(rank, suit)
            for _ in range(2)
            for suit in pysolfc.SUIT_ORDER[suits]
            for rank in range(ACE, KING + 1)
        ]
        piles: list[tuple[int, ...]] = []
        downs: list[int] = []
        seen: set[int] = set()
        for stack in range(stacks):
            cards: list[int] = []
            down = 0
            count = self.number(f"the number of cards of stack {stack}", most=PACK)
            for index in range(count):
                card = self.number(f"card {index + 1} of stack {stack}", most=PACK - 1)
                if card in seen:
                    raise self.error(f"card number {card} is there twice")
                seen.add(card)
                face_up = self.number(f"the face of card {index + 1} of stack {stack}", most=1)
                if not face_up:
                    if down < index and stack in COLUMNS:
                        column = stack - COLUMNS.start + 1
                        raise self.error(f"column {column} has a face-down card on a face-up one, card {index + 1}")
                    down += 1
                cards.append(pack[card])
            piles.append(tuple(cards))
            downs.append(down)
        runs = [piles[stack] for stack in FOUNDATIONS]
        if any(len(run) not in (0, KING) for run in runs):
            raise self.error("a foundation holds other than 13 cards: only completed runs leave the table")
        completed = completed_suits(runs)
        current = PartialPosition(
            columns=tuple(piles[stack] for stack in COLUMNS),
            face_down=tuple(downs[stack] for stack in COLUMNS),
            rows=rows_of(piles[TALON][::-1]),
            completed=completed,
        )
        original, notes = self.original(seed, suits, current, completed)
        rules = "relaxed" if game in RELAXED_GAMES else "standard"
        return SavedGame(FORMAT, current, original, suits, rules, notes)

    def original(
        self, seed: int, suits: int, current: PartialPosition, completed: tuple[int, ...]
    ) -> tuple[Deal | None, tuple[str, ...]]:
        number = f"ms{seed - MS_OFFSET}" if seed >= MS_OFFSET else str(seed)
        try:
            deal = pysolfc.deal(number, suits)
        except NumberError:
            return None, ("the deal of this save has no number, so only its present position is known",)
        if not same_game(deal, current, completed):
            return None, (f"the cards are not those of {deal.id}, so only the present position is known",)
        return deal, ()

    # ---- values of the pickles -----------------------------------------------------------------------

    def text(self, what: str) -> str:
        value = self.value()
        if not isinstance(value, str):
            raise self.error(f"{what} is no text")
        return value

    def number(self, what: str, most: int | None = None) -> int:
        value = self.value()
        if not isinstance(value, int):
            raise self.error(f"{what} is no number")
        if value < 0 or (most is not None and value > most):
            raise self.error(
                f"{what} is {value if abs(value) < 10**9 else 'far'} out of range: it goes from 0 to {most}"
            )
        return value

    def value(self) -> object:
        """Return the value of the next pickle: a number, a text, None, or a tuple of these."""
        stack: list[object] = []
        for code, argument in self.instructions():
            if code == STOP:
                if len(stack) != 1 or stack[0] is _MARK:
                    raise self.error("a pickle that leaves no value")
                return stack[0]
            self.execute(code, argument, stack)
        raise self.error("the file ends in the middle")

    def execute(self, code: bytes, argument: bytes, stack: list[object]) -> None:
        """Follow one instruction; nothing that builds an object or calls a function is among them."""
        if code in _IGNORED:
            return
        if code in (b"K", b"M"):
            stack.append(int.from_bytes(argument, "little"))
        elif code == b"J":
            stack.append(struct.unpack("<i", argument)[0])
        elif code in _LONGS:
            if len(argument) > MAX_INT_BYTES:
                raise self.error("a number of more digits than any deal has")
            stack.append(int.from_bytes(argument, "little", signed=True))
        elif code in (b"I", b"L"):
            stack.append(self.written_number(argument))
        elif code in _TEXTS:
            stack.append(argument.decode("utf-8", "replace"))
        elif code == b"N":
            stack.append(None)
        elif code in (b"\x88", b"\x89"):
            stack.append(int(code == b"\x88"))
        elif code == b"(":
            stack.append(_MARK)
        elif code in (b")", b"\x85", b"\x86", b"\x87"):
            size = b")\x85\x86\x87".index(code)
            if len(stack) < size:
                raise self.error("a tuple of values that are not there")
            stack[len(stack) - size :] = [tuple(stack[len(stack) - size :])]
        elif code == b"t" and _MARK in stack:
            mark = len(stack) - 1 - stack[::-1].index(_MARK)
            stack[mark:] = [tuple(stack[mark + 1 :])]
        else:
            raise self.error(f"pickle instruction {code!r}, which a save does not need there: nothing is executed")

    def written_number(self, argument: bytes) -> int:
        text = argument.removesuffix(b"L")
        if not text.lstrip(b"-").isdigit() or len(text) > MAX_INT_DIGITS:
            raise self.error(f"{argument[:20]!r} is no number")
        return int(text)

    def skip(self) -> None:
        """Pass over the next pickle, whatever it would do."""
        for code, _ in self.instructions():
            if code == STOP:
                return
        raise self.error("the file ends in the middle")

    def instructions(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the instructions from here on, each with what follows it; the caller leaves at a STOP."""
        while self.at < len(self.data):
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise self.error(f"more than {MAX_STEPS} pickle instructions: a save of Spider takes fewer")
            code = self.data[self.at : self.at + 1]
            self.at += 1
            if code in _FIXED:
                yield code, self.take(_FIXED[code])
            elif code in _COUNTED:
                size = int.from_bytes(self.take(_COUNTED[code]), "little")
                yield code, self.take(size)
            elif code in _LINES:
                yield code, b"\n".join([self.line() for _ in range(_LINES[code])])
            elif code in _BARE:
                yield code, b""
            else:
                self.at -= 1
                raise self.error(f"{code!r} is no pickle instruction")

    def take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise self.error("the file ends in the middle")
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def line(self) -> bytes:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise self.error("the file ends in the middle")
        return self.take(end + 1 - self.at)[:-1]

    def error(self, problem: str) -> FileError:
        return FileError(problem, self.source, f"byte {self.at + 1}")
