"""Deal numbers: how each well-known Spider program turns a number into a deal, one module a program.

A deal is named ``scheme:number``, such as ``pysolfc:12345``; a number alone is PySolFC's.  Programs
differ in their shuffle, in the order of the pack before it, in the dealing order and in the columns
that get a sixth card, so the same number deals other cards in each.
"""

from __future__ import annotations

from collections.abc import Mapping

from solver.numbering import aisleriot, kpat, pysolfc, solvitaire, windows7, windowsxp
from solver.numbering.common import NumberError, Scheme
from solver.position import Deal

__all__ = ["DEFAULT_SCHEME", "SCHEMES", "NumberError", "Scheme", "deal_from_id", "scheme_of"]

DEFAULT_SCHEME = pysolfc.NAME

SCHEMES: Mapping[str, Scheme] = {
    module.SCHEME.name: module.SCHEME for module in (pysolfc, kpat, windows7, windowsxp, aisleriot, solvitaire)
}
"""Every numbering scheme by its name."""


def scheme_of(text: str) -> Scheme:
    """Return the scheme that ``scheme:number`` names, PySolFC's for a number alone.

    Raises `NumberError` for an unknown scheme, naming those there are.
    """
    name, colon, _ = text.rpartition(":")
    if not colon:
        name = DEFAULT_SCHEME
    try:
        return SCHEMES[name.strip().lower()]
    except KeyError:
        raise NumberError(f"unknown scheme {name!r} in {text!r}: choose one of {', '.join(SCHEMES)}") from None


def deal_from_id(text: str, suits: int = 4) -> Deal:
    """Return the deal that ``scheme:number``, or a PySolFC number alone, names.

    Raises `NumberError` for an unknown scheme, naming those there are, and for a number or a
    number of suits that the scheme does not have.
    """
    return scheme_of(text).deal(text.rpartition(":")[2], suits)
