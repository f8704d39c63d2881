"""Hints: what they use, that they lead to the win and never in a circle, and what they say of a game that is lost."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import naive
import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solver import plans as plans_module
from solver.analysis import Hint, hint, why_over
from solver.cli import cli
from solver.judge import can_be_taken_back, without_loops
from solver.move import Line, parse_move
from solver.notation import format_position, parse_line, parse_position
from solver.numbering import deal_from_id
from solver.partial import UNKNOWN
from solver.plans import NoPlans, Plan, PlanError, PlanFile, PlanFolder, PlanWarning, position_name
from solver.position import Position, check_position
from solver.referee import apply, legal_moves, replay
from solver.rules import Rules, make_rules
from solver.search import solve
from solver.seen import as_seen, foreseen, reveals, seen_after, view_of
from solver.start import Start

STRICT = make_rules()
NAIVE_LIMIT = 3_000
"""Positions that the naive game looks at: half a second."""
MINI = Rules("mini", columns=4, ranks=3, packs=2, heights=(3, 3, 3, 3), rows=(4, 4, 4))


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False, **options)


@pytest.fixture(autouse=True)
def own_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of plans for each test, not that of the user."""
    folder = tmp_path / "plans"
    monkeypatch.setattr(plans_module, "user_cache_folder", lambda: tmp_path)
    return folder


def start_of(position: Position, rules: Rules = STRICT) -> Start:
    return Start("test", position, rules, loose=True)


def peeked(position: Position, rules: Rules = STRICT, **options: Any) -> Hint:
    return hint(view_of(start_of(position, rules), peek=True, samples=1), rules, loose=True, **options)


@pytest.fixture(scope="module")
def won_game() -> tuple[Position, Line]:
    """A deal of four suits and a line that wins it."""
    deal = deal_from_id("ms2001")
    return deal.position(), solve(deal, STRICT).line


def late_position(won_game: tuple[Position, Line], most_hidden: int) -> Position:
    """Return the first position of the game with so few cards face-down and no stock."""
    position, line = won_game
    for move in line:
        if not position.rows and 0 < sum(position.face_down) <= most_hidden:
            return position
        position = apply(position, move, STRICT)
    raise AssertionError("the line never comes so far")


# ---- what is seen --------------------------------------------------------------------------------


def test_what_is_not_seen_is_face_down_or_in_the_stock() -> None:
    seen = as_seen(deal_from_id("12345").position())
    assert seen.unknown == 94
    assert [column[-1] != UNKNOWN for column in seen.columns] == [True] * 10
    assert all(card == UNKNOWN for row in seen.rows for card in row)


def test_arrangements_hold_the_cards_that_are_there() -> None:
    position = deal_from_id("12345").position()
    view = view_of(start_of(position), peek=False, samples=5)
    assert len(set(view.arrangements)) == 5
    assert view.count > 10**100
    for arrangement in view.arrangements:
        check_position(arrangement, STRICT)
        assert as_seen(arrangement) == view.shown
    assert view_of(start_of(position), peek=False, samples=5) == view
    assert view_of(start_of(position), peek=False, samples=5, seed=1) != view


def test_few_arrangements_are_all_made(won_game: tuple[Position, Line]) -> None:
    position = late_position(won_game, 3)
    columns = zip(position.columns, position.face_down, strict=True)
    hidden = [card for cards, down in columns for card in cards[:down]]
    view = view_of(start_of(position), peek=False, samples=6)
    assert view.is_whole
    assert position in view.arrangements
    assert len(set(view.arrangements)) == view.count == len(set(permutations(hidden)))


def test_peeking_leaves_one_arrangement() -> None:
    position = deal_from_id("12345").position()
    view = view_of(start_of(position), peek=True, samples=5)
    assert (view.arrangements, view.count, view.shown.unknown) == ((position,), 1, 0)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_seen_along_a_game(seed: int) -> None:
    rng = random.Random(seed)
    position = deal_from_id("ms2001").position()
    shown = as_seen(position)
    for _ in range(60):
        moves = legal_moves(position, STRICT)
        if not moves:
            break
        after = apply(position, rng.choice(moves), STRICT)
        new = seen_after(shown, after)
        assert new == as_seen(after)
        unknown_before = shown.unknown - reveals(shown, after)
        assert new.unknown <= unknown_before
        before_it_is_played = foreseen(shown, after)
        assert before_it_is_played.unknown == shown.unknown
        position, shown = after, new


