"""Write what is published of the win rates, from the stores that ``spider batch`` made.

    python benchmarks/publish.py one.sqlite two.sqlite four.sqlite relaxed.sqlite

Into ``results/`` go, for everything that the stores hold together:

* ``README.md``                        the tables, the comparison with what was known, deals not won, how to do it again
* ``win-rates.svg`` and ``.png``       the picture
* ``win-rates.json``                   the same figures for programs
* ``verdicts-<mode>.csv``              one line a deal
* ``lines-<mode>.txt.xz``              one winning line a deal, which ``spider verify`` replays

Refuses when the files would be larger than a repository should hold.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
from common import RESULTS

from solver.numbering import deal_from_id
from solver.rules import Rules
from solver.winrate import report, stats
from solver.winrate.lines import pack_places, unpack_line, write_lines
from solver.winrate.plot import plot
from solver.winrate.program import machine_line
from solver.winrate.store import Result, Session, describe_budget

MAX_BYTES = 10_000_000
"""Of everything that is published."""
VERDICT_FIELDS = ("deal", "verdict", "moves", "tries", "expansions", "cpu_seconds")
CHUNK = 200

KNOWN_PLSPIDER = (31_998, 32_000)
"""Wins and deals: all of PySol's four-suit deals ms1..ms32000."""
PLSPIDER_LEFT = "ms14934"
"""One of the two that it left undecided; the other is not in the part of its record that can be found."""

Row = Sequence[object]


def mode_name(mode: report.Mode) -> str:
    """Return what the files of a mode are named after."""
    return f"{mode.rules.suits}-suit{'s' if mode.rules.suits > 1 else ''}-{mode.rules.preset}"


def title(mode: report.Mode) -> str:
    """Return what tables call a mode."""
    return f"{mode.rules.suits} suit{'s' if mode.rules.suits > 1 else ''}, {mode.rules.preset}"


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table: the first column to the left, the others to the right."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def interval(of: stats.Interval) -> str:
    """Return an interval in percent, with the digits that 32,000 deals deserve."""
    return f"{100 * of.low:.4f} to {100 * of.high:.4f}"


def deals_of(group: report.Group) -> str:
    """Return the deals of a group as ranges: ``pysolfc ms1 to ms32000``."""
    numbers = [result.deal for result in group.in_order()]
    split = [re.fullmatch(r"(\D*)(\d+)", number) for number in numbers]
    ranges: list[list[str]] = []
    for number, match in zip(numbers, split, strict=True):
        before = re.fullmatch(r"(\D*)(\d+)", ranges[-1][1]) if ranges else None
        if match and before and match[1] == before[1] and int(match[2]) == int(before[2]) + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [first if first == last else f"{first} to {last}" for first, last in ranges[:3]]
    return f"{group.scheme} {', '.join(shown)}" + (f" and {len(ranges) - 3} ranges more" if len(ranges) > 3 else "")


# ---- the text ------------------------------------------------------------------------------------


def readme(modes: Sequence[report.Mode], folder: Path) -> str:
    """Return the text with its tables, for a folder that may hold other results as well."""
    sections = [
        "# How often Spider Solitaire can be won",
        "With all cards known: the share of deals for which there is a line that wins. Every win here was "
        "replayed by the referee, which shares no code with the search, and every loss is proved: by a search that "
        "left nothing out, or by a bound on the cards that can ever move (`solver/blockade.py`). What is neither "
        "is called not decided. The intervals hold for the deals of the scheme at 95 %; they count a deal that is "
        "not decided as a loss at the lower end and as a win at the upper, so they hold however it would end.",
        _rates(modes),
        "![Win rates, time to a solution and length of the lines](win-rates.svg)",
        "## What it took",
        _costs(modes),
        *_compared(modes),
        "## Beside what was known",
        *_known(modes),
        "## Deals that were not won",
        *_not_won(modes),
        "## Do it again",
        *_again(modes),
        *_others(folder),
    ]
    return "\n\n".join(sections) + "\n"


