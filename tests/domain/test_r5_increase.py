"""R5: phase 3, increase market share."""

from domain.actions import Expand, ExpandAgain, Increase
from domain.facts import FranchisePlaced, Increased
from tests.domain.positions import (
    BLUE,
    ORANGE,
    RED,
    allowed,
    begin,
    end_turn,
    facts,
    listed,
    on,
    play,
    position,
    refused,
    why,
)


def test_r5_1_orange_in_four_cities_increases_in_two_for_2() -> None:
    """R5.1: the rulebook's example, Travis; the franchises go to the centre, then to the next free spaces."""
    game = position(
        4,
        ORANGE,
        standing={"dallas": ORANGE, "houston": (RED, ORANGE), "chicago": ORANGE, "omaha": (BLUE, ORANGE)},
        money=2,
    )
    assert allowed(game, Increase) == [Increase("chicago"), Increase("omaha"), Increase("houston"), Increase("dallas")]
    decision = play(game, Increase("houston"), Increase("dallas"))
    increased = [Increased(ORANGE, "houston", 1), Increased(ORANGE, "dallas", 1)]
    assert facts(decision, Increased) == increased
    assert decision.game.players[ORANGE].money == 0
    assert decision.game.players[ORANGE].supply == 34
    assert (on(decision.game, "houston"), on(decision.game, "dallas")) == ((RED, ORANGE), (ORANGE,))
    after = end_turn(decision.game)
    assert facts(after, FranchisePlaced) == [
        FranchisePlaced(ORANGE, "houston", 3, "centre"),
        FranchisePlaced(ORANGE, "dallas", 2, "centre"),
    ]


def test_r5_1_a_franchise_costs_1() -> None:
    """R5.1: without a dollar there is no increase."""
    game = position(2, standing={"dallas": BLUE, "houston": BLUE}, money=1)
    assert listed(game, Increase("dallas")).cost == 1
    game = play(game, Increase("dallas")).game
    refusal = refused(game, Increase("houston"))
    assert (refusal.reason, refusal.rule) == ("no_money", "R5.1")
    assert (refusal.needed, refusal.had) == ({"money": 1}, {"money": 0})


def test_r5_1_once_for_each_city() -> None:
    """R5.1: not a second time in the same city; in the next turn again."""
    game = position(2, standing={"chicago": BLUE, "memphis": RED}, money=9)
    game = play(game, Increase("chicago")).game
    assert why(game, Increase("chicago")) == ("already_increased", "R5.1")
    game = end_turn(end_turn(game).game, Expand(("memphis", "st-louis"))).game
    assert Increase("chicago") in allowed(game)


def test_r5_1_only_where_an_own_franchise_stands() -> None:
    """R5.1: not in another's city, not in an empty one, not in a town, nowhere else."""
    game = position(2, standing={"chicago": RED, "memphis": BLUE}, money=9)
    refusal = refused(game, Increase("chicago"))
    assert (refusal.reason, refusal.rule) == ("no_franchise", "R5.1")
    assert (refusal.needed, refusal.had) == ({"franchises": 1}, {"franchises": 0})
    assert why(game, Increase("dallas")) == ("no_franchise", "R5.1")
    assert why(game, Increase("memphis")) == ("not_a_city", "R5.1")
    assert why(game, Increase("seattle")) == ("closed_region", "R2.2")
    assert why(game, Increase("gotham")) == ("unknown_place", "R1.1")


def test_r5_1_only_in_unscored_cities() -> None:
    """R5.1: a scored city has no free space."""
    game = position(2, scored={"chicago": BLUE}, money=9)
    assert why(game, Increase("chicago")) == ("city_scored", "R5.1")


def test_r5_1_after_the_first_increase_there_is_no_expansion() -> None:
    """R5.1: phase 2 comes before phase 3, also for a second expansion."""
    game = position(2, standing={"detroit": BLUE, "dallas": BLUE}, money=9, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("detroit", "chicago")), Increase("dallas")).game
    assert not allowed(game, Expand, ExpandAgain)
    assert refused(game, ExpandAgain(("detroit", "indianapolis"))).reason == "wrong_phase"
    straight = position(2, standing={"detroit": BLUE, "dallas": BLUE}, money=9)
    straight = play(straight, Increase("dallas")).game
    refusal = refused(straight, Expand(("detroit", "chicago")))
    assert (refusal.reason, refusal.needed, refusal.had) == (
        "wrong_phase",
        {"phase": ["expand"]},
        {"phase": "increase"},
    )
    assert Increase("detroit") in allowed(straight)


def test_r5_1_only_in_the_own_turn() -> None:
    """R5.1: not in the set-up."""
    assert refused(begin(3).game, Increase("dallas")).reason == "wrong_phase"
