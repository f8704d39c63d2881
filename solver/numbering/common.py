"""What the numbering schemes of several programs share: the linear generator, the shuffle, the error.

The generator is the one of Microsoft's C library, which FreeCell's deal numbers made the common
tongue of patience programs::

    state = (214013 * state + 2531011) mod 2**32        value = bits 16..30 of the state

Bit 31 of the state never reaches a value, so programs that keep 31 bits draw the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

LINEAR_FACTOR = 214013
LINEAR_STEP = 2531011
VALUE_SHIFT = 16

SUIT_WORDS = {1: "one suit", 2: "two suits", 3: "three suits", 4: "four suits"}


class NumberError(ValueError):
    """A text that names no deal of its numbering scheme."""


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
