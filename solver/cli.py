"""The command ``spider``: read the arguments, call the library, print what it says.

The result goes to stdout and nothing else does: progress, warnings and errors go to stderr, each
error as one message that starts with ``spider: error:``.  Nothing here imports numba or numpy until
a search starts, so that help and completion answer at once.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar, cast, get_args

import click

from solver import __version__, search
from solver.notation import NotationError, describe_line
from solver.numbering import DEFAULT_SCHEME, SCHEMES, NumberError
from solver.rules import LAYOUTS, PRESETS, SUITS_PER_PACK, Removal, RulesError
from solver.show.board import board_json, board_text
from solver.start import RulesChoice, Start, StartError, describe_rules, start_from_number, start_from_text

if TYPE_CHECKING:
    from solver.search import Progress, Solution

SCHEMA = 1
"""Version of the JSON objects; it rises when a field changes its meaning or goes."""

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
  SPIDER_CACHE_DIR                the folder of the compiled kernels
  NO_COLOR                        no colour when it is not empty
"""

STDIN = "-"
STDERR_FILENO = 2
MAX_TEXT = 1 << 20
"""Characters; a position needs a thousand, so more is some other file."""

_PLAIN_NUMBER = re.compile(r"(ms)?[0-9]+", re.IGNORECASE)
_NUMBER_WITH_SEPARATORS = re.compile(r"(ms)?[\s#\-_.,]*[0-9][0-9\s#\-_.,]*L?", re.IGNORECASE)
_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9-]+):.*", re.IGNORECASE | re.DOTALL)
"""Two letters at least, so that a drive letter starts a path."""

F = TypeVar("F", bound=Callable[..., Any])


LAZY_COMMANDS = dict.fromkeys(("batch", "merge", "report", "verify"), "solver.winrate.commands")
"""Commands by the module that has them, which is imported when one is asked for."""