def test_no_card_that_is_not_seen_changes_a_hint() -> None:
    """The hidden cards in any other order give the same hint, word for word."""
    position = deal_from_id("ms2003").position()
    text = format_position(position)
    first = run("hint", "-", "--no-plan", "--json", "--samples", "3", "--all", input=text)
    others = view_of(start_of(position), peek=False, samples=2, seed=99).arrangements
    for other in others:
        again = run("hint", "-", "--no-plan", "--json", "--samples", "3", "--all", input=format_position(other))
        assert again.stdout == first.stdout
    told = json.loads(first.stdout)
    assert told["unseen"] == 94
    assert "turns up a card" in first.stdout
    assert {"a row onto columns 1 to 10"} == {move["words"] for move in told["moves"] if move["move"] == "deal"}


# ---- following hints -----------------------------------------------------------------------------


def play_hints(
    position: Position, rules: Rules, folder: Path, *, peek: bool, most: int = 400, seconds: float = 10.0
) -> tuple[Position, int]:
    """Play nothing but hints; return the end and how many plans were made; no position may come twice."""
    seen = {position}
    made = 0
    for _ in range(most):
        view = view_of(start_of(position, rules), peek=peek, samples=4)
        found = hint(view, rules, PlanFolder(folder), loose=True, seconds=seconds)
        if found.step is None:
            return position, made
        made += not found.is_continued
        assert found.step.move == found.plan[0]
        position = apply(position, found.step.move, rules)
        assert position not in seen
        seen.add(position)
    raise AssertionError("the hints come to no end")


def test_hints_win_a_deal_on_one_plan(own_plans: Path) -> None:
    position, made = play_hints(deal_from_id("ms2002").position(), STRICT, own_plans, peek=True)
    assert position.is_won
    assert made == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("peek", [True, False])
def test_hints_of_small_games_come_to_an_end(seed: int, peek: bool, own_plans: Path) -> None:
    start = naive.shuffled_game(random.Random(seed), MINI)
    winnable = solve(start, MINI).verdict == "win"
    end, _ = play_hints(start, MINI, own_plans, peek=peek)
    if peek:
        assert end.is_won == winnable
    elif not winnable:
        assert not end.is_won


def test_a_plan_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my.plan"
    first = json.loads(run("hint", "12345", "--peek", "--json", "--plan", str(path)).stdout)
    assert not first["plan_continued"]
    position = apply(deal_from_id("12345").position(), parse_move(first["move"]), STRICT)
    second = json.loads(
        run("hint", "-", "--peek", "--json", "--plan", str(path), input=format_position(position)).stdout
    )
    assert second["plan_continued"]
    assert second["plan"] == first["plan"][1:]
    assert second["reasons"][-1] == {
        "code": "continues_plan",
        "text": f"continues the plan of {len(second['plan'])} moves",
    }


def test_a_file_that_is_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "my.plan"
    path.write_text("[1, 2]")
    result = run("hint", "12345", "--plan", str(path))
    assert result.exit_code == 1
    assert f"{str(path)!r} is no plan that 'spider hint' has written" in result.stderr
    assert path.read_text() == "[1, 2]"


def test_a_folder_of_plans_keeps_those_used_last(own_plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans_module, "MAX_PLANS", 2)
    folder = PlanFolder()
    for name in ("a", "b"):
        folder.keep(Plan(parse_line("deal"), (name,), "win", {"wins": 1, "count": 1}))
    assert folder.find("a") is not None
    folder.keep(Plan(parse_line("deal"), ("c",), "win", {"wins": 1, "count": 1}))
    assert [folder.find(name) is not None for name in "abc"] == [True, False, True]
    assert sorted(path.name for path in own_plans.iterdir()) == ["a.json", "c.json"]


