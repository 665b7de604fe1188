"""The evaluation of positions, and the turns that the planner chooses by it."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.actions import Double, EndTurn, Expand, Increase, Resign
from domain.bots.bot import without_limit
from domain.bots.estimates import city_estimate, region_estimate
from domain.bots.evaluation import chances, expected_influence, rounds_left, steps_lacking
from domain.bots.turns import decider, plans
from domain.bots.weights import BY_EYE, FITTED, Weights
from domain.decide import decide
from domain.facts import CityScored
from domain.game import Game
from domain.modules import Action, Modules
from domain.modules.boom import KeepBoom, MoveBoom
from domain.modules.milestones import Milestones
from tests.domain.positions import BLUE, BOARD, ORANGE, RED, begin, end_turn, facts, play, position


def best(game: Game) -> tuple[Action, ...]:
    """Return the actions of the best turn."""
    return plans(game, BY_EYE, 3, Random(1), without_limit)[0].actions


def test_chances_add_up_to_one() -> None:
    game = position(4, standing={"chicago": (BLUE, RED)}, money={BLUE: 5})
    assert sum(chances(game, BY_EYE)) == pytest.approx(1)
    assert chances(game, BY_EYE)[BLUE] > chances(game, BY_EYE)[RED] > chances(game, BY_EYE)[ORANGE]


def test_a_finished_game_has_its_result() -> None:
    game = end_turn(position(2, standing={"reno": BLUE}, money={RED: 9}, passed=(RED,))).game
    assert game.ending is not None
    assert game.ending.winners == (RED,)
    assert chances(game, BY_EYE) == (0.0, 1.0)


def test_resigned_players_have_no_chance() -> None:
    game = decide(position(3, money={RED: 30}), Resign(), RED).game
    assert chances(game, BY_EYE)[RED] == 0
    assert sum(chances(game, BY_EYE)) == pytest.approx(1)


@pytest.mark.parametrize(
    "more",
    [
        {"money": {BLUE: 3}},
        {"bonus_tiles": {BLUE: 1}},
        {"standing": {"chicago": BLUE}},
        {"scored": {"chicago": BLUE}},
        {"standing": {"pueblo": BLUE}},
    ],
    ids=["money", "bonus tile", "city", "scored city", "town"],
)
@pytest.mark.parametrize("weights", [BY_EYE, FITTED], ids=["by eye", "fitted"])
def test_more_is_worth_more(more: dict[str, object], weights: Weights) -> None:
    without = position(2, standing={"little-rock": BLUE})
    standing = {"little-rock": BLUE}
    with_more = position(2, **{**more, "standing": standing | dict(more.get("standing", {}))})  # type: ignore[call-overload]
    worth, less = (expected_influence(game, weights, steps_lacking(game), 5)[BLUE] for game in (with_more, without))
    assert worth > less


def test_a_city_counts_for_players_near_a_majority() -> None:
    ahead, behind, absent = city_estimate(BY_EYE, 3, 7, (BLUE, RED, BLUE), 5)
    assert 7 > ahead > behind > absent == 0


def test_a_city_that_may_stay_incomplete_is_worth_less() -> None:
    assert city_estimate(BY_EYE, 2, 8, (BLUE,), 0)[BLUE] < city_estimate(BY_EYE, 2, 8, (BLUE,), 5)[BLUE]


def test_the_tie_break_marker_decides_between_equals() -> None:
    marked, other = region_estimate(BY_EYE, 2, (0, 0), ((BLUE,), (RED,)), BLUE, (6.0, 2.0, 2.0), 1, 3)
    assert 6 > marked > other > 2 * 0.5


def test_a_bonus_tile_in_reserve_is_worth_less_than_one_in_hand() -> None:
    """R10.1: tiles in reserve must still be earned."""
    game = begin(2, modules=Modules(milestones=True)).game
    before = Milestones.of(game)
    player = game.players[BLUE]
    fewer = game.with_module(replace(before, reserve=(before.reserve[BLUE] - 1, *before.reserve[1:])))
    earned = replace(fewer, players=game.with_player(BLUE, replace(player, bonus_tiles=player.bonus_tiles + 1)))
    worths = [expected_influence(each, FITTED, steps_lacking(each), 5)[BLUE] for each in (fewer, game, earned)]
    assert worths[0] < worths[1] < worths[2]


def test_a_scored_region_is_worth_nothing_more() -> None:
    assert region_estimate(BY_EYE, 2, (0, 0), ((BLUE,), (RED,)), BLUE, None, 0, 3) == (0, 0)


def test_the_game_is_shorter_the_more_regions_are_scored() -> None:
    longer, shorter = position(4), position(4, scored_regions=[region.id for region in BOARD.regions[:5]])
    assert rounds_left(longer, BY_EYE, steps_lacking(longer)) > rounds_left(shorter, BY_EYE, steps_lacking(shorter)) > 0


def test_a_turn_of_several_actions_is_found() -> None:
    """R9.3, R8.1: two of six become four, the city is scored, and the game ends with 6 IP against 4."""
    game = position(
        2,
        standing={"chicago": (RED, RED, BLUE, BLUE)},
        values={"chicago": 6},
        money={BLUE: 1, RED: 12},
        bonus_tiles={BLUE: 1},
        passed=(RED,),
    )
    actions = best(game)
    assert actions == (Increase("chicago"), Double("chicago"), EndTurn())
    assert [(fact.city, fact.winner) for fact in facts(play(game, *actions), CityScored)] == [("chicago", BLUE)]


def test_the_leader_ends_the_game() -> None:
    """R8.1: the opponent has passed, so that another pass ends the game."""
    ahead = position(2, standing={"pueblo": BLUE, "reno": RED}, money={BLUE: 9}, passed=(RED,))
    assert best(ahead) == (EndTurn(),)


def test_a_trailing_player_goes_on() -> None:
    behind = position(2, standing={"pueblo": BLUE}, money={BLUE: 9, RED: 40}, passed=(RED,))
    assert isinstance(best(behind)[0], Expand)


def test_turns_that_begin_with_the_boom_marker_are_whole() -> None:
    """R11.2: the decision about the marker comes first, and whole turns are compared."""
    game = begin(2, modules=Modules(boom=True)).game
    while game.phase != "boom":
        game = decide(game, best(game)[0]).game
    found = plans(game, BY_EYE, 3, Random(1), without_limit)
    assert all(isinstance(plan.actions[0], KeepBoom | MoveBoom) for plan in found)
    assert all(plan.after.turn.number == game.turn.number + 1 for plan in found)


def test_no_turn_is_chosen_after_the_end() -> None:
    over = end_turn(position(2, passed=(RED,))).game
    with pytest.raises(ValueError, match="the game is over"):
        decider(over)


def test_increases_are_tried_in_one_order_only() -> None:
    game = position(2, standing={"chicago": BLUE, "detroit": BLUE}, money=2)
    turns = [plan.actions for plan in plans(game, BY_EYE, 99, Random(1), without_limit)]
    assert len({frozenset(actions) for actions in turns}) == len(turns)
    assert any(Increase("chicago") in actions and Increase("detroit") in actions for actions in turns)
