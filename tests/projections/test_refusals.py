"""The reasons why nothing can be done at a place or a region."""

from random import Random

import pytest

from domain.actions import ChooseTown, Double, EndTurn, Increase, TakeDollars
from domain.decide import legal_actions, refusal
from domain.game import Game
from domain.modules import Modules
from domain.modules.boom import PlaceBoom
from domain.modules.expert import Draft, PlaceCityTile
from domain.timeline import Timeline, next_moment
from projections.refusals import RefusedAction, refusals
from projections.targets import targets
from tests.domain.modules.tables import with_tiles
from tests.projections.play import ANN, BOB, Match, seated


def reasons(match: Match, target: str) -> list[tuple[str, str, str]]:
    """Return the kind, the rule and the text of each refusal."""
    return [(item.action, item.rule, item.text) for item in refusals(match.timeline, match.game, target).items]


def test_a_place_without_a_link(opening: Match) -> None:
    """R4.1, R5.1: Ann has one franchise, in Pueblo, and it is her first turn."""
    assert refusals(opening.timeline, opening.game, "dallas").items[0] == RefusedAction(
        "expand",
        "No direct link leads to Dallas from a place where Ann has a franchise.",
        "R4.1",
        "not_linked",
        {"linked": "dallas"},
        {"linked": ["phoenix", "st-louis", "kansas-city", "houston", "oklahoma-city", "el-paso"]},
    )
    assert reasons(opening, "dallas")[1:] == [
        ("expand_again", "R9.2", "Expand once before you use a bonus tile to expand again."),
        ("increase", "R5.1", "Ann has no franchise in Dallas."),
        ("double", "R9.1", "Bonus tiles cannot be used in a player's first turn."),
    ]


def test_a_target_has_no_refusal(second_turn: Match) -> None:
    assert refusals(second_turn.timeline, second_turn.game, "denver").items == ()
    assert refusals(second_turn.timeline, second_turn.game, "denver").version == second_turn.version


def test_after_an_increase_there_is_no_more_expansion(second_turn: Match) -> None:
    """R5.1."""
    second_turn.play(Increase("denver"), TakeDollars())
    assert reasons(second_turn, "denver") == [
        ("expand", "R5.1", "After an increase, no expansion is possible in this turn."),
        ("expand_again", "R5.1", "After an increase, no expansion is possible in this turn."),
        ("increase", "R5.1", "Denver was already increased this turn."),
        (
            "double",
            "R9.1",
            "A turn allows one bonus tile, and only one that the player had when the turn began.",
        ),
    ]


def test_refusals_in_the_set_up() -> None:
    """R2.2, R2.3, R2.6."""
    towns = Match(3).play(ChooseTown("pueblo"))
    assert reasons(towns, "pueblo") == [("choose_town", "R2.3", "Pueblo is taken.")]
    assert reasons(towns, "denver") == [("choose_town", "R2.3", "Denver is a city, not a town.")]
    assert reasons(towns, "reno") == [
        ("choose_town", "R2.2", "Reno is out of play: California is closed with 3 players."),
    ]
    assert reasons(towns, "texas") == [
        ("place_region_tile", "R13.2", "The game is played without the variant or expansion that has this action.")
    ]


def test_refusals_in_a_draft() -> None:
    """R2.6: New York is a city and a region."""
    match = Match(3, expert=Draft()).play(PlaceCityTile("new-york", 8))
    assert reasons(match, "new-york") == [("place_city_tile", "R2.6", "New York already has a city tile of 8.")]
    assert reasons(match, "pueblo") == [("place_city_tile", "R2.6", "Pueblo is a town, not a city.")]
    assert reasons(match, "texas") == [("place_region_tile", "R2.6", "Not now: it is time to lay a city tile.")]
    assert reasons(match, "chicago") == []
    while match.game.phase == "city_tiles":
        match.play(legal_actions(match.game)[0].action)
    assert reasons(match, "new-york") == []
    assert reasons(match, "chicago") == [("place_city_tile", "R2.6", "Not now: it is time to lay a region tile.")]
    assert reasons(match, "montana") == [("place_region_tile", "R2.2", "Montana is closed with 3 players.")]


def test_refusals_for_the_boom_marker() -> None:
    """R11.1, R11.2."""
    match = Match(2, start="introductory", modules=Modules(boom=True))
    assert reasons(match, "pueblo") == [("place_boom", "R11.1", "Pueblo is a town, not a city.")]
    match.play(PlaceBoom("chicago"))
    assert reasons(match, "chicago") == []
    assert reasons(match, "atlanta") == [
        (
            "move_boom",
            "R11.2",
            "The Boom marker cannot move from Chicago to Atlanta: only towns and scored cities may lie in between.",
        )
    ]


def refusals_to_expand(game: Game, target: str) -> list[tuple[str, str]]:
    """Return the rule and the text of each refusal to expand."""
    table = seated(len(game.players)).table
    timeline = Timeline(1, table, next_moment(None, 1, 1, game, None))
    return [(item.rule, item.text) for item in refusals(timeline, game, target).items if item.action == "expand"]


@pytest.mark.parametrize(
    ("ready", "said"),
    [
        (False, ("R4.1", "No direct link leads to Atlanta from a place where Ann has a franchise.")),
        (True, ("R12.5", "This costs $9, and Ann has $1.")),
    ],
)
def test_with_the_development_tile_only_money_is_missing(ready: bool, said: tuple[str, str]) -> None:
    """R12.5."""
    game = with_tiles(development=ANN if ready else BOB, players=4, standing={"pueblo": ANN}, money=1)
    assert refusals_to_expand(game, "atlanta") == [said]


def test_an_own_place_is_named_as_such(second_turn: Match) -> None:
    """R4.1: with any links."""
    second_turn.play(Increase("denver"))
    second_turn.play(Double("denver"), EndTurn())
    assert reasons(second_turn, "huntsville")[0] == ("expand", "R4.1", "Bob already has a franchise in Huntsville.")


@pytest.mark.parametrize("seed", range(5))
def test_each_place_is_a_target_or_has_refusals(seed: int) -> None:
    match, luck = Match(3, seed, start="introductory", modules=Modules(boom=True, region_tiles="new")), Random(seed)
    while match.game.ending is None:
        if luck.random() < 0.1:
            check(match)
        match.play_on(luck)


def check(match: Match) -> None:
    game = match.game
    open_to = {target for legal in legal_actions(game) for target in targets(game, legal.action)}
    for place in game.board.places:
        items = {item.action: item for item in refusals(match.timeline, game, place.id).items}
        assert bool(items) == (place.id not in open_to)
        for kind, action in (("increase", Increase(place.id)), ("double", Double(place.id))):
            if kind in items:
                why = refusal(game, action)
                assert (items[kind].reason, items[kind].rule, items[kind].had) == (why.reason, why.rule, why.had)
