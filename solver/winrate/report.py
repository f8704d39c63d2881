"""What stores say: win rates with their intervals, what deals cost, which are hard, and who does better.

Results are grouped by *mode*, the scheme and the rules.  A mode may hold several *runs*, which differ in budget or
program, such as a first run and a second one over what it left undecided.  Each run is reported; a mode
of several is reported as a whole, too: there a deal is won if any run won it, and it costs what all of them spent.

Runs of one mode, and modes that differ in their rules alone, are compared on the deals that they share.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from solver.rules import Rules
from solver.winrate import stats
from solver.winrate.deals import numbers_in_order
from solver.winrate.program import machine_line
from solver.winrate.store import (
    Result,
    Run,
    Session,
    StoreError,
    describe_budget,
    is_decided,
    open_to_read,
)

SCHEMA = 1
"""Version of the JSON object; it rises when a field changes its meaning or goes."""
HARDEST = 10
SHARES = {"median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
"""Percentiles by name."""

CSV_FIELDS = (
    "scheme", "deal", "suits", "rules", "verdict", "moves", "rows_dealt", "runs_removed", "tries", "expansions",
    "children", "cpu_seconds", "seconds", "budget", "program",
)  # fmt: skip


@dataclass
class Group:
    """Results of a number of deals under the same rules: a run, or a mode as a whole."""

    scheme: str
    rules: Rules
    run: Run | None
    """None for a mode as a whole."""
    results: dict[str, Result] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    """By what they say, so that files of one batch do not repeat them."""

    @property
    def name(self) -> str:
        """What tells the group from others, in words."""
        if self.run is None:
            return f"{self.scheme}, {self.rules.describe()}, all runs together"
        return self.run.describe()

    @property
    def counts(self) -> stats.Counts:
        """Verdicts."""
        verdicts = Counter(result.verdict for result in self.results.values())
        return stats.Counts(verdicts["win"], verdicts["loss"], verdicts["timeout"], verdicts["error"])

    def in_order(self) -> Iterator[Result]:
        """Yield the results by the number of the deal."""
        return (self.results[deal] for deal in numbers_in_order(list(self.results)))

    def wins(self) -> list[Result]:
        """Return the results that are wins."""
        return [result for result in self.results.values() if result.verdict == "win"]

    def hardest(self, count: int = HARDEST) -> list[Result]:
        """Return the results that took the most CPU time, the hardest first."""
        return sorted(self.results.values(), key=lambda result: -result.cpu_seconds)[:count]

    def not_won(self) -> list[Result]:
        """Return every result that is no win, by the number of the deal."""
        return [result for result in self.in_order() if result.verdict != "win"]


@dataclass
class Mode:
    """All that is known of one game: a scheme under certain rules."""

    scheme: str
    rules: Rules
    runs: list[Group] = field(default_factory=list)

    @property
    def whole(self) -> Group:
        """The runs taken together; the run itself when there is one alone."""
        if len(self.runs) == 1:
            return self.runs[0]
        whole = Group(self.scheme, self.rules, None)
        for run in self.runs:
            whole.sessions |= run.sessions
            for deal, result in run.results.items():
                before = whole.results.get(deal)
                whole.results[deal] = result if before is None else _together(self, before, result)
        return whole

    @property
    def groups(self) -> list[Group]:
        """The runs, and the mode as a whole when they are several."""
        return self.runs if len(self.runs) == 1 else [*self.runs, self.whole]


def load(paths: Iterable[Path]) -> list[Mode]:
    """Return what stores hold, by mode; raises `StoreError` for a file that is none, or when stores contradict."""
    modes: dict[tuple[str, Rules], Mode] = {}
    groups: dict[Run, Group] = {}
    for path in paths:
        with open_to_read(path) as store:
            sessions = store.sessions()
            for number, run in store.runs().items():
                mode = modes.setdefault((run.scheme, run.rules), Mode(run.scheme, run.rules))
                if run not in groups:
                    groups[run] = Group(run.scheme, run.rules, run)
                    mode.runs.append(groups[run])
                group = groups[run]
                for result, session in store.results(number):
                    before = group.results.get(result.deal)
                    if before is not None:
                        _check_agree(mode, before, result)
                        if is_decided(before.verdict):
                            continue
                    group.results[result.deal] = result
                    group.sessions[repr(sessions[session])] = sessions[session]
    for mode in modes.values():
        mode.runs = [group for group in mode.runs if group.results]
    found = [mode for mode in modes.values() if mode.runs]
    return sorted(found, key=lambda mode: (mode.scheme, mode.rules.preset != "standard", mode.rules.suits))


def _together(mode: Mode, one: Result, other: Result) -> Result:
    _check_agree(mode, one, other)
    best = other if is_decided(other.verdict) and not is_decided(one.verdict) else one
    return replace(
        best,
        tries=one.tries + other.tries,
        expansions=one.expansions + other.expansions,
        children=one.children + other.children,
        seconds=round(one.seconds + other.seconds, 4),
        cpu_seconds=round(one.cpu_seconds + other.cpu_seconds, 4),
    )


def _check_agree(mode: Mode, one: Result, other: Result) -> None:
    if {one.verdict, other.verdict} == {"win", "loss"}:
        raise StoreError(
            f"{mode.scheme}:{one.deal} is a win in one run and a loss in another under {mode.rules.describe()}: "
            "one of them is wrong"
        )


# ---- summaries -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rate:
    """A win rate and what is certain of it."""

    counts: stats.Counts
    level: float

    @property
    def share(self) -> float:
        """Wins among all deals: an estimate that counts undecided deals as losses."""
        return self.counts.wins / self.counts.deals

    @property
    def wilson(self) -> stats.Interval:
        """Wilson's interval, widened by the undecided deals."""
        return stats.widened(stats.wilson, self.counts, self.level)

    @property
    def clopper_pearson(self) -> stats.Interval:
        """The exact interval, widened by the undecided deals."""
        return stats.widened(stats.clopper_pearson, self.counts, self.level)