def _rates(modes: Sequence[report.Mode]) -> str:
    rows = []
    for mode in modes:
        whole = mode.whole
        rate = report.rate_of(whole)
        counts = rate.counts
        rows.append(
            (
                title(mode),
                deals_of(whole),
                f"{counts.deals:,}",
                f"{counts.wins:,}",
                f"{counts.losses:,}",
                f"{counts.undecided:,}",
                f"{100 * rate.share:.4f}",
                interval(rate.wilson),
                interval(rate.clopper_pearson),
            )
        )
    head = (
        "game",
        "deals",
        "number",
        "won",
        "lost, proved",
        "not decided",
        "won, %",
        "Wilson, %",
        "Clopper-Pearson, %",
    )
    return table(head, rows)


def _costs(modes: Sequence[report.Mode]) -> str:
    rows = []
    for mode in modes:
        costs = report.costs_of(mode.whole)
        seconds, expansions, moves = costs["cpu_seconds"], costs["expansions"], costs.get("moves")
        total = sum(result.cpu_seconds for result in mode.whole.results.values())
        rows.append(
            (
                title(mode),
                *(f"{seconds[key]:.3f}" for key in ("mean", "median", "p90", "p99")),
                f"{seconds['max']:.1f}",
                f"{total / 3600:.2f}",
                f"{expansions['median']:,.0f}",
                f"{expansions['p99']:,.0f}",
                *((f"{moves['median']:.0f}", f"{moves['p90']:.0f}", f"{moves['max']:.0f}") if moves else "---"),
            )
        )
    head = (
        "game", "CPU s, mean", "median", "90 %", "99 %", "max", "hours in all", "positions, median", "99 %",
        "moves, median", "90 %", "max",
    )  # fmt: skip
    return table(head, rows) + (
        "\n\nCPU seconds of the search, kernels warm; positions searched; tableau moves of the winning lines, "
        "dealt rows not counted. A deal that was tried again bears the cost of all tries."
    )


def _compared(modes: Sequence[report.Mode]) -> list[str]:
    made = [
        comparison
        for comparison in report.comparisons(modes)
        if comparison.a.rules != comparison.b.rules and comparison.a.rules.suits == comparison.b.rules.suits
    ]
    if not made:
        return []
    rows = []
    for comparison in made:
        pairs, difference = comparison.pairs, comparison.difference
        rules_a, rules_b = comparison.a.rules, comparison.b.rules
        rows.append(
            (
                f"{rules_a.suits} suit{'s' if rules_a.suits > 1 else ''}: {rules_a.preset} and {rules_b.preset}",
                f"{pairs.deals:,}",
                f"{pairs.both:,}",
                f"{pairs.only_a:,}",
                f"{pairs.only_b:,}",
                f"{pairs.neither:,}",
                f"{100 * difference.low:+.3f} to {100 * difference.high:+.3f}",
                f"{comparison.p:.3g}",
                "-" if comparison.cpu_ratio is None else f"{comparison.cpu_ratio:.2f}",
            )
        )
    head = (
        "rules", "deals", "won by both", "by the first alone", "by the second alone", "by neither",
        "difference, points", "p", "CPU time, first to second",
    )  # fmt: skip
    return [
        "## The rules on the same deals",
        "Strict rules deal no row while a column is empty, relaxed rules do. The two are compared deal by "
        "deal; p is that of McNemar's exact test, the interval for the difference is that of Agresti and Min "
        "(95 %).",
        table(head, rows),
    ]


