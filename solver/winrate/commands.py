"""The commands ``spider batch``, ``report``, ``merge`` and ``verify``: arguments in, library called, result printed.

`solver.cli` loads this module when one of them is asked for.  Only a summary goes to stdout; progress and
mishaps go to stderr.
"""

from __future__ import annotations

import datetime
import json
import os
import shlex
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from solver.cli import EPILOG, EXIT_INTERRUPTED, memory_option, say, seed_option, timeout_option
from solver.numbering import DEFAULT_SCHEME, SCHEMES, NumberError
from solver.rules import PRESETS, Rules, RulesError
from solver.search import Budget, BudgetError
from solver.start import RulesChoice, start_from_number
from solver.winrate import report as reports
from solver.winrate import stats
from solver.winrate.deals import DealsError, Shard, all_deals, parse_deals, parse_shard
from solver.winrate.lines import LineFileError
from solver.winrate.plot import PlotError, check_plot, plot
from solver.winrate.pool import LocalPool, is_warm, share_cache, warm_kernels
from solver.winrate.program import machine, program_signature
from solver.winrate.run import BatchError, Task, make_task, run_batch
from solver.winrate.store import (
    Merged,
    Result,
    Run,
    Session,
    Store,
    StoreError,
    Verdict,
    create_or_open,
    is_decided,
    only_writer,
    open_to_read,
)
from solver.winrate.store import merge as merge_stores
from solver.winrate.verify import count_lines, verify_file

if TYPE_CHECKING:
    from tqdm import tqdm

PATH = click.Path(path_type=Path)
MAX_SHOWN_FAILURES = 20
MAX_DEALS = 10_000_000
"""In one batch: all are counted before the first is solved, and that takes some seconds then."""


# ---- options -------------------------------------------------------------------------------------