def test_a_broken_plan_in_the_folder_is_passed_over(own_plans: Path) -> None:
    position = deal_from_id("ms2002").position()
    view = view_of(start_of(position), peek=True, samples=1)
    hint(view, STRICT, PlanFolder())
    (path,) = own_plans.iterdir()
    for broken in ("", "{", '{"schema": 1}', path.read_text()[:-40]):
        path.write_text(broken)
        assert not hint(view, STRICT, PlanFolder()).is_continued


def test_a_plan_that_does_not_win_is_not_followed() -> None:
    position = deal_from_id("ms2002").position()
    view = view_of(start_of(position), peek=True, samples=1)
    name = position_name(view.shown, STRICT)
    counts = {"wins": 1, "losses": 0, "timeouts": 0, "count": 1}
    for line in ("deal", "1-2x9"):
        folder = PlanFolder()
        folder.keep(Plan(parse_line(line), (name,), "win", counts))
        found = hint(view, STRICT, folder)
        assert not found.is_continued
        assert replay(position, found.plan, STRICT).is_won


def test_a_folder_that_cannot_be_written_is_told_and_nothing_more(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    plan = Plan(parse_line("deal"), ("a",), "win", {})
    with pytest.warns(PlanWarning, match="the plan cannot be kept"):
        PlanFolder(blocked / "plans").keep(plan)
    with pytest.raises(PlanError, match="cannot write"):
        PlanFile(blocked / "plan").keep(plan)


def test_the_rules_are_part_of_a_position() -> None:
    shown = as_seen(deal_from_id("12345").position())
    names = {position_name(shown, make_rules(preset)) for preset in ("standard", "relaxed", "bvs", "morehead-1949")}
    # Two presets have the same rules.
    assert len(names) == 3


# ---- lost games ----------------------------------------------------------------------------------


def lost_position(name: str, seed: int) -> Position:
    """Return a lost position of a small game in which moves are left."""
    rules = naive.SMALL_RULES[name]
    rng = random.Random(f"{name}/{seed}")
    position = naive.small_game(rng, rules)
    for last, _ in naive.random_playout(position, rules, rng, rng.randint(0, 12)):
        position = last
    assume(legal_moves(position, rules))
    assume(naive.exhaust(position, rules, NAIVE_LIMIT) == "loss")
    return position


@settings(max_examples=60)
@given(name=st.sampled_from(list(naive.SMALL_RULES)), seed=st.integers(0, 999))
def test_hints_of_a_lost_game_get_what_can_be_had(name: str, seed: int) -> None:
    """As many runs as any line, then as many cards and rows; a move as long as there is one, and none twice."""
    rules = naive.SMALL_RULES[name]
    position = lost_position(name, seed)
    most = naive.most(position, rules, NAIVE_LIMIT)
    assume(most is not None)
    first = peeked(position, rules)
    assert first.standing == "loss"
    assert first.step is not None
    assert first.gain is not None
    assert first.gain.is_all
    assert (first.gain.runs, first.gain.turned, first.gain.rows) == most
    with TemporaryDirectory() as folder:
        end, _ = play_hints(position, rules, Path(folder), peek=True)
        assert naive.progress(position, end) == most
        if legal_moves(end, rules):
            last = peeked(end, rules, plans=PlanFolder(Path(folder)))
            assert [reason.code for reason in last.reasons] == ["nothing_new"]
            assert last.standing == "loss"


@settings(max_examples=25)
@given(name=st.sampled_from(list(naive.SMALL_RULES)), seed=st.integers(0, 999))
def test_hints_of_a_lost_game_with_unseen_cards_come_to_an_end(name: str, seed: int) -> None:
    rules = naive.SMALL_RULES[name]
    position = lost_position(name, seed)
    assert hint(view_of(start_of(position, rules), peek=False, samples=4), rules, loose=True).step is not None
    with TemporaryDirectory() as folder:
        end, _ = play_hints(position, rules, Path(folder), peek=False)
        assert not end.is_won


@pytest.mark.parametrize("number", [2, 3, 6])
def test_hints_of_a_lost_ending_get_what_they_promise(number: int, own_plans: Path) -> None:
    """Weak play of whole games, which leaves more positions than the plain referee can look at."""
    position = deal_from_id(f"ms{number}").position()
    rng = random.Random(number)
    while position.rows and (moves := legal_moves(position, STRICT)):
        position = apply(position, rng.choice(moves), STRICT)
    first = peeked(position, STRICT)
    assert first.standing == "loss"
    assert first.gain is not None
    promised = first.gain.runs, first.gain.turned, first.gain.rows
    end, _ = play_hints(position, STRICT, own_plans, peek=True)
    assert naive.progress(position, end) >= promised


LOST_ENDING = """
<7S> <QD> <2H> <5D> <4C> KS 9D 6D 3S
<8C> <6H> <TH> <AH> 5H 9H KH KS QC QH
<9C> <KD> <9H> <2H> AD 8S TC 9S 8S AD
<8C> <7H> <9C> <3C> <5S> 4S 8H KD JH JS TH
<7D> <8H> <QD> <9D> 6S KH 3H 5S 4S 5H 8D
<3H> <JD> <7S> <6C> AH TS 6H 5D JS
<7C> <9S> <7H> <7D> <3D> TS QH QS JD TD 2C 3C 3D
<6C> <TC> <AC> <2S> KC JH 3S 2D 7C
<2S> <JC> <2D> <6S> 5C 4H 8D 2C AC QC
<4D> <AS> <4C> <5C> <TD> 4H KC AS QS JC 4D 6D
"""
"""An ending of weak play with four suits: number 10 of benchmarks/endings.py."""


def test_hints_of_a_lost_ending_with_unseen_cards_look_ahead(own_plans: Path) -> None:
    """The first card to turn up is further away than the plain referee looks."""
    position = parse_position(LOST_ENDING, STRICT)
    found = hint(view_of(start_of(position), peek=False, samples=4), STRICT, loose=True)
    assert found.tally.losses == found.tally.searched == 4
    assert found.gain is not None
    assert (found.gain.turned, found.gain.is_all) == (1, False)
    end, _ = play_hints(position, STRICT, own_plans, peek=False)
    assert naive.progress(position, end) >= (0, 1, 0)


QUIET = "<2D> <3H> 3D 2H AH AS 3D 2H\n<3C> <2D> AC AD 2C\n<3S> 3H 3C 2C AD\n<AH> AS AC 2S 3S 2S"
"""A lost game in which an ace can be moved from a two to a two, and nothing else."""
MINI_OPTIONS = ("--peek", "--columns", "4", "--ranks", "3")


def test_where_nothing_can_be_gained_a_move_is_named_all_the_same() -> None:
    result = run("hint", "-", *MINI_OPTIONS, "--no-plan", input=QUIET)
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "play 3-1x1: AD onto 2H",
        "why: only moves cards about, for nothing more can be gained",
        "loss: proved: whatever is played, no line wins from here",
        "gain: no run, no card to turn up and no row can be gained (all 4 positions that can be reached), and no "
        "longer run",
    ]


