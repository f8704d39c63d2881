"""What is told of a search, while it runs and afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["win", "exhausted", "budget", "memory"]
"""A win; the move list exhausted; the expansions or the time spent; the memory full."""

PROOF_KEY_BITS = 128
"""Width of the keys in a search that may end as a proof."""


EXHAUSTIVE = "exhaustive"
"""Name of the try that searches everything."""
BLOCKADE = "blockade"
"""Name of the try that bounds what can ever move, see blockade.py."""


class RaceError(RuntimeError):
    """A process that searched went away; the position has no verdict."""


@dataclass(frozen=True)
class Reach:
    """How far a search has come: its most advanced position; rows and runs since the root of the search."""

    rows_dealt: int
    runs_removed: int
    face_down: int


@dataclass(frozen=True)
class Attempt:
    """One try of a solve, for the record."""

    name: str
    """The member that searched."""
    lossless: bool
    """Whether every move that matters was considered."""
    outcome: Outcome
    expansions: int
    children: int
    positions: int
    """Different positions met."""
    seconds: float
    positions_by_stage: tuple[int, ...] = ()
    """The positions by rows dealt since the start; counted by the exhaustive search alone."""
    relaxed: int = 0
    """Positions among them that a relaxation of the game proved lost (kernel/relax.py, suited.py): not expanded."""

    @property
    def is_proof(self) -> bool:
        """Whether the try proved that no line wins."""
        return self.name in (EXHAUSTIVE, BLOCKADE) and self.outcome == "exhausted"
