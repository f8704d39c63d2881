"""Races: several processes on one deal give a replayed win, an honest end, and leave nothing running."""

from __future__ import annotations

import itertools
import json
import multiprocessing
from dataclasses import replace

import pytest
from click.testing import CliRunner

from solver import portfolio
from solver.cli import EXIT_TIMEOUT, cli
from solver.notation import parse_position
from solver.numbering import deal_from_id
from solver.race import Race
from solver.record import RaceError
from solver.referee import replay
from solver.rules import make_rules
from solver.search import MIN_MEMORY, Budget, BudgetError, Progress, solve

STRICT = make_rules()
HARD = deal_from_id("ms10957")
"""Not won by anyone: no race over it gets done."""
EASY = deal_from_id("ms1")


@pytest.fixture
def weak_first_member(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the first member fail at once, so that easy deals come to a race."""
    first, *others = portfolio.MEMBERS
    monkeypatch.setattr(portfolio, "MEMBERS", (replace(first, expansions=1), *others))


@pytest.mark.usefixtures("weak_first_member")
def test_a_race_ends_with_a_line_that_replays() -> None:
    solution = solve(EASY, STRICT, Budget(seconds=120, jobs=2))
    assert solution.verdict == "win"
    assert replay(EASY, solution.line, STRICT).is_won
    assert solution.tries >= 2
    assert solution.attempts[-1].outcome == "win"
    assert solution.expansions == sum(tried.expansions for tried in solution.attempts)


def test_a_race_stops_when_the_time_is_spent_and_leaves_no_process() -> None:
    standings: list[Progress] = []
    solution = solve(HARD, STRICT, Budget(seconds=3, jobs=2), progress=standings.append)
    assert solution.verdict == "timeout"
    assert solution.seconds < 30
    assert not multiprocessing.active_children()
    assert standings


def test_a_race_heeds_the_limit_of_expansions() -> None:
    limit = portfolio.MEMBERS[0].expansions + 50_000
    solution = solve(HARD, STRICT, Budget(seconds=120, jobs=2, expansions=limit))
    assert solution.verdict == "timeout"
    assert solution.seconds < 120


def test_an_exhausted_list_ends_the_race_in_a_proof() -> None:
    # Two columns and a row that can never be dealt onto them in order: few positions, none of them won.
    rules = make_rules(suits=1, columns=2, ranks=2, packs=1, heights=(2, 2), rows=(2, 2))
    position = parse_position("<2S> AS\n<2S> AS\ndeal: AS AS\ndeal: 2S 2S", rules)
    solution = solve(position, rules, Budget(jobs=2))
    assert solution.verdict in ("win", "loss")
    alone = solve(position, rules, Budget())
    assert solution.verdict == alone.verdict


def test_a_worker_that_dies_is_reported() -> None:
    with Race(HARD.position(), STRICT, jobs=1, memory=64 << 20) as race:
        running = race.run(itertools.repeat(portfolio.MEMBERS[0]))
        next(running)
        for process in multiprocessing.active_children():
            process.kill()
        with pytest.raises(RaceError, match="a process of the search died"):
            for _ in running:
                pass


def test_one_job_is_deterministic() -> None:
    first, second = (solve(EASY, STRICT, Budget(seconds=120)) for _ in range(2))
    assert first.line == second.line
    assert first.expansions == second.expansions


@pytest.mark.parametrize(("jobs", "memory"), [(0, 1024), (2, 3 * MIN_MEMORY - 1)], ids=["no job", "too little each"])
def test_impossible_jobs_are_refused(jobs: int, memory: int) -> None:
    with pytest.raises(BudgetError):
        Budget(jobs=jobs, memory=memory)


def test_verbose_names_each_try_on_stderr_and_json_lists_them() -> None:
    arguments = ["solve", "ms10957", "--timeout", "2", "--verbose", "--json"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == EXIT_TIMEOUT
    listed = json.loads(result.stdout)["attempts"]
    said = [line for line in result.stderr.splitlines() if line.startswith("spider: tried ")]
    assert len(said) == len(listed) > 0
    for line, attempt in zip(said, listed, strict=True):
        assert line.startswith(f"spider: tried {attempt['member']} ({attempt['moves']} moves): {attempt['outcome']}, ")
        assert f"{attempt['expansions']:,} positions" in line
    assert listed[0]["member"] == portfolio.MEMBERS[0].name