def test_where_nothing_can_be_gained_hints_come_to_an_end_and_say_so(tmp_path: Path) -> None:
    options = (*MINI_OPTIONS, "--plan", str(tmp_path / "plan"))
    position = parse_position(QUIET, MINI)
    moves = []
    while True:
        result = run("hint", "-", *options, "--json", input=format_position(position))
        told = json.loads(result.stdout)
        assert (result.exit_code, told["standing"], told["over"], told["gain"]["moves"]) == (3, "loss", None, 0)
        codes = [reason["code"] for reason in told["reasons"]]
        if told["move"] is None:
            break
        assert codes == ["moves_about"]
        moves.append(told["move"])
        position = apply(position, parse_move(told["move"]), MINI)
    assert moves == ["3-1x1", "1-2x1", "2-4x1"]
    assert list(told["gain"]) == [
        "runs_removed", "turned_up", "rows_dealt", "filled", "links", "moves", "positions", "all",
    ]  # fmt: skip
    assert codes == ["nothing_new"]
    text = run("hint", "-", *options, input=format_position(position)).stdout
    assert text.startswith("no move: every move leads back to a position that was there before, or to one with its")


def test_columns_that_can_only_change_places_are_moved_once() -> None:
    position = parse_position("3S\n--\n--\n--", MINI)
    first = peeked(position, MINI, plans=PlanFolder())
    assert first.step is not None
    after = apply(position, first.step.move, MINI)
    assert peeked(after, MINI, plans=PlanFolder()).step is None


