"""Hints: what to play now, why, and how the game stands.

A hint follows a *plan*: a line that wins, or, where none is known, one that gains as much as a search finds
(`solver.gain`).
Plans are kept (`solver.plans`), so that the hint after a hint goes on with its plan; a plan ends where it shows a card
that nobody had seen, for then it is wise to think again, and a game shows a card only so many times.  What a plan
that wins promises is seen when it is replayed; a game that was not won when the plan was made is judged again each
time, so that a loss is told with a proof of now.

A game of which all is known has one arrangement (`solver.seen`), searched like any deal.  Otherwise each arrangement
has its own winning line, and the moves of it up to the first card that is turned up or dealt can be played whatever
the arrangement is.  Those that most lines begin with are tried on all arrangements; the plan that keeps the most
arrangements won is taken.

Verdicts of a hint: ``win`` and ``loss`` hold for every arrangement there is, ``timeout`` says that nothing was decided,
``open`` that it depends on cards that nobody has seen, or that not all arrangements were searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from solver.gain import MOST_MOVES, Gain, foreseeable, gain_of, most_gain
from solver.judge import Judge, can_be_taken_back
from solver.move import DEAL, Line, Move
from solver.notation import Step, describe_move
from solver.partial import PartialPosition
from solver.plans import NoPlans, Plan, PlanFile, PlanFolder, position_name
from solver.position import Position
from solver.referee import IllegalMove, apply, is_dead, legal_moves, replay, why_illegal
from solver.rules import Rules
from solver.search import Verdict
from solver.seen import View, along, foreseen, reveals, seen_after

Standing: TypeAlias = Literal["win", "loss", "timeout", "open"]
Plans: TypeAlias = PlanFolder | PlanFile | NoPlans

CANDIDATES = 3
"""Plans that are tried on all arrangements."""
ARRANGEMENT_EXPANSIONS = 100_000
"""Budget of one arrangement among several; nineteen deals of twenty need less."""
ROOT_SHARE = 0.5
"""Of the time, for the lines of the arrangements; the rest is for comparing plans."""


@dataclass(frozen=True)
class Tally:
    """Verdicts of the arrangements that were searched."""

    wins: int = 0
    losses: int = 0
    timeouts: int = 0
    count: int = 1
    """How many arrangements there are."""

    @property
    def searched(self) -> int:
        """How many arrangements have a verdict or were given up."""
        return self.wins + self.losses + self.timeouts

    @property
    def standing(self) -> Standing:
        """What the verdicts say together."""
        if self.wins == self.count:
            return "win"
        if self.losses == self.count:
            return "loss"
        return "timeout" if self.timeouts == self.searched else "open"

    @staticmethod
    def of(verdicts: Mapping[Position, Verdict], count: int) -> Tally:
        """Count verdicts."""
        counts = Counter(verdicts.values())
        return Tally(counts["win"], counts["loss"], counts["timeout"], count)


@dataclass(frozen=True)
class Reason:
    """Why a move is played."""

    code: str
    """``completes_run``, ``turns_card``, ``deals_row``, ``empties_column``, ``builds_run``, ``prepares_deal``,
    ``leads_to``, ``only_move``, ``plan``, ``continues_plan``, ``keeps_most``, ``moves_about``, ``nothing_new``."""
    text: str


@dataclass(frozen=True)
class Option:
    """A legal move and what becomes of the game by it."""

    step: Step
    tally: Tally


@dataclass(frozen=True)
class Hint:
    """What to play now."""

    standing: Standing
    over: str | None
    """Why the game is over; None while it goes on."""
    step: Step | None
    """The move, in words; None when the game is over, and where nothing can be gained and hints led to the end of a
    line that only moves cards about."""
    reasons: tuple[Reason, ...]
    """Why the move is played, or why there is none although the game goes on."""
    plan: Line
    """The moves that the hint begins."""
    is_continued: bool
    """Whether the plan is that of an earlier hint."""
    tally: Tally
    """What the plan keeps: verdicts after it, or of the position where no plan wins."""
    gain: Gain | None
    """What the plan gains, where it does not win."""
    dead: str | None = None
    """Why the stock can never be dealt again, where that is seen without a search."""
    options: tuple[Option, ...] = ()
    """Every legal move, where that was asked for."""


def hint(
    view: View,
    rules: Rules,
    plans: Plans | None = None,
    *,
    seconds: float = 10.0,
    memory: int = 1024,
    every: bool = False,
    loose: bool = False,
    on_compile: Callable[[], None] | None = None,
) -> Hint:
    """Return what to play in a game; with `every` each legal move is judged as well.

    A plan that `plans` has for the position is followed, and a new one is kept there.
    """
    judge = Judge(rules, seconds=seconds, memory=memory, loose=loose, on_compile=on_compile)
    return _Hint(view, rules, plans or NoPlans(), judge, memory, on_compile).make(every=every)


def why_over(position: Position, rules: Rules) -> str | None:
    """Return in words why a game is over, or None while there is a legal move."""
    if position.is_won:
        return "the game is won: no card is left"
    if legal_moves(position, rules):
        return None
    return f"the game is over: no card can be moved, and {why_illegal(position, DEAL, rules)}"


# ---- making a hint -------------------------------------------------------------------------------


@dataclass
class _Hint:
    """A hint while it is made."""

    view: View
    rules: Rules
    plans: Plans
    judge: Judge
    memory: int
    on_compile: Callable[[], None] | None

    def make(self, *, every: bool) -> Hint:
        position = self.view.position
        over = why_over(position, self.rules)
        if over is not None:
            won = position.is_won
            tally = (
                Tally(self.view.count, 0, 0, self.view.count) if won else Tally(0, self.view.count, 0, self.view.count)
            )
            return Hint(tally.standing, over, None, (), (), False, tally, None)
        options = tuple(self._options()) if every else ()
        name = position_name(self.view.shown, self.rules)
        plan = self.plans.find(name)
        rest = () if plan is None else plan.rest(name)
        made = None if plan is None else self._continued(plan, rest)
        return replace(made or self._new(plan, rest), options=options)

    def _continued(self, plan: Plan, line: Line) -> Hint | None:
        """Return the hint of a plan that wins, if it holds what it promises; `line` is what is left of it."""
        last = self._end_of(line)
        wins, losses, timeouts, count = (plan.tally.get(field, 0) for field in ("wins", "losses", "timeouts", "count"))
        tally = Tally(wins, losses, timeouts, count)
        if last is None or not line or tally.standing != plan.verdict or not 0 < tally.searched <= tally.count:
            return None
        if not tally.wins:
            return None
        if self.view.count == 1 and plan.verdict == "win" and not last.is_won and not self._is_cut(line):
            return None
        return self._hint(line, tally, None, is_continued=True)

    def _new(self, kept: Plan | None, rest: Line) -> Hint:
        """Return the hint of a new plan, and keep the plan.

        Where still no plan wins, what is left of the kept one, `rest`, is as good; empty, it has come to its end.
        """
        dead = is_dead(self.view.position, self.rules)
        roots = self._judge_roots() if dead is None else {}
        # What makes a game dead is seen, so it is so in every arrangement.
        tally = (
            Tally.of(roots, self.view.count) if dead is None else Tally(losses=self.view.count, count=self.view.count)
        )
        line: Line = ()
        gain: Gain | None = None
        is_continued = False
        # A plan that gained nothing and has come to its end.
        spent = kept if kept is not None and kept.end and not rest else None
        if not tally.wins:
            gain = self._kept_gain(kept, rest)
            is_continued = gain is not None
            gain = gain or self._gain(spent, is_lost=tally.standing == "loss")
            line = gain.line
            if tally.standing == "timeout" and self._wins(line):
                # The search for gains came upon what the search for a win had no time for.
                self.judge.add_line(self.view.position, line)
                roots = {self.view.position: "win"}
                tally, gain = Tally.of(roots, self.view.count), None
        if tally.wins:
            line, tally = self._best_plan(roots)
        if line and not is_continued:
            self._keep(line, tally, gain)
        made = replace(self._hint(line, tally, gain, is_continued=is_continued), dead=dead)
        if not line and spent is not None:
            return replace(made, reasons=(_why_nothing_new(spent.line),))
        return made

    def _kept_gain(self, plan: Plan | None, line: Line) -> Gain | None:
        """Return what is left to be gained by a plan that does not win, or None where it is of no use."""
        if plan is None or not line or plan.tally.get("wins", 0) or self._end_of(line) is None:
            return None
        played = len(plan.line) - len(line)
        moves = min(max(plan.tally.get("moves", len(plan.line)) - played, 0), len(line))
        positions, is_all = plan.tally.get("positions", 0), bool(plan.tally.get("is_all"))
        return gain_of(line, self.view.position, self.rules, moves=moves, positions=positions, is_all=is_all)

    def _gain(self, spent: Plan | None, *, is_lost: bool) -> Gain:
        """Return the line that gains most; after a plan that is `spent` it is empty unless it gains what counts."""
        gain = most_gain(
            self.view,
            self.rules,
            memory=self.memory,
            is_lost=is_lost,
            is_new=spent is None,
            on_compile=self.on_compile,
        )
        if spent is not None:
            names = {position_name(shown, self.rules) for shown, *_ in self._along(gain.line)}
            if names & set(spent.positions):
                # What counts is to be had only by going back.
                return replace(gain, line=(), moves=0, runs=0, turned=0, rows=0, filled=0, links=0)
        return gain

    def _hint(self, line: Line, tally: Tally, gain: Gain | None, *, is_continued: bool) -> Hint:
        step = self._describe(line[0]) if line else None
        reasons = tuple(self._reasons(line, gain, is_continued=is_continued)) if line else ()
        return Hint(tally.standing, None, step, reasons, line, is_continued, tally, gain)

    def _keep(self, line: Line, tally: Tally, gain: Gain | None) -> None:
        steps = list(self._along(line))
        names = [position_name(shown, self.rules) for shown, *_ in steps]
        counts = {"wins": tally.wins, "losses": tally.losses, "timeouts": tally.timeouts, "count": tally.count}
        if gain is not None:
            counts |= {"moves": gain.moves, "positions": gain.positions, "is_all": gain.is_all}
        end = ""
        if gain is not None and gain.is_quiet:
            shown, _, _, after = steps[-1]
            end = position_name(seen_after(shown, after), self.rules)
        self.plans.keep(Plan(line, tuple(names), tally.standing, counts, end))

    # ---- lines -------------------------------------------------------------------------------------

    def _along(
        self, line: Line, start: Position | None = None
    ) -> Iterator[tuple[PartialPosition, Position, Move, Position]]:
        """Go along a line from the position, or from another arrangement of it, as `solver.seen.along` does."""
        return along(self.view.shown, start or self.view.position, line, self.rules)

    def _end_of(self, line: Line) -> Position | None:
        """Return the position after a line, or None when the rules forbid it."""
        try:
            return replay(self.view.position, line, self.rules)
        except IllegalMove:
            return None

    def _wins(self, line: Line) -> bool:
        last = self._end_of(line) if self.view.count == 1 else None
        return last is not None and last.is_won

    def _is_cut(self, line: Line) -> bool:
        """Whether the last move of a line shows a card that nobody had seen, so that the plan ends there."""
        *_, (shown, _, _, after) = self._along(line)
        return reveals(shown, after)

    # ---- searching ---------------------------------------------------------------------------------

    def _judge_roots(self, *, share: float = 1.0) -> dict[Position, Verdict]:
        """Return the verdict of each arrangement, of as many as the time allows and of one at least.

        `share` of the time is for one arrangement; several leave time for what follows in any case.
        """
        arrangements = self.view.arrangements
        if len(arrangements) == 1:
            seconds = share * self.judge.seconds_left
            return {arrangements[0]: self.judge.verdict(arrangements[0], seconds=seconds)}
        verdicts: dict[Position, Verdict] = {}
        end = self.judge.seconds_left * (1 - ROOT_SHARE)
        for index, arrangement in enumerate(arrangements):
            left = self.judge.seconds_left - end
            if left <= 0 and verdicts:
                break
            verdicts[arrangement] = self.judge.verdict(
                arrangement,
                seconds=2 * left / (len(arrangements) - index),
                expansions=ARRANGEMENT_EXPANSIONS,
            )
        return verdicts

    def _best_plan(self, roots: Mapping[Position, Verdict]) -> tuple[Line, Tally]:
        """Return the plan that keeps most arrangements won, and what it keeps."""
        won = [arrangement for arrangement, verdict in roots.items() if verdict == "win"]
        begin = {
            arrangement: foreseeable(self.view.shown, arrangement, self.judge.line(arrangement), self.rules)
            for arrangement in won
        }
        votes = Counter(begin.values())
        if len(roots) == 1:
            ((line, _),) = votes.items()
            return line, Tally.of(roots, self.view.count)
        best: tuple[tuple[int, int, int, int], Line, Tally] | None = None
        candidates = votes.most_common(CANDIDATES)
        for index, (line, support) in enumerate(candidates):
            if best is not None and not self.judge.seconds_left:
                break
            tally = self._tally_after(line, roots, self.judge.seconds_left / (len(candidates) - index))
            # Of equally good plans that of more lines, and of these the shortest.
            rank = (tally.wins, -tally.losses, support, -len(line))
            if best is None or rank > best[0]:
                best = rank, line, tally
        assert best is not None
        return best[1], best[2]

    def _tally_after(self, line: Line, roots: Mapping[Position, Verdict], seconds: float) -> Tally:
        """Return the verdicts of the arrangements after a line that every one of them allows."""
        end = max(self.judge.seconds_left - seconds, 0.0)
        verdicts: dict[Position, Verdict] = {}
        for index, (arrangement, root) in enumerate(roots.items()):
            # What is lost stays lost, whatever is played.
            verdicts[arrangement] = root
            if root == "loss":
                continue
            before, after = arrangement, arrangement
            can_return = True
            for _, before, move, after in self._along(line, arrangement):
                can_return = can_return and can_be_taken_back(before, move, after, self.rules)
            if can_return:
                continue
            left = self.judge.seconds_left - end
            several = len(roots) > 1
            verdicts[arrangement] = self.judge.verdict(
                after,
                seconds=max(2 * left / (len(roots) - index), 0.0) if several else left,
                expansions=ARRANGEMENT_EXPANSIONS if several else None,
            )
            if verdicts[arrangement] == "win":
                for _, before, move, after in reversed(list(self._along(line, arrangement))):
                    self.judge.add_move(before, move, after)
        return Tally.of(verdicts, self.view.count)

    def _options(self) -> Iterator[Option]:
        """Yield every legal move with what becomes of the game by it."""
        roots = self._judge_roots(share=ROOT_SHARE)
        moves = legal_moves(self.view.position, self.rules)
        tallies: dict[Move, Tally] = {}
        position = self.view.position
        back = [m for m in moves if can_be_taken_back(position, m, apply(position, m, self.rules), self.rules)]
        once = [move for move in moves if move not in back]
        for index, move in enumerate(once):
            seconds = self.judge.seconds_left / (len(once) - index)
            tallies[move] = self._tally_after((move,), roots, seconds)
        # A move that was found to win may have decided what was not decided before.
        roots = {root: self.judge.known(root) if verdict == "timeout" else verdict for root, verdict in roots.items()}
        tallies |= dict.fromkeys(back, Tally.of(roots, self.view.count))
        for move in moves:
            yield Option(self._describe(move), tallies[move])

    # ---- words -------------------------------------------------------------------------------------

    def _describe(self, move: Move) -> Step:
        return _step(self.view.shown, self.view.position, move, apply(self.view.position, move, self.rules))

    def _reasons(self, line: Line, gain: Gain | None, *, is_continued: bool) -> Iterator[Reason]:
        """Yield why the first move of a plan is played."""
        steps = list(self._along(line))
        _, before, move, after = steps[0]
        if legal_moves(before, self.rules) == [DEAL]:
            yield Reason("only_move", "no card can be moved: deal a row")
        events = list(_events(before, move, after))
        yield from events
        joined = _joined_run(before, move)
        if joined:
            yield Reason("builds_run", f"builds a run of {joined}")
        if not events:
            for number, (_, then, later, result) in enumerate(steps[1:], start=1):
                following = next(_events(then, later, result), None)
                if following is None:
                    continue
                moves = f"{number} more move{'s' if number > 1 else ''}"
                if later == DEAL:
                    yield Reason("prepares_deal", f"prepares a deal: the row is dealt after {moves}")
                else:
                    yield Reason("leads_to", f"{moves} and the plan {following.text}")
                break
        length = f"{len(line)} move{'s' if len(line) > 1 else ''}"
        if gain is not None:
            yield _why_gain(gain)
        elif is_continued:
            yield Reason("continues_plan", f"continues the plan of {length}")
        else:
            yield Reason("plan", f"begins a plan of {length}")


def _step(shown: PartialPosition, before: Position, move: Move, after: Position) -> Step:
    """Return a move in words that name no card that nobody has seen."""
    will_be = foreseen(shown, after)
    masked = Position(shown.columns, shown.face_down, shown.rows, before.completed)
    return describe_move(masked, move, Position(will_be.columns, will_be.face_down, will_be.rows, after.completed))


def _events(before: Position, move: Move, after: Position) -> Iterator[Reason]:
    """Yield what a move brings about that is worth a plan."""
    runs = len(after.completed) - len(before.completed)
    if move == DEAL:
        yield Reason("deals_row", "deals a row")
        return
    if runs:
        yield Reason("completes_run", "completes a run" if move.kind == "move" else "removes a completed run")
    for number, (was, now) in enumerate(zip(before.face_down, after.face_down, strict=True), start=1):
        if now < was:
            left = f", {now} left face-down" if now else ", the last one"
            yield Reason("turns_card", f"turns up a card of column {number}{left}")
    for number, (cards, left_over) in enumerate(zip(before.columns, after.columns, strict=True), start=1):
        filled = move.kind == "move" and not before.columns[move.target]
        if cards and not left_over and not filled:
            yield Reason("empties_column", f"empties column {number}")


def _joined_run(before: Position, move: Move) -> int:
    """Return how long the run is that a move builds on a card of the same suit; 0 when it builds none."""
    if move.kind != "move" or not before.columns[move.target]:
        return 0
    cards = before.columns[move.target] + before.columns[move.source][-move.count :]
    place = len(before.columns[move.target])
    if cards[place - 1] != cards[place] + 1:
        return 0
    start = place - 1
    while start > before.face_down[move.target] and cards[start - 1] == cards[start] + 1:
        start -= 1
    return len(cards) - start


def _why_gain(gain: Gain) -> Reason:
    """Return why a move is played that begins no plan that wins."""
    if not gain.moves:
        word = "can be gained" if gain.is_all else "was found to gain"
        return Reason("moves_about", f"only moves cards about, for nothing more {word}")
    length = f"{gain.moves} move{'s' if gain.moves > 1 else ''}"
    return Reason("keeps_most", f"{gain_text(gain)} in {length}")


def gain_text(gain: Gain) -> str:
    """Return in words what a plan gains that gains something: ``completes 2 more runs and turns up 3 cards``."""
    parts = []
    if gain.runs:
        parts.append(f"completes {gain.runs} more run{'s' if gain.runs > 1 else ''}")
    if gain.turned:
        parts.append(f"turns up {gain.turned} card{'s' if gain.turned > 1 else ''}")
    if gain.rows:
        parts.append(f"deals {gain.rows} row{'s' if gain.rows > 1 else ''}")
    if not parts:
        cards = f"{gain.links} more cards" if gain.links > 1 else "one more card"
        parts.append(f"puts {cards} onto the next card of {'their' if gain.links > 1 else 'its'} suit")
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _why_nothing_new(line: Line) -> Reason:
    """Return why no move is named at the end of a line that gained nothing."""
    if len(line) < MOST_MOVES:
        text = "every move leads back to a position that was there before, or to one with its columns in another order"
    else:
        text = f"the last {len(line)} moves only moved cards about"
    return Reason("nothing_new", text)
