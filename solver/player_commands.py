"""The commands ``spider hint``, ``check``, ``verify`` and ``play``: arguments in, library called, result printed.

`solver.cli` loads this module when one of them is asked for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from solver import search
from solver.analysis import Hint, Option, Tally, gain_text
from solver.analysis import hint as find_hint
from solver.cli import (
    EPILOG,
    EXIT_CODES,
    EXIT_ERROR,
    STDIN,
    VERDICT_COLOURS,
    counted,
    game_from_data,
    game_options,
    header_json,
    input_errors,
    input_options,
    is_number,
    load_game,
    load_start,
    memory_option,
    read_input,
    run_search,
    say,
    say_compiling,
    searching,
    seed_option,
    timeout_option,
)
from solver.gain import Gain
from solver.history import MOVES_LABEL, Checked, read_line, split_record
from solver.history import check as check_line
from solver.judge import Judge
from solver.move import Line
from solver.notation import describe_line
from solver.plans import NoPlans, PlanError, PlanFile, PlanFolder
from solver.referee import IllegalMove, count_line, replay
from solver.seen import View, view_of
from solver.show.board import board_text
from solver.show.replay import frames_of, show_line
from solver.start import InputChoice, PartialStart, RulesChoice, Start, decode, describe_rules
from solver.winrate.stats import Counts, Interval, widened, wilson

PATH = click.Path(path_type=Path)
F = TypeVar("F", bound=Callable[..., Any])

_MOVE_FIRST = re.compile(r"\s*(deal|take\s+\d+|\d+-\d+x\d+)(?=[\s,]|$)", re.IGNORECASE)
"""A text that begins with a move, and so is no name of a file."""

STANDING_COLOURS = VERDICT_COLOURS | {"open": "yellow"}
HINT_EXIT_CODES = EXIT_CODES | {"open": EXIT_CODES["win"]}


def _time_options(seconds: float) -> Callable[[F], F]:
    """Return a decorator that adds the options on what a search may spend."""

    def decorate(command: F) -> F:
        return timeout_option(seconds, "Search for so many seconds at most, all searches together.")(
            memory_option()(command)
        )

    return decorate


# ---- hint ----------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@game_options
@click.option("--peek", is_flag=True, help="Use the face-down cards and the stock, too, where the input tells them.")
@click.option("--all", "every", is_flag=True, help="List every legal move with its verdict.")
@click.option(
    "--samples",
    type=click.IntRange(1, 10_000),
    default=12,
    show_default=True,
    metavar="N",
    help="Search so many arrangements of the cards not seen: all where there are no more, else some drawn at random.",
)
@seed_option("What they are drawn from.")
@click.option(
    "--plan",
    type=PATH,
    metavar="FILE",
    help="Keep the plan in FILE, and go on with the one there.  [default: a folder of yours]",
)
@click.option("--no-plan", is_flag=True, help="Neither go on with a plan nor keep one.")
@_time_options(10.0)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def hint(
    context: click.Context,
    deal: str,
    choice: RulesChoice,
    taken: InputChoice,
    peek: bool,
    every: bool,
    samples: int,
    seed: int,
    plan: Path | None,
    no_plan: bool,
    timeout: float,
    memory: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what to play next in DEAL, and why; DEAL is what "spider solve" takes.

    Only cards that a player sees are used: face-down cards and the stock count as unknown, even where the input tells
    them, unless --peek is given.  Asked again after the move, the hint goes on with its plan.
    """
    if no_plan and plan is not None:
        raise click.UsageError("--plan and --no-plan exclude each other: choose one", context)
    start = load_game(deal, choice, taken)
    try:
        view = view_of(start, peek=peek, samples=samples, seed=seed)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    for advice in start.advice if isinstance(start, Start) else ():
        say(f"note: {advice}")
    plans = NoPlans() if no_plan else PlanFolder() if plan is None else PlanFile(plan)
    loose = isinstance(start, Start) and start.loose
    with searching(memory):
        try:
            found = find_hint(
                view,
                start.rules,
                plans,
                seconds=timeout,
                memory=memory,
                every=every,
                loose=loose,
                on_compile=None if quiet else say_compiling,
            )
        except PlanError as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(header_json(deal, start.rules.suits) | _hint_json(start, view, found, peek=peek)))
    else:
        click.echo("\n".join(_hint_lines(view, found, timeout)))
    context.exit(HINT_EXIT_CODES[found.standing])


