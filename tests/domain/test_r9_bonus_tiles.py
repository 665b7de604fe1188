"""R9: bonus tiles."""

import pytest

from domain.actions import Double, Expand, ExpandAgain, Increase, TakeDollars
from domain.facts import CityScored, DollarsTaken, Doubled, Expanded, FranchisePlaced, TurnEnded
from domain.game import Game
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
    the,
    why,
)

BONUS = (ExpandAgain, Double, TakeDollars)


def with_tiles(tiles: int = 1, *, first_turn: bool = False, money: int = 20) -> Game:
    """Blue in Pittsburgh and in Detroit, which is next to Chicago, with this many bonus tiles."""
    return position(
        4,
        standing={"pittsburgh": BLUE, "omaha": BLUE},
        money=money,
        bonus_tiles={BLUE: tiles},
        first_turn=first_turn,
    )


def test_r9_1_no_bonus_tile_in_the_first_turn() -> None:
    """R9.1: none of the three kinds, although the player has tiles."""
    game = play(with_tiles(3, first_turn=True), Expand(("pittsburgh", "new-york")), Increase("omaha")).game
    assert not allowed(game, *BONUS)
    assert why(game, TakeDollars()) == ("first_turn", "R9.1")
    assert why(game, Double("omaha")) == ("first_turn", "R9.1")
    game = play(with_tiles(3, first_turn=True), Expand(("pittsburgh", "new-york"))).game
    assert why(game, ExpandAgain(("pittsburgh", "chicago"))) == ("first_turn", "R9.1")


def test_r9_1_from_the_second_turn_on() -> None:
    """R9.1: a real game for two, blue's second turn."""
    game = begin(2, start="introductory").game
    for origin, target in [("pueblo", "phoenix"), ("montgomery", "huntsville")]:
        assert TakeDollars() not in allowed(game)
        game = end_turn(game, Expand((origin, target))).game
    assert TakeDollars() in allowed(game)


@pytest.mark.parametrize("first", [TakeDollars(), ExpandAgain(("pittsburgh", "chicago")), Double("omaha")], ids=repr)
@pytest.mark.parametrize(
    "second", [TakeDollars(), ExpandAgain(("pittsburgh", "minneapolis")), Double("omaha")], ids=repr
)
def test_r9_1_at_most_one_a_turn(first: TakeDollars | Double, second: TakeDollars | Double) -> None:
    """R9.1: with three tiles, every use of a second one is refused."""
    game = play(with_tiles(3), Expand(("pittsburgh", "new-york"))).game
    if isinstance(first, Double) or isinstance(second, Double):
        if isinstance(first, ExpandAgain):
            game = play(game, first, Increase("omaha")).game
        else:
            game = play(game, Increase("omaha"), first).game
    else:
        game = play(game, first).game
    assert not allowed(game, *BONUS)
    refusal = refused(game, second)
    if refusal.reason != "wrong_phase":
        assert (refusal.reason, refusal.rule) == ("no_bonus_tile", "R9.1")
        assert (refusal.needed, refusal.had) == ({"bonus_tiles": 1}, {"bonus_tiles": 2, "usable": 0})
    assert game.players[BLUE].bonus_tiles == 2


def test_r9_1_one_in_each_turn_until_none_is_left() -> None:
    """R9.1: a used tile is gone."""
    game = with_tiles(2)
    for left in (1, 0):
        game = end_turn(game, TakeDollars(), Expand(listed_path(game))).game
        assert game.players[BLUE].bonus_tiles == left
        for _ in range(3):
            game = end_turn(game).game
    assert not allowed(game, *BONUS)
    assert why(game, TakeDollars()) == ("no_bonus_tile", "R9.4")


def listed_path(game: Game) -> tuple[str, ...]:
    """Any legal expansion."""
    return next(action.path for action in allowed(game, Expand) if isinstance(action, Expand))


