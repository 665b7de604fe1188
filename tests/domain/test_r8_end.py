"""R8: how the game ends, the final count and the winner."""

from typing import Any

import pytest

from domain.actions import EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import legal_actions
from domain.facts import FinalCounted, GameEnded, RegionScored, TurnEnded, TurnStarted
from domain.game import Game
from tests.domain.positions import BLUE, ORANGE, RED, allowed, begin, end_turn, facts, play, position, the, why

FIVE_TOWNS = ("memphis", "little-rock", "ogallala", "dodge-city", "raleigh")


def three_regions_to_complete() -> Game:
    """Six tiles lie on the track; red can complete Great Lakes, Central and Texas in one turn."""
    return position(
        3,
        RED,
        scored_regions=["new-york", "washington", "florida"],
        standing={"memphis": BLUE, "little-rock": BLUE, "ogallala": BLUE, "dodge-city": BLUE, "st-louis": RED},
        scored={
            "minneapolis": BLUE,
            "chicago": (BLUE, ORANGE),
            "detroit": RED,
            "kansas-city": BLUE,
            "omaha": ORANGE,
            "houston": BLUE,
            "dallas": RED,
            "oklahoma-city": ORANGE,
        },
        money={RED: 2},
        bonus_tiles={RED: 1},
    )


def test_r8_1_a_third_region_in_one_turn_reaches_the_red_zone() -> None:
    """R8.1: the rulebook's example: of red's three region scorings two lie in the red zone; all three count."""
    decision = end_turn(
        three_regions_to_complete(),
        Expand(("detroit", "indianapolis")),
        ExpandAgain(("dallas", "el-paso")),
        Increase("st-louis"),
    )
    scored = facts(decision, RegionScored)
    assert [(fact.region, fact.space, fact.track_influence) for fact in scored] == [
        ("great-lakes", 7, 3),
        ("central", 8, 2),
        ("texas", 9, 0),
    ]
    assert [[(rank.seat, rank.franchises, rank.influence) for rank in fact.ranks] for fact in scored] == [
        [(BLUE, 2, 6), (RED, 2, 4), (ORANGE, 1, 2)],
        [(BLUE, 5, 4), (RED, 1, 3), (ORANGE, 1, 1)],
        [(RED, 2, 5), (BLUE, 1, 4), (ORANGE, 1, 2)],
    ]
    assert the(decision, GameEnded) == GameEnded("red_zone", (RED,), "influence")
    totals = {fact.seat: fact.total for fact in facts(decision, FinalCounted)}
    assert totals == {BLUE: 14 + 4, RED: 3 + 12 + 5 + 2, ORANGE: 5}
    assert not facts(decision, TurnStarted), "it ends with this turn"


def test_r8_1_the_seventh_tile_is_not_in_the_red_zone() -> None:
    """R8.1: the game goes on, and the eighth ends it."""
    decision = end_turn(three_regions_to_complete(), Expand(("detroit", "indianapolis")))
    assert the(decision, RegionScored).space == 7
    assert decision.game.ending is None
    assert the(decision, TurnStarted).seat == ORANGE
    decision = end_turn(three_regions_to_complete(), Expand(("dallas", "el-paso")), Increase("st-louis"))
    assert decision.game.ending is not None
    assert decision.game.ending.reason == "red_zone"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r8_1_as_many_turns_without_expansion_as_players_end_the_game(players: int) -> None:
    """R8.1: nobody expands once around the table."""
    decision = begin(players, start="introductory")
    for turns in range(1, players + 1):
        assert decision.game.ending is None
        decision = end_turn(decision.game)
        assert the(decision, TurnEnded).idle_turns == turns
    assert the(decision, GameEnded).reason == "no_expansion"
    assert decision.game.to_play is None
    assert legal_actions(decision.game) == ()


def test_r8_1_an_expansion_restarts_the_count() -> None:
    """R8.1: back to back means in a row."""
    game = begin(2, start="introductory").game
    game = end_turn(game).game
    decision = end_turn(game, Expand(("montgomery", "huntsville")))
    assert the(decision, TurnEnded) == TurnEnded(RED, expanded=True, idle_turns=0)
    decision = end_turn(decision.game)
    assert the(decision, TurnEnded).idle_turns == 1
    assert decision.game.ending is None
    assert end_turn(decision.game).game.ending is not None


def test_r8_1_increases_and_dollars_are_no_expansion() -> None:
    """R8.1: blue acts without expanding."""
    game = position(2, standing={"chicago": BLUE}, bonus_tiles={BLUE: 1}, passed=[RED])
    decision = end_turn(game, TakeDollars(), Increase("chicago"))
    assert the(decision, TurnEnded) == TurnEnded(BLUE, expanded=False, idle_turns=2)
    assert the(decision, GameEnded).reason == "no_expansion"


def test_r8_1_nobody_can_move() -> None:
    """R8.1, R1.6: with empty supplies players can only end their turns, which ends the game."""
    game = position(
        3, standing={"chicago": BLUE, "dallas": RED, "omaha": ORANGE}, money=30, supply={BLUE: 0, RED: 0, ORANGE: 0}
    )
    for _ in range(3):
        assert allowed(game) == [EndTurn()]
        game = end_turn(game).game
    assert game.ending is not None
    assert game.ending.reason == "no_expansion"


