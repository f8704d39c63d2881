"""The machine code of the kernels, made part by part when a search first needs it.

=========  =================  ==================================================
part       module             what it is for
=========  =================  ==================================================
search     solver.exhaustion  best-first and exhaustive searches: every solve
beam       solver.beam        members of the portfolio that are beams; shorter lines
deepening  solver.deepening   shortest lines
=========  =================  ==================================================

What is made is kept, see kernel/cache.py; importing this module loads no numba.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

MODULES = {"search": "solver.exhaustion", "beam": "solver.beam", "deepening": "solver.deepening"}
"""The module of each part; its `compile_kernels` makes the code."""
SOLVING = ("search", "beam")
"""The parts that a solve may need."""


def load_kernels(*parts: str, on_compile: Callable[[], None] | None = None) -> None:
    """Import the kernels and make the machine code of some parts where it is missing.

    `on_compile` is called once before anything is made, which takes some seconds a part.
    """
    from solver.kernel import cache

    folder = cache.import_kernels()
    missing = [part for part in parts if not cache.is_compiled(folder, part)]
    if missing and on_compile is not None:
        on_compile()
    for part in missing:
        importlib.import_module(MODULES[part]).compile_kernels()
        cache.mark_compiled(folder, part)


def is_compiled(*parts: str) -> bool:
    """Whether the machine code of some parts has been made and kept."""
    from solver.kernel import cache

    folder = cache.kernel_cache_folder()
    return all(cache.is_compiled(folder, part) for part in parts)
