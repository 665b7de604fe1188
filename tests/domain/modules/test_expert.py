"""R2.6: the expert variant, in which players lay the city and region tiles."""

from collections import Counter
from typing import Any

import pytest

from domain.actions import ChooseTown, Expand, Increase, Resign, TakeDollars
from domain.decide import Decision, decide, legal_actions
from domain.facts import CityScored, CityTilesLaid, RegionScored, RegionTilesLaid, TownFounded, TrackFilled
from domain.game import Game
from domain.modules import ActionTaken, Modules, PhaseBegan
from domain.modules.expert import (
    CityTilePlaced,
    Draft,
    ExpertVariant,
    ExplicitLayout,
    PlaceCityTile,
    PlaceRegionTile,
    RandomLayout,
    RegionTilePlaced,
    TilesPooled,
)
from domain.modules.region_tiles import ChosenTiles, RegionTilesDrawn
from domain.refused import Refused
from domain.state import Ending
from tests.domain.positions import (
    BLUE,
    BOARD,
    ORANGE,
    RED,
    allowed,
    begin,
    end_turn,
    facts,
    position,
    refused,
    the,
    value,
    why,
)

CLOSED = {"california", "upper-west", "montana"}
PRINTED_CITIES = {place.id: place.spaces for place in BOARD.places if place.kind == "city"}
PRINTED_REGIONS = {region.id: region.id for region in BOARD.regions}
REGION_OF = {place.id: place.region for place in BOARD.places}
BACKS = ({2, 3}, {4, 5, 6}, {7, 8})
NEW_TEN = tuple(f"new-{number:02}" for number in range(11, 21))


def _back(number: int) -> set[int]:
    return next(back for back in BACKS if number in back)


def _in_play(players: int) -> tuple[dict[str, int], dict[str, str]]:
    """Return the printed layout of the cities and regions in play."""
    closed = CLOSED if players < 4 else set()
    cities = {city: spaces for city, spaces in PRINTED_CITIES.items() if REGION_OF[city] not in closed}
    return cities, {region: tile for region, tile in PRINTED_REGIONS.items() if region not in closed}


def _explicit(players: int = 4, *, cities: Any = None, regions: Any = None, **options: Any) -> Decision:
    """Return a game with the printed layout except for these changes; None removes a place from the layout."""
    city_tiles, region_tiles = _in_play(players)
    changed_cities: dict[str, int] = {k: v for k, v in (city_tiles | (cities or {})).items() if v is not None}
    changed_regions: dict[str, str] = {k: v for k, v in (region_tiles | (regions or {})).items() if v is not None}
    return begin(players, expert=ExplicitLayout(changed_cities, changed_regions), **options)


# --- an agreed layout ------------------------------------------------------------------------------------------


def test_r2_6_an_agreed_layout_lies_as_agreed() -> None:
    swapped = {"pittsburgh": 3, "charlotte": 2, "new-york": 7, "chicago": 8, "omaha": 6, "washington": 4}
    decision = _explicit(4, cities=swapped, regions={"texas": "florida", "florida": "texas"})
    assert {city: value(decision.game, city) for city in PRINTED_CITIES} == PRINTED_CITIES | swapped
    laid = the(decision, RegionTilesLaid)
    assert (laid.tiles["texas"].id, laid.tiles["texas"].values) == ("florida", (10, 6, 3))
    assert laid.tiles["florida"].id == "texas"
    assert the(decision, CityTilesLaid).seed is laid.seed is None, "nothing was drawn"
    assert not facts(decision, TrackFilled)
    assert decision.game.phase == "towns"


def test_r2_6_and_r2_2_the_region_tiles_left_over_fill_the_track() -> None:
    """Here Texas, Florida and California are left over; Montana's and Upper West's tiles lie on other regions."""
    regions = {"texas": "montana", "florida": "upper-west"}
    decision = _explicit(2, regions=regions)
    assert {tile.id for tile in the(decision, TrackFilled).tiles} == {"texas", "florida", "california"}
    assert len(decision.game.track) == 3
    assert decision.game.region_pool == ()


def test_r2_6_and_r2_2_a_city_tile_of_a_closed_region_may_be_used() -> None:
    """With two players one of the 7s is left over where the 8 and a 7 are printed: both may be 7."""
    game = _explicit(2, cities={"new-york": 7, "chicago": 7}).game
    assert (value(game, "new-york"), value(game, "chicago"), value(game, "los-angeles")) == (7, 7, 0)