def rate_of(group: Group, level: float = stats.LEVEL) -> Rate:
    """Return the win rate of a group."""
    return Rate(group.counts, level)


def costs_of(group: Group) -> dict[str, dict[str, float]]:
    """Return mean and percentiles of what deals cost, and of the length of the lines; the last of wins alone."""
    results = list(group.results.values())
    columns: Mapping[str, Sequence[float]] = {
        "cpu_seconds": [result.cpu_seconds for result in results],
        "expansions": [result.expansions for result in results],
        "moves": [result.moves for result in group.wins()],
    }
    return {
        name: {"mean": sum(values) / len(values)} | {key: stats.percentile(values, at) for key, at in SHARES.items()}
        for name, values in columns.items()
        if values
    }


@dataclass(frozen=True)
class Comparison:
    """Two groups on the deals that they share."""

    a: Group
    b: Group
    pairs: stats.Pairs
    """With undecided deals counted as not won."""
    undecided: int
    """Deals that one of them left undecided."""
    difference: stats.Interval
    """Share won by A minus share won by B, widened by the undecided deals."""
    p: float
    """Of McNemar's exact test."""
    cpu_ratio: float | None
    """CPU time of A to that of B over the deals that both won."""


def compare(a: Group, b: Group, level: float = stats.LEVEL) -> Comparison | None:
    """Compare two groups; None when they share no deal."""
    shared = [(a.results[deal], b.results[deal]) for deal in a.results if deal in b.results]
    if not shared:
        return None
    won_by_both = [(one, other) for one, other in shared if one.verdict == other.verdict == "win"]
    cost_of_b = sum(other.cpu_seconds for _, other in won_by_both)
    pairs = _pairs(shared, a_undecided=False, b_undecided=False)
    return Comparison(
        a,
        b,
        pairs,
        sum(not (is_decided(one.verdict) and is_decided(other.verdict)) for one, other in shared),
        stats.Interval(
            stats.paired_difference(_pairs(shared, a_undecided=False, b_undecided=True), level).low,
            stats.paired_difference(_pairs(shared, a_undecided=True, b_undecided=False), level).high,
        ),
        stats.mcnemar(pairs),
        sum(one.cpu_seconds for one, _ in won_by_both) / cost_of_b if cost_of_b else None,
    )


