"""Fixtures and settings of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from solver.kernel import cache

# Before any test module imports a kernel, for numba asks then where machine code is kept.
cache.import_kernels()

DATA = Path(__file__).parent / "data"
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
"""Whether kernels run as machine code, and not a hundred times slower as plain Python."""

# The same examples on every run, so that a failure means a change of the code.  No deadline, as a busy machine is
# no fault.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("plain-python", settings.get_profile("repeatable"), max_examples=10)
settings.load_profile("repeatable" if COMPILED else "plain-python")


def pytest_configure(config: pytest.Config) -> None:
    """Let hashes of 64 bits wrap around, which plain numpy warns of and machine code does not."""
    if not COMPILED:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the files that tests read."""
    return DATA
