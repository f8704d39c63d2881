"""Solve Spider Solitaire with all cards known: a replayed winning line, a proof of loss, or "not decided".

>>> from solver import Budget, deal_from_id, make_rules, solve
>>> solution = solve(deal_from_id("pysolfc:12345"), make_rules("standard"), Budget(seconds=30))
>>> solution.verdict, str(solution.line[0])
('win', '5-7x1')

Importing this package loads neither numpy nor numba; the first search does.
"""

from solver.notation import format_line, format_position, parse_line, parse_position
from solver.numbering import deal_from_id
from solver.position import Deal, Position, PositionError, check_position
from solver.referee import IllegalMove, legal_moves, replay
from solver.rules import Rules, RulesError, make_rules
from solver.search import Budget, BudgetError, Progress, Solution, solve

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "BudgetError",
    "Deal",
    "IllegalMove",
    "Position",
    "PositionError",
    "Progress",
    "Rules",
    "RulesError",
    "Solution",
    "check_position",
    "deal_from_id",
    "format_line",
    "format_position",
    "legal_moves",
    "make_rules",
    "parse_line",
    "parse_position",
    "replay",
    "solve",
]