def _pairs(shared: Iterable[tuple[Result, Result]], *, a_undecided: bool, b_undecided: bool) -> stats.Pairs:
    """Count pairs, undecided deals of either side taken as wins or not."""

    def won(result: Result, undecided: bool) -> bool:
        return result.verdict == "win" or (undecided and not is_decided(result.verdict))

    cells = Counter((won(one, a_undecided), won(other, b_undecided)) for one, other in shared)
    return stats.Pairs(cells[True, True], cells[True, False], cells[False, True], cells[False, False])


def comparisons(modes: Sequence[Mode], level: float = stats.LEVEL) -> list[Comparison]:
    """Return every comparison that makes sense: runs of one mode, and modes that differ in their rules alone."""
    pairs = [pair for mode in modes for pair in combinations(mode.runs, 2)]
    pairs += [
        (one.whole, other.whole)
        for one, other in combinations(modes, 2)
        if (one.scheme, one.rules.suits) == (other.scheme, other.rules.suits)
    ]
    made = (compare(one, other, level) for one, other in pairs)
    return [comparison for comparison in made if comparison is not None]


# ---- output --------------------------------------------------------------------------------------


def text_report(modes: Sequence[Mode], level: float = stats.LEVEL) -> str:
    """Return the report as text for people; it ends in a newline."""
    blocks = [_group_text(group, level) for mode in modes for group in mode.groups]
    blocks += [_comparison_text(comparison, level) for comparison in comparisons(modes, level)]
    return "\n\n".join(blocks) + "\n"


def headline(counts: stats.Counts, level: float = stats.LEVEL) -> str:
    """Return verdicts and win rate as one line of text."""
    rate = Rate(counts, level)
    parts = [f"{counts.wins:,} won", f"{counts.losses:,} lost (proved)", f"{counts.timeouts:,} timed out"]
    if counts.errors:
        parts.append(f"{counts.errors:,} in error")
    return (
        f"{counts.deals:,} deal{'s' if counts.deals > 1 else ''}: {', '.join(parts)}; "
        f"{100 * rate.share:.3f} % won ({100 * level:g} %: {rate.wilson.percent(3)})"
    )


def _group_text(group: Group, level: float) -> str:
    rate = rate_of(group, level)
    lines = [group.name, f"  {headline(rate.counts, level)}"]
    lines.append(
        f"  {100 * level:g} % intervals: Wilson {rate.wilson.percent(4)}, "
        f"Clopper-Pearson {rate.clopper_pearson.percent(4)}"
    )
    if rate.counts.undecided:
        lines.append("  the lower ends count undecided deals as losses, the upper ends as wins")
    costs = costs_of(group)
    lines.append("  " + "".join(f"{head:>12}" for head in ("", "mean", *SHARES)))
    titles = {"cpu_seconds": ("CPU seconds", ".3f"), "expansions": ("expansions", ",.0f"), "moves": ("moves", ",.0f")}
    for name, values in costs.items():
        title, form = titles[name]
        lines.append(f"  {title:>12}" + "".join(f"{value:>12{form}}" for value in values.values()))
    hardest = ", ".join(f"{result.deal} ({result.verdict}, {result.cpu_seconds:.2f} s)" for result in group.hardest())
    lines.append(f"  hardest: {hardest}")
    not_won = group.not_won()
    if not_won:
        shown = ", ".join(f"{result.deal} ({result.verdict})" for result in not_won[: 2 * HARDEST])
        more = f" and {len(not_won) - 2 * HARDEST:,} more" if len(not_won) > 2 * HARDEST else ""
        lines.append(f"  not won: {shown}{more}")
    lines += [f"  on {machine_line(session.machine)}, {session.started}" for session in group.sessions.values()]
    return "\n".join(lines)


