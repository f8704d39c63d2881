"""What every benchmark shares: the machine and versions it ran on, and how results are written."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


def environment() -> dict[str, Any]:
    """Return processor, versions and commit, for the head of a result."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }


def environment_line(values: dict[str, Any]) -> str:
    """Return the environment as one line of text."""
    return (
        f"{values['processor']}, {values['cores']} cores, {values['system']}, Python {values['python']}, "
        f"numba {values['numba']}, numpy {values['numpy']}, commit {values['commit']}, {values['date']}"
    )


def write_json(name: str, values: Any) -> Path:
    """Write a result file and return its path."""
    path = RESULTS / name
    path.write_text(json.dumps(values, indent=1) + "\n")
    return path


def percentile(values: list[float], share: float) -> float:
    """Return the smallest value that at least `share` (0..1) of the values do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * share) - 1, 0)]


def _commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=RESULTS.parent, check=True, capture_output=True, text=True
        ).stdout.strip()

    try:
        dirty = "+changes" if git("status", "--porcelain", "--untracked-files=no", "solver") else ""
        return git("rev-parse", "--short", "HEAD") + dirty
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
