"""What the numbering schemes of several programs share: the description, the generators, the shuffle, the error.

The generator is the one of Microsoft's C library, which FreeCell's deal numbers made the common
tongue of patience programs::

    state = (214013 * state + 2531011) mod 2**32        value = bits 16..30 of the state

Bit 31 of the state never reaches a value, so programs that keep 31 bits draw the same numbers.

The other is the Mersenne Twister MT19937 in its plain form, 32-bit words from a 32-bit seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from solver.cards import Card
from solver.position import Cards, Deal
from solver.rules import LAYOUTS, PRESETS

T = TypeVar("T")

Status: TypeAlias = Literal["verified", "description only"]
"""Whether deals of the original program were compared card by card, or only a description of it was there."""

LINEAR_FACTOR = 214013
LINEAR_STEP = 2531011
VALUE_SHIFT = 16

WORD_BITS = 32
TWISTER_WORDS = 624
TWISTER_MIDDLE = 397
TWISTER_SEED_FACTOR = 1812433253
TWISTER_MATRIX = 0x9908B0DF

MAX_SHOWN = 40
"""Characters of an input that a message repeats."""

SUIT_WORDS = {1: "one suit", 2: "two suits", 3: "three suits", 4: "four suits"}


class NumberError(ValueError):
    """A text that names no deal of its numbering scheme."""


@dataclass(frozen=True)
class Scheme:
    """One numbering scheme: its function, and what ``spider schemes`` says of it."""

    name: str
    """What stands before the colon."""
    program: str
    numbers: str
    """The numbers that it takes, in words."""
    suits: tuple[int, ...]
    layout: str
    """A name of `solver.rules.LAYOUTS`."""
    status: Status
    evidence: str
    """What the status rests on."""
    rules: str
    """The preset that the program plays by."""
    example: str
    deal: Callable[[str, int], Deal]
    """From the text after the colon and the number of suits to the deal; raises `NumberError`."""
    note: str = ""
    """What else a user has to know."""


def parse_number(text: str, scheme: str, low: int, high: int) -> int:
    """Return the decimal number that a text writes, digits alone or in groups: ``12345``, ``12,345``.

    Raises `NumberError` when it is none, or out of the range of the scheme.
    """
    digits = re.sub(r"[\s_,]", "", text)
    if not re.fullmatch(r"[0-9]+", digits):
        raise NumberError(f"{shown(text)} is no {scheme} number: write digits, such as {scheme}:12345")
    digits = digits.lstrip("0") or "0"
    # The length is judged first: int() refuses thousands of digits with a message of its own.
    if len(digits) > len(str(high)) or not low <= int(digits) <= high:
        raise NumberError(f"{shown(text)} is out of range: {scheme} numbers go from {low} to {high}")
    return int(digits)


def require_suits(suits: int, scheme: str, choices: Sequence[int]) -> None:
    """Raise `NumberError` when the program has no game of so many suits."""
    if suits not in choices:
        asked = SUIT_WORDS.get(suits, f"{suits} suits")
        *most, last = map(str, choices)
        ask = f"{', '.join(most)} or {last} suits" if most else f"{last} suits"
        raise NumberError(f"{scheme} has no game of {asked}: ask for {ask}")


def shown(text: str) -> str:
    """Return an input as a message repeats it."""
    return repr(text) if len(text) <= MAX_SHOWN else f"{text[:30]!r}... ({len(text)} characters)"


def linear_states(seed: int, bits: int) -> Iterator[int]:
    """Yield the states that follow a seed, without end, in a register of so many bits."""
    mask = (1 << bits) - 1
    state = seed & mask
    while True:
        state = (LINEAR_FACTOR * state + LINEAR_STEP) & mask
        yield state


def ms_values(seed: int) -> Iterator[int]:
    """Yield the values 0..32767 of the Microsoft generator, without end."""
    return (state >> VALUE_SHIFT & 0x7FFF for state in linear_states(seed, 32))


def shuffled_down(cards: Sequence[T], pick: Callable[[int], int]) -> list[T]:
    """Return the cards shuffled by Fisher and Yates from the last place down.

    `pick` is asked once for each place n = len-1 .. 1 and must answer 0..n.
    """
    deck = list(cards)
    for place in range(len(deck) - 1, 0, -1):
        chosen = pick(place)
        deck[place], deck[chosen] = deck[chosen], deck[place]
    return deck


def twister_words(seed: int) -> Iterator[int]:
    """Yield the 32-bit words of MT19937 seeded with one 32-bit word, without end.

    Python's own generator seeds itself otherwise, so the state is filled here and the words are made here.
    """
    mask = (1 << WORD_BITS) - 1
    state = [seed & mask]
    for index in range(1, TWISTER_WORDS):
        previous = state[-1]
        state.append((TWISTER_SEED_FACTOR * (previous ^ previous >> 30) + index) & mask)
    while True:
        for index in range(TWISTER_WORDS):
            joined = state[index] & 0x80000000 | state[(index + 1) % TWISTER_WORDS] & 0x7FFFFFFF
            word = state[(index + TWISTER_MIDDLE) % TWISTER_WORDS] ^ joined >> 1
            state[index] = word ^ TWISTER_MATRIX if joined & 1 else word
        for word in state:
            word ^= word >> 11
            word ^= word << 7 & 0x9D2C5680
            word ^= word << 15 & 0xEFC60000
            yield (word ^ word >> 18) & mask


def round_robin(cards: Sequence[Card]) -> tuple[Cards, ...]:
    """Return the 54 cards of the tableau dealt one by one over the columns: columns 1 to 4 get a sixth card."""
    return tuple(tuple(cards[column::10]) for column in range(10))


def stock_rows(cards: Sequence[Card]) -> tuple[Cards, ...]:
    """Return the cards of the stock as the rows of the standard game, in the order in which they are dealt."""
    rows = PRESETS["standard"].rows
    return tuple(tuple(cards[sum(rows[:index]) : sum(rows[: index + 1])]) for index in range(len(rows)))


TABLEAU = sum(LAYOUTS["left"])
"""Cards that the deal puts on the table, 54; the other 50 are the stock."""