def _comparison_text(comparison: Comparison, level: float) -> str:
    pairs = comparison.pairs
    lines = [
        f"A: {comparison.a.name}",
        f"B: {comparison.b.name}",
        f"  the same {pairs.deals:,} deals: {pairs.both:,} won by both, {pairs.only_a:,} by A alone, "
        f"{pairs.only_b:,} by B alone, {pairs.neither:,} by neither; {comparison.undecided:,} undecided by one or both",
        f"  A - B: {100 * (pairs.only_a - pairs.only_b) / pairs.deals:+.3f} points ({100 * level:g} %: "
        f"{100 * comparison.difference.low:+.3f}..{100 * comparison.difference.high:+.3f}), "
        f"McNemar's exact p {comparison.p:.3g}",
    ]
    if comparison.cpu_ratio is not None:
        lines.append(f"  on the deals that both won A took {comparison.cpu_ratio:.2f} times the CPU time of B")
    return "\n".join(lines)


def json_report(modes: Sequence[Mode], level: float = stats.LEVEL) -> dict[str, Any]:
    """Return the report as JSON types."""
    return {
        "schema": SCHEMA,
        "level": level,
        "groups": [_group_json(group, level) for mode in modes for group in mode.groups],
        "comparisons": [_comparison_json(comparison) for comparison in comparisons(modes, level)],
    }


def _group_json(group: Group, level: float) -> dict[str, Any]:
    rate = rate_of(group, level)
    counts = rate.counts
    return {
        "scheme": group.scheme,
        "rules": group.rules.as_dict(),
        "budget": None if group.run is None else _budget_json(group.run),
        "program": None if group.run is None else group.run.program,
        "deals": counts.deals,
        "wins": counts.wins,
        "losses": counts.losses,
        "timeouts": counts.timeouts,
        "errors": counts.errors,
        "win_rate": rate.share,
        "wilson": [rate.wilson.low, rate.wilson.high],
        "clopper_pearson": [rate.clopper_pearson.low, rate.clopper_pearson.high],
        **costs_of(group),
        "hardest": [_brief_json(result) for result in group.hardest()],
        "not_won": [_brief_json(result) for result in group.not_won()],
        "sessions": [
            {"command": session.command, "machine": session.machine, "started": session.started}
            for session in group.sessions.values()
        ],
    }


def _budget_json(run: Run) -> dict[str, Any]:
    budget = run.budget
    return {
        "seconds": budget.seconds,
        "memory": budget.memory,
        "expansions": budget.expansions,
        "seed": budget.seed,
    }


def _brief_json(result: Result) -> dict[str, Any]:
    return {
        "deal": result.deal,
        "verdict": result.verdict,
        "cpu_seconds": result.cpu_seconds,
        "expansions": result.expansions,
        "reason": result.reason,
    }


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    pairs = comparison.pairs
    return {
        "a": comparison.a.name,
        "b": comparison.b.name,
        "deals": pairs.deals,
        "both": pairs.both,
        "only_a": pairs.only_a,
        "only_b": pairs.only_b,
        "neither": pairs.neither,
        "undecided": comparison.undecided,
        "difference": [comparison.difference.low, comparison.difference.high],
        "p": comparison.p,
        "cpu_ratio": comparison.cpu_ratio,
    }


def csv_report(groups: Iterable[Group], columns: Sequence[str] = CSV_FIELDS) -> str:
    """Return one line a deal and run, under a head of the columns, which are some of `CSV_FIELDS`."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for group in groups:
        game = {"scheme": group.scheme, "suits": group.rules.suits, "rules": group.rules.preset}
        if group.run is not None:
            game |= {"budget": describe_budget(group.run.budget), "program": group.run.program}
        for result in group.in_order():
            writer.writerow(game | vars(result))
    return out.getvalue()
