"""What searches of endings share: the breaks that say how far a position is, and searches that leave what is lost."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise

import naive
import numpy as np
import pytest
from boards import KEYS, board_of, copy_of, game_of, small_ending
from conftest import COMPILED

from solver import referee
from solver.attempt import Attempt
from solver.ending import make_ending
from solver.kernel.endings import NO_ENDING, breaks, breaks_undone, is_ending, may_change_state
from solver.kernel.macros import add_macros, judge_macro, play
from solver.kernel.moves import MAX_MOVES, generate
from solver.kernel.score import derive, judge
from solver.numbering import deal_from_id
from solver.portfolio import ENDING_MEMBERS, Member, ending_members, random_ending_member
from solver.position import Position
from solver.rules import Rules, make_rules

pytestmark = pytest.mark.kernel

MEMORY = 64 << 20
WALKS, GAMES, LIMIT = (400, 1500, 300) if COMPILED else (3, 6, 60)
MASK = (1 << 64) - 1


def count_breaks(position: Position) -> int:
    """Count the cards that do not lie in sequence, or lie on a face-down one, in plain Python."""
    return sum(
        i <= down or (lower & 15) != (upper & 15) + 1
        for cards, down in zip(position.columns, position.face_down, strict=True)
        for i, (lower, upper) in enumerate(pairwise(cards), start=1)
    )


def test_moves_and_macros_undo_the_breaks_that_they_say() -> None:
    rng = random.Random("breaks")
    seen: Counter[tuple[str, int]] = Counter()
    for _ in range(WALKS):
        position, rules = small_ending(rng)
        board, game = board_of(position), game_of(position, rules)
        derive(board, game, KEYS)
        assert breaks(board, game)[0] == count_breaks(position)
        out = np.zeros(MAX_MOVES, np.int64)
        for _ in range(20):
            single = generate(board, game, out)
            count = add_macros(board, game, out, single)
            if count == 0:
                break
            before, marks = breaks(board, game)
            for i in range(count):
                move = int(out[i])
                (judge if i < single else judge_macro)(board, game, KEYS, move)
                removed = int(board.child_removed)
                undone, undone_marks = breaks_undone(board, game, move, removed)
                may_change = may_change_state(board, move)
                after = copy_of(board)
                play(after, game, move)
                derive(after, game, KEYS)
                left, left_marks = breaks(after, game)
                assert left == before - undone, (position, rules, move)
                assert int(left_marks) == (int(marks) - int(undone_marks)) & MASK
                assert may_change or undone == removed == 0, (position, rules, move)
                seen["macros" if i >= single else "moves", undone] += 1
                seen["runs", removed] += 1
            move = int(out[rng.randrange(count)])
            play(board, game, move)
            derive(board, game, KEYS)
    if COMPILED:
        assert {("moves", 0), ("moves", 1), ("macros", 0), ("macros", 1), ("runs", 1)} <= set(seen)


def outcome_of(position: Position, rules: Rules, member: Member) -> str:
    """Search an ending to the end; a win is replayed."""
    search = Attempt(position, rules, member, memory=MEMORY, ending=make_ending(position, rules, memory=MEMORY))
    outcome = None
    while outcome is None:
        outcome = search.step(1 << 40)
    if outcome == "win":
        assert referee.replay(position, search.line(), rules).is_won
    return outcome


def test_searches_that_leave_what_is_lost_win_what_the_naive_game_wins() -> None:
    rng = random.Random("left")
    seen: Counter[str] = Counter()
    for number in range(GAMES):
        position, rules = small_ending(rng)
        verdict = naive.exhaust(position, rules, LIMIT)
        if verdict is None:
            continue
        member = replace(random_ending_member(number, 1), lossless=True, macros=number % 2 == 0)
        assert outcome_of(position, rules, member) == {"win": "win", "loss": "exhausted"}[verdict], (position, rules)
        if verdict == "loss":
            assert outcome_of(position, rules, replace(member, lossless=False)) == "exhausted"
        seen[verdict] += 1
    if COMPILED:
        assert min(seen["win"], seen["loss"]) > 100


def test_a_position_with_a_stock_is_no_ending() -> None:
    assert make_ending(deal_from_id("ms1", 4).position(), make_rules(), memory=MEMORY) is NO_ENDING
    assert not is_ending(NO_ENDING)


def test_endings_have_members_of_their_own_drawn_from_the_seed() -> None:
    drawn = list(islice(ending_members(seed=5), 100))
    assert drawn == list(islice(ending_members(seed=5), 100))
    assert tuple(drawn[: len(ENDING_MEMBERS)]) == ENDING_MEMBERS
    assert len({member.name for member in drawn}) == len(drawn)
    assert {member.lossless for member in drawn[len(ENDING_MEMBERS) :]} == {False, True}
    others = list(islice(ending_members(seed=6), 100))[len(ENDING_MEMBERS) :]
    assert all(member not in drawn for member in others)
