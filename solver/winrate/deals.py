"""Which deals a batch solves: ranges, lists, samples, and the share of one job.

::

    1-1000              a range, both ends included
    ms1-ms32000         the same of numbers with a prefix (ms1-32000 is short for it)
    5,17,ms40000        a list; ranges may be among it
    --sample 500        so many of the above, or of all that the scheme numbers, drawn without repetition

Nothing is written out before it is needed, so a range may be as long as it likes.  A sample depends on its seed
and range alone, and a longer sample begins with the shorter one, so it can be extended later.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

from solver.numbering import (
    NumberError,
    aisleriot,
    deal_from_id,
    kpat,
    pysolfc,
    solvitaire,
    windows7,
    windowsxp,
)

FULL_RANGES = {
    pysolfc.NAME: (1, pysolfc.MAX_NUMBER),
    kpat.NAME: (1, kpat.MAX_NUMBER),
    windows7.NAME: (0, windows7.MAX_SEED),
    windowsxp.NAME: (0, windowsxp.MAX_SEED),
    aisleriot.NAME: (0, aisleriot.MAX_SEED),
    solvitaire.NAME: (0, solvitaire.MAX_SEED),
}
"""First and last number of each scheme: what a sample is drawn from when no range is given."""

_NUMBER = r"([a-z]*)([0-9]+)"
_PART = re.compile(rf"{_NUMBER}(?:\s*-\s*{_NUMBER})?", re.IGNORECASE)
_CANONICAL = re.compile(_NUMBER)
_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


class DealsError(ValueError):
    """A text that names no deals, or a share that cannot be taken."""


@dataclass(frozen=True)
class DealRange:
    """Deals of one scheme with consecutive numbers, both ends included."""

    prefix: str
    first: int
    last: int

    @property
    def count(self) -> int:
        """How many there are; `len` could not hold the largest."""
        return self.last - self.first + 1

    def __getitem__(self, index: int) -> str:
        return f"{self.prefix}{self.first + index}"

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{number}" for number in range(self.first, self.last + 1))

    def __str__(self) -> str:
        return self[0] if self.count == 1 else f"{self[0]}-{self[self.count - 1]}"


@dataclass(frozen=True)
class Deals:
    """The numbers of a selection in order, each at hand without the others."""

    scheme: str
    ranges: tuple[DealRange, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(range_.count for range_ in self.ranges)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.ranges)

    def pick(self, indexes: Iterable[int]) -> Iterator[str]:
        """Yield the numbers at these places, the first is 0."""
        ends = list(accumulate(range_.count for range_ in self.ranges))
        for index in indexes:
            place = next(place for place, end in enumerate(ends) if index < end)
            yield self.ranges[place][index - (ends[place - 1] if place else 0)]

    def sample(self, size: int, seed: int) -> list[str]:
        """Return so many of the numbers, drawn without repetition; raises `DealsError` when there are fewer."""
        if size > self.count:
            raise DealsError(f"a sample of {size} out of {self.count} deals: name more deals or ask for fewer")
        return list(self.pick(_draw(self.count, size, seed)))


def parse_deals(text: str, scheme: str, suits: int) -> Deals:
    """Return the deals that a text names; `suits` is asked for when it is checked that they exist.

    Raises `DealsError` for a text of another form and `NumberError` for a number that the scheme does not have.
    """
    ranges = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise DealsError(
                f"{part.strip()!r} in {text!r} names no deals: write a number, or a range such as 1-1000 or ms1-ms32000"
            )
        prefix, first, last_prefix, last = match.groups()
        if last is None:
            last_prefix, last = prefix, first
        low_prefix, low = _canonical(scheme, prefix + first, suits)
        high_prefix, high = _canonical(scheme, (last_prefix or prefix) + last, suits)
        if low_prefix != high_prefix:
            raise DealsError(f"{part.strip()!r} goes from {low_prefix or 'plain'} to {high_prefix or 'plain'} numbers")
        if low > high:
            raise DealsError(f"{part.strip()!r} goes down: write the smaller number first")
        ranges.append(DealRange(low_prefix, low, high))
    for before, after in pairwise(sorted(ranges, key=lambda range_: (range_.prefix, range_.first))):
        if before.prefix == after.prefix and after.first <= before.last:
            raise DealsError(f"{after[0]} is named twice in {text!r}, by {before} and by {after}")
    return Deals(scheme, tuple(ranges))


def all_deals(scheme: str) -> Deals:
    """Return all deals of a scheme."""
    first, last = FULL_RANGES[scheme]
    return Deals(scheme, (DealRange("", first, last),))


def _canonical(scheme: str, text: str, suits: int) -> tuple[str, int]:
    """Return prefix and number as the scheme writes them; raises `NumberError` when it has no such deal."""
    number = deal_from_id(f"{scheme}:{text}", suits).id.partition(":")[2]
    match = _CANONICAL.fullmatch(number)
    if match is None:
        raise NumberError(f"{scheme}:{number} cannot be part of a batch: it is no number")
    return match[1], int(match[2])


def _draw(size: int, count: int, seed: int) -> Iterator[int]:
    """Yield `count` different places below `size`: the first steps of a shuffle, of which only the swaps are kept."""
    # Only `random()` promises the same stream in every version of Python; two draws make 106 bits, many more than
    # the numbers of any scheme need.
    stream = random.Random(seed)
    moved: dict[int, int] = {}
    for place in range(count):
        bits = int(stream.random() * 2**53) << 53 | int(stream.random() * 2**53)
        chosen = place + (bits * (size - place) >> 106)
        yield moved.get(chosen, chosen)
        moved[chosen] = moved.get(place, place)


# ---- shares --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shard:
    """The share of one job among several that solve a batch together."""

    index: int = 1
    """From 1."""
    count: int = 1

    def takes(self, place: int) -> bool:
        """Whether the task at this place of the whole batch, from 0, is this job's.

        Every so-manieth, so that all jobs get hard and easy modes alike.
        """
        return place % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def parse_shard(text: str) -> Shard:
    """Return the share that ``2/8`` names; raises `DealsError` when there is none such."""
    match = _SHARD.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise DealsError(f"{text!r} is no share: write i/n, from 1/n to n/n, such as 2/8 for the second of eight jobs")
    return Shard(int(match[1]), int(match[2]))


def numbers_in_order(numbers: Sequence[str]) -> list[str]:
    """Return numbers sorted as people expect: by prefix, then by value."""

    def key(number: str) -> tuple[str, int, str]:
        match = _CANONICAL.fullmatch(number)
        return (match[1], int(match[2]), "") if match else (number, 0, number)

    return sorted(numbers, key=key)
