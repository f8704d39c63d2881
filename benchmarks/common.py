"""What every benchmark shares: the machine and versions it ran on, and how results are written."""

from __future__ import annotations

import datetime
import json
import subprocess
from pathlib import Path
from typing import Any

from solver.winrate.program import machine, machine_line

RESULTS = Path(__file__).parent.parent / "results"


def environment() -> dict[str, Any]:
    """Return processor, versions and commit, for the head of a result."""
    return {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "commit": _commit(), **machine()}


def environment_line(values: dict[str, Any]) -> str:
    """Return the environment as one line of text."""
    return f"{machine_line(values)}, commit {values['commit']}, {values['date']}"


def write_json(name: str, values: Any) -> Path:
    """Write a result file and return its path."""
    path = RESULTS / name
    path.write_text(json.dumps(values, indent=1) + "\n")
    return path


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
