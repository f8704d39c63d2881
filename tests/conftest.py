"""Fixtures and settings of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

DATA = Path(__file__).parent / "data"

# The same examples on every run, so that a failure means a change of the code.  No deadline, as a busy machine is
# no fault.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the files that tests read."""
    return DATA
