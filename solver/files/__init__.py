"""Save files and other formats of games: one module a format, recognised by content, never by name.

Reading runs nothing and expands nothing of a file, and what it takes is bounded: nobody knows where a file comes
from.  A reader asks for the form only; whether the position is possible is asked by `solver.position`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from solver.files import kpat, native, pso, solvitaire, windows7, windowsxp
from solver.files.common import MAX_FILE, FileError, SavedGame

__all__ = ["FORMATS", "MAX_FILE", "FileError", "SavedGame", "read_save"]

_Reader: TypeAlias = tuple[str, Callable[[bytes], bool], Callable[[bytes, str], SavedGame]]

_READERS: tuple[_Reader, ...] = (
    (windows7.FORMAT, windows7.recognises, windows7.read),
    (pso.FORMAT, pso.recognises, pso.read),
    (kpat.FORMAT, kpat.recognises, kpat.read),
    (solvitaire.FORMAT, solvitaire.recognises, solvitaire.read),
    (native.FORMAT, native.recognises, native.read),
    (windowsxp.FORMAT, windowsxp.recognises, windowsxp.read),
)
"""In the order in which they are asked; the last has no mark of its own, only numbers in their ranges."""

FORMATS = tuple(name for name, _, _ in _READERS)


def read_save(data: bytes, source: str) -> SavedGame | None:
    """Return the game of a save file, or None when the file is none of the formats, and so may be a text.

    Raises `FileError` for a file of one of the formats that holds no game of Spider.
    """
    for _, recognises, read in _READERS:
        if recognises(data):
            return read(data, source)
    return None
