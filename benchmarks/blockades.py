"""Blocked deals: how many of PySolFC's deals are lost before a card is moved, whatever the suits and the rules.

    python benchmarks/blockades.py                        ms1..ms1000000, some twenty minutes
    python benchmarks/blockades.py --deals ms1-ms32000 --out none

A deal is blocked when `solver.blockade` shows that no column can ever be emptied and no run completed.  Suits play no
part in that: the deals are looked at with all suits alike, so what is blocked is lost with one, two and four suits.
The share of blocked deals is a lower bound of the share that cannot be won.

Writes ``results/blockades.md``.
"""

from __future__ import annotations

import time

import click
from common import command_line, environment, environment_line, markdown, publish_report
from tqdm import tqdm

from solver import deal_from_id, make_rules
from solver.blockade import find_blockade
from solver.cards import RANK_SYMBOLS
from solver.winrate.deals import parse_deals
from solver.winrate.stats import clopper_pearson


@click.command(help=__doc__)
@click.option("--deals", default="ms1-ms1000000", show_default=True, help="As in spider batch.")
@click.option("--out", default="blockades", show_default=True, help="Name of the result file, or none.")
def main(deals: str, out: str) -> None:
    rules = make_rules(suits=1)
    rows = []
    numbers = parse_deals(deals, "pysolfc", 1)
    begun = time.process_time()
    for number in tqdm(numbers, unit="deal", total=numbers.count, disable=None):
        found = find_blockade(deal_from_id(number, 1).position(), rules)
        if found is not None:
            stuck = ", ".join(RANK_SYMBOLS[rank - 1] for rank in found.stuck)
            rows.append([number, stuck, f"{found.movable} of {sum(map(len, found.leaves))}"])
    seconds = time.process_time() - begun
    interval = clopper_pearson(len(rows), numbers.count)
    million = [f"{1e6 * share:.0f}" for share in (len(rows) / numbers.count, interval.low, interval.high)]
    report = "\n".join(
        [
            "# Blocked deals",
            "",
            f"`{command_line()}`",
            "",
            environment_line(environment()),
            "",
            f"Of {numbers.count:,} deals {len(rows)} are blocked: no column can ever be emptied and no run completed, "
            "with one, two or four suits, under any rules of dealing and removing (`solver/blockade.py` proves it). "
            f"That is {million[0]} in a million ({million[1]} to {million[2]} at 95 %, Clopper-Pearson), and so many "
            f"at least cannot be won. {1000 * seconds / numbers.count:.2f} CPU ms a deal.",
            "",
            markdown(
                ("deal", "ranks that can never be placed", "sequences and cards of rows that can ever move"), rows
            ),
            "",
        ]
    )
    publish_report(out, report)


if __name__ == "__main__":
    main()
