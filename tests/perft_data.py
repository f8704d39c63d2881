"""Perft counts that the kernels must reproduce: written by the naive game, read by test_perft.

    python tests/perft_data.py        writes tests/data/perft.json anew, in a minute

Counts are lines of exactly 1, 2, 3, ... moves of the lossless list, deals included.  The deals are PySolFC's
1001 to 1012 in one, two and four suits; the cases are positions in mid-game and without stock, from data/cases.
Nothing but a change of the rules may change the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive

from solver.notation import parse_position
from solver.numbering import deal_from_id
from solver.position import Position
from solver.rules import Rules, make_rules

DATA = Path(__file__).parent / "data"
PATH = DATA / "perft.json"
DEALS = [f"ms{number}" for number in range(1001, 1013)]
PRESETS = ("standard", "relaxed", "bvs")
CASES = (
    ("win7-save-seed2747804-after-deal1", 4, 4),
    ("synth-split-runs-then-deal", 1, 3),
    ("synth-deal-completes-run", 4, 3),
    ("synth-nine-cards-stalemate", 1, 3),
    ("stale-lost-54", 1, 4),
    ("stale-not-13", 1, 4),
)
"""Case, suits, depth."""
DEPTH = 4


def root_of(record: dict[str, Any]) -> tuple[Position, Rules]:
    """Return the position and the rules of a record of the file."""
    rules = make_rules(record["rules"], suits=record["suits"])
    if "deal" in record:
        return deal_from_id(record["deal"], record["suits"]).position(), rules
    return parse_position((DATA / "cases" / f"{record['case']}.txt").read_text(), rules), rules


def records() -> list[dict[str, Any]]:
    """Return what the file holds, counted by the naive game."""
    made: list[tuple[dict[str, Any], int]] = [
        ({"deal": deal, "suits": suits, "rules": "standard"}, DEPTH) for suits in (1, 2, 4) for deal in DEALS
    ]
    made += [({"case": name, "suits": suits, "rules": p}, depth) for name, suits, depth in CASES for p in PRESETS]
    for record, depth in made:
        position, rules = root_of(record)
        record["counts"] = [naive.perft(position, n, rules, lossless=True) for n in range(1, depth + 1)]
    return [record for record, _ in made]


if __name__ == "__main__":
    PATH.write_text("[\n" + ",\n".join(json.dumps(record) for record in records()) + "\n]\n")