class Spider(click.Group):
    """The group of the commands, with one form of error message and an exit code for Ctrl-C."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *LAZY_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, its module imported if need be."""
        if cmd_name in LAZY_COMMANDS:
            return cast("click.Command", getattr(importlib.import_module(LAZY_COMMANDS[cmd_name]), cmd_name))
        return super().get_command(ctx, cmd_name)

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
    """Add the argument DEAL and the options that state its rules, in the order of the help."""
    decorators = [
        click.argument("deal", metavar="DEAL"),
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
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def positive_seconds(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    """Return a time that was given as an option; what is no time becomes an error of the command."""
    # Written so that "nan", which a range lets pass, fails as well.
    if not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} is not a positive number of seconds.")
    return value


# ---- commands ------------------------------------------------------------------------------------


@cli.command(epilog=EPILOG)
@game_options
@click.option(
    "--timeout",
    type=float,
    default=60.0,
    show_default=True,
    callback=positive_seconds,
    metavar="SECONDS",
    help="Give up after so many seconds.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=search.MIN_MEMORY),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Use at most so many MiB, Python and the machine code included.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    default=0,
    show_default=True,
    help="What the restarts draw from; the same seed searches the same way.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def solve(
    context: click.Context,
    deal: str,
    suits: int | None,
    preset: str,
    deal_onto_empty: bool | None,
    removal: Removal | None,
    layout: str | None,
    timeout: float,
    memory: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find a line that wins DEAL, or prove that none does.

    DEAL is the number of a deal (12345, pysolfc:ms32000), a file in the text format that "spider
    show" prints, or - for such a text on standard input.
    """
    start = load_start(deal, RulesChoice(preset, suits, deal_onto_empty, removal, layout))
    solution = _search(start, timeout, memory, seed, quiet=quiet)
    if as_json:
        click.echo(json.dumps(_solution_json(deal, solution)))
    else:
        _print_solution(start, solution, timeout)
    context.exit(EXIT_CODES[solution.verdict])


@cli.command(epilog=EPILOG)
@game_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def show(
    deal: str,
    suits: int | None,
    preset: str,
    deal_onto_empty: bool | None,
    removal: Removal | None,
    layout: str | None,
    as_json: bool,
) -> None:
    """Print the cards of DEAL, face-down ones and the stock included.

    DEAL is what "spider solve" takes.  The text reads back: spider show 12345 | spider solve -
    """
    start = load_start(deal, RulesChoice(preset, suits, deal_onto_empty, removal, layout))
    if as_json:
        click.echo(json.dumps(_header_json(deal, start.rules.suits) | board_json(start)))
    else:
        click.echo(board_text(start), nl=False)


# ---- input ---------------------------------------------------------------------------------------


def load_start(deal: str, choice: RulesChoice) -> Start:
    """Return the game that the argument DEAL names; what is wrong with it becomes an error of the command."""
    try:
        if _is_number(deal):
            return start_from_number(deal, choice)
        text = _read_stdin() if deal == STDIN else _read_file(deal)
        return start_from_text(text, "standard input" if deal == STDIN else deal, choice)
    except (NumberError, RulesError) as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    except (NotationError, StartError) as error:
        raise click.ClickException(str(error)) from None


def _is_number(deal: str) -> bool:
    """Tell a deal number from a file; digits alone are a number even where a file has that name."""
    scheme = _SCHEME.fullmatch(deal)
    if _PLAIN_NUMBER.fullmatch(deal) or (scheme and scheme["scheme"].lower() in SCHEMES):
        return True
    if deal == STDIN or Path(deal).exists():
        return False
    # A name that no file has: an unknown scheme is a better guess than a missing file.
    return bool(scheme or _NUMBER_WITH_SEPARATORS.fullmatch(deal))


def _read_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return _decode(file, name)
    except FileNotFoundError:
        raise click.ClickException(
            f"there is no file {name!r}, and it is no deal number: write a number, {DEFAULT_SCHEME}:NUMBER, "
            f"the name of a file, or {STDIN} for standard input"
        ) from None
    except OSError as error:
        raise click.ClickException(f"cannot read {name!r}: {error.strerror}") from None


def _read_stdin() -> str:
    # None when the process was started with its standard input closed.
    stdin = cast("TextIO | None", sys.stdin)
    if stdin is None or stdin.closed:
        raise click.ClickException("standard input is closed: pipe a deal into it, or name a number or a file")
    try:
        return _decode(stdin.buffer, "standard input")
    except OSError as error:
        raise click.ClickException(f"cannot read standard input: {error.strerror}") from None


def _decode(file: IO[bytes], source: str) -> str:
    data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise click.ClickException(f"{source} is too large to be a deal: it has more than {MAX_TEXT:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{source} is no text: byte {error.start + 1} is not UTF-8") from None
    if not text.strip():
        raise click.ClickException(f"{source} is empty: a deal is one line a column, as 'spider show 1' prints it")
    return text


# ---- search --------------------------------------------------------------------------------------


def _search(start: Start, timeout: float, memory: int, seed: int, *, quiet: bool) -> Solution:
    try:
        budget = search.Budget(seconds=timeout, memory=memory, seed=seed)
    except search.BudgetError as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    show_progress = not quiet and sys.stderr is not None and sys.stderr.isatty()
    with _interrupt_at_once(), _warnings_as_lines(), _status_line(show_progress) as progress:
        try:
            return search.solve(
                start.game,
                start.rules,
                budget,
                progress=progress,
                on_compile=None if quiet else lambda: say("compiling the search kernels (first run only) ..."),
            )
        except MemoryError:
            raise click.ClickException(f"out of memory: give less than --memory {memory}") from None


@contextmanager
def _interrupt_at_once() -> Iterator[None]:
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


@contextmanager
def _status_line(visible: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Provide a callback that keeps one line of progress on the terminal, and remove the line at the end."""
    if not visible:
        yield None
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread to watch a bar that is fed ten times a second
    # A terminal that does not know its size says 0 by 0, which tqdm would take for no room at all.
    width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    with tqdm(bar_format="{desc}", leave=False, ncols=width, nrows=2, file=sys.stderr) as line:
        yield lambda progress: line.set_description_str(_progress_text(progress))


def _progress_text(progress: Progress) -> str:
    return (
        f"{progress.seconds:.0f} s, try {progress.tries}, {progress.expansions:,} positions; "
        f"best: {progress.rows_dealt} rows dealt, {progress.runs_removed} runs removed, "
        f"{progress.face_down} face-down"
    )


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show each warning of the library as a line for people, without the source line that Python adds."""

    def show_warning(message: Warning | str, *_details: object, **_more: object) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        yield


# ---- output --------------------------------------------------------------------------------------


def _header_json(deal: str, suits: int) -> dict[str, Any]:
    return {"schema": SCHEMA, "deal": {"id": deal, "suits": suits}}


def _solution_json(deal: str, solution: Solution) -> dict[str, Any]:
    return _header_json(deal, solution.rules.suits) | {
        "rules": solution.rules.as_dict(),
        "verdict": solution.verdict,
        "line": [str(move) for move in solution.line],
        "moves": solution.moves,
        "rows_dealt": solution.rows_dealt,
        "runs_removed": solution.runs_removed,
        "expansions": solution.expansions,
        "children": solution.children,
        "tries": solution.tries,
        "seconds": round(solution.seconds, 3),
        "cpu_seconds": round(solution.cpu_seconds, 3),
        "version": __version__,
    }


def _print_solution(start: Start, solution: Solution, timeout: float) -> None:
    headline = {
        "win": f"{start.id} is won",
        "loss": f"{start.id} cannot be won",
        "timeout": f"{start.id} was not decided within {timeout:g} s, which does not mean lost,",
    }[solution.verdict]
    verdict = click.style(solution.verdict, fg=VERDICT_COLOURS[solution.verdict], bold=True)
    lines = [f"{verdict}: {headline} under {describe_rules(solution.rules)}"]
    if solution.verdict == "win":
        lines.append(
            f"{_count(solution.moves, 'tableau move')}, {_count(solution.rows_dealt, 'row')} dealt, "
            f"{_count(solution.runs_removed, 'run')} removed"
        )
        steps = describe_line(start.game, solution.line, solution.rules)
        lines += [f"{number:>4}  {step}" for number, step in enumerate(steps, start=1)]
    else:
        lines.append(solution.reason)
    lines.append(
        f"{solution.seconds:.2f} s ({solution.cpu_seconds:.2f} s of CPU time), "
        f"{_count(solution.expansions, 'position')} searched, {_count(solution.children, 'position')} made, "
        f"{_count(solution.tries, 'tr', 'y', 'ies')}"
    )
    click.echo("\n".join(lines))


def _count(number: int, word: str, one: str = "", many: str = "s") -> str:
    return f"{number:,} {word}{one if number == 1 else many}"


def say(message: str) -> None:
    """Print a line for people, on stderr."""
    click.echo(f"spider: {message}", err=True)
