"""Derive the schedule of the portfolio from measurements, not from taste.

    python benchmarks/portfolio.py measure --deals 1500 --jobs 2     member x deal: won or not, expansions, seconds
    python benchmarks/portfolio.py derive                            the schedule that the data supports

`measure` plays the first candidate on all deals and every candidate on those that the first does not win within `EASY`
expansions, each with `CAP` expansions, and appends to ``results/portfolio-data.csv``; what is there already is not
measured again.  The deals are PySolFC 32001 and up, which are for tuning; ms1001..ms3000 are for judging the result.

`derive` builds the schedule step by step: of all (candidate, budget) it takes the one that wins most of the deals still
left per CPU second spent on them.  A try is not cut short by knowing the outcome: a deal that it does not win
costs the whole budget.  Random members stand for all of their kind; after the last step they go on without end.
"""

from __future__ import annotations

import csv
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice

import click
from common import RESULTS, play
from tqdm import tqdm

from solver.kernel import cache
from solver.portfolio import BREAKS, MEMBERS, NOISE, SWEEPS, TUNED, TUNED_B, TUNED_C, TUNED_QUICK, Member, members

PATH = RESULTS / "portfolio-data.csv"
FIELDS = ("member", "deal", "won", "expansions", "seconds")
FIRST_DEAL = 32001
CAP = 200_000
EASY = 50_000
MEMORY = 768 << 20
BUDGETS = (50_000, 100_000, 150_000, 200_000)
RANDOM = 4
MAX_STEPS = 12


def candidates() -> list[Member]:
    """Return the members that may be scheduled, the first of the portfolio first."""
    first = MEMBERS[0]
    found = [first]
    found += [replace(first, name=f"{first.name}-k{breadth}", breadth=breadth) for breadth in (4, 6, 12)]
    found += [replace(first, name=f"{first.name}-noise{n}", noise=NOISE * n // 40, noise_seed=n) for n in (20, 40, 80)]
    others = (("tuned", TUNED, 8), ("tuned-b", TUNED_B, 8), ("tuned-c", TUNED_C, 8), ("tuned-quick", TUNED_QUICK, 6))
    found += [Member(*other, expansions=CAP) for other in (*others, ("breaks", BREAKS, 8))]
    # With noise; not the score that moves by single points, which a noise of forty would drown.
    for name, weights, breadth in others:
        noisy = Member(f"{name}-noise40", weights, breadth, expansions=CAP, noise=NOISE, noise_seed=1)
        found += [noisy, replace(noisy, name=f"{noisy.name}-sweep4", breadth=8, sweep=4)]
    noisy = replace(first, noise=NOISE, noise_seed=5)
    found += [replace(noisy, name=f"{first.name}-noise40-sweep{sweep}", sweep=sweep) for sweep in SWEEPS]
    found += list(islice((m for m in members(seed=0) if m.name.startswith("random-")), RANDOM))
    return [replace(member, expansions=CAP, macros=True) for member in found]


def measure_one(task: tuple[Member, str]) -> tuple[str, str, int, int, float]:
    """Return a row of the data."""
    member, number = task
    begun = time.process_time()
    won, expansions = play(number, 4, member, MEMORY)
    return member.name, number, int(won), expansions, round(time.process_time() - begun, 4)


def read() -> dict[str, dict[str, tuple[bool, int, float]]]:
    """Return won, expansions and seconds by member and deal."""
    data: dict[str, dict[str, tuple[bool, int, float]]] = {}
    if PATH.exists():
        with PATH.open(newline="") as file:
            for row in csv.DictReader(file):
                entry = (row["won"] == "1", int(row["expansions"]), float(row["seconds"]))
                data.setdefault(row["member"], {})[row["deal"]] = entry
    return data


def hard_deals(entries: dict[str, tuple[bool, int, float]]) -> set[str]:
    """Return the deals that a member does not win within `EASY` expansions."""
    return {number for number, (won, expansions, _) in entries.items() if not won or expansions > EASY}


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command()
@click.option("--deals", default=1500, show_default=True)
@click.option("--jobs", default=1, show_default=True)
def measure(deals: int, jobs: int) -> None:
    """Play every candidate on the deals that the first leaves."""
    numbers = [str(FIRST_DEAL + i) for i in range(deals)]
    first, *others = candidates()
    new = not PATH.exists()
    # Compiled before anything is timed: a cold cache once put twenty seconds on the first deals.
    cache.import_kernels()
    measure_one((first, numbers[0]))
    with (
        PATH.open("a", newline="") as file,
        ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=cache.import_kernels) as pool,
    ):
        writer = csv.writer(file)
        if new:
            writer.writerow(FIELDS)

        def play(tasks: list[tuple[Member, str]], name: str) -> None:
            known = read()
            tasks = [(member, number) for member, number in tasks if number not in known.get(member.name, {})]
            for row in tqdm(pool.map(measure_one, tasks, chunksize=4), total=len(tasks), desc=name, disable=None):
                writer.writerow(row)
            file.flush()

        play([(first, number) for number in numbers], first.name)
        left = sorted(hard_deals(read()[first.name]))
        for member in others:
            play([(member, number) for number in left], member.name)


@main.command()
def derive() -> None:
    """Print the schedule and what each step adds."""
    data = read()
    first = MEMBERS[0].name
    deals = data[first]
    hard = hard_deals(deals)
    click.echo(f"{len(deals)} deals; the first member, {first}, does not win {len(hard)} of them within {EASY:,}")
    click.echo(f"each alone on those {len(hard)}, won within " + ", ".join(f"{budget:,}" for budget in BUDGETS))
    for name, entries in data.items():
        shares = [sum(entries[n][0] and entries[n][1] <= budget for n in hard) for budget in BUDGETS]
        click.echo(f"  {name:20}" + "".join(f"{share:6}" for share in shares))
    for budget in BUDGETS:
        left = {n for n in hard if not (deals[n][0] and deals[n][1] <= budget)}
        spent = sum(_seconds(entry, budget) for entry in deals.values())
        click.echo(f"first {budget:,}: leaves {len(left)} after {spent / len(deals):.4f} s a deal; then")
        for step in range(2, MAX_STEPS + 1):
            options = ((_rate(e, left, b), name, b) for name, e in data.items() for b in BUDGETS)
            rate, name, limit = max(options)
            if not left or rate == 0:
                break
            spent += sum(_seconds(data[name][n], limit) for n in left)
            left = {n for n in left if not (data[name][n][0] and data[name][n][1] <= limit)}
            click.echo(
                f"  {step:2} {name:20} {limit:>7,}  {rate:.3f} wins a CPU second, leaves {len(left)} "
                f"after {spent / len(deals):.4f} s a deal"
            )


def _seconds(entry: tuple[bool, int, float], budget: int) -> float:
    """Return the time that a try with a smaller budget would have taken."""
    _, expansions, seconds = entry
    return seconds * min(expansions, budget) / expansions


def _rate(entries: dict[str, tuple[bool, int, float]], left: set[str], budget: int) -> float:
    won = sum(entries[n][0] and entries[n][1] <= budget for n in left)
    spent = sum(_seconds(entries[n], budget) for n in left)
    return won / spent if spent else 0.0


if __name__ == "__main__":
    main()