def _hint_lines(view: View, found: Hint, timeout: float) -> Iterator[str]:
    if found.over is not None:
        yield found.over
        return
    if found.step is not None:
        move = click.style(str(found.step.move), bold=True)
        yield f"play {move}: {', '.join((found.step.text, *found.step.notes))}"
        yield "why: " + "; ".join(reason.text for reason in found.reasons)
    else:
        yield "no move: " + "; ".join(reason.text for reason in found.reasons)
    word = click.style(found.standing, fg=STANDING_COLOURS[found.standing], bold=True)
    yield f"{word}: {_standing_text(view, found, timeout)}"
    if found.gain is not None:
        yield _gain_line(found.gain, view)
    for option in found.options:
        text = ", ".join((option.step.text, *option.step.notes))
        yield f"  {option.step.move!s:<8} {_option_text(option.tally):<36} {text}"


def _gain_line(gain: Gain, view: View) -> str:
    """Return what is to be had of a game that is not known to be won, and what says so."""
    positions = counted(gain.positions, "position")
    reached = "foreseen" if view.shown.unknown else "reached"
    looked = f"all {positions} that can be {reached}" if gain.is_all else f"{positions} looked at"
    if gain.moves and not gain.is_quiet:
        most = "the most that can be had" if gain.is_all else "the most that was found"
        return f"gain: the plan {gain_text(gain)}: {most}, runs before cards before rows ({looked})"
    more = "can be gained" if gain.is_all else "was found to gain"
    nothing = f"no run, no card to turn up and no row {more} ({looked})"
    return f"gain: the plan {gain_text(gain)}; {nothing}" if gain.moves else f"gain: {nothing}, and no longer run"


def _standing_text(view: View, found: Hint, timeout: float) -> str:
    tally = found.tally
    if found.dead is not None:
        return f"proved: {found.dead}"
    unseen = counted(view.shown.unknown, "card")
    if tally.count == 1:
        return {
            "win": "the plan wins, with the cards as they lie; the referee replayed it",
            "loss": "proved: whatever is played, no line wins from here",
        }.get(found.standing, f"not decided within {timeout:g} s, which does not mean lost")
    if tally.searched == tally.count:
        if found.standing in ("win", "loss"):
            verdict = {"win": "won", "loss": "proved lost"}[found.standing]
            return f"{verdict} for all {tally.count:,} arrangements of the {unseen} not seen, each with its cards known"
        return (
            f"won for {tally.wins:,} of the {tally.count:,} arrangements of the {unseen} not seen, proved lost for "
            f"{tally.losses:,}, undecided for {tally.timeouts:,}, each with its cards known"
        )
    others = [f"proved lost for {tally.losses:,}"] if tally.losses else []
    others += [f"undecided for {tally.timeouts:,}"] if tally.timeouts else []
    return (
        f"won for {tally.wins:,} of {counted(tally.searched, 'arrangement')} of the {unseen} not seen, drawn at random "
        f"({_interval(tally).percent(0)} of all){''.join(f', {other}' for other in others)}, each with its cards known"
    )


def _option_text(tally: Tally) -> str:
    if tally.count == 1:
        return {"win": "keeps the win", "loss": "proved loss"}.get(tally.standing, "unknown within the budget")
    share = f"won for {tally.wins} of {tally.searched}"
    return share if tally.searched == tally.count else f"{share} ({_interval(tally).percent(0)})"


def _interval(tally: Tally) -> Interval:
    """Return the interval for the share won of all arrangements; what was not decided widens it."""
    return widened(wilson, Counts(tally.wins, tally.losses, tally.timeouts))


