"""The list of legal actions: complete, in one order, each with its rule, cost and scoring."""

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import decide, find_legal, legal_actions
from domain.game import Game
from domain.legal import Legal, WouldScore
from domain.modules.expert import Draft, PlaceCityTile, PlaceRegionTile
from tests.domain.positions import BLUE, RED, allowed, begin, play, position


def crossroads() -> Game:
    """Blue stands in Detroit and Jacksonville, Pittsburgh and Indianapolis have room."""
    return position(
        4,
        standing={"detroit": (BLUE, BLUE), "montgomery": BLUE, "houston": (RED, BLUE)},
        money=3,
        bonus_tiles={BLUE: 1},
    )


def test_phase_2_lists_expansions_then_increases_then_bonus_tiles_then_the_end() -> None:
    """R4.1, R5.1, R9.4, R6.1: places in the order of the board file."""
    majority = WouldScore("detroit", BLUE, "majority", 4)
    assert legal_actions(crossroads()) == (
        Legal(Expand(("detroit", "chicago")), "R4.1", 3),
        Legal(Expand(("detroit", "indianapolis")), "R4.1", 1),
        Legal(Expand(("montgomery", "jacksonville")), "R4.1", 1),
        Legal(Expand(("houston", "jacksonville")), "R4.1", 3),
        Legal(Expand(("montgomery", "atlanta")), "R4.1", 1),
        Legal(Expand(("montgomery", "huntsville")), "R4.1", 0),
        Legal(Expand(("houston", "little-rock")), "R4.1", 1),
        Legal(Increase("detroit"), "R5.1", 1, majority),
        Legal(Increase("houston"), "R5.1", 1),
        Legal(TakeDollars(), "R9.4"),
        Legal(EndTurn(), "R6"),
    )


def test_after_an_expansion_a_second_one_is_listed_as_a_bonus_tile() -> None:
    """R9.2: with the money that is left."""
    game = play(crossroads(), Expand(("montgomery", "jacksonville"))).game
    assert legal_actions(game)[:4] == (
        Legal(ExpandAgain(("detroit", "indianapolis")), "R9.2", 1),
        Legal(ExpandAgain(("montgomery", "atlanta")), "R9.2", 1),
        Legal(ExpandAgain(("montgomery", "huntsville")), "R9.2", 0),
        Legal(ExpandAgain(("houston", "little-rock")), "R9.2", 1),
    )


def test_phase_3_lists_increases_doubles_dollars_and_the_end() -> None:
    """R5.1, R9.3, R9.4, R6.1."""
    game = play(crossroads(), Increase("houston")).game
    assert legal_actions(game) == (
        Legal(Increase("detroit"), "R5.1", 1, WouldScore("detroit", BLUE, "majority", 4)),
        Legal(Double("houston"), "R9.3", 0),
        Legal(TakeDollars(), "R9.4"),
        Legal(EndTurn(), "R6"),
    )


def test_the_set_up_lists_towns_and_tiles() -> None:
    """R2.3, R2.6."""
    assert legal_actions(begin(4).game)[0] == Legal(ChooseTown("las-vegas"), "R2.3")
    game = begin(4, expert=Draft()).game
    assert legal_actions(game)[:3] == tuple(Legal(PlaceCityTile("san-francisco", tile), "R2.6") for tile in (4, 5, 6))
    while game.phase == "city_tiles":
        game = decide(game, allowed(game)[0]).game
    assert legal_actions(game)[0] == Legal(PlaceRegionTile("california", "california"), "R2.6")


def test_listed_actions_are_found() -> None:
    """R4.1: and no others."""
    game = crossroads()
    for legal in legal_actions(game):
        assert find_legal(game, legal.action) is legal
    assert find_legal(game, Expand(("detroit", "new-york"))) is None
