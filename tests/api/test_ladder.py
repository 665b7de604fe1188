"""The ladder: which bots meet, how often they win, and how certain that is."""

import re

import pytest
from msgspec.structs import replace

from api.cli import main
from api.ladder import Conditions, Match, Outcome, options, pairings, play, report, wilson_interval
from domain.modules import Modules
from domain.modules.expert import Draft

CONDITIONS = Conditions(2, options((), "standard"), 1, 20, 0.1)


def test_the_interval_is_the_one_of_wilson() -> None:
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson_interval(150, 200) == pytest.approx((0.6857, 0.8049), abs=1e-4)


def test_each_pair_meets_once_or_both_ways() -> None:
    once = [("random", "greedy"), ("random", "planner"), ("greedy", "planner")]
    assert list(pairings(("random", "greedy", "planner"), both_ways=False)) == once
    assert list(pairings(("random", "greedy"), both_ways=True)) == [("random", "greedy"), ("greedy", "random")]


def test_the_options_follow_from_the_names_of_modules() -> None:
    assert options((), "introductory").start == "introductory"
    assert options((), "standard").modules == Modules()
    everything = options(("milestones", "boom", "region_tiles", "draft"), "standard")
    assert everything.modules == Modules(milestones=True, boom=True, region_tiles="mixed")
    assert everything.expert == Draft()


def test_the_challenger_plays_every_seat_in_turn() -> None:
    """Greedy wins from either seat, with its own points."""
    for number in range(2):
        outcome = play(Match("greedy", "random", number, CONDITIONS))
        assert outcome.won == 1
        assert outcome.points > outcome.points_of_others
        assert play(Match("random", "greedy", number, CONDITIONS)).won == 0


def test_a_match_with_the_same_seed_is_the_same() -> None:
    match = Match("planner", "random", 0, CONDITIONS)
    other = replace(match, conditions=replace(CONDITIONS, seed=2))
    assert play(match) == play(match) != play(other)


def test_a_match_by_the_clock_ends() -> None:
    by_the_clock = replace(CONDITIONS, positions=None, seconds=0.001)
    assert play(Match("planner", "random", 0, by_the_clock)).points >= 0


def test_a_shared_victory_counts_as_a_half() -> None:
    outcomes = [Outcome(1.0, 50, 40.0), Outcome(0.5, 45, 45.0), Outcome(0.0, 40, 50.0)]
    assert report("planner", "greedy", 2, outcomes) == (
        "planner against 1 greedy: 1.5 of 3 won, 50.0% (12.5% to 87.5%), 45.0 points, the others 45.0"
    )


def test_the_command_prints_a_line_for_each_pair(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "ladder",
        "random",
        "greedy",
        "--games",
        "2",
        "--players",
        "3",
        "--positions",
        "5",
        "--modules",
        "boom",
    )
    said = []
    for _ in range(2):
        assert main(arguments) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    first, second = said[0].splitlines()
    assert re.match(r"random against 2 greedy: 0 of 2 won, 0.0% ", first)
    assert re.match(r"greedy against 2 random: 2 of 2 won, 100.0% ", second)
    assert main((*arguments, "--one-way")) == 0
    assert capsys.readouterr().out == f"{first}\n"


def test_a_ladder_needs_two_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["greedy"], ["greedy", "genius"], ["greedy", "random", "--positions", "1", "--seconds", "1"]):
        with pytest.raises(SystemExit):
            main(["ladder", *arguments])
    assert "invalid choice: 'genius'" in capsys.readouterr().err