def test_r9_2_a_double_expansion_from_pittsburgh_to_chicago_and_new_york_costs_8() -> None:
    """R9.2: the rulebook's example."""
    game = with_tiles(money=8)
    decision = play(game, Expand(("pittsburgh", "chicago")), ExpandAgain(("pittsburgh", "new-york")))
    assert facts(decision, Expanded) == [
        Expanded(BLUE, ("pittsburgh", "chicago"), (5,), 5),
        Expanded(BLUE, ("pittsburgh", "new-york"), (3,), 3, again=True),
    ]
    player = decision.game.players[BLUE]
    assert (player.money, player.bonus_tiles) == (0, 0)
    after = end_turn(decision.game)
    assert (on(after.game, "chicago"), on(after.game, "new-york")) == ((BLUE,), (BLUE,))
    assert the(after, TurnEnded).expanded


def test_r9_2_the_second_expansion_must_be_paid_too() -> None:
    """R9.2: with $7 it is $1 short."""
    game = play(with_tiles(money=7), Expand(("pittsburgh", "chicago"))).game
    refusal = refused(game, ExpandAgain(("pittsburgh", "new-york")))
    assert (refusal.reason, refusal.needed, refusal.had) == ("no_money", {"money": 3}, {"money": 2})


def test_r9_2_not_to_the_same_place() -> None:
    """R9.2: neither over the same link nor over another."""
    game = play(with_tiles(), Expand(("pittsburgh", "chicago"))).game
    assert why(game, ExpandAgain(("pittsburgh", "chicago"))) == ("same_place", "R9.2")
    assert why(game, ExpandAgain(("omaha", "chicago"))) == ("same_place", "R9.2")


def test_r9_2_from_a_franchise_never_from_the_first_marker() -> None:
    """R9.2: Chicago has only a marker."""
    game = play(with_tiles(), Expand(("pittsburgh", "chicago"))).game
    assert refused(game, ExpandAgain(("chicago", "detroit"))).reason == "no_franchise"


def test_r9_2_it_needs_the_first_expansion() -> None:
    """R9.2: a single expansion is the normal one."""
    game = with_tiles()
    assert not allowed(game, ExpandAgain)
    assert why(game, ExpandAgain(("pittsburgh", "chicago"))) == ("not_expanded_yet", "R9.2")


def test_r9_2_it_follows_the_rules_of_expanding() -> None:
    """R9.2, R4.1: taken, own and scored places are refused as usual."""
    game = position(
        4,
        standing={"pittsburgh": BLUE, "indianapolis": RED, "minneapolis": BLUE},
        scored={"chicago": RED},
        money=20,
        bonus_tiles={BLUE: 1},
    )
    game = play(game, Expand(("pittsburgh", "new-york"))).game
    assert why(game, ExpandAgain(("pittsburgh", "indianapolis"))) == ("occupied", "R9.2")
    assert why(game, ExpandAgain(("pittsburgh", "minneapolis"))) == ("own_franchise", "R9.2")
    assert why(game, ExpandAgain(("pittsburgh", "chicago"))) == ("city_scored", "R9.2")


def test_r9_3_a_second_franchise_for_nothing() -> None:
    """R9.3: the rulebook's example, blue doubles in New York."""
    game = position(4, standing={"new-york": (RED, BLUE)}, money=1, bonus_tiles={BLUE: 1})
    game = play(game, Increase("new-york")).game
    assert listed(game, Double("new-york")).cost == 0
    decision = play(game, Double("new-york"))
    assert the(decision, Doubled) == Doubled(BLUE, "new-york")
    player = decision.game.players[BLUE]
    assert (player.money, player.supply, player.bonus_tiles) == (0, 37, 0)
    after = end_turn(decision.game)
    assert [fact.space for fact in facts(after, FranchisePlaced)] == [3, 4]
    assert on(after.game, "new-york") == (RED, BLUE, BLUE, BLUE)


def test_r9_3_only_in_a_city_increased_this_turn() -> None:
    """R9.3: not before the increase is paid, not in another city, a town, a scored city or an unknown place."""
    game = position(
        4,
        standing={"chicago": BLUE, "dallas": BLUE, "houston": RED},
        scored={"omaha": BLUE},
        money=9,
        bonus_tiles={BLUE: 1},
    )
    assert not allowed(game, Double)
    assert why(game, Double("dallas")) == ("not_increased", "R9.3")
    game = play(game, Increase("chicago")).game
    assert allowed(game, Double) == [Double("chicago")]
    assert why(game, Double("dallas")) == ("not_increased", "R9.3")
    assert why(game, Double("houston")) == ("no_franchise", "R9.3")
    assert why(game, Double("omaha")) == ("city_scored", "R9.3")
    assert why(game, Double("memphis")) == ("not_a_city", "R9.3")
    assert why(game, Double("gotham")) == ("unknown_place", "R1.1")


