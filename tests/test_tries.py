"""One try of a member behind one interface: best-first and beams alike."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from conftest import COMPILED

from solver.numbering import deal_from_id
from solver.portfolio import BEAMS, MEMBERS, Member, members
from solver.position import Position
from solver.record import Outcome
from solver.referee import replay
from solver.rules import make_rules
from solver.tries import Try, begin_try

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(not COMPILED, reason="tens of thousands of positions"),
]

MEMORY = 100 << 20
BEAM = replace(BEAMS[0], width=200)


def run(position: Position, member: Member, limit: int | None = None, memory: int = MEMORY) -> tuple[Try, Outcome]:
    begun = begin_try(position, make_rules(), member, memory=memory)
    outcome = None
    while outcome is None:
        outcome = begun.step(member.expansions if limit is None else limit)
        reach = begun.reach()
        assert 0 <= reach.rows_dealt <= len(position.rows)
        assert 0 <= reach.face_down <= sum(position.face_down)
        assert 0 <= reach.runs_removed <= 8
    return begun, outcome


@pytest.mark.parametrize("member", [MEMBERS[0], BEAM], ids=["best-first", "beam"])
def test_a_win_has_a_line_that_the_referee_replays(member: Member) -> None:
    position = deal_from_id("ms1").position()
    won, outcome = run(position, member)
    assert outcome == "win"
    assert replay(position, won.line(), make_rules()).is_won
    assert 0 < won.expansions <= won.positions <= won.children


def test_a_beam_that_has_run_dry_is_no_exhausted_search() -> None:
    # So narrow that good positions are dropped; an exhausted list would end the search for this deal.
    tried, outcome = run(deal_from_id("ms2").position(), replace(BEAM, width=1))
    assert outcome == "budget"
    assert tried.expansions < BEAM.expansions


@pytest.mark.parametrize("member", [MEMBERS[0], BEAM], ids=["best-first", "beam"])
def test_budgets_of_expansions_and_of_memory_end_a_try(member: Member) -> None:
    position = deal_from_id("ms2").position()
    tried, outcome = run(position, member, limit=3_000)
    assert outcome == "budget"
    assert 3_000 <= tried.expansions < 3_100
    assert run(position, replace(member, width=20_000 if member.width else 0), memory=2 << 20)[1] == "memory"


def test_beams_come_after_as_many_random_members_as_the_portfolio_says() -> None:
    drawn = [member.name for member in islice(members(seed=5), 30)]
    for before, beam in BEAMS.items():
        place = drawn.index(beam.name)
        assert sum(name.startswith("random-") for name in drawn[:place]) == before
    assert len(set(drawn)) == len(drawn)