def test_r8_1_after_the_end_nothing_is_decided() -> None:
    """R8.1: every action of every player is refused."""
    game = end_turn(position(2, passed=[RED])).game
    assert why(game, EndTurn()) == ("game_over", "R8.1")
    assert why(game, EndTurn(), seat=BLUE) == ("game_over", "R8.1")
    assert why(game, Resign(), seat=RED) == ("game_over", "R8.1")


def finished(**table: Any) -> Game:
    """Pass the last turn of a game for two without an expansion."""
    decision = end_turn(position(2, passed=[RED], **table))
    assert the(decision, GameEnded).reason == "no_expansion"
    return decision.game


def test_r8_2_five_towns_nine_dollars_and_a_tile_give_5_3_4() -> None:
    """R8.2: the rulebook's example."""
    game = finished(standing=dict.fromkeys(FIVE_TOWNS, BLUE), money={BLUE: 9}, bonus_tiles={BLUE: 1})
    assert game.finals == (
        FinalCounted(BLUE, 5, 5, 9, 3, 1, 4, total=12),
        FinalCounted(RED, 0, 0, 0, 0, 0, 0, total=0),
    )
    earned = game.players[BLUE].earned
    assert (earned.towns, earned.dollars, earned.bonus_tiles, earned.total) == (5, 3, 4, 12)


@pytest.mark.parametrize(("money", "influence"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (100, 33)])
def test_r8_2_three_full_dollars_give_1(money: int, influence: int) -> None:
    """R8.2: the remainder gives nothing."""
    assert finished(money={RED: money}).finals[RED].dollars_influence == influence


@pytest.mark.parametrize("tiles", [0, 1, 2, 3, 4])
def test_r8_2_an_unused_bonus_tile_gives_4(tiles: int) -> None:
    """R8.2: each of them."""
    assert finished(bonus_tiles={RED: tiles}).finals[RED].bonus_tiles_influence == 4 * tiles


def test_r8_2_a_used_bonus_tile_gives_nothing() -> None:
    """R8.2, R9.1: it is out of the game."""
    game = position(2, passed=[RED], bonus_tiles={BLUE: 2})
    final = facts(end_turn(game, TakeDollars()), FinalCounted)[BLUE]
    assert (final.bonus_tiles, final.bonus_tiles_influence, final.dollars, final.dollars_influence) == (1, 4, 10, 3)


def test_r8_2_unscored_cities_and_regions_give_nothing() -> None:
    """R8.2: neither franchises in Chicago nor the most of a region."""
    game = finished(standing={"chicago": (BLUE, BLUE, BLUE)}, scored={"detroit": (BLUE, BLUE)})
    assert game.finals[BLUE].total == 0


def test_r8_2_most_influence_wins() -> None:
    """R8.2: 2 for six dollars beat 1 for a town."""
    game = finished(standing={"memphis": BLUE}, money={RED: 6})
    assert game.ending is not None
    assert (game.ending.winners, game.ending.decided_by) == ((RED,), "influence")


def test_r8_2_a_tie_is_won_by_the_most_towns() -> None:
    """R8.2: 2 each, blue with two towns, red with one and $3."""
    game = finished(standing={"memphis": RED, "raleigh": BLUE, "huntsville": BLUE}, money={RED: 3})
    assert game.ending is not None
    assert [final.total for final in game.finals] == [2, 2]
    assert (game.ending.winners, game.ending.decided_by) == ((BLUE,), "towns")


def test_r8_2_a_tie_that_persists_is_shared() -> None:
    """R8.2: only among players still tied: orange has as many points, but a town less than blue and red."""
    decision = end_turn(
        position(
            3,
            passed=[RED, ORANGE],
            standing={"memphis": BLUE, "raleigh": BLUE, "ogallala": RED, "huntsville": RED, "pueblo": ORANGE},
            money={ORANGE: 5},
        )
    )
    assert [final.total for final in decision.game.finals] == [2, 2, 2]
    assert the(decision, GameEnded) == GameEnded("no_expansion", (BLUE, RED), "shared")


def test_r8_2_towns_only_break_ties() -> None:
    """R8.2: orange has the most towns but fewer points."""
    decision = end_turn(
        position(
            3,
            passed=[RED, ORANGE],
            standing={"memphis": ORANGE, "raleigh": ORANGE, "ogallala": RED},
            money={BLUE: 9, RED: 6},
        )
    )
    assert [final.total for final in decision.game.finals] == [3, 3, 2]
    assert the(decision, GameEnded) == GameEnded("no_expansion", (RED,), "towns")


def test_r8_2_the_count_adds_to_earlier_points() -> None:
    """R8.2: 4 for Detroit, then one for the town and one for $3."""
    game = position(2, standing={"detroit": (BLUE, BLUE), "memphis": BLUE}, money={BLUE: 4}, passed=[RED])
    decision = play(game, Increase("detroit"), EndTurn())
    assert facts(decision, FinalCounted)[BLUE] == FinalCounted(BLUE, 1, 1, 3, 1, 0, 0, total=6)
