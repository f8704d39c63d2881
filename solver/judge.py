"""The judge: verdicts of many positions of one game within one budget, each searched once and as seldom as possible.

What one search finds decides more than its own position:

* every position on a winning line is won, by the rest of the line;
* a position from which a won one can be reached is won, and one that is reached from a lost one is lost;
* a move that can be taken back changes nothing: from either side of it the same positions can be reached.

A ``timeout`` is no verdict: the same question may be asked again with a larger budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from solver.move import Line, Move, tableau_move
from solver.position import Position
from solver.referee import apply, why_illegal
from solver.rules import Rules
from solver.search import Budget, Verdict, solve

LEAST_SECONDS = 0.05
"""Of a search, however little of the budget is left: most positions need less."""


class Judge:
    """Verdicts under the same rules, within so many seconds of search all together."""

    def __init__(
        self,
        rules: Rules,
        *,
        seconds: float,
        memory: int = 1024,
        loose: bool = False,
        on_compile: Callable[[], None] | None = None,
    ) -> None:
        self.rules = rules
        self.searches = 0
        """Searches made."""
        self.expansions = 0
        """Positions searched in all of them."""
        self._memory = memory
        self._loose = loose
        self._on_compile = on_compile
        self._seconds = seconds
        self._deadline: float | None = None
        self._won: dict[Position, tuple[Line, int]] = {}
        """Positions on the lines that were found: the line, and how many of its moves lead there."""
        self._lost: set[Position] = set()

    @property
    def seconds_left(self) -> float:
        """What is left of the budget; loading and compiling the kernels is not counted."""
        return self._seconds if self._deadline is None else max(self._deadline - time.perf_counter(), 0.0)

    def verdict(self, position: Position, *, seconds: float | None = None, expansions: int | None = None) -> Verdict:
        """Return the verdict of a position, searched unless it is known; the search takes `seconds` at most."""
        known = self.known(position)
        if known != "timeout":
            return known
        allowed = self.seconds_left if seconds is None else min(seconds, self.seconds_left)
        budget = Budget(max(allowed, LEAST_SECONDS), self._memory, expansions)
        solution = solve(position, self.rules, budget, loose=self._loose, on_compile=self._on_compile)
        if self._deadline is None:
            # The first search has loaded the kernels, and perhaps compiled them.
            searched = sum(attempt.seconds for attempt in solution.attempts)
            self._deadline = time.perf_counter() + self._seconds - searched
        self.searches += 1
        self.expansions += solution.expansions
        if solution.verdict == "win":
            self.add_line(position, solution.line)
        elif solution.verdict == "loss":
            self._lost.add(position)
        return solution.verdict

    def known(self, position: Position) -> Verdict:
        """Return the verdict as far as it is known without a search."""
        if position in self._won or position.is_won:
            return "win"
        return "loss" if position in self._lost else "timeout"

    def line(self, position: Position) -> Line:
        """Return the winning line of a position that is known to be won."""
        if position.is_won:
            return ()
        line, played = self._won[position]
        return line[played:]

    def add_line(self, position: Position, line: Line) -> None:
        """Take note of a line that wins; it is played by the referee, and loops in it are left out."""
        path = without_loops(position, line, self.rules)
        moves = tuple(move for _, move in path)
        for index, (before, _) in enumerate(path):
            self._won.setdefault(before, (moves, index))

    def add_move(self, before: Position, move: Move, after: Position) -> None:
        """Take note that a move leads to a position that is known to be won, so that the one before it is, too."""
        if self.known(before) != "win":
            self.add_line(before, (move, *self.line(after)))


def without_loops(position: Position, line: Line, rules: Rules) -> list[tuple[Position, Move]]:
    """Return each position of a line with the move that is played there, every position once.

    Raises `IllegalMove` when the rules forbid a move.
    """
    path: list[tuple[Position, Move]] = []
    places: dict[Position, int] = {}
    for move in line:
        if position in places:
            for before, _ in path[places[position] :]:
                del places[before]
            del path[len(places) :]
        places[position] = len(path)
        path.append((position, move))
        position = apply(position, move, rules)
    if position in places:
        del path[places[position] :]
    return path


def can_be_taken_back(before: Position, move: Move, after: Position, rules: Rules) -> bool:
    """Return whether a move can be undone by another, so that it changes nothing in what can be reached."""
    if move.kind != "move" or after.face_down != before.face_down or after.completed != before.completed:
        return False
    return why_illegal(after, tableau_move(move.target, move.source, move.count), rules) is None
