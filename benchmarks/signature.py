"""The signature: exact expansions and line lengths on a fixed set of deals.

    python benchmarks/signature.py            print it, and whether it is the recorded one
    python benchmarks/signature.py --write    record it

The search is deterministic, so the same number means that a change was a refactoring; a new number means that the
search changed, which needs evidence from `solve.py`.  A test holds the recorded numbers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from solver import Budget, deal_from_id, make_rules, solve

PATH = Path(__file__).parent.parent / "tests" / "data" / "signature.json"
DEALS = [
    *((f"ms{number}", 4) for number in range(1, 9)),
    *((f"ms{number}", 2) for number in range(101, 109)),
    *((f"ms{number}", 1) for number in range(201, 205)),
]
EXPANSIONS = 150_000


def signature() -> list[dict[str, Any]]:
    """Return a record a deal: what was searched and how long the line is."""
    records = []
    for number, suits in DEALS:
        budget = Budget(seconds=600, expansions=EXPANSIONS)
        solution = solve(deal_from_id(number, suits), make_rules(suits=suits), budget)
        records.append(
            {
                "deal": number,
                "suits": suits,
                "budget": EXPANSIONS,
                "verdict": solution.verdict,
                "tries": solution.tries,
                "expansions": solution.expansions,
                "children": solution.children,
                "line": len(solution.line),
            }
        )
    return records


@click.command(help=__doc__)
@click.option("--write", is_flag=True, help="Record the signature.")
def main(write: bool) -> None:
    records = signature()
    text = "[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n"
    click.echo(text, nl=False)
    click.echo(f"signature {sum(r['expansions'] for r in records)} expansions, {sum(r['line'] for r in records)} steps")
    if write:
        PATH.write_text(text)
    elif json.loads(PATH.read_text()) != records:
        click.echo("this is not the recorded signature", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
