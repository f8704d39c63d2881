"""One try of a member, whichever way it searches: best-first (see attempt.py) or a beam (see beam.py).

Like both it imports numba and is loaded when the first search starts.
"""

from __future__ import annotations

from typing import Protocol

from solver.attempt import Attempt
from solver.beam import BeamAttempt
from solver.kernel.endings import NO_ENDING, Ending
from solver.move import Line
from solver.portfolio import Member
from solver.position import Position
from solver.record import Outcome, Reach
from solver.rules import Rules


class Try(Protocol):
    """A search that is run slice by slice."""

    @property
    def expansions(self) -> int:
        """Positions whose moves were generated."""

    @property
    def children(self) -> int:
        """Moves judged."""

    @property
    def positions(self) -> int:
        """Different positions met."""

    def step(self, limit: int) -> Outcome | None:
        """Search on for one slice, up to `limit` expansions in all; return the outcome once there is one."""

    def reach(self) -> Reach:
        """Return how far the most advanced position is."""

    def line(self) -> Line:
        """Return the winning line, after the outcome was a win."""


def begin_try(position: Position, rules: Rules, member: Member, *, memory: int, ending: Ending = NO_ENDING) -> Try:
    """Begin the try of a member, with `memory` bytes for its arrays; a beam asks no relaxations of an ending."""
    if member.width > 0:
        return BeamAttempt(position, rules, member, memory=memory)
    return Attempt(position, rules, member, memory=memory, ending=ending)
