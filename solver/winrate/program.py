"""Which search a result is from, and on which machine it ran.

The *program signature* names everything that decides what a search finds, and nothing else::

    0.1.0+3f9a0c72d51b      version of the package + digest of the sources of the search

Python, numba and processor are not in it: they change how long a search takes, never which positions it visits.
So machines of a cluster may differ in them, and their results still belong to one run.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from importlib import metadata
from pathlib import Path

from solver import __version__

_KERNELS = (
    *("beam", "bestfirst", "endings", "exhaust", "layout", "macros", "moves", "queues", "relax", "score", "suited"),
    "table",
)
_MODULES = ("attempt", "beam", "blockade", "ending", "exhaustion", "macros", "portfolio", "search", "tries")
SEARCH_SOURCES = (
    *(f"{name}.py" for name in _MODULES),
    *(f"kernel/{name}.py" for name in _KERNELS),
)
"""Files of the package whose text decides which positions are visited and in which order."""

DIGITS = 12


@functools.cache
def program_signature() -> str:
    """Return the program signature of this package."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for name in SEARCH_SOURCES:
        digest.update(name.encode())
        # A checkout may have rewritten the ends of the lines.
        digest.update((package / name).read_bytes().replace(b"\r\n", b"\n"))
    return f"{__version__}+{digest.hexdigest()[:DIGITS]}"


@functools.cache
def machine() -> dict[str, str | int]:
    """Return processor and versions, for the record of a run: what its CPU seconds depend on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numba": metadata.version("numba"),
        "numpy": metadata.version("numpy"),
    }


def machine_line(values: dict[str, str | int]) -> str:
    """Return what `machine` says as one line of text."""
    return (
        f"{values['processor']}, {values['cores']} cores, {values['system']}, Python {values['python']}, "
        f"numba {values['numba']}, numpy {values['numpy']}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"
