"""Plans: lines that hints follow, kept between runs, so that the hint after a hint goes on and never back.

A plan is a line and a name for each position on it.  It is found by the position, whichever that is, so nothing needs
to be told of the game that is played::

    $SPIDER_CACHE_DIR, or the cache folder of the user
        plans/<name of the first position>.json

    {"schema": 1, "line": "5-7x1 6-2x1 ...", "positions": ["0f3a...", ...], "verdict": "win",
     "tally": {...}, "end": ""}

A plan that gains nothing names the position at its end as well, so that no further one of its kind begins there.
The plan used last comes first where several know a position, and using it makes it the last used: so hints stay on
one plan as long as it lasts, and as no plan visits a position twice, neither do they.  What is kept is only ever a
proposal: who follows a plan replays it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solver.kernel.cache import user_cache_folder
from solver.move import Line
from solver.notation import NotationError, format_line, format_position, parse_line
from solver.partial import PartialPosition
from solver.rules import Rules

SCHEMA = 1
MAX_PLANS = 50
"""Plans that the folder keeps, those used last: each is some kilobytes, and a search for a plan reads them all."""
MAX_BYTES = 1 << 20
"""Of a plan; more is some other file."""
NAME_DIGITS = 32
"""Hexadecimal digits of the name of a position: 128 bits, so that two positions do not share one by chance."""


class PlanError(ValueError):
    """A file named by the user that is no plan, or cannot be read or written."""


class PlanWarning(UserWarning):
    """A plan that cannot be kept, so that the next hint has to search again."""


@dataclass(frozen=True)
class Plan:
    """A line from some position on, and how it was found."""

    line: Line
    positions: tuple[str, ...]
    """Names of the positions before each move, see `position_name`; all different."""
    verdict: str
    """That of the first position, when the plan was made."""
    tally: Mapping[str, int]
    """What was counted when the plan was made."""
    end: str = ""
    """Name of the position after the last move, where nothing can be gained there; otherwise empty."""

    def knows(self, name: str) -> bool:
        """Whether the position of that name is on the plan."""
        return name in self.positions or (name == self.end and bool(name))

    def rest(self, name: str) -> Line:
        """Return the moves from the position of that name on; empty at its end, and when the plan does not know it."""
        return self.line[self.positions.index(name) :] if name in self.positions else ()


def position_name(shown: PartialPosition, rules: Rules) -> str:
    """Return a name for what is seen of a position under the rules."""
    # The preset's name decides nothing, nor does the layout of the deal.
    values = {key: value for key, value in rules.as_dict().items() if key not in ("preset", "heights", "rows")}
    text = json.dumps(values, sort_keys=True) + format_position(shown)
    return hashlib.sha256(text.encode()).hexdigest()[:NAME_DIGITS]


class PlanFolder:
    """The plans of the user.  Nothing that is wrong with it stops a hint: a plan is then found anew."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_cache_folder() / "plans"

    def find(self, name: str) -> Plan | None:
        """Return the plan used last that knows the position of that name."""
        for path in self._newest_first():
            with contextlib.suppress(PlanError, OSError):
                plan = _load(path)
                if plan.knows(name):
                    os.utime(path)
                    return plan
        return None

    def keep(self, plan: Plan) -> None:
        """Keep a plan, and let the oldest go when there are too many."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _save(plan, self._folder / f"{plan.positions[0]}.json")
            for path in list(self._newest_first())[MAX_PLANS:]:
                path.unlink(missing_ok=True)
        except OSError as error:
            warnings.warn(
                f"the plan cannot be kept in {str(self._folder)!r} ({error.strerror or error}), so the next hint may "
                "not go on with it; set SPIDER_CACHE_DIR to a folder that can be written, or give --plan FILE",
                PlanWarning,
                stacklevel=2,
            )

    def _newest_first(self) -> Iterator[Path]:
        times: dict[Path, int] = {}
        for path in self._folder.glob("*.json"):
            with contextlib.suppress(OSError):
                times[path] = path.stat().st_mtime_ns
        return iter(sorted(times, key=lambda path: -times[path]))


class PlanFile:
    """One plan in a file that the user named; a new plan replaces it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, name: str) -> Plan | None:
        """Return the plan if it knows the position of that name.

        Raises `PlanError` for a file that is no plan.
        """
        try:
            plan = _load(self._path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PlanError(f"cannot read {str(self._path)!r}: {error.strerror or error}") from None
        return plan if plan.knows(name) else None

    def keep(self, plan: Plan) -> None:
        """Write the plan; raises `PlanError` when the file cannot be written."""
        try:
            _save(plan, self._path)
        except OSError as error:
            raise PlanError(f"cannot write {str(self._path)!r}: {error.strerror or error}") from None


class NoPlans:
    """Nothing is kept."""

    def find(self, _name: str) -> Plan | None:
        """Return None."""
        return None

    def keep(self, plan: Plan) -> None:
        """Forget the plan."""


# ---- files ---------------------------------------------------------------------------------------


def _load(path: Path) -> Plan:
    """Return the plan of a file; raises `PlanError` when it holds none, whatever it holds."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        values: Any = json.loads(data) if len(data) <= MAX_BYTES else None
        if not isinstance(values, dict) or values.get("schema") != SCHEMA:
            raise PlanError("no plan")
        line = parse_line(values["line"])
        positions = tuple(map(str, values["positions"]))
        tally = {str(key): int(value) for key, value in values["tally"].items()}
        if len(positions) != len(line) or len(set(positions)) != len(positions):
            raise PlanError("another number of positions than moves")
        return Plan(line, positions, str(values["verdict"]), tally, str(values.get("end", "")))
    except (AttributeError, KeyError, NotationError, RecursionError, TypeError, ValueError):
        raise PlanError(
            f"{str(path)!r} is no plan that 'spider hint' has written: name another file, or remove it"
        ) from None


def _save(plan: Plan, path: Path) -> None:
    """Write a plan, as a whole or not at all."""
    values = {
        "schema": SCHEMA,
        "verdict": plan.verdict,
        "tally": dict(plan.tally),
        "line": format_line(plan.line),
        "positions": plan.positions,
        "end": plan.end,
    }
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(values, file)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
