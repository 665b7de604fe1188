"""R11: the Boom marker doubles the free spaces of the city it stands at."""

import pytest

from domain.actions import ChooseTown, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import decide
from domain.facts import (
    DollarsTaken,
    IncomeReceived,
    Resigned,
    StartingMoneyReceived,
    TurnEnded,
    TurnStarted,
    TurnTakenBack,
)
from domain.game import Game
from domain.modules import ActionTaken, Modules, PhaseBegan
from domain.modules.boom import Boom, BoomKept, BoomMoved, BoomPlaced, KeepBoom, MoveBoom, PlaceBoom
from domain.state import Ending
from tests.domain.modules.tables import with_boom
from tests.domain.positions import BLUE, ORANGE, RED, allowed, begin, play, refused, the, why

BOOM = Modules(boom=True)
CLOSED = {"san-francisco", "los-angeles", "seattle", "portland", "billings", "casper"}
CITIES_FOR_TWO = 25 - len(CLOSED)


# --- R11.1: placing the marker ---------------------------------------------------------------------------------


def _placing(players: int = 2, start: str = "introductory") -> Game:
    return begin(players, modules=BOOM, start=start).game


def test_r11_1_the_first_player_places_the_marker_after_the_starting_towns() -> None:
    game = begin(3, modules=BOOM, first_player=RED).game
    assert why(game, PlaceBoom("chicago")) == ("wrong_phase", "R11.1")
    decision = play(game, ChooseTown("pueblo"), ChooseTown("memphis"), ChooseTown("indianapolis"))
    assert decision.facts[-1] == PhaseBegan("place_boom", RED)
    assert refused(decision.game, PlaceBoom("chicago"), BLUE).code == "not_your_turn"
    placed = decide(decision.game, PlaceBoom("chicago"))
    assert placed.facts[:2] == (ActionTaken(RED, PlaceBoom("chicago")), BoomPlaced(RED, "chicago"))
    assert Boom.of(placed.game).city == "chicago"


def test_r11_1_starting_money_and_the_first_turn_follow() -> None:
    decision = play(_placing(), PlaceBoom("denver"))
    assert [type(fact) for fact in decision.facts[2:]] == [
        StartingMoneyReceived,
        StartingMoneyReceived,
        TurnStarted,
        PhaseBegan,
    ]
    assert (decision.game.phase, decision.game.to_play) == ("boom", BLUE)


def test_r11_1_any_city_in_play_is_allowed() -> None:
    assert len(allowed(_placing(2), PlaceBoom)) == CITIES_FOR_TWO
    assert len(allowed(_placing(4), PlaceBoom)) == 25
    assert not {action.city for action in allowed(_placing(3), PlaceBoom) if isinstance(action, PlaceBoom)} & CLOSED


@pytest.mark.parametrize("city", sorted(CLOSED))
def test_r11_1_a_city_of_a_closed_region_is_refused(city: str) -> None:
    assert why(_placing(2), PlaceBoom(city)) == ("closed_region", "R2.2")
    assert play(_placing(4), PlaceBoom(city)).game.phase == "boom"


def test_r11_1_a_town_or_an_unknown_place_is_refused() -> None:
    assert why(_placing(), PlaceBoom("pueblo")) == ("not_a_city", "R11.1")
    assert why(_placing(), PlaceBoom("reno"))[0] == "closed_region"
    assert why(_placing(), PlaceBoom("atlantis"))[0] == "unknown_place"


def test_r11_1_nothing_else_is_allowed_before() -> None:
    game = _placing()
    assert {type(action) for action in allowed(game)} == {PlaceBoom}
    for action in (KeepBoom(), MoveBoom("chicago"), TakeDollars(), EndTurn(), Expand(("pueblo", "denver"))):
        assert refused(game, action).reason == "wrong_phase"


def test_r11_1_the_marker_is_placed_once() -> None:
    game = play(_placing(), PlaceBoom("denver")).game
    assert why(game, PlaceBoom("chicago")) == ("wrong_phase", "R11.1")


def test_r11_1_and_r13_1_the_next_player_places_it_after_the_first_has_resigned() -> None:
    game = begin(3, modules=BOOM).game
    game = decide(game, Resign(), BLUE).game
    decision = play(game, ChooseTown("pueblo"), ChooseTown("memphis"))
    assert decision.facts[-1] == PhaseBegan("place_boom", RED)
    left = decide(_placing(3), Resign(), BLUE)
    assert left.facts == (ActionTaken(BLUE, Resign()), Resigned(BLUE), PhaseBegan("place_boom", RED))


def test_r11_1_and_r13_1_with_one_player_left_the_game_ends_before_it_is_placed() -> None:
    game = decide(_placing(2), Resign(), RED).game
    assert game.ending == Ending("resigned", (BLUE,), "last_player")


# --- R11.2: keeping and moving the marker ----------------------------------------------------------------------