def _hint_json(start: Start | PartialStart, view: View, found: Hint, *, peek: bool) -> dict[str, Any]:
    step, gain = found.step, found.gain
    return {
        "rules": start.rules.as_dict(),
        "peek": peek,
        "standing": found.standing,
        "over": found.over,
        "move": None if step is None else str(step.move),
        "words": None if step is None else step.text,
        "notes": [] if step is None else list(step.notes),
        "reasons": [{"code": reason.code, "text": reason.text} for reason in found.reasons],
        "plan": list(map(str, found.plan)),
        "plan_continued": found.is_continued,
        "unseen": view.shown.unknown,
        "arrangements": _tally_json(found.tally),
        "gain": None
        if gain is None
        else {
            "runs_removed": gain.runs,
            "turned_up": gain.turned,
            "rows_dealt": gain.rows,
            "filled": gain.filled,
            "links": gain.links,
            "moves": gain.moves,
            "positions": gain.positions,
            "all": gain.is_all,
        },
        "moves": [_option_json(option) for option in found.options],
    }


def _option_json(option: Option) -> dict[str, Any]:
    return {
        "move": str(option.step.move),
        "words": option.step.text,
        "notes": list(option.step.notes),
        "standing": option.tally.standing,
        "arrangements": _tally_json(option.tally),
    }


def _tally_json(tally: Tally) -> dict[str, Any]:
    exact = tally.searched == tally.count
    interval = None if exact or not tally.searched else _interval(tally)
    return {
        "count": tally.count,
        "searched": tally.searched,
        "wins": tally.wins,
        "losses": tally.losses,
        "timeouts": tally.timeouts,
        "interval": None if interval is None else [round(interval.low, 4), round(interval.high, 4)],
    }


