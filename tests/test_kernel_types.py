"""What numba made of the kernels: no float anywhere, and results of the types that are meant.

A key that meets a signed integer silently becomes float64 and loses bits, which no result betrays.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from boards import board_of, game_of
from conftest import COMPILED
from numba import types

import solver.kernel
from solver import attempt, beam, deepening, exhaustion
from solver.kernel import cache
from solver.kernel.perft import perft
from solver.numbering import deal_from_id
from solver.portfolio import MEMBERS
from solver.rules import make_rules

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(not COMPILED, reason="there is no machine code")]

MARK_KERNELS = {"breaks", "breaks_undone"}
"""What returns a count and marks."""
KEY_KERNELS = {"mix", "column_key", "full_key", "_mark"}
"""The kernels that return a word of a key, or a mark; all others return signed integers, truth values or nothing."""


@pytest.fixture(scope="module")
def kernels() -> dict[str, Any]:
    """Every kernel by module and name, compiled for the arguments of a search."""
    exhaustion.compile_kernels()
    deepening.compile_kernels()
    beam.compile_kernels()
    position = deal_from_id("ms1").position()
    perft(board_of(position), game_of(position, make_rules()), 1)
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(solver.kernel.__path__):
        module = importlib.import_module(f"solver.kernel.{info.name}")
        found |= {
            f"{info.name}.{name}": value
            for name, value in vars(module).items()
            if hasattr(value, "nopython_signatures") and value.py_func.__module__ == module.__name__
        }
    assert len(found) > 30
    return found


def test_every_kernel_is_compiled_without_the_interpreter(kernels: dict[str, Any]) -> None:
    for name, kernel in kernels.items():
        # One that only kernels call has none: it came out of the cache inside its caller.
        assert len(kernel.nopython_signatures) == len(kernel.signatures), name
    entries = {"bestfirst.run", "bestfirst.start", "beam.run", "trim.shorten", "table.rehash", "perft.perft"}
    assert all(kernels[name].nopython_signatures for name in entries)


def test_every_kernel_is_kept_in_our_folder(kernels: dict[str, Any]) -> None:
    """Elsewhere numba would load stale machine code after an edit in another file."""
    folder = cache.import_kernels()
    for name, kernel in kernels.items():
        assert Path(kernel.stats.cache_path).parent == folder, name


def test_results_have_the_types_that_are_meant(kernels: dict[str, Any]) -> None:
    signed = {types.int64, types.int32, types.boolean, types.none}
    for name, kernel in kernels.items():
        for signature in kernel.nopython_signatures:
            result = signature.return_type
            if name.partition(".")[2] in KEY_KERNELS:
                assert result == types.uint64, (name, signature)
            elif name.partition(".")[2] in MARK_KERNELS:
                assert tuple(result.types) == (types.int64, types.uint64), (name, signature)
            else:
                # A tuple knows the types of its elements, a constant the one that it is a value of.
                parts = getattr(result, "types", [result])
                assert {getattr(part, "literal_type", part) for part in parts} <= signed, (name, signature)


def test_no_variable_and_no_argument_is_a_float(kernels: dict[str, Any]) -> None:
    seen = 0
    for name, kernel in kernels.items():
        for signature, compiled in kernel.overloads.items():
            assert "float" not in str(signature), (name, signature)
            # The types of all variables; text when the code came out of the cache.
            annotation = compiled.type_annotation
            text = annotation if isinstance(annotation, str) else str(annotation)
            assert text, name
            assert "float" not in text, (name, [line for line in text.splitlines() if "float" in line])
            seen += 1
    assert seen >= 4


def test_one_machine_code_for_every_game(kernels: dict[str, Any]) -> None:
    """Both lists, strict and not: the entries are compiled once, since a specialisation costs seconds."""
    for suits, preset in ((1, "standard"), (4, "relaxed")):
        rules = make_rules(preset, suits=suits)
        for lossless in (False, True):
            position = deal_from_id("ms2", suits).position()
            member = MEMBERS[0]
            searching = attempt.Attempt(position, rules, replace(member, lossless=lossless), memory=50 << 20)
            searching.step(3000)
    for name in ("bestfirst.run", "bestfirst.start", "table.rehash"):
        assert len(kernels[name].nopython_signatures) == 1, name