def test_r9_3_with_exactly_two_spaces_left() -> None:
    """R9.3: both are filled, and the city scores with the second."""
    game = position(3, standing={"chicago": (RED, RED, ORANGE, ORANGE, BLUE)}, money=1, bonus_tiles={BLUE: 1})
    decision = end_turn(game, Increase("chicago"), Double("chicago"))
    assert [fact.space for fact in facts(decision, FranchisePlaced)] == [6, 7]
    scored = the(decision, CityScored)
    assert (scored.winner, scored.clause, scored.influence, scored.from_centre) == (BLUE, "most", 3, 0)


def test_r9_3_with_one_space_left_there_is_no_double() -> None:
    """R9.3: the city must have had at least two."""
    game = position(3, standing={"chicago": (RED, RED, ORANGE, ORANGE, BLUE, RED)}, money=1, bonus_tiles={BLUE: 1})
    game = play(game, Increase("chicago")).game
    assert not allowed(game, Double)
    refusal = refused(game, Double("chicago"))
    assert (refusal.reason, refusal.rule) == ("no_free_space", "R9.3")
    assert (refusal.needed, refusal.had) == ({"free_spaces": 2}, {"free_spaces": 1})


def test_r9_3_needs_a_franchise_in_the_supply() -> None:
    """R9.3, R1.6: the last one went into the centre before."""
    game = position(3, standing={"chicago": BLUE}, money=1, bonus_tiles={BLUE: 1}, supply={BLUE: 1})
    game = play(game, Increase("chicago")).game
    assert why(game, Double("chicago")) == ("no_franchise_left", "R1.6")


def test_r9_4_a_tile_gives_10_dollars() -> None:
    """R9.4: at once."""
    decision = play(with_tiles(money=2), TakeDollars())
    assert the(decision, DollarsTaken) == DollarsTaken(BLUE, 10)
    player = decision.game.players[BLUE]
    assert (player.money, player.bonus_tiles) == (12, 0)


def test_r9_4_at_any_time_in_the_own_turn() -> None:
    """R9.4: before, between and after expansion and increases; the phase stays the same."""
    game = with_tiles(money=6)
    assert TakeDollars() in allowed(game)
    game = play(game, Expand(("pittsburgh", "chicago"))).game
    assert TakeDollars() in allowed(game)
    taken = play(game, TakeDollars())
    assert taken.game.phase == "expand"
    game = play(game, Increase("omaha")).game
    taken = play(game, TakeDollars())
    assert taken.game.phase == "increase"
    assert Increase("pittsburgh") in allowed(taken.game)


def test_r9_4_dollars_before_an_expansion_pay_for_it() -> None:
    """R9.4: without money, Chicago for $5 of the 10."""
    game = with_tiles(money=0)
    assert Expand(("pittsburgh", "chicago")) not in allowed(game)
    game = play(game, TakeDollars(), Expand(("pittsburgh", "chicago"))).game
    assert game.players[BLUE].money == 5


def test_r9_4_not_in_anothers_turn_nor_in_the_set_up() -> None:
    """R9.4: only in the own turn."""
    assert why(with_tiles(), TakeDollars(), seat=RED) == ("not_your_turn", "R2.1")
    assert why(begin(3).game, TakeDollars()) == ("wrong_phase", "R9.4")


def test_r9_4_nobody_has_more_tiles_than_they_were_dealt() -> None:
    """R9.4: a player without a tile is refused."""
    refusal = refused(position(3, bonus_tiles={RED: 3}), TakeDollars())
    assert (refusal.reason, refusal.rule) == ("no_bonus_tile", "R9.4")
    assert (refusal.needed, refusal.had) == ({"bonus_tiles": 1}, {"bonus_tiles": 0, "usable": 0})