def _deciding(city: str, players: int = 2, **details: object) -> Game:
    """End the turn before, so that red must decide about the marker."""
    details = {"standing": {"pueblo": BLUE, "memphis": RED}, **details}
    return play(with_boom(city, players=players, **details), EndTurn()).game


def _targets(game: Game) -> set[str]:
    return {action.city for action in allowed(game, MoveBoom) if isinstance(action, MoveBoom)}


def test_r11_2_the_active_player_decides_at_the_start_of_the_turn_before_the_income() -> None:
    ended = play(with_boom("omaha"), EndTurn())
    assert [type(fact) for fact in ended.facts] == [ActionTaken, TurnEnded, TurnStarted, PhaseBegan]
    assert ended.facts[-1] == PhaseBegan("boom", RED)
    kept = decide(ended.game, KeepBoom())
    assert [type(fact) for fact in kept.facts] == [ActionTaken, BoomKept, IncomeReceived, PhaseBegan]
    assert kept.facts[1] == BoomKept(RED, "omaha")
    assert kept.game.phase == "expand"


def test_r11_2_keeping_it_is_listed_first_then_each_city_in_reach_in_the_order_of_the_board() -> None:
    assert allowed(_deciding("omaha")) == [
        KeepBoom(),
        MoveBoom("chicago"),
        MoveBoom("kansas-city"),
        MoveBoom("houston"),
        MoveBoom("oklahoma-city"),
    ]


def test_r11_2_the_marker_may_be_moved_in_the_very_first_turn() -> None:
    decision = play(_placing(), PlaceBoom("denver"), MoveBoom("phoenix"))
    assert the(decision, BoomMoved) == BoomMoved(BLUE, "denver", "phoenix")
    assert Boom.of(decision.game).city == "phoenix"


def test_r11_2_it_moves_over_a_direct_link_or_over_towns() -> None:
    """From Omaha directly, and over Dodge City or Ogallala; with two players Sioux Falls is closed."""
    assert _targets(_deciding("omaha")) == {"chicago", "houston", "kansas-city", "oklahoma-city"}


def test_r11_2_it_moves_over_several_towns() -> None:
    """With four players also over Sioux Falls, and from there over Fargo."""
    assert _targets(_deciding("omaha", players=4)) == {
        *("chicago", "houston", "kansas-city", "oklahoma-city"),
        *("casper", "minneapolis", "billings"),
    }


def test_r11_2_franchises_in_the_towns_between_do_not_matter() -> None:
    game = _deciding("omaha", standing={"dodge-city": BLUE, "ogallala": RED})
    assert _targets(game) == {"chicago", "houston", "kansas-city", "oklahoma-city"}


def test_r11_2_it_does_not_move_over_an_unscored_city() -> None:
    assert why(_deciding("omaha"), MoveBoom("detroit")) == ("boom_not_connected", "R11.2")


def test_r11_2_it_moves_over_a_scored_city() -> None:
    """Chicago is scored: the cities linked to it are in reach, but none beyond unscored cities."""
    game = _deciding("omaha", scored={"chicago": (BLUE, RED)})
    assert _targets(game) == {
        *("chicago", "houston", "kansas-city", "oklahoma-city"),
        *("detroit", "minneapolis", "new-york", "phoenix", "pittsburgh"),
    }


def test_r11_2_it_moves_to_a_scored_city() -> None:
    game = _deciding("omaha", scored={"chicago": (BLUE, RED)})
    assert Boom.of(play(game, MoveBoom("chicago")).game).city == "chicago"


def test_r11_2_it_moves_on_from_a_scored_city() -> None:
    game = _deciding("pittsburgh", scored={"pittsburgh": RED})
    assert {"charlotte", "chicago", "minneapolis", "new-york"} <= _targets(game)


def test_r11_2_it_does_not_move_through_a_closed_region() -> None:
    """Billings and Minneapolis are joined over Fargo; with two players Montana is closed."""
    closed, in_play = _deciding("minneapolis"), _deciding("minneapolis", players=4)
    assert _targets(closed) == {"chicago", "pittsburgh"}
    assert _targets(in_play) == {"chicago", "pittsburgh", "billings", "casper", "omaha", "oklahoma-city"}
    assert why(closed, MoveBoom("billings")) == ("closed_region", "R2.2")


def test_r11_2_it_cannot_move_to_its_own_city() -> None:
    assert why(_deciding("omaha"), MoveBoom("omaha")) == ("boom_there", "R11.2")


def test_r11_2_it_cannot_move_to_a_town_or_an_unknown_place() -> None:
    assert why(_deciding("omaha"), MoveBoom("ogallala")) == ("not_a_city", "R11.2")
    assert why(_deciding("omaha"), MoveBoom("atlantis"))[0] == "unknown_place"