@pytest.mark.parametrize(
    ("cities", "sentence", "values"),
    [
        ({"chicago": None}, "layout_of_cities", {"places": ["Chicago"]}),
        ({"pueblo": 4}, "layout_of_cities", {"places": ["Pueblo"]}),
        ({"atlantis": 4}, "layout_of_cities", {"places": ["atlantis"]}),
        ({"chicago": 6}, "wrong_group", {"place": "Chicago", "group": (7, 8), "value": 6}),
        ({"pittsburgh": 4}, "wrong_group", {"place": "Pittsburgh", "group": (2, 3), "value": 4}),
        ({"omaha": 3}, "wrong_group", {"place": "Omaha", "group": (4, 5, 6), "value": 3}),
        ({"omaha": 9}, "wrong_group", {"place": "Omaha", "group": (4, 5, 6), "value": 9}),
        ({"omaha": 0}, "wrong_group", {"place": "Omaha", "group": (4, 5, 6), "value": 0}),
        ({"chicago": 8}, "too_few_city_tiles", {"tiles": [8]}),
        ({"charlotte": 2}, "too_few_city_tiles", {"tiles": [2]}),
        ({"atlanta": 6, "washington": 4}, "too_few_city_tiles", {"tiles": [4]}),
        ({"atlanta": 6}, "too_few_city_tiles", {"tiles": [6]}),
    ],
)
def test_r2_6_an_agreed_layout_has_a_tile_of_the_right_back_for_each_city(
    cities: dict[str, int | None], sentence: str, values: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as caught:
        _explicit(4, cities=cities)
    assert (caught.value.code, caught.value.rule) == ("invalid_options", "R2.6")
    assert (caught.value.sentence, caught.value.values) == (sentence, values)


@pytest.mark.parametrize(
    ("regions", "sentence", "values"),
    [
        ({"texas": None}, "layout_of_regions", {"regions": ["Texas"]}),
        ({"alaska": "texas"}, "layout_of_regions", {"regions": ["alaska"]}),
        ({"texas": "alaska"}, "unknown_tiles", {"tiles": ["alaska"]}),
        ({"texas": "florida"}, "region_tile_twice", {}),
        ({"texas": "new-01"}, "unknown_tiles", {"tiles": ["new-01"]}),
    ],
)
def test_r2_6_an_agreed_layout_has_a_tile_of_the_game_for_each_region(
    regions: dict[str, str | None], sentence: str, values: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as caught:
        _explicit(4, regions=regions)
    assert (caught.value.code, caught.value.rule) == ("invalid_options", "R2.6")
    assert (caught.value.sentence, caught.value.values) == (sentence, values)


@pytest.mark.parametrize("players", [2, 3])
def test_r2_6_and_r2_2_an_agreed_layout_leaves_closed_regions_out(players: int) -> None:
    with pytest.raises(Refused, match="Billings"):
        _explicit(players, cities={"billings": 5})
    with pytest.raises(Refused, match="Montana"):
        _explicit(players, regions={"montana": "montana"})


def test_r2_6_the_tile_on_a_city_sets_its_value() -> None:
    """Red stands in Pittsburgh: a 2 is full with blue's franchise, a 3 has one space left and is worth 3."""
    details: dict[str, Any] = {"standing": {"pittsburgh": RED, "chicago": BLUE}, "money": 6}
    printed = end_turn(position(**details), Expand(("chicago", "pittsburgh")))
    assert the(printed, CityScored).value == 2
    three = end_turn(position(values={"pittsburgh": 3}, **details), Expand(("chicago", "pittsburgh"))).game
    assert three.free_spaces(BOARD.number["pittsburgh"]) == 1
    fact = the(end_turn(three, Increase("pittsburgh")), CityScored)
    assert (fact.seat, fact.value, fact.influence) == (RED, 3, 3)


# --- R12: the tiles of the game --------------------------------------------------------------------------------


def test_r2_6_and_r12_1_an_agreed_layout_uses_the_ten_of_the_expansion() -> None:
    regions = dict(zip(PRINTED_REGIONS, NEW_TEN, strict=True))
    decision = _explicit(4, regions=regions, modules=Modules(region_tiles="new"))
    assert {region: tile.id for region, tile in the(decision, RegionTilesLaid).tiles.items()} == regions
    assert {tile.id for tile in the(decision, RegionTilesDrawn).tiles} == set(NEW_TEN)


@pytest.mark.parametrize("choice", ["new", "mixed", ChosenTiles(NEW_TEN)])
def test_r2_6_and_r12_1_the_tiles_left_over_of_the_ten_fill_the_track(choice: Any) -> None:
    _, in_play = _in_play(2)
    regions = dict(zip(in_play, NEW_TEN, strict=False))
    decision = _explicit(2, regions=regions, modules=Modules(region_tiles=choice))
    assert {region: tile.id for region, tile in the(decision, RegionTilesLaid).tiles.items()} == regions
    ten = {tile.id for tile in the(decision, RegionTilesDrawn).tiles}
    assert set(regions.values()) <= ten
    assert {tile.id for tile in decision.game.track} == ten - set(regions.values())
    assert len(decision.game.track) == 3


@pytest.mark.parametrize("choice", ["new", ChosenTiles(NEW_TEN)])
def test_r2_6_and_r12_1_an_agreed_layout_uses_no_tile_outside_the_choice(choice: Any) -> None:
    regions = dict(zip(PRINTED_REGIONS, NEW_TEN, strict=True))
    with pytest.raises(Refused, match="Florida") as caught:
        _explicit(4, regions=regions | {"texas": "florida"}, modules=Modules(region_tiles=choice))
    assert (caught.value.code, caught.value.rule) == ("invalid_options", "R12.1")
    with pytest.raises(Refused, match="new-21"):
        _explicit(4, regions=regions | {"texas": "new-21"}, modules=Modules(region_tiles=choice))


@pytest.mark.parametrize("expert", [Draft(), RandomLayout()])
@pytest.mark.parametrize("choice", ["new", "mixed", ChosenTiles(NEW_TEN)])
def test_r2_6_and_r12_1_the_ten_of_the_expansion_are_the_pool(expert: Any, choice: Any) -> None:
    decision = begin(3, expert=expert, modules=Modules(region_tiles=choice))
    ten = the(decision, RegionTilesDrawn).tiles
    if isinstance(expert, Draft):
        assert decision.game.region_pool == the(decision, TilesPooled).region_tiles == ten
    else:
        used = (*the(decision, RegionTilesLaid).tiles.values(), *the(decision, TrackFilled).tiles)
        assert {tile.id for tile in used} == {tile.id for tile in ten}
    if choice == "mixed":
        assert {tile.id for tile in ten} & {*PRINTED_REGIONS}
    else:
        assert {tile.id for tile in ten}.isdisjoint(PRINTED_REGIONS)


# --- drawn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_r2_6_a_drawn_layout_keeps_the_backs_and_uses_each_tile_once(players: int, seed: int) -> None:
    decision = begin(players, seed=seed, expert=RandomLayout())
    cities, regions = the(decision, CityTilesLaid), the(decision, RegionTilesLaid)
    printed_cities, printed_regions = _in_play(players)
    assert cities.seed == regions.seed == seed
    assert set(cities.tiles) == set(printed_cities)
    assert all(laid in _back(printed_cities[city]) for city, laid in cities.tiles.items())
    assert not Counter(cities.tiles.values()) - Counter(PRINTED_CITIES.values())
    assert set(regions.tiles) == set(printed_regions)
    everywhere = [*regions.tiles.values(), *decision.game.track]
    assert sorted(tile.id for tile in everywhere) == sorted(PRINTED_REGIONS)


def test_r2_6_only_the_same_seed_draws_the_same_layout() -> None:
    def layout(seed: int) -> tuple[Any, Any]:
        decision = begin(5, seed=seed, expert=RandomLayout())
        return the(decision, CityTilesLaid).tiles, the(decision, RegionTilesLaid).tiles

    assert layout(1) == layout(1)
    assert layout(1)[0] != layout(2)[0]
    assert layout(1)[1] != layout(2)[1]


# --- the draft -------------------------------------------------------------------------------------------------


def _draft(players: int = 4, **options: Any) -> Decision:
    return begin(players, expert=Draft(), **options)


def _lay(game: Game, tiles: int) -> Decision:
    """Lay this many tiles, always the first legal one."""
    all_facts: list[Any] = []
    for _ in range(tiles):
        decision = decide(game, legal_actions(game)[0].action)
        all_facts, game = [*all_facts, *decision.facts], decision.game
    return Decision(tuple(all_facts), game)


def test_r2_6_a_draft_starts_with_all_tiles_in_the_pool() -> None:
    decision = _draft(4, first_player=RED)
    pooled = the(decision, TilesPooled)
    assert Counter(pooled.city_tiles) == Counter(PRINTED_CITIES.values())
    assert [tile.id for tile in pooled.region_tiles] == list(PRINTED_REGIONS)
    assert set(decision.game.values) == {0}
    assert decision.facts[-1] == PhaseBegan("city_tiles", RED)


def test_r2_6_any_tile_of_its_back_may_be_laid_on_any_city_in_play() -> None:
    for players in (2, 4):
        cities, _ = _in_play(players)
        expected = {(city, laid) for city, spaces in cities.items() for laid in _back(spaces)}
        listed = [action for action in allowed(_draft(players).game) if isinstance(action, PlaceCityTile)]
        assert len(listed) == len(expected)
        assert {(action.city, action.value) for action in listed} == expected


@pytest.mark.parametrize(("players", "first"), [(2, 1), (3, 1), (4, 3), (5, 2)])
def test_r2_6_tiles_are_laid_in_turn_order_first_cities_then_regions(players: int, first: int) -> None:
    cities, regions = _in_play(players)
    decision = _lay(_draft(players, first_player=first).game, len(cities) + len(regions))
    laid = [fact for fact in decision.facts if isinstance(fact, CityTilePlaced | RegionTilePlaced)]
    assert [type(fact) for fact in laid] == [CityTilePlaced] * len(cities) + [RegionTilePlaced] * len(regions)
    assert [fact.seat for fact in laid] == [(first + number) % players for number in range(len(laid))]
    assert decision.facts[-1] == PhaseBegan("towns", (first - 1) % players)


def test_r2_6_a_city_tile_moves_from_the_pool_to_its_city() -> None:
    game = _draft(4).game
    decision = decide(game, PlaceCityTile("chicago", 8))
    assert decision.facts == (
        ActionTaken(BLUE, PlaceCityTile("chicago", 8)),
        CityTilePlaced(BLUE, "chicago", 8),
        PhaseBegan("city_tiles", RED),
    )
    assert value(decision.game, "chicago") == 8
    assert 8 not in ExpertVariant.of(decision.game).city_pool
    assert why(decision.game, PlaceCityTile("new-york", 8)) == ("no_tile", "R2.6")
    assert why(decision.game, PlaceCityTile("chicago", 7)) == ("tile_there", "R2.6")
    assert refused(decision.game, PlaceCityTile("new-york", 7), BLUE).code == "not_your_turn"


def test_r2_6_a_region_tile_moves_from_the_pool_to_its_region() -> None:
    game = _lay(_draft(4).game, 25).game
    assert game.phase == "region_tiles"
    listed = {(action.region, action.tile) for action in allowed(game) if isinstance(action, PlaceRegionTile)}
    assert listed == {(region, tile) for region in PRINTED_REGIONS for tile in PRINTED_REGIONS}
    after = decide(game, PlaceRegionTile("texas", "florida")).game
    lying = after.regions[BOARD.region_number["texas"]].tile
    assert lying is not None
    assert (lying.id, lying.values) == ("florida", (10, 6, 3))
    assert why(after, PlaceRegionTile("florida", "florida")) == ("no_tile", "R2.6")
    assert why(after, PlaceRegionTile("texas", "texas")) == ("tile_there", "R2.6")


@pytest.mark.parametrize(
    ("action", "code", "rule"),
    [
        (PlaceCityTile("chicago", 6), "wrong_group", "R2.6"),
        (PlaceCityTile("pittsburgh", 4), "wrong_group", "R2.6"),
        (PlaceCityTile("chicago", 9), "wrong_group", "R2.6"),
        (PlaceCityTile("pueblo", 2), "not_a_city", "R2.6"),
        (PlaceCityTile("billings", 5), "closed_region", "R2.2"),
        (PlaceCityTile("reno", 5), "closed_region", "R2.2"),
        (PlaceCityTile("atlantis", 5), "unknown_place", "R1.1"),
        (PlaceRegionTile("texas", "texas"), "wrong_phase", "R2.6"),
        (ChooseTown("pueblo"), "wrong_phase", "R2.3"),
        (TakeDollars(), "wrong_phase", "R9.4"),
    ],
)
def test_r2_6_an_illegal_city_tile_is_refused(action: Any, code: str, rule: str) -> None:
    assert why(_draft(2).game, action) == (code, rule)


@pytest.mark.parametrize(
    ("action", "code", "rule"),
    [
        (PlaceRegionTile("montana", "texas"), "closed_region", "R2.2"),
        (PlaceRegionTile("alaska", "texas"), "unknown_region", "R2.6"),
        (PlaceRegionTile("texas", "alaska"), "no_tile", "R2.6"),
        (PlaceRegionTile("texas", "new-01"), "no_tile", "R2.6"),
        (PlaceCityTile("chicago", 7), "wrong_phase", "R2.6"),
    ],
)
def test_r2_6_an_illegal_region_tile_is_refused(action: Any, code: str, rule: str) -> None:
    assert why(_lay(_draft(2).game, 19).game, action) == (code, rule)


def test_r2_6_and_r2_2_the_tiles_left_in_the_pool_fill_the_track() -> None:
    decision = _lay(_draft(2).game, 19 + 7)
    assert len(the(decision, TrackFilled).tiles) == 3
    on_regions = {fact.tile.id for fact in facts(decision, RegionTilePlaced)}
    assert {tile.id for tile in decision.game.track} == set(PRINTED_REGIONS) - on_regions
    assert decision.game.region_pool == ()
    assert len(ExpertVariant.of(decision.game).city_pool) == 6, "the city tiles of six closed cities are left over"


def test_r2_6_with_four_players_no_tile_is_left_over() -> None:
    decision = _lay(_draft(4).game, 25 + 10)
    assert not facts(decision, TrackFilled)
    assert (decision.game.track, ExpertVariant.of(decision.game).city_pool, decision.game.region_pool) == ((), (), ())


def test_r2_6_and_r2_4_a_draft_works_with_the_fixed_towns_too() -> None:
    decision = _draft(2, start="introductory")
    assert len(facts(decision, TownFounded)) == 4
    laid = _lay(decision.game, 19 + 7)
    assert laid.game.phase == "expand"


def test_r2_6_and_r13_1_the_others_go_on_laying_after_a_resignation() -> None:
    """Blue and red have laid one tile each; it is orange's turn."""
    game = _lay(_draft(4).game, 2).game
    left = decide(game, Resign(), ORANGE)
    assert left.facts[-1] == PhaseBegan("city_tiles", 3)
    laid = facts(_lay(left.game, 4), CityTilePlaced)
    assert [fact.seat for fact in laid] == [3, BLUE, RED, 3]


def test_r2_6_and_r13_1_a_resignation_out_of_turn_keeps_the_next_player() -> None:
    game = _lay(_draft(4).game, 2).game
    for leaver in (BLUE, RED, 3):
        assert decide(game, Resign(), leaver).game.to_play == ORANGE


def test_r2_6_and_r13_1_the_next_player_begins_if_the_first_resigns_at_once() -> None:
    left = decide(_draft(3).game, Resign(), BLUE)
    assert left.facts[-1] == PhaseBegan("city_tiles", RED)


def test_r2_6_and_r13_1_region_tiles_follow_city_tiles_in_turn_order_after_a_resignation() -> None:
    """Blue lays the last of 25 city tiles, red has left: orange lays the first region tile."""
    game = _lay(_draft(4).game, 24).game
    game = decide(game, Resign(), RED).game
    assert game.to_play == BLUE
    assert _lay(game, 1).facts[-1] == PhaseBegan("region_tiles", ORANGE)


def test_r2_6_and_r13_1_a_draft_with_one_player_left_ends() -> None:
    game = decide(_lay(_draft(2).game, 21).game, Resign()).game
    assert game.ending == Ending("resigned", (BLUE,), "last_player")
    assert [final.seat for final in game.finals] == [BLUE]


def test_r2_6_without_the_variant_players_lay_no_tiles() -> None:
    game = begin(2).game
    assert why(game, PlaceCityTile("chicago", 7)) == ("no_such_action", "R13.2")
    assert why(game, PlaceRegionTile("texas", "texas")) == ("no_such_action", "R13.2")


def test_r2_6_a_drafted_game_is_played_with_the_laid_tiles() -> None:
    """Whole games: cities and regions score by the tiles laid on them."""
    game = _draft(5, seed=3).game
    all_facts: list[Any] = []
    while game.to_play is not None:
        decision = decide(game, legal_actions(game)[len(all_facts) * 7 % len(legal_actions(game))].action)
        all_facts, game = [*all_facts, *decision.facts], decision.game
    laid = {fact.city: fact.value for fact in all_facts if isinstance(fact, CityTilePlaced)}
    tiles = {fact.region: fact.tile for fact in all_facts if isinstance(fact, RegionTilePlaced)}
    scored = [fact for fact in all_facts if isinstance(fact, CityScored)]
    assert scored
    assert all(fact.value == laid[fact.city] for fact in scored)
    assert all(fact.tile == tiles[fact.region] for fact in all_facts if isinstance(fact, RegionScored))