def test_order_is_made_where_nothing_else_can_be_gained() -> None:
    text = "3C 2H AS\n<3H> <AH> AS 3D 2D\n<AH> <AD> 3H 3S 2H AC 2C\n3S 2S 2S\ncompleted: C D"
    found = peeked(parse_position(text, MINI), MINI)
    assert found.gain is not None
    assert (found.gain.is_quiet, found.gain.links, found.gain.moves) == (True, 1, 1)
    assert found.step is not None
    assert str(found.step.move) == "1-4x1"
    assert found.reasons[-1].text == "puts one more card onto the next card of its suit in 1 move"


def test_a_gain_is_told_in_words(data: Path) -> None:
    name = str(data / "cases" / "mini-solvitaire-ComplexUnsolvable-from-end.txt")
    gain = run("hint", name, *MINI_OPTIONS, "--no-plan").stdout.splitlines()[-1]
    assert gain == (
        "gain: the plan completes 4 more runs, turns up 8 cards and deals 3 rows: the most that can be had, runs "
        "before cards before rows (all 61,145 positions that can be reached)"
    )


def test_a_loss_on_a_plan_is_proved_again(data: Path) -> None:
    text = (data / "cases" / "mini-solvitaire-ComplexUnsolvable-from-end.txt").read_text()
    position = parse_position(text, MINI)
    first = peeked(position, MINI, plans=PlanFolder())
    assert first.step is not None
    second = peeked(apply(position, first.step.move, MINI), MINI, plans=PlanFolder())
    assert second.is_continued
    assert second.plan == first.plan[1:]
    assert second.standing == "loss"


def test_a_plan_that_says_lost_of_a_game_that_is_won_is_not_believed() -> None:
    position = deal_from_id("ms2002").position()
    move = legal_moves(position, STRICT)[0]
    name = position_name(view_of(start_of(position), peek=True, samples=1).shown, STRICT)
    folder = PlanFolder()
    counts = {"wins": 0, "losses": 1, "timeouts": 0, "count": 1, "moves": 1, "positions": 7, "is_all": 1}
    folder.keep(Plan((move,), (name,), "loss", counts))
    found = peeked(position, plans=folder)
    assert found.standing == "win"
    assert not found.is_continued
    assert replay(position, found.plan, STRICT).is_won


# ---- what a hint says ----------------------------------------------------------------------------


def test_without_a_tableau_move_a_row_is_dealt() -> None:
    result = run("hint", "ms200", "--peek", "--no-plan")
    assert result.stdout.startswith("play deal: ")
    assert "why: no card can be moved: deal a row" in result.stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3S\n--\n--\n--", "play"),
        ("--\n--\n--\n--", "the game is won: no card is left"),
        ("2S\nAS 2H\n2D\n2C", "the game is over: no card can be moved, and the stock is empty"),
    ],
)
def test_game_over(text: str, reason: str) -> None:
    position = parse_position(text, MINI)
    over = why_over(position, MINI)
    assert over == (None if reason == "play" else reason)


def test_a_game_that_is_over_has_an_exit_code() -> None:
    options = ("--loose", "--columns", "4", "--ranks", "3")
    won = run("hint", "-", *options, input="--\n--\n--\n--\ncompleted: S")
    assert (won.exit_code, won.stdout) == (0, "the game is won: no card is left\n")
    lost = run("hint", "-", *options, input="2S\nAS 2H\n2D\n2C")
    assert (lost.exit_code, lost.stdout) == (3, "the game is over: no card can be moved, and the stock is empty\n")


def test_a_lost_game_is_said_to_be_lost_and_most_is_made_of_it(data: Path) -> None:
    text = (data / "cases" / "mini-solvitaire-ComplexUnsolvable-from-end.txt").read_text()
    found = peeked(parse_position(text, MINI), MINI)
    assert found.standing == "loss"
    assert found.gain is not None
    end = replay(parse_position(text, MINI), found.plan, MINI)
    assert len(end.completed) == found.gain.runs > 0
    assert found.reasons[-1].code == "keeps_most"