def test_r11_2_it_is_decided_once_a_turn() -> None:
    game = play(_deciding("omaha"), KeepBoom()).game
    assert why(game, KeepBoom()) == ("wrong_phase", "R11.2")
    assert why(game, MoveBoom("chicago")) == ("wrong_phase", "R11.2")


def test_r11_2_nothing_else_is_allowed_before_the_decision() -> None:
    game = _deciding("omaha", money=9, standing={"memphis": RED, "st-louis": RED}, bonus_tiles={RED: 1})
    for action in (Expand(("memphis", "kansas-city")), Increase("st-louis"), EndTurn()):
        assert refused(game, action).reason == "wrong_phase"


def test_r11_2_without_the_expansion_there_is_no_marker() -> None:
    game = begin(2, start="introductory").game
    for action in (PlaceBoom("chicago"), MoveBoom("chicago"), KeepBoom()):
        assert refused(game, action).reason == "no_such_action"


# --- R9.4: dollars during the decision -------------------------------------------------------------------------


def test_r9_4_dollars_may_be_taken_during_the_decision() -> None:
    game = _deciding("omaha", bonus_tiles={RED: 2})
    taken = decide(game, TakeDollars())
    assert taken.facts == (ActionTaken(RED, TakeDollars()), DollarsTaken(RED, 10))
    assert taken.game.phase == "boom"
    assert why(taken.game, TakeDollars()) == ("no_bonus_tile", "R9.1")
    later = play(taken.game, KeepBoom()).game
    assert later.players[RED].money == 10 + 1
    assert not allowed(later, TakeDollars, ExpandAgain)


def test_r9_4_no_dollars_without_a_tile_or_in_the_first_turn() -> None:
    assert why(_deciding("omaha"), TakeDollars()) == ("no_bonus_tile", "R9.4")
    assert why(play(_placing(), PlaceBoom("denver")).game, TakeDollars()) == ("first_turn", "R9.1")


# --- R11.3: the income -----------------------------------------------------------------------------------------


def _income(game: Game, *actions: KeepBoom | MoveBoom) -> IncomeReceived:
    return the(play(game, *actions), IncomeReceived)


def test_r11_3_the_free_spaces_of_the_city_count_twice_for_players_there() -> None:
    """Omaha with three free spaces: with two players 3 is $1 and 6 is $2."""
    game = _deciding("omaha", standing={"omaha": RED})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {"omaha": 3}, 3, 2)


def test_r11_3_all_free_spaces_of_the_city_count() -> None:
    game = _deciding("omaha", standing={"omaha": (BLUE, RED, BLUE)})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {"omaha": 1}, 1, 1)


def test_r11_3_only_the_city_of_the_marker_counts_twice() -> None:
    """With five players 3 + 2 * 4 = 11 free spaces are $4."""
    game = _deciding("omaha", players=5, standing={"omaha": RED, "dallas": (RED,)})
    assert _income(game, MoveBoom("chicago")) == IncomeReceived(RED, {"omaha": 3, "dallas": 4}, 0, 3)
    game = _deciding("dallas", players=5, standing={"omaha": RED, "dallas": (RED,)})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {"omaha": 3, "dallas": 4}, 4, 4)


def test_r11_3_it_does_not_count_for_absent_players() -> None:
    game = _deciding("omaha", standing={"omaha": BLUE, "dallas": RED})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {"dallas": 4}, 0, 2)


def test_r11_3_a_scored_city_has_no_free_spaces() -> None:
    game = _deciding("omaha", scored={"omaha": (RED, BLUE)})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {}, 0, 1)


def test_r11_3_before_the_marker_is_placed_nothing_counts_twice() -> None:
    """The first income can be computed while the towns are chosen."""
    game = begin(2, modules=BOOM).game
    assert Boom.of(game).extra_free_spaces(game, BLUE) == 0


def test_r11_3_the_marker_counts_at_its_new_city_in_the_same_turn() -> None:
    game = _deciding("omaha", standing={"omaha": RED, "kansas-city": RED})
    assert _income(game, MoveBoom("kansas-city")) == IncomeReceived(RED, {"kansas-city": 4, "omaha": 3}, 4, 3)


def test_r11_3_and_r2_6_the_tile_on_the_city_sets_its_free_spaces() -> None:
    game = _deciding("omaha", standing={"omaha": RED}, values={"omaha": 6})
    assert _income(game, KeepBoom()) == IncomeReceived(RED, {"omaha": 5}, 5, 2)


# --- R13.1: resigning ------------------------------------------------------------------------------------------


def test_r13_1_a_resignation_during_the_decision_passes_it_on() -> None:
    game = _deciding("omaha", players=3, bonus_tiles={RED: 1})
    decision = decide(game, Resign(), RED)
    assert the(decision, TurnTakenBack) == TurnTakenBack(RED, (), ())
    assert decision.facts[-2:] == (TurnStarted(ORANGE, 23), PhaseBegan("boom", ORANGE))
    assert Boom.of(decision.game).city == "omaha"