def _known(modes: Sequence[report.Mode]) -> list[str]:
    wins, deals = KNOWN_PLSPIDER
    quoted = stats.widened(stats.wilson, stats.Counts(wins=wins, timeouts=deals - wins))
    low, high = 100 * quoted.low, 100 * quoted.high
    rows: list[Row] = [
        (
            "plspider, 2005",
            "4 suits, ms1 to ms32000",
            f"{wins:,} of {deals:,}",
            f"{100 * wins / deals:.3f}",
            "a line a win",
        ),
        (
            "the same data in JAIR 85:21, 2026",
            "",
            "",
            f"{(low + high) / 2:.4f} ± {(high - low) / 2:.4f}",
            "Wilson's interval, the two deals left counted both ways",
        ),
        (
            "Solvitaire, in the same paper",
            "4 suits, random deals",
            "",
            "98.487 ± 1.513",
            "its Spider preset lets single cards go to the foundations, which is another game",
        ),
    ]
    for mode in modes:
        whole = mode.whole
        rate = report.rate_of(whole)
        rows.append(
            (
                "here",
                f"{title(mode)}, {deals_of(whole)}",
                f"{rate.counts.wins:,} of {rate.counts.deals:,}",
                f"{100 * rate.share:.4f} ({interval(rate.wilson)})",
                "a replayed line a win",
            )
        )
    text = [table(("who", "game and deals", "won", "%", "what it rests on"), rows)]
    text.append(
        "For one suit and for two suits no figure was published before that comes with a line for every win, "
        "as far as we know."
    )
    return text + [
        _beside_plspider(mode.whole)
        for mode in modes
        if mode.rules.suits == 4 and mode.rules.preset == "standard" and mode.scheme == "pysolfc"
    ]


def _beside_plspider(whole: report.Group) -> str:
    wins, deals = KNOWN_PLSPIDER
    # Below 32000 PySolFC's own numbers are the same deals.
    same = [result for result in whole.results.values() if 1 <= int(result.deal.removeprefix("ms")) <= deals]
    won = sum(result.verdict == "win" for result in same)
    lost = [result.deal for result in same if result.verdict == "loss"]
    # A lost deal has no line, so plspider has none either.
    both = " So these are the two, and every other one can be won." if len(lost) == deals - wins else ""
    return (
        f"plspider's deals are PySol's ms1 to ms{deals}. Of them {len(same):,} were searched here, {won:,} won and "
        f"{len(lost):,} proved lost{': ' if lost else ''}{', '.join(lost)}. plspider won all but {deals - wins} of its "
        f'{deals:,}; its record names one of these, {PLSPIDER_LEFT}, which "appears to be unwinnable".{both}'
    )


def _not_won(modes: Sequence[report.Mode]) -> list[str]:
    rows: list[Row] = []
    for mode in modes:
        for result in mode.whole.not_won():
            tried = [
                f"{describe_budget(group.run.budget)}: {found.verdict}, {found.tries} tries, "
                f"{found.expansions:,} positions, {found.cpu_seconds:.1f} CPU s"
                for group in mode.runs
                if group.run is not None and (found := group.results.get(result.deal)) is not None
            ]
            rows.append((title(mode), f"{mode.scheme}:{result.deal}", result.verdict, result.reason, "; ".join(tried)))
    if not rows:
        return ["None."]
    return [table(("game", "deal", "verdict", "proof", "what was tried"), rows)]


def _again(modes: Sequence[report.Mode]) -> list[str]:
    sessions = _unique(session for mode in modes for group in mode.runs for session in group.sessions.values())
    commands = list(dict.fromkeys(published_command(session.command) for session in sessions))
    machines = list(dict.fromkeys(machine_line(session.machine) for session in sessions))
    programs = list(dict.fromkeys(group.run.program for mode in modes for group in mode.runs if group.run is not None))
    days = sorted({session.started.partition(" ")[0] for session in sessions})
    files = [f"results/lines-{mode_name(mode)}.txt.xz" for mode in modes if mode.whole.wins()]
    return [
        "The searches, each of which can be stopped and started again at will:",
        "```sh\n" + "\n".join(commands) + "\n```",
        f"ran on {'; '.join(machines)}; {' to '.join(dict.fromkeys((days[0], days[-1])))}; "
        f"program signature {', '.join(programs)}. A limit in seconds is one of the machine: on another one a deal or "
        "two may change between won and not decided.",
        "The lines are here, so nobody has to believe the table. This replays every one of them under its rules:",
        "```sh\n" + "\n".join(f"spider verify {file}" for file in files) + "\n```",
        "and `--print` writes them as moves. Every deal with its verdict is in `verdicts-*.csv`, all figures "
        "with more digits in `win-rates.json`. These files were written by `python benchmarks/publish.py` "
        "from the stores that the searches left.",
    ]


