"""Deal numbers: how each well-known Spider program turns a number into a deal, one module a program.

A deal is named ``scheme:number``, such as ``pysolfc:12345``; a number alone is PySolFC's.  Programs
differ in their shuffle, in the order of the pack before it, in the dealing order and in the columns
that get a sixth card, so the same number deals other cards in each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from solver.numbering import pysolfc
from solver.numbering.common import NumberError
from solver.position import Deal

__all__ = ["DEFAULT_SCHEME", "SCHEMES", "NumberError", "deal_from_id"]

DEFAULT_SCHEME = pysolfc.SCHEME

SCHEMES: Mapping[str, Callable[[str, int], Deal]] = {
    pysolfc.SCHEME: pysolfc.deal,
}
"""Each scheme's function from the text after the colon and the number of suits to the deal."""


def deal_from_id(text: str, suits: int = 4) -> Deal:
    """Return the deal that ``scheme:number``, or a PySolFC number alone, names.

    Raises `NumberError` for an unknown scheme, naming those there are, and for a number or a
    number of suits that the scheme does not have.
    """
    scheme, colon, number = text.rpartition(":")
    if not colon:
        scheme = DEFAULT_SCHEME
    try:
        deal = SCHEMES[scheme.strip().lower()]
    except KeyError:
        raise NumberError(f"unknown scheme {scheme!r} in {text!r}: choose one of {', '.join(SCHEMES)}") from None
    return deal(number, suits)