def _suits(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    numbers = [part.strip() for part in text.split(",")]
    if any(number not in ("1", "2", "3", "4") for number in numbers) or len(set(numbers)) < len(numbers):
        raise click.BadParameter(f"{text!r} is no list of suits: write 1, 2, 3 or 4, or several such as 1,2,4.")
    return tuple(map(int, numbers))


def _shard(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Shard:
    try:
        return parse_shard(text) if text is not None else Shard()
    except DealsError as error:
        raise click.BadParameter(f"{error}.") from None


def _level(_context: click.Context, _parameter: click.Parameter, percent: float) -> float:
    if not 50 <= percent < 100:
        raise click.BadParameter(f"{percent:g} is no confidence level: write a percentage from 50 to 99.99.")
    return percent / 100


def _jobs_option(command: Any) -> Any:
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=_cores,
        show_default="one a core",
        metavar="N",
        help="Worker processes.",
    )(command)


def _cores() -> int:
    # What this process may use, where the system tells, and not what the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- batch ---------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.option(
    "--scheme", type=click.Choice(list(SCHEMES)), default=DEFAULT_SCHEME, show_default=True, help="Whose deal numbers."
)
@click.option(
    "--deals",
    metavar="NUMBERS",
    help="Ranges and numbers: 1-1000, ms1-ms32000, or 5,17,90-99.  [required unless --sample is given]",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only so many of the deals, drawn at random; of all the scheme has without --deals.",
)
@seed_option("What the sample is drawn from.")
@click.option("--suits", default="4", show_default=True, callback=_suits, metavar="LIST", help="1, 2, 4, or 1,2,4.")
@click.option(
    "--rules", "preset", type=click.Choice(list(PRESETS)), default="standard", show_default=True, help="The variant."
)
@timeout_option(20.0, "Give a deal up after so many seconds.")
@memory_option("Use at most so many MiB in each worker.")
@click.option(
    "--expansions",
    type=click.IntRange(min=1),
    metavar="N",
    help="Give a deal up after so many positions, too; unlike time that is the same on every machine.",
)
@seed_option("What the restarts of a search draw from.", "--search-seed")
@_jobs_option
@click.option("--out", type=PATH, required=True, metavar="FILE.sqlite", help="Where results are stored.")
@click.option(
    "--retry",
    type=click.Choice(["timeout", "error"]),
    help="Solve only deals that FILE has as timeouts, with another budget, or as errors.",
)
@click.option(
    "--shard", callback=_shard, metavar="I/N", help="Solve only the I-th of N shares, for jobs that are merged later."
)
@click.option(
    "--cluster", metavar="ADDRESS", help="Solve on the workers of this Dask scheduler, such as tcp://host:8786."
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def batch(
    context: click.Context,
    scheme: str,
    deals: str | None,
    sample: int | None,
    seed: int,
    suits: tuple[int, ...],
    preset: str,
    timeout: float,
    memory: int,
    expansions: int | None,
    search_seed: int,
    jobs: int,
    out: Path,
    retry: str | None,
    shard: Shard,
    cluster: str | None,
    quiet: bool,
) -> None:
    """Solve many deals and store every result in FILE at once.

    The same command goes on where it was stopped, in whatever way that was: what is stored is skipped.
    """
    try:
        budget = Budget(timeout, memory, expansions, search_seed)
        selections = [_select(scheme, deals, sample, seed, number, preset) for number in suits]
    except (BudgetError, DealsError, NumberError, RulesError) as error:
        raise click.UsageError(str(error), context) from None
    runs = [Run(scheme, selection.rules, budget, program_signature()) for selection in selections]
    with _errors(), only_writer(out), create_or_open(out) as store:
        plan = _plan(store, runs, selections, shard, retry)
        _tell_of_others(store, runs)
        if not plan.pending:
            say(f"nothing to solve: {_what_is_there(plan, retry)}")
        else:
            done = _solve(store, plan, jobs, cluster, quiet=quiet)
            if not done:
                say(
                    f"interrupted with {plan.stored_now:,} of {plan.pending:,} deals stored in {str(out)!r}; "
                    "the same command goes on"
                )
                context.exit(EXIT_INTERRUPTED)
        for run, number in plan.runs.items():
            click.echo(f"{run.scheme}, {run.rules.describe()}: {stats_line(plan.verdicts[number])}")


@dataclass(frozen=True)
class Selection:
    """The deals of one number of suits."""

    rules: Rules
    numbers: Iterable[str]


def _select(scheme: str, text: str | None, sample: int | None, seed: int, suits: int, preset: str) -> Selection:
    if text is None and sample is None:
        raise DealsError("which deals? give --deals 1-1000 or the like, or --sample N")
    deals = all_deals(scheme) if text is None else parse_deals(text, scheme, suits)
    count = deals.count if sample is None else sample
    if count > MAX_DEALS:
        raise DealsError(f"{count:,} deals are too many for a batch: name at most {MAX_DEALS:,}, or draw a --sample")
    numbers: Iterable[str] = deals if sample is None else deals.sample(sample, seed)
    first = next(iter(numbers))
    return Selection(start_from_number(f"{scheme}:{first}", RulesChoice(preset, suits)).rules, numbers)


@dataclass
class Plan:
    """What a batch has to do, and how far it is."""

    runs: dict[Run, int]
    """The number of each in the store."""
    verdicts: dict[int, Counter[Verdict]]
    """Of the deals that were asked for, by the number of the run."""
    asked: int
    pending: int
    tasks: Callable[[], Iterator[Task]]
    stored_now: int = 0


def _plan(store: Store, runs: Sequence[Run], selections: Sequence[Selection], shard: Shard, retry: str | None) -> Plan:
    numbers = {run: store.add_run(run) for run in runs}
    stored = {run: store.verdicts(number) for run, number in numbers.items()}
    retried = {run: _timeouts(store, run, numbers[run]) for run in runs} if retry == "timeout" else None

    def chosen() -> Iterator[tuple[Run, str]]:
        place = 0
        for run, selection in zip(runs, selections, strict=True):
            for deal in selection.numbers:
                if shard.takes(place) and (retried is None or deal in retried[run]):
                    yield run, deal
                place += 1

    def is_pending(run: Run, deal: str) -> bool:
        verdict = stored[run].get(deal)
        return verdict == "error" if retry == "error" else verdict is None

    verdicts: dict[int, Counter[Verdict]] = {number: Counter() for number in numbers.values()}
    asked = pending = 0
    for run, deal in chosen():
        asked += 1
        if is_pending(run, deal):
            pending += 1
        elif deal in stored[run]:
            verdicts[numbers[run]][stored[run][deal]] += 1

    def tasks() -> Iterator[Task]:
        return (make_task(run, numbers[run], deal) for run, deal in chosen() if is_pending(run, deal))

    return Plan(numbers, verdicts, asked, pending, tasks)


def _timeouts(store: Store, wanted: Run, number: int) -> set[str]:
    """Return the deals that are timeouts in other runs of the same game and decided in none."""
    timeouts: set[str] = set()
    decided: set[str] = set()
    for other, run in store.runs().items():
        if (run.scheme, run.rules) != (wanted.scheme, wanted.rules):
            continue
        for deal, verdict in store.verdicts(other).items():
            # What this run itself has solved is found stored later, and counts as done.
            if is_decided(verdict) and other != number:
                decided.add(deal)
            elif verdict == "timeout" and other != number:
                timeouts.add(deal)
    return timeouts - decided


def _what_is_there(plan: Plan, retry: str | None) -> str:
    if retry == "timeout" and not plan.asked:
        return "there are no timeouts of another budget; raise --timeout or change --search-seed to try again"
    if retry == "error":
        return "there are no errors among the deals asked for"
    return f"all {plan.asked:,} deals are stored"


def _tell_of_others(store: Store, runs: Sequence[Run]) -> None:
    programs = {run.program for run in store.runs().values()} - {runs[0].program}
    if programs:
        say(f"the file also holds results of other versions of the search ({', '.join(sorted(programs))}); they stay")


def stats_line(verdicts: Mapping[Verdict, int]) -> str:
    """Return verdicts and win rate as one line."""
    counts = _counts(verdicts)
    return reports.headline(counts) if counts.deals else "no deals"


def _counts(verdicts: Mapping[Verdict, int]) -> stats.Counts:
    return stats.Counts(
        verdicts.get("win", 0), verdicts.get("loss", 0), verdicts.get("timeout", 0), verdicts.get("error", 0)
    )


def _solve(store: Store, plan: Plan, jobs: int, cluster: str | None, *, quiet: bool) -> bool:
    """Solve what is pending; return whether it was done, and not interrupted."""
    with ExitStack() as stack:
        stopped = stack.enter_context(_interrupts())
        if cluster is None:
            pool = LocalPool(min(jobs, plan.pending))
            stack.callback(pool.kill)
            warning = share_cache()
            if warning is not None:
                say(f"warning: {warning}")
            if not is_warm() and not quiet:
                say("compiling the search kernels (first run only) ...")
            executor, workers, rebuild = pool.executor(), pool.workers, pool.executor
            warm_kernels(executor, stopped)
        else:
            # Here, not above: an extra, and slow to load.
            from solver.winrate.cluster import connect

            connected = stack.enter_context(connect(cluster))
            executor, workers, rebuild = connected.executor, connected.workers, None
        started = datetime.datetime.now(datetime.UTC).replace(microsecond=0, tzinfo=None)
        session = store.add_session(Session(_command_line(), machine(), started.isoformat(" ") + " UTC", workers))
        bar = stack.enter_context(_bar(plan.pending, " deals", quiet=quiet))

        def record(results: Sequence[tuple[Task, Result]]) -> None:
            store.record(session, ((task.run, result) for task, result in results))
            plan.stored_now += len(results)
            for task, result in results:
                plan.verdicts[task.run][result.verdict] += 1
            bar.set_postfix_str(_running_rates(plan), refresh=False)
            bar.update(len(results))

        try:
            run_batch(
                plan.tasks(),
                record,
                executor,
                workers=workers,
                rebuild=rebuild,
                stopped=stopped,
                say=lambda message: bar.write(f"spider: {message}", file=sys.stderr),
            )
        except (BatchError, StoreError) as error:
            bar.close()
            raise click.ClickException(
                f"{error}\n{plan.stored_now:,} of {plan.pending:,} deals are stored and safe; "
                "once the cause is gone, the same command goes on"
            ) from None
        return not stopped()


def _running_rates(plan: Plan) -> str:
    rates = []
    for run, number in plan.runs.items():
        counts = _counts(plan.verdicts[number])
        if counts.deals:
            interval = stats.widened(stats.wilson, counts)
            rates.append(f"{run.rules.suits}s {100 * counts.wins / counts.deals:.2f} % ({interval.percent()})")
    return ", ".join(rates)


def _bar(total: int, unit: str, *, quiet: bool) -> tqdm[Any]:
    """Return a bar of progress on stderr; it hides where that is no terminal."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread to watch a bar that is fed all the time
    return tqdm(
        total=total,
        unit=unit,
        disable=True if quiet else None,
        file=sys.stderr,
        smoothing=0.1,
        # A terminal that does not know its size says 0 by 0, which tqdm would take for no room at all.
        ncols=shutil.get_terminal_size().columns,
        nrows=2,
    )


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a question that is asked between two results; a second one ends the process.

    An exception might come while a result is being stored.
    """
    pressed: list[int] = []

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        pressed.append(1)
        if len(pressed) > 1:
            os._exit(EXIT_INTERRUPTED)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Ignored, as in a shell's background job, or the caller's business.
        yield lambda: False
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _command_line() -> str:
    return shlex.join(["spider", *sys.argv[1:]])


@contextmanager
def _errors() -> Iterator[None]:
    """Turn the errors of this room into errors of the command."""
    try:
        yield
    except (BatchError, LineFileError, PlotError, StoreError) as error:
        raise click.ClickException(str(error)) from None


# ---- report, merge -------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--level", type=float, default=95.0, show_default=True, callback=_level, metavar="PERCENT",
              help="Confidence level of the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one line a deal as CSV instead of text.")
@click.option("--plot", "picture", type=PATH, metavar="FILE.png|svg", help="Draw a picture, too (extra plots).")
@click.pass_context
def report(
    context: click.Context, files: tuple[Path, ...], level: float, as_json: bool, as_csv: bool, picture: Path | None
) -> None:
    """Count what FILEs of "spider batch" hold: win rates with intervals, times, hard deals, comparisons.

    Deals that were not decided count as losses at the lower end of an interval and as wins at the upper.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two forms of one output: choose one", context)
    with _errors():
        if picture is not None:
            check_plot(picture)
        modes = reports.load(files)
        if not modes:
            raise StoreError("no deal is stored yet")
        if picture is not None:
            plot([mode.whole for mode in modes], picture, level)
    if as_json:
        click.echo(json.dumps(reports.json_report(modes, level)))
    elif as_csv:
        click.echo(reports.csv_report(group for mode in modes for group in mode.runs), nl=False)
    else:
        click.echo(reports.text_report(modes, level), nl=False)


@click.command(epilog=EPILOG)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--out", type=PATH, required=True, metavar="FILE.sqlite", help="Where everything goes; it may exist.")
def merge(files: tuple[Path, ...], out: Path) -> None:
    """Put the results of several FILEs into one, such as those of the shares of a batch.

    A file is taken as a whole or not at all.  Merging again changes nothing.
    """
    with _errors():
        # Before anything is written: a name with a mistake in it would leave half a merge.
        for file in files:
            open_to_read(file).close()
        with only_writer(out), create_or_open(out) as target:
            for file in files:
                with open_to_read(file) as source:
                    click.echo(f"{file}: {_merged_text(merge_stores(target, source))}")


def _merged_text(merged: Merged) -> str:
    replaced = f", {merged.replaced:,} undecided ones replaced" if merged.replaced else ""
    kept = f", {merged.kept:,} were there already" if merged.kept else ""
    return f"{merged.added:,} results added{replaced}{kept}"


# ---- verify --------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("file", metavar="FILE", type=PATH)
@_jobs_option
@click.option("--print", "with_moves", is_flag=True, help="Print every line, too: deal, tab, moves.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def verify(context: click.Context, file: Path, jobs: int, with_moves: bool, quiet: bool) -> None:
    """Replay every line that FILE holds with the referee, and report those that do not win.

    FILE is what "spider batch" stored, or a file of lines.  No part of the search takes part.
    """
    with _errors(), ExitStack() as stack:
        total = count_lines(file)
        stopped = stack.enter_context(_interrupts())
        pool = LocalPool(jobs)
        stack.callback(pool.kill)
        bar = stack.enter_context(_bar(total, " lines", quiet=quiet))
        show = (lambda line: click.echo(f"{line.id}\t{line.moves}")) if with_moves else None
        verified = verify_file(file, pool.executor(), jobs, stopped=stopped, progress=bar.update, show=show)
        if stopped():
            bar.close()
            say("interrupted")
            context.exit(EXIT_INTERRUPTED)
    for failure in verified.failures[:MAX_SHOWN_FAILURES]:
        click.echo(f"wrong: {failure}")
    click.echo(
        f"{verified.lines:,} lines replayed, {len(verified.failures):,} wrong; "
        f"not replayed: {verified.losses:,} lost (by a search), {verified.undecided:,} undecided"
    )
    if not verified.passed:
        raise click.ClickException(f"lines in {str(file)!r} that do not win: {len(verified.failures):,}")
