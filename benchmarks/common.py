"""What every benchmark shares: the machine and versions it ran on, and how results are written."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from solver import deal_from_id, make_rules
from solver.portfolio import Member
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


def command_line() -> str:
    """Return the command that runs this benchmark, as a reader would type it."""
    return " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]], first: str = "--:") -> str:
    """Return a Markdown table, all columns to the right unless `first` says otherwise of the first."""
    lines = [headings, [first, *["--:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def publish_report(out: str, text: str, values: Any = None) -> None:
    """Print a report and, unless `out` is "none", write it to the result files of that name, its values as JSON."""
    click.echo(text)
    if out != "none":
        if values is not None:
            write_json(f"{out}.json", values)
        (RESULTS / f"{out}.md").write_text(text)


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


def play(number: str, suits: int, member: Member, memory: int) -> tuple[bool, int]:
    """Return whether one try of a member wins a deal within its budget, and its expansions; `memory` in bytes.

    The kernels must have been imported by `solver.kernel.cache`.
    """
    from solver.tries import begin_try

    position = deal_from_id(number, suits).position()
    attempt = begin_try(position, make_rules(suits=suits), member, memory=memory)
    outcome = None
    while outcome is None:
        outcome = attempt.step(member.expansions)
    return outcome == "win", attempt.expansions