def test_a_game_that_the_rules_end_needs_no_search(data: Path) -> None:
    name = str(data / "cases" / "synth-nine-cards-stalemate.txt")
    result = run("hint", name, "--loose")
    assert result.exit_code == 3
    assert "loss: proved: nine cards cannot fill ten columns" in result.stdout


def test_what_was_not_decided_is_not_called_lost() -> None:
    result = run("hint", "10957", "--peek", "--timeout", "0.1", "--no-plan")
    assert result.exit_code == 4
    assert result.stdout.startswith("play ")
    assert "timeout: not decided within 0.1 s, which does not mean lost" in result.stdout


def test_all_arrangements_are_counted(won_game: tuple[Position, Line]) -> None:
    position = late_position(won_game, 2)
    result = run("hint", "-", "--json", "--all", input=format_position(position))
    told = json.loads(result.stdout)
    assert told["arrangements"]["interval"] is None
    assert told["arrangements"]["searched"] == told["arrangements"]["count"] <= 2
    assert told["standing"] in ("win", "open")
    assert [move["move"] for move in told["moves"]] == [str(move) for move in legal_moves(position, STRICT)]


def test_unknown_cards_of_the_input(won_game: tuple[Position, Line]) -> None:
    """Cards that the input names were seen, where it has unknown cards itself; the others are arranged."""
    position = late_position(won_game, 2)
    masked = format_position(as_seen(position))
    assert "?" in masked
    hidden_by_hand = json.loads(run("hint", "-", "--json", "--no-plan", input=masked).stdout)
    hidden_by_rule = json.loads(run("hint", "-", "--json", "--no-plan", input=format_position(position)).stdout)
    assert hidden_by_hand["arrangements"] == hidden_by_rule["arrangements"]


def test_sampled_shares_have_an_interval() -> None:
    told = json.loads(run("hint", "12345", "--samples", "4", "--json").stdout)
    arrangements = told["arrangements"]
    assert arrangements["searched"] == 4
    assert arrangements["wins"] + arrangements["losses"] + arrangements["timeouts"] == 4
    low, high = arrangements["interval"]
    assert 0 < low < high <= 1
    assert told["standing"] == "open"


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_of_all_moves_are_those_of_single_searches(seed: int) -> None:
    rng = random.Random(seed)
    position = naive.shuffled_game(rng, MINI)
    for last, _ in naive.random_playout(position, MINI, rng, rng.randint(0, 6)):
        position = last
    if not legal_moves(position, MINI):
        return
    found = peeked(position, MINI, every=True)
    assert found.standing == solve(position, MINI).verdict
    assert [option.step.move for option in found.options] == legal_moves(position, MINI)
    for option in found.options:
        after = apply(position, option.step.move, MINI)
        assert option.tally.standing == solve(after, MINI).verdict


def test_a_move_that_can_be_taken_back() -> None:
    position = parse_position("<4H> 3S 2S\n3D\n4D\n--", MINI)
    cases = {"1-2x1": True, "1-4x1": True, "1-3x2": False, "2-3x1": True}
    for token, back in cases.items():
        move = parse_move(token)
        after = apply(position, move, MINI)
        assert can_be_taken_back(position, move, after, MINI) is back


def test_loops_are_left_out_of_a_line() -> None:
    position = parse_position("2S\n3S\n--\n--\ncompleted: --", MINI)
    path = without_loops(position, parse_line("1-3x1 3-4x1 4-1x1 1-2x1"), MINI)
    assert [str(move) for _, move in path] == ["1-2x1"]


def test_options_that_exclude_each_other() -> None:
    result = run("hint", "12345", "--plan", "x", "--no-plan")
    assert result.exit_code == 2
    assert "--plan and --no-plan exclude each other" in result.stderr


def test_json_has_these_fields() -> None:
    told = json.loads(run("hint", "12345", "--peek", "--json").stdout)
    assert list(told) == [
        "schema", "deal", "rules", "peek", "standing", "over", "move", "words", "notes", "reasons", "plan",
        "plan_continued", "unseen", "arrangements", "gain", "moves",
    ]  # fmt: skip


def test_nothing_is_kept_where_nothing_should_be(own_plans: Path) -> None:
    run("hint", "12345", "--peek", "--no-plan")
    assert not own_plans.exists()
    assert NoPlans().find("x") is None