def _others(folder: Path) -> list[str]:
    """Return a list of the other results in the folder, by their headings."""
    texts = [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]
    if not texts:
        return []
    items = [f"- [{path.read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}]({path.name})" for path in texts]
    return ["## Also in this folder", "\n".join(items)]


def published_command(command: str) -> str:
    """Return a command without what belongs to one machine: the folders of files, the address of a cluster."""
    words = [Path(word).name if "/" in word and "://" not in word else word for word in shlex.split(command)]
    return shlex.join("tcp://HOST:8786" if "://" in word else word for word in words).replace("'", "")


def published(value: Any) -> Any:
    """Return a value for JSON with every command in it as `published_command` gives it."""
    if isinstance(value, dict):
        return {key: published_command(item) if key == "command" else published(item) for key, item in value.items()}
    return list(map(published, value)) if isinstance(value, list | tuple) else value


def _unique(sessions: Iterable[Session]) -> list[Session]:
    return list({(session.command, session.started): session for session in sessions}.values())


# ---- the files -----------------------------------------------------------------------------------


def pack_results(scheme: str, rules: Rules, results: Sequence[Result]) -> list[tuple[str, str]]:
    """Return the lines of some wins as places: what a worker does."""
    return [
        (
            result.deal,
            pack_places(deal_from_id(f"{scheme}:{result.deal}", rules.suits), unpack_line(result.line), rules),
        )
        for result in results
    ]


def publish_lines(mode: report.Mode, path: Path, jobs: int) -> None:
    """Write the winning lines of a mode."""
    wins = [result for result in mode.whole.in_order() if result.verdict == "win"]
    chunks = [wins[start : start + CHUNK] for start in range(0, len(wins), CHUNK)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as executor:
        packed = executor.map(partial(pack_results, mode.scheme, mode.rules), chunks)
        write_lines(path, mode.scheme, mode.rules, chain.from_iterable(packed))


@click.command(help=__doc__)
@click.argument("stores", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), default=RESULTS, help="Instead of results/."
)
@click.option("--jobs", type=int, default=os.cpu_count() or 1, show_default=True)
def main(stores: tuple[Path, ...], folder: Path, jobs: int) -> None:
    modes = report.load(stores)
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / name for name in ("README.md", "win-rates.json", "win-rates.svg", "win-rates.png")]
    written[0].write_text(readme(modes, folder), encoding="utf-8")
    written[1].write_text(json.dumps(published(report.json_report(modes)), indent=1) + "\n", encoding="utf-8")
    for picture in written[2:]:
        plot([mode.whole for mode in modes], picture)
    for mode in modes:
        verdicts = folder / f"verdicts-{mode_name(mode)}.csv"
        # The name of the file says the rest, and 50,000 lines are to stay small.
        verdicts.write_text(report.csv_report([mode.whole], VERDICT_FIELDS), encoding="utf-8")
        written.append(verdicts)
        if mode.whole.wins():
            lines = folder / f"lines-{mode_name(mode)}.txt.xz"
            publish_lines(mode, lines, jobs)
            written.append(lines)
    total = sum(path.stat().st_size for path in written)
    for path in written:
        click.echo(f"{path.stat().st_size:>12,}  {path.name}")
    click.echo(f"{total:>12,}  in all")
    if total > MAX_BYTES:
        click.echo(f"that is more than {MAX_BYTES:,} bytes: too much for a repository", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
