"""The report as a picture (extra ``plots``): win rates, time to a solution, length of the lines.

Colours are those of M. Okabe and K. Ito, which people with any kind of colour vision tell apart, and every group has
a line style, marker or hatch of its own as well, so that a print in black and white can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solver.winrate.report import Group, rate_of
from solver.winrate.stats import LEVEL

SUFFIXES = (".png", ".svg")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "...", "xxx", "\\\\\\")
SIZE_INCHES = (15.0, 4.6)
DPI = 150
BINS = 40
STEP = 0.985
"""Two points of a curve on a scale of logarithms are at least this factor apart."""


class PlotError(RuntimeError):
    """A picture that cannot be made; the message says what is missing."""


def check_plot(path: Path) -> None:
    """Raise `PlotError` when no picture can be made under this name, before anything else is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise PlotError(f"{str(path)!r} names no picture: end it in {' or '.join(SUFFIXES)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PlotError(
            "a plot needs matplotlib, which is not installed: pip install 'spider-patience[plots]'"
        ) from None


def plot(groups: Sequence[Group], path: Path, level: float = LEVEL) -> None:
    """Draw the groups into a file; the same results give the same SVG."""
    check_plot(path)
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A salt, or the ids in the SVG change from run to run; text as text, so that it can be searched.
    with mpl.rc_context({"svg.hashsalt": "spider", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        rates, times, lengths = figure.subplots(1, 3)
        names = short_names(groups)
        _draw_rates(rates, groups, names, level)
        _draw_times(times, groups, names)
        _draw_lengths(lengths, groups, names)
        figure.savefig(path, dpi=DPI, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def short_names(groups: Sequence[Group]) -> list[str]:
    """Return a name for each group that is short and tells it from the others."""
    names = [
        f"{group.rules.suits} suit{'s' if group.rules.suits > 1 else ''}, {group.rules.preset}" for group in groups
    ]
    for index, group in enumerate(groups):
        if names.count(names[index]) > 1:
            part = "together" if group.run is None else f"{group.run.budget.seconds:g} s, {group.run.program}"
            names[index] += f" ({group.scheme}, {part})"
    return names


def _draw_rates(axes: Any, groups: Sequence[Group], names: Sequence[str], level: float) -> None:
    for index, group in enumerate(groups):
        rate = rate_of(group, level)
        interval = rate.clopper_pearson
        share = 100 * rate.share
        axes.errorbar(
            share,
            -index,
            xerr=[[max(share - 100 * interval.low, 0)], [max(100 * interval.high - share, 0)]],
            fmt=_of(MARKERS, index),
            color=_of(COLOURS, index),
            capsize=4,
        )
        counts = rate.counts
        axes.annotate(
            f"{counts.wins:,} of {counts.deals:,}", (share, -index), (0, 8), textcoords="offset points", ha="center"
        )
    axes.set_yticks([-index for index in range(len(groups))], names)
    axes.set_ylim(-len(groups) + 0.4, 0.6)
    axes.margins(x=0.25)
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.set_xlabel("deals won, %")
    axes.set_title(f"Win rate, {100 * level:g} % Clopper-Pearson interval")
    axes.grid(axis="x", alpha=0.3)


def _draw_times(axes: Any, groups: Sequence[Group], names: Sequence[str]) -> None:
    for index, group in enumerate(groups):
        times = sorted(result.cpu_seconds for result in group.wins())
        total = len(group.results)
        shares = [(total - place) / total for place in range(1, len(times) + 1)]
        # A share of nothing has no place on a scale of logarithms: the last win ends the curve.
        points = _thinned([(time, share) for time, share in zip(times, shares, strict=True) if share > 0 and time > 0])
        axes.step(
            [time for time, _ in points],
            [100 * share for _, share in points],
            where="post",
            color=_of(COLOURS, index),
            linestyle=_of(LINE_STYLES, index),
            label=names[index],
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("CPU seconds")
    axes.set_ylabel("deals not yet won, %")
    axes.set_title("Time to a solution")
    axes.grid(alpha=0.3)
    axes.legend()


def _draw_lengths(axes: Any, groups: Sequence[Group], names: Sequence[str]) -> None:
    lengths = [[result.moves for result in group.wins()] for group in groups]
    every = [length for group in lengths for length in group] or [0]
    low, high = min(every), max(every) + 1
    edges = [low + (high - low) * step / BINS for step in range(BINS + 1)]
    for index, values in enumerate(lengths):
        if not values:
            continue
        axes.hist(
            values,
            bins=edges,
            weights=[100 / len(values)] * len(values),
            histtype="stepfilled",
            facecolor=(*_rgb(_of(COLOURS, index)), 0.25),
            edgecolor=_of(COLOURS, index),
            linestyle=_of(LINE_STYLES, index),
            hatch=_of(HATCHES, index),
            label=names[index],
        )
    axes.set_xlabel("tableau moves of the line")
    axes.set_ylabel("wins, %")
    axes.set_title("Length of the winning lines")
    axes.legend()


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points of a falling curve that can be seen: thousands of others would only swell the file."""
    kept: list[tuple[float, float]] = []
    for time, share in points:
        if not kept or share <= STEP * kept[-1][1]:
            kept.append((time, share))
    return kept


def _of(choices: Sequence[str], index: int) -> str:
    return choices[index % len(choices)]


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue
