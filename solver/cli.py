"""The command ``spider``: read the arguments, call the library, print what it says.

The result goes to stdout and nothing else does: progress, warnings and errors go to stderr, each
error as one message that starts with ``spider: error:``.  Nothing here imports numba or numpy until
a search starts, so that help and completion answer at once.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar, cast, get_args

import click

from solver import __version__, search
from solver.files import MAX_FILE, FileError
from solver.notation import NotationError, describe_line
from solver.numbering import DEFAULT_SCHEME, SCHEMES, NumberError, Scheme
from solver.reading import StockEnd
from solver.record import RaceError
from solver.rules import LAYOUTS, MAX_COLUMNS, MAX_PACKS, MAX_RANKS, PRESETS, SUITS_PER_PACK, Removal, Rules, RulesError
from solver.shortest import Shortest, ShortestProgress, shorten
from solver.show.board import board_json, board_picture, board_text
from solver.show.formats import SCHEMA, WRITERS
from solver.show.replay import show_line
from solver.start import (
    InputChoice,
    Moment,
    PartialStart,
    RulesChoice,
    Start,
    StartError,
    describe_rules,
    describe_unknown,
    start_from_data,
    start_from_number,
)

if TYPE_CHECKING:
    from solver.improve import Improvement, ImproveProgress
    from solver.record import Attempt
    from solver.search import Progress, Solution

EXIT_OK, EXIT_ERROR, EXIT_USAGE, EXIT_LOSS, EXIT_TIMEOUT, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES = {"win": EXIT_OK, "loss": EXIT_LOSS, "timeout": EXIT_TIMEOUT}
VERDICT_COLOURS = {"win": "green", "loss": "red", "timeout": "yellow"}

EPILOG = """\b
Exit codes:
  0    a win, or what was asked for is done
  1    an error: a file that cannot be read or is no possible game
  2    wrong usage: an unknown option, scheme or number, a value out of range
  3    a loss: proved that no line wins
  4    a timeout: not decided within the time and memory given
  130  interrupted (Ctrl-C)

\b
Environment:
  SPIDER_SOLVE_TIMEOUT and so on  the default of an option, here of solve --timeout
  SPIDER_CACHE_DIR                the folder of the compiled kernels and of the plans of hints
  NO_COLOR                        no colour when it is not empty
"""

STDIN = "-"
STDERR_FILENO = 2

_PLAIN_NUMBER = re.compile(r"(ms)?[0-9]+", re.IGNORECASE)
_NUMBER_WITH_SEPARATORS = re.compile(r"(ms)?[\s#\-_.,]*[0-9][0-9\s#\-_.,]*L?", re.IGNORECASE)
_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9-]+):.*", re.IGNORECASE | re.DOTALL)
"""Two letters at least, so that a drive letter starts a path."""

F = TypeVar("F", bound=Callable[..., Any])
Standing = TypeVar("Standing")
"""What a search tells of itself while it runs."""


_BATCHES, _PLAYERS = "solver.winrate.commands", "solver.player_commands"
LAZY_COMMANDS: dict[str, tuple[str, str]] = {
    "batch": (_BATCHES, "Solve many deals and store every result in FILE."),
    "check": (_PLAYERS, "Say which move of a game lost it."),
    "hint": (_PLAYERS, "Say what to play next in DEAL, and why."),
    "merge": (_BATCHES, "Put the results of several FILEs into one."),
    "play": (_PLAYERS, "Step through a line that wins DEAL."),
    "report": (_BATCHES, "Count what FILEs of batches hold."),
    "verify": (_PLAYERS, "Have the referee replay a line, or those of a batch."),
}
"""Commands by the module that has them, which is imported when one is asked for, and their line in the list of
commands, which would have to import all of them otherwise."""


class Spider(click.Group):
    """The group of the commands, with one form of error message and an exit code for Ctrl-C."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *LAZY_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, its module imported if need be."""
        if cmd_name in LAZY_COMMANDS:
            return cast("click.Command", getattr(importlib.import_module(LAZY_COMMANDS[cmd_name][0]), cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing those that are lazy."""
        rows = {name: summary for name, (_, summary) in LAZY_COMMANDS.items()}
        rows |= {name: command.get_short_help_str(70) for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and, in standalone mode, exit the process with its code."""
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except (click.ClickException, click.Abort, KeyboardInterrupt, OSError) as error:
            if not standalone_mode:
                raise
            code = _report(error)
        if not standalone_mode:
            return code
        sys.exit(code)


def _report(error: BaseException) -> int:
    """Say what went wrong and return the exit code of it."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
        case click.UsageError():
            command = error.ctx.command_path if error.ctx is not None else "spider"
            say(f"error: {error.format_message()}\nTry '{command} --help'.")
        case click.ClickException():
            say(f"error: {error.format_message()}")
        case OSError():
            say(f"error: {error.strerror or error}")
            return EXIT_ERROR
        case _:
            say("interrupted")
            return EXIT_INTERRUPTED
    return error.exit_code


@click.group(
    "spider",
    cls=Spider,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "SPIDER"},
)
@click.version_option(__version__, prog_name="spider", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Solve Spider Solitaire deals.

    A win comes with a line that was replayed under the rules, a loss is proved by searching every
    position, and a timeout says that neither was reached: it does not mean lost.
    """
    # click knows terminals but not this convention (no-color.org).
    if os.environ.get("NO_COLOR"):
        context.color = False


def main() -> None:
    """Run the command ``spider``."""
    cli(prog_name="spider")


# ---- options -------------------------------------------------------------------------------------


def game_options(command: F) -> F:
    """Add the argument DEAL and the options on its rules and its input, in the order of the help."""
    return click.argument("deal", metavar="DEAL")(input_options(command))


def input_options(command: F) -> F:
    """Add the options on the rules of a game and on its input; the command gets them as ``choice`` and ``taken``."""
    decorators = [
        click.option(
            "--suits",
            type=click.Choice(range(1, SUITS_PER_PACK + 1)),
            help="Suits in the packs.  [default: 4 for a number, those of the cards for a text]",
        ),
        click.option(
            "--rules",
            "preset",
            type=click.Choice(list(PRESETS)),
            default="standard",
            show_default=True,
            help="The variant of the game; the options below change single rules of it.",
        ),
        click.option(
            "--deal-onto-empty/--strict",
            default=None,
            help="Whether a row may be dealt while a column is empty.",
        ),
        click.option(
            "--removal",
            type=click.Choice(get_args(Removal)),
            help="Whether completed runs leave at once or by a move of their own.",
        ),
        click.option(
            "--layout",
            type=click.Choice(list(LAYOUTS)),
            help="Which columns got a sixth card.  [default: what the deal shows]",
        ),
        click.option(
            "--position",
            "moment",
            type=click.Choice(get_args(Moment)),
            help="Of a save file: the deal, or the position in which it was left.  [default: current]",
        ),
        click.option(
            "--stock-from",
            type=click.Choice(get_args(StockEnd)),
            default="start",
            show_default=True,
            help="Which end of the stock in a text is dealt first.",
        ),
        click.option(
            "--as-dealt",
            is_flag=True,
            help="Take all cards of a text but the last of each column as face-down, marked or not.",
        ),
        click.option(
            "--recolour",
            type=click.Choice(range(1, 3)),
            help="Play the deal as one of one suit, or of two by colour.",
        ),
        click.option("--loose", is_flag=True, help="Accept piles that are no full packs, such as puzzles."),
        click.option("--columns", type=click.IntRange(1, MAX_COLUMNS), help="Columns of a small game."),
        click.option("--ranks", type=click.IntRange(2, MAX_RANKS), help="Ranks of a small game, from the ace."),
        click.option("--packs", type=click.IntRange(1, MAX_PACKS), help="Packs of a small game."),
    ]

    @functools.wraps(command)
    def with_choices(*arguments: Any, **options: Any) -> Any:
        rules = {name: options.pop(name) for name in _names_of(RulesChoice)}
        taken = {name: options.pop(name) for name in _names_of(InputChoice)}
        return command(*arguments, choice=RulesChoice(**rules), taken=InputChoice(**taken), **options)

    decorated: Any = with_choices
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    return cast("F", decorated)


def _names_of(choice: type[RulesChoice | InputChoice]) -> list[str]:
    return [field.name for field in fields(choice)]


Seconds = TypeVar("Seconds", float, "float | None")


def positive_seconds(_context: click.Context, _parameter: click.Parameter, value: Seconds) -> Seconds:
    """Return a time that was given as an option, if it was; what is no time becomes an error of the command."""
    # Written so that "nan", which a range lets pass, fails as well.
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} is not a positive number of seconds.")
    return value


def timeout_option(seconds: float, text: str) -> Callable[[F], F]:
    """Return a decorator that adds ``--timeout`` with a default and a help text."""
    return click.option(
        "--timeout",
        type=float,
        default=seconds,
        show_default=True,
        callback=positive_seconds,
        metavar="SECONDS",
        help=text,
    )


def memory_option(text: str = "Use at most so many MiB, Python and the machine code included.") -> Callable[[F], F]:
    """Return a decorator that adds ``--memory``."""
    return click.option(
        "--memory",
        type=click.IntRange(min=search.MIN_MEMORY),
        default=1024,
        show_default=True,
        metavar="MIB",
        help=text,
    )


def seed_option(text: str, name: str = "--seed") -> Callable[[F], F]:
    """Return a decorator that adds the seed of what is drawn at random."""
    return click.option(name, type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, metavar="N", help=text)


# ---- commands ------------------------------------------------------------------------------------


@cli.command(epilog=EPILOG)
@game_options
@timeout_option(60.0, "Give up after so many seconds.")
@memory_option()
@seed_option("What the restarts draw from; the same seed searches the same way.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes that search this deal; with more than one the line found may differ from run to run.",
)
@click.option("--shortest", is_flag=True, help="Spend the rest of the time on a shortest line and on proving it.")
@click.option(
    "--improve",
    "improve_seconds",
    type=float,
    callback=positive_seconds,
    metavar="SECONDS",
    help="After a win, make the line shorter for so many seconds more.",
)
@click.option("--prove", is_flag=True, help="After a first try, search for a proof of loss only, whatever it takes.")
@click.option("--replay", is_flag=True, help="Step through the line as 'spider play' does, instead of listing it.")
@click.option("--verbose", is_flag=True, help="Name each try on stderr as it ends.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def solve(
    context: click.Context,
    deal: str,
    choice: RulesChoice,
    taken: InputChoice,
    timeout: float,
    memory: int,
    seed: int,
    as_json: bool,
    jobs: int,
    shortest: bool,
    improve_seconds: float | None,
    prove: bool,
    replay: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Find a line that wins DEAL, or prove that none does.

    DEAL is the number of a deal (12345, kpat:42; "spider schemes" lists whose numbers), a save file, a
    file with the cards as text, or - for such a file on standard input.
    """
    if replay and as_json:
        raise click.UsageError("--json and --replay are two forms of one output: choose one", context)
    start = load_start(deal, choice, taken)
    try:
        budget = search.Budget(seconds=timeout, memory=memory, seed=seed, jobs=jobs)
    except search.BudgetError as error:
        raise click.UsageError(str(error), context) from None
    solution = run_search(start, budget, prove=prove, quiet=quiet, verbose=verbose)
    extra: dict[str, Any] = {}
    remarks: list[str] = []
    if improve_seconds is not None and solution.verdict == "win":
        solution, shorter = _run_improvement(start, solution, improve_seconds, memory, quiet=quiet)
        extra |= _improvement_json(solution, shorter)
        remarks.append(_improvement_text(solution, shorter))
    if shortest:
        extra["shortest"] = None
        if solution.verdict == "win":
            solution, found = _run_shortest(start, solution, budget, quiet=quiet)
            extra["shortest"] = _shortest_json(found)
            remarks.append(_shortest_text(found, start.rules))
    if as_json:
        click.echo(json.dumps(_solution_json(deal, solution) | extra))
    elif replay and solution.verdict == "win":
        show_line(start, solution.line)
    else:
        _print_solution(start, solution, timeout, remarks)
    context.exit(EXIT_CODES[solution.verdict])


@cli.command(epilog=EPILOG)
@game_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--plain", is_flag=True, help="Print on a terminal, too, the text that reads back.")
def show(deal: str, choice: RulesChoice, taken: InputChoice, as_json: bool, plain: bool) -> None:
    """Print the cards of DEAL, face-down ones and the stock included.

    DEAL is what "spider solve" takes.  On a terminal it is a board, elsewhere a text that reads back:
    spider show 12345 | spider solve -
    """
    start = _load_to_show(deal, choice, taken)
    if as_json:
        click.echo(json.dumps(header_json(deal, start.rules.suits) | board_json(start)))
    elif plain or not sys.stdout.isatty():
        click.echo(board_text(start), nl=False)
    else:
        click.echo(board_picture(start, shutil.get_terminal_size().columns), nl=False)


@cli.command(epilog=EPILOG)
@game_options
@click.option(
    "--to",
    "target",
    type=click.Choice(list(WRITERS)),
    required=True,
    help="text and json are our own, table is rows of cards, talon has the stock in one line first.",
)
def convert(deal: str, choice: RulesChoice, taken: InputChoice, target: str) -> None:
    """Write DEAL in another format.

    DEAL is what "spider solve" takes, and what is written is again.
    """
    click.echo(WRITERS[target](_load_to_show(deal, choice, taken)), nl=False)


@cli.command(epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def schemes(as_json: bool) -> None:
    """List the programs whose deal numbers are known, and how well."""
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "schemes": [_scheme_json(scheme) for scheme in SCHEMES.values()]}))
        return
    for scheme in SCHEMES.values():
        suits = ", ".join(map(str, scheme.suits))
        rules = PRESETS[scheme.rules]
        row = "rows fall onto empty columns" if rules.deal_onto_empty else "no row while a column is empty"
        lines = [
            f"{click.style(scheme.name, bold=True)}  {scheme.program}",
            f"  numbers  {scheme.numbers}",
            f"  suits    {suits}; layout {scheme.layout}",
            f"  rules    {scheme.rules} ({row})" + (f"; {scheme.note}" if scheme.note else ""),
            f"  status   {scheme.status}: {scheme.evidence}",
            f"  example  spider solve {scheme.example}",
        ]
        click.echo("\n".join(lines))


def _scheme_json(scheme: Scheme) -> dict[str, Any]:
    return {field.name: getattr(scheme, field.name) for field in fields(scheme) if field.name != "deal"}


# ---- input ---------------------------------------------------------------------------------------


def load_start(deal: str, choice: RulesChoice, taken: InputChoice) -> Start:
    """Return the game that the argument DEAL names, every card of it known."""
    start = load_game(deal, choice, taken)
    if isinstance(start, PartialStart):
        raise click.ClickException(start.problem)
    for advice in start.advice:
        say(f"note: {advice}")
    return start


def load_game(deal: str, choice: RulesChoice, taken: InputChoice) -> Start | PartialStart:
    """Return the game that the argument DEAL names; what is wrong with it becomes an error of the command.

    How it was taken, where that was not plain, goes to stderr.
    """
    with input_errors():
        if is_number(deal):
            return _noted(start_from_number(deal, choice, taken))
        return game_from_data(*read_input(deal), choice, taken)


def game_from_data(data: bytes, source: str, choice: RulesChoice, taken: InputChoice) -> Start | PartialStart:
    """Return the game that a file holds, as `load_game` does."""
    with input_errors():
        return _noted(start_from_data(data, source, choice, taken))


@contextmanager
def input_errors() -> Iterator[None]:
    """Make what is wrong with the input an error of the command."""
    try:
        yield
    except (NumberError, RulesError) as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    except (FileError, NotationError, StartError) as error:
        raise click.ClickException(str(error)) from None


def _noted(start: Start | PartialStart) -> Start | PartialStart:
    """Say how the input was taken, where that was not plain."""
    for note in start.notes:
        say(f"note: {note}")
    return start


def _load_to_show(deal: str, choice: RulesChoice, taken: InputChoice) -> Start | PartialStart:
    """Return the game that the argument DEAL names, and say which of its cards are unknown."""
    start = load_game(deal, choice, taken)
    if isinstance(start, PartialStart):
        say(f"note: {start.id} has {describe_unknown(start)}")
    return start


def is_number(deal: str) -> bool:
    """Tell a deal number from a file; digits alone are a number even where a file has that name."""
    scheme = _SCHEME.fullmatch(deal)
    if _PLAIN_NUMBER.fullmatch(deal) or (scheme and scheme["scheme"].lower() in SCHEMES):
        return True
    if deal == STDIN or Path(deal).exists():
        return False
    # A name that no file has: an unknown scheme is a better guess than a missing file.
    return bool(scheme or _NUMBER_WITH_SEPARATORS.fullmatch(deal))


def read_input(name: str) -> tuple[bytes, str]:
    """Return what the file of that name holds, or standard input, and what to call it in messages."""
    return (_read_stdin(), "standard input") if name == STDIN else (_read_file(name), name)


def _read_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return _read(file, name)
    except FileNotFoundError:
        raise click.ClickException(
            f"there is no file {name!r}, and it is no deal number: write a number, {DEFAULT_SCHEME}:NUMBER, "
            f"the name of a file, or {STDIN} for standard input"
        ) from None
    except OSError as error:
        raise click.ClickException(f"cannot read {name!r}: {error.strerror}") from None


def _read_stdin() -> bytes:
    # None when the process was started with its standard input closed.
    stdin = cast("TextIO | None", sys.stdin)
    if stdin is None or stdin.closed:
        raise click.ClickException("standard input is closed: pipe a deal into it, or name a number or a file")
    try:
        return _read(stdin.buffer, "standard input")
    except OSError as error:
        raise click.ClickException(f"cannot read standard input: {error.strerror}") from None


def _read(file: IO[bytes], source: str) -> bytes:
    data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise click.ClickException(f"{source} is too large to be a deal: it has more than {MAX_FILE:,} bytes")
    return data


# ---- search --------------------------------------------------------------------------------------


def run_search(
    start: Start, budget: search.Budget, *, prove: bool = False, quiet: bool = False, verbose: bool = False
) -> Solution:
    """Solve a game with progress on stderr; what goes wrong becomes an error of the command."""
    with searching(budget.memory), _status_line(quiet, _progress_text) as progress:
        return search.solve(
            start.game,
            start.rules,
            budget,
            loose=start.loose,
            prove=prove,
            progress=progress,
            on_attempt=_say_attempt if verbose else None,
            on_compile=None if quiet else say_compiling,
        )


def _run_shortest(start: Start, solution: Solution, budget: search.Budget, *, quiet: bool) -> tuple[Solution, Shortest]:
    """Shorten a win in what is left of the time, with progress on stderr."""
    with searching(budget.memory), _status_line(quiet, _shortest_progress) as progress:
        return shorten(
            start.game,
            solution,
            seconds=budget.seconds - sum(attempt.seconds for attempt in solution.attempts),
            memory=budget.memory,
            progress=progress,
            on_compile=None if quiet else say_compiling,
        )


@contextmanager
def searching(memory: int) -> Iterator[None]:
    """Let Ctrl-C end a search of so many MiB at once; show warnings as lines, and errors as those of the command."""
    with interrupt_at_once(), warnings_as_lines():
        try:
            yield
        except search.SearchError as error:
            raise click.ClickException(f"{error}; this is a fault of the program, please report it") from None
        except RaceError as error:
            raise click.ClickException(str(error)) from None
        except MemoryError:
            raise click.ClickException(f"out of memory: give less than --memory {memory}") from None


def _run_improvement(
    start: Start, solution: Solution, seconds: float, memory: int, *, quiet: bool
) -> tuple[Solution, Improvement]:
    """Make the line of a win shorter, with progress on stderr; return the solution with the line that came out."""
    from solver.improve import improve

    with searching(memory), _status_line(quiet, _improvement_progress) as progress:
        shorter = improve(
            start.game,
            solution.line,
            start.rules,
            seconds=seconds,
            memory=memory,
            progress=progress,
            on_compile=None if quiet else say_compiling,
        )
    return replace(solution, line=shorter.line, moves=solution.moves - shorter.saved), shorter


def say_compiling() -> None:
    """Say why nothing happens for some seconds."""
    say("compiling the search kernels (first run only) ...")


@contextmanager
def interrupt_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process on the spot.

    An exception would do once the kernels run, but the compiler has destructors, in which Python drops
    exceptions, so that Ctrl-C would be lost.  There is nothing to save: no result has been printed,
    and the compiler's cache is written file by file under other names first.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Ignored, as in a shell's background job, or the caller's business.
        yield
        return
    signal.signal(signal.SIGINT, _exit_interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_interrupted(_signal: int, _frame: object) -> NoReturn:
    # Past the buffers: the signal may have come in the middle of a write to them.
    with suppress(OSError):
        os.write(STDERR_FILENO, b"\nspider: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


def _say_attempt(attempt: Attempt) -> None:
    moves = "lossless" if attempt.lossless else "reduced"
    say(
        f"tried {attempt.name} ({moves} moves): {attempt.outcome}, {counted(attempt.expansions, 'position')} searched, "
        f"{attempt.seconds:.2f} s"
    )


@contextmanager
def _status_line(quiet: bool, text: Callable[[Standing], str]) -> Iterator[Callable[[Standing], None] | None]:
    """Provide a callback that keeps one line of progress on the terminal, and remove the line at the end."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread to watch a bar that is fed ten times a second
    # A terminal that does not know its size says 0 by 0, which tqdm would take for no room at all.
    width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    with tqdm(bar_format="{desc}", leave=False, ncols=width, nrows=2, file=sys.stderr) as line:
        yield lambda progress: line.set_description_str(text(progress))


def _progress_text(progress: Progress) -> str:
    return (
        f"{progress.seconds:.0f} s, try {progress.tries}, {progress.expansions:,} positions; "
        f"best: {progress.rows_dealt} rows dealt, {progress.runs_removed} runs removed, "
        f"{progress.face_down} face-down"
    )


def _shortest_progress(progress: ShortestProgress) -> str:
    return (
        f"{progress.seconds:.0f} s, {progress.expansions:,} positions; "
        f"best: {progress.steps} steps, at least {progress.at_least}"
    )


def _improvement_progress(progress: ImproveProgress) -> str:
    return f"{progress.seconds:.0f} s of improvement, the line is {counted(progress.saved, 'move')} shorter"


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show each warning of the library as a line for people, without the source line that Python adds."""

    def show_warning(message: Warning | str, *_details: object, **_more: object) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        yield


# ---- output --------------------------------------------------------------------------------------


def header_json(deal: str, suits: int) -> dict[str, Any]:
    """Return the fields that every JSON object about a deal begins with."""
    return {"schema": SCHEMA, "deal": {"id": deal, "suits": suits}}


def _solution_json(deal: str, solution: Solution) -> dict[str, Any]:
    return header_json(deal, solution.rules.suits) | {
        "rules": solution.rules.as_dict(),
        "verdict": solution.verdict,
        "line": [str(move) for move in solution.line],
        "moves": solution.moves,
        "rows_dealt": solution.rows_dealt,
        "runs_removed": solution.runs_removed,
        "expansions": solution.expansions,
        "children": solution.children,
        "tries": solution.tries,
        "attempts": [
            {
                "member": attempt.name,
                "moves": "lossless" if attempt.lossless else "reduced",
                "outcome": attempt.outcome,
                "expansions": attempt.expansions,
                "children": attempt.children,
                "positions": attempt.positions,
                "positions_by_stage": list(attempt.positions_by_stage),
                "relaxed": attempt.relaxed,
                "seconds": round(attempt.seconds, 3),
            }
            for attempt in solution.attempts
        ],
        "seconds": round(solution.seconds, 3),
        "cpu_seconds": round(solution.cpu_seconds, 3),
        "version": __version__,
    }


def _shortest_json(found: Shortest) -> dict[str, Any]:
    return {
        "steps": found.steps,
        "at_least": found.at_least,
        "proved": found.is_proved,
        "expansions": found.expansions,
        "children": found.children,
        "seconds": round(found.seconds, 3),
    }


def _shortest_text(found: Shortest, rules: Rules) -> str:
    optional = rules.removal == "optional"
    steps = "tableau moves, rows dealt and runs taken" if optional else "tableau moves and rows dealt"
    searched = f"{counted(found.expansions, 'position')} searched for it"
    if found.is_proved:
        return f"shortest, proved: {counted(found.steps, 'step')} ({steps}); {searched}"
    return f"best found {counted(found.steps, 'step')} ({steps}), at least {found.at_least} are needed; {searched}"


def _improvement_json(solution: Solution, shorter: Improvement) -> dict[str, Any]:
    return {
        "improvement": {
            "moves_before": solution.moves + shorter.saved,
            "moves": solution.moves,
            "work": shorter.work,
            "seconds": round(shorter.seconds, 3),
        }
    }


def _improvement_text(solution: Solution, shorter: Improvement) -> str:
    before = counted(solution.moves + shorter.saved, "tableau move")
    if shorter.saved == 0:
        return f"no shorter line than {before} was found in {shorter.seconds:.2f} s more"
    return f"shortened from {before} to {solution.moves:,} in {shorter.seconds:.2f} s more"


def _print_solution(start: Start, solution: Solution, timeout: float, remarks: Sequence[str]) -> None:
    headline = {
        "win": f"{start.id} is won",
        "loss": f"{start.id} cannot be won",
        "timeout": f"{start.id} was not decided within {timeout:g} s, which does not mean lost,",
    }[solution.verdict]
    verdict = click.style(solution.verdict, fg=VERDICT_COLOURS[solution.verdict], bold=True)
    lines = [f"{verdict}: {headline} under {describe_rules(solution.rules)}"]
    if solution.verdict == "win":
        lines.append(
            f"{counted(solution.moves, 'tableau move')}, {counted(solution.rows_dealt, 'row')} dealt, "
            f"{counted(solution.runs_removed, 'run')} removed"
        )
        lines += remarks
        steps = describe_line(start.game, solution.line, solution.rules)
        lines += [f"{number:>4}  {step}" for number, step in enumerate(steps, start=1)]
    else:
        lines.append(solution.reason)
    lines.append(
        f"{solution.seconds:.2f} s ({solution.cpu_seconds:.2f} s of CPU time), "
        f"{counted(solution.expansions, 'position')} searched, {counted(solution.children, 'position')} made, "
        f"{counted(solution.tries, 'tr', 'y', 'ies')}"
    )
    click.echo("\n".join(lines))


def counted(number: int, word: str, one: str = "", many: str = "s") -> str:
    """Return a number with a word in the form that it asks for."""
    return f"{number:,} {word}{one if number == 1 else many}"


def say(message: str) -> None:
    """Print a line for people, on stderr."""
    click.echo(f"spider: {message}", err=True)