# ---- check ---------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("record", metavar="RECORD")
@click.option("--deal", metavar="DEAL", help="The deal, where RECORD has the moves alone; what 'spider solve' takes.")
@input_options
@_time_options(45.0)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def check(
    context: click.Context,
    record: str,
    deal: str | None,
    choice: RulesChoice,
    taken: InputChoice,
    timeout: float,
    memory: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say after which moves a game could still be won, and which move lost it.

    RECORD is a file, or - for standard input: the cards as text, then a line "moves:" and the moves played.  All
    cards are used, those that were still face-down as well.  The exit code is that of the last position.
    """
    start, line, source = _read_record(record, deal, choice, taken)
    judge = Judge(
        start.rules,
        seconds=timeout,
        memory=memory,
        loose=start.loose,
        on_compile=None if quiet else say_compiling,
    )
    with searching(memory):
        try:
            checked = check_line(start.position, line, judge)
        except IllegalMove as illegal:
            raise click.ClickException(_illegal_text(start, line, illegal, source)) from None
    if as_json:
        click.echo(json.dumps(header_json(deal or start.id, start.rules.suits) | _check_json(start, line, checked)))
    else:
        click.echo("\n".join(_check_lines(start, line, checked)))
    context.exit(EXIT_CODES[checked.verdicts[-1]])


def _read_record(name: str, deal: str | None, choice: RulesChoice, taken: InputChoice) -> tuple[Start, Line, str]:
    if name == STDIN == deal:
        raise click.UsageError("RECORD and --deal cannot both be standard input: name a file for one", _context())
    text, source = _line_text(name)
    with input_errors():
        if deal is not None:
            before, moves = split_record(text)
            if moves and before.strip():
                raise click.UsageError(
                    f"{source} has the cards itself, before {MOVES_LABEL!r}: leave --deal out", _context()
                )
            line = read_line(moves or before, source)
            return load_start(deal, choice, taken), line, source
        cards, moves = split_record(text)
        if not moves:
            raise click.ClickException(
                f"{source} has no line {MOVES_LABEL!r}: write the cards, then {MOVES_LABEL!r} and the moves played, or "
                "name the deal with --deal"
            )
        line = read_line(moves, source)
        game = game_from_data(cards.encode(), source, choice, taken)
    if isinstance(game, PartialStart):
        raise click.ClickException(game.problem)
    return game, line, source


def _check_lines(start: Start, line: Line, checked: Checked) -> Iterator[str]:
    yield f"{start.id}, {counted(len(line), 'move')}, {describe_rules(start.rules)}"
    texts = ["the start", *map(str, describe_line(start.game, line, start.rules))]
    for number, (text, verdict) in enumerate(zip(texts, checked.verdicts, strict=True)):
        mark = "  <- here a win became a loss" if number == checked.turning_move else ""
        yield f"{number:>4}  {click.style(f'{verdict:<7}', fg=VERDICT_COLOURS[verdict])}  {text}{mark}"
    yield _check_summary(line, checked)
    yield f"{counted(checked.searches, 'search', many='es')}, {counted(checked.expansions, 'position')} searched"


def _check_summary(line: Line, checked: Checked) -> str:
    last, first = checked.last_win, checked.first_loss
    final = checked.verdicts[-1]
    if final == "win":
        return "win: it can still be won at its end" if last else "win: it can be won"
    if checked.turning_move is not None:
        return f"loss: move {first}, {line[checked.turning_move - 1]}, turned the win into a loss"
    if first == 0:
        return "loss: it was lost from the start"
    found = "no position was found winnable" if last is None else f"still found winnable {_after(last)}"
    if first is not None:
        return f"loss: {found}, proved lost {_after(first)}; between them nothing was decided"
    return f"timeout: {found}; what follows was not decided, which does not mean lost"


def _after(number: int) -> str:
    return f"after move {number}" if number else "at the start"


def _check_json(start: Start, line: Line, checked: Checked) -> dict[str, Any]:
    return {
        "rules": start.rules.as_dict(),
        "verdict": checked.verdicts[-1],
        "line": list(map(str, line)),
        "verdicts": list(checked.verdicts),
        "turning_move": checked.turning_move,
        "last_win": checked.last_win,
        "first_loss": checked.first_loss,
        "searches": checked.searches,
        "expansions": checked.expansions,
    }


# ---- verify --------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@game_options
@click.argument("line", metavar="[LINE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text; of a LINE only.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Of a file of lines: worker processes.")
@click.option("--print", "with_moves", is_flag=True, help="Of a file of lines: print them, too: deal, tab, moves.")
@click.option("--quiet", is_flag=True, help="Of a file of lines: show no progress.")
@click.pass_context
def verify(
    context: click.Context,
    deal: str,
    choice: RulesChoice,
    taken: InputChoice,
    line: str | None,
    as_json: bool,
    jobs: int | None,
    with_moves: bool,
    quiet: bool,
) -> None:
    """Have the referee replay LINE from DEAL, or every line of a file that "spider batch" stored.

    LINE is a file, - for standard input, or the moves themselves ("5-8x3 deal"): tokens, or what "spider solve" prints.
    The first fault is explained.  Without LINE, DEAL is a file of lines.  No part of the search takes part.
    """
    if line is None:
        if is_number(deal):
            raise click.UsageError(f"which line of {deal}? write: spider verify {deal} LINE", context)
        # Here, not above: it brings what a batch needs.
        from solver.winrate.commands import verify as verify_file

        options: dict[str, Any] = {"with_moves": with_moves, "quiet": quiet} | ({"jobs": jobs} if jobs else {})
        context.invoke(verify_file, file=Path(deal), **options)
        return
    if deal == STDIN == line:
        raise click.UsageError("DEAL and LINE cannot both be standard input: name a file for one", context)
    start = load_start(deal, choice, taken)
    text, source = _line_text(line)
    with input_errors():
        moves = read_line(text, source)
    fault: IllegalMove | None = None
    try:
        last = replay(start.game, moves, start.rules)
    except IllegalMove as illegal:
        fault, last = illegal, None
    wins = last is not None and last.is_won
    if as_json:
        click.echo(json.dumps(header_json(deal, start.rules.suits) | _verify_json(start, moves, fault, wins=wins)))
    elif fault is not None:
        click.echo(f"wrong: {_illegal_text(start, moves, fault, source)}")
    else:
        assert last is not None
        click.echo(_verify_text(start, moves, left=last.cards_in_columns, rows=len(last.rows), wins=wins))
    if not wins:
        context.exit(EXIT_ERROR)


def _verify_text(start: Start, moves: Line, *, left: int, rows: int, wins: bool) -> str:
    counts = count_line(start.game, moves, start.rules)
    what = (
        f"{counted(counts.tableau_moves, 'tableau move')}, {counted(counts.rows_dealt, 'row')} dealt, "
        f"{counted(counts.runs_removed, 'run')} removed"
    )
    if wins:
        return f"right: the line wins {start.id} under {describe_rules(start.rules)}: {what}"
    return (
        f"wrong: every move is legal, but the game is not won at the end: {counted(left, 'card')} in columns and "
        f"{counted(rows, 'row')} in the stock are left ({what})"
    )


def _verify_json(start: Start, moves: Line, fault: IllegalMove | None, *, wins: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "rules": start.rules.as_dict(),
        "legal": fault is None,
        "wins": wins,
        "length": len(moves),
    }
    if fault is None:
        counts = count_line(start.game, moves, start.rules)
        values |= {
            "moves": counts.tableau_moves,
            "rows_dealt": counts.rows_dealt,
            "runs_removed": counts.runs_removed,
            "fault": None,
        }
    else:
        values["fault"] = {"index": fault.index, "move": str(fault.move), "reason": fault.reason}
    return values


def _illegal_text(start: Start, line: Sequence[Any], illegal: IllegalMove, source: str) -> str:
    """Return the first fault of a line and the board on which it was made."""
    assert illegal.index is not None
    position = replay(start.game, tuple(line[: illegal.index - 1]), start.rules)
    before = Start(f"before move {illegal.index}", position, start.rules)
    return (
        f"{source}: move {illegal.index}, {illegal.move}, is not legal: {illegal.reason}\n{board_text(before)}".rstrip()
    )


def _line_text(name: str) -> tuple[str, str]:
    """Return the text that an argument names, or is, and what to call it in messages."""
    # Not Path.exists, which raises an error for a name as long as a line.
    if name != STDIN and not os.path.exists(name):
        if _MOVE_FIRST.match(name):
            return name, "<line>"
        raise click.ClickException(
            f"there is no file {name!r}, and it is no move: name a file, {STDIN} for standard input, or write moves "
            "such as '5-8x3 deal'"
        )
    data, source = read_input(name)
    with input_errors():
        return decode(data, source), source


# ---- play ----------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@game_options
@click.option("--line", metavar="LINE", help="Play this line instead of searching one; what 'spider verify' takes.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a page that replays the line instead.")
@_time_options(60.0)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def play(
    context: click.Context,
    deal: str,
    choice: RulesChoice,
    taken: InputChoice,
    line: str | None,
    html: Path | None,
    timeout: float,
    memory: int,
    quiet: bool,
) -> None:
    """Step through a line that wins DEAL, forwards and backwards; DEAL is what "spider solve" takes.

    In a pipe every step is printed with its board.  The page of --html needs nothing but a browser.
    """
    if deal == STDIN == line:
        raise click.UsageError("DEAL and --line cannot both be standard input: name a file for one", context)
    start = load_start(deal, choice, taken)
    if line is None:
        solution = run_search(start, search.Budget(timeout, memory), quiet=quiet)
        if solution.verdict != "win":
            click.echo(f"{solution.verdict}: {start.id} has no line to play: {solution.reason}")
            context.exit(EXIT_CODES[solution.verdict])
        moves = solution.line
    else:
        text, source = _line_text(line)
        with input_errors():
            moves = read_line(text, source)
        try:
            frames_of(start, moves)
        except IllegalMove as illegal:
            raise click.ClickException(_illegal_text(start, moves, illegal, source)) from None
    if html is None:
        show_line(start, moves)
        return
    from solver.show.replay_html import replay_page

    try:
        html.write_text(replay_page(start, moves), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {str(html)!r}: {error.strerror or error}") from None
    click.echo(f"{html}: {start.id}, {counted(len(moves), 'step')}")


def _context() -> click.Context:
    return click.get_current_context()
