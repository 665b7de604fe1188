"""R2: players, closed regions, starting towns and money, bonus tiles, the expert variant."""

from collections import Counter
from typing import Any

import pytest

from domain.actions import ChooseTown
from domain.decide import decide
from domain.evolve import replay
from domain.facts import (
    BonusTilesDealt,
    CityTilesLaid,
    FirstPlayerChosen,
    RegionsClosed,
    RegionTilesLaid,
    StartingMoneyReceived,
    TownFounded,
    TrackFilled,
    TurnStarted,
)
from domain.game import Game
from domain.modules import GameOptions, Modules, PhaseBegan
from domain.modules.expert import Draft, ExpertVariant, ExplicitLayout, PlaceCityTile, PlaceRegionTile, RandomLayout
from domain.refused import Refused
from domain.start import start
from tests.domain.positions import (
    BEIGE,
    BLACK,
    BLUE,
    BOARD,
    NEW_TILES,
    ORANGE,
    RED,
    allowed,
    begin,
    end_turn,
    facts,
    on,
    play,
    refused,
    the,
    value,
    why,
)

CLOSED = ("california", "upper-west", "montana")
TOWNS = [place.id for place in BOARD.places if place.kind == "town"]
AS_PRINTED = {place.id: place.spaces for place in BOARD.places if place.kind == "city"}
OPEN_CITIES = {place.id: place.spaces for place in BOARD.places if place.kind == "city" and place.region not in CLOSED}


def refusal_of(options: GameOptions, players: int) -> Refused:
    with pytest.raises(Refused) as caught:
        start(options, players, 1, NEW_TILES)
    return caught.value


def first_to_move(game: Game) -> int:
    """Choose any towns until the first turn begins, and return its player."""
    while game.phase == "towns":
        game = decide(game, allowed(game)[0]).game
    return game.turn.seat


# --- R2.1 players and turn order ---------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r2_1_two_to_five_play(players: int) -> None:
    """R2.1: each player starts with forty franchises."""
    assert [player.supply for player in begin(players).game.players] == [40] * players


@pytest.mark.parametrize("players", [-1, 0, 1, 6])
def test_r2_1_no_other_number_plays(players: int) -> None:
    """R2.1: the map is made for 2 to 5."""
    refusal = refusal_of(GameOptions(), players)
    assert (refusal.code, refusal.rule) == ("invalid_options", "R2.1")


@pytest.mark.parametrize("first", [BLUE, RED, ORANGE])
def test_r2_1_the_host_can_name_the_first_player(first: int) -> None:
    """R2.1: a named player is not drawn."""
    decision = begin(3, first_player=first)
    assert the(decision, FirstPlayerChosen) == FirstPlayerChosen(first, drawn=False)
    assert first_to_move(decision.game) == first


@pytest.mark.parametrize("first", [-1, 3])
def test_r2_1_the_first_player_sits_at_the_table(first: int) -> None:
    """R2.1: with three players the seats are 0, 1 and 2."""
    assert refusal_of(GameOptions(first_player=first), 3).rule == "R2.1"


def test_r2_1_the_first_player_is_drawn_once_and_recorded() -> None:
    """R2.1: the same seed draws the same player, different seeds different ones, and a replay draws nothing."""
    drawn = [the(begin(5, seed, first_player="random"), FirstPlayerChosen) for seed in range(40)]
    assert {fact.seat for fact in drawn} == {BLUE, RED, ORANGE, BLACK, BEIGE}
    assert all(fact.drawn for fact in drawn)
    again = begin(5, 7, first_player="random")
    assert again.facts == begin(5, 7, first_player="random").facts
    assert replay(again.facts) == again.game


def test_r2_1_turns_go_clockwise_from_the_first_player() -> None:
    """R2.1: 3, 4, and then 0, 1, 2 and 3 again."""
    game = begin(5, start="introductory", first_player=BLACK).game
    order = []
    for _ in range(4):
        order.append(game.turn.seat)
        decision = end_turn(game)
        game = decision.game
        assert the(decision, TurnStarted).turn == len(order) + 1
    assert order == [BLACK, BEIGE, BLUE, RED]


def test_r2_1_nobody_moves_in_another_players_turn() -> None:
    """R2.1: the refusal names the player whose turn it is."""
    game = begin(3, start="introductory").game
    refusal = refused(game, allowed(game)[0], seat=RED)
    assert (refusal.code, refusal.rule) == ("not_your_turn", "R2.1")
    assert (refusal.needed, refusal.had) == ({"seat": BLUE}, {"seat": RED})


# --- R2.2 closed regions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_r2_2_three_regions_are_closed_for_two_or_three(players: int) -> None:
    """R2.2: California, Upper West and Montana; their tiles fill the first three spaces of the track."""
    decision = begin(players)
    assert the(decision, RegionsClosed).regions == CLOSED
    assert tuple(tile.id for tile in the(decision, TrackFilled).tiles) == CLOSED
    assert the(decision, CityTilesLaid).tiles == OPEN_CITIES
    assert set(the(decision, RegionTilesLaid).tiles) == {region.id for region in BOARD.regions} - set(CLOSED)
    assert [tile.id for tile in decision.game.track] == list(CLOSED)
    assert [region.closed for region in decision.game.regions] == [region.id in CLOSED for region in BOARD.regions]


@pytest.mark.parametrize("players", [4, 5])
def test_r2_2_nothing_is_closed_for_four_or_five(players: int) -> None:
    """R2.2: all tiles lie as printed, the track is empty."""
    decision = begin(players)
    assert not facts(decision, RegionsClosed)
    assert not facts(decision, TrackFilled)
    assert the(decision, CityTilesLaid).tiles == AS_PRINTED
    assert decision.game.track == ()
    assert not any(region.scored or region.closed for region in decision.game.regions)
    laid = the(decision, RegionTilesLaid).tiles
    assert laid["grand-canyon"].values == (10, 8, 5)
    assert all(tile.id == region for region, tile in laid.items())


def test_r2_2_no_first_franchise_in_a_closed_region() -> None:
    """R2.2: Reno lies in California."""
    assert why(begin(2).game, ChooseTown("reno")) == ("closed_region", "R2.2")
    assert ChooseTown("reno") in allowed(begin(4).game)


# --- R2.3 standard start -----------------------------------------------------------------------------------------


def test_r2_3_towns_are_chosen_in_reverse_turn_order() -> None:
    """R2.3: with blue first of three, orange chooses first, then red, then blue; each town once."""
    decision = play(begin(3).game, ChooseTown("pueblo"), ChooseTown("memphis"), ChooseTown("raleigh"))
    founded = [(fact.seat, fact.town, fact.fixed) for fact in facts(decision, TownFounded)]
    assert founded == [(ORANGE, "pueblo", False), (RED, "memphis", False), (BLUE, "raleigh", False)]
    assert [on(decision.game, town) for town in ("pueblo", "memphis", "raleigh")] == [(ORANGE,), (RED,), (BLUE,)]
    assert [player.supply for player in decision.game.players] == [39, 39, 39]


def test_r2_3_the_order_goes_backwards_around_the_tables_end() -> None:
    """R2.3: with red first of three, blue sits to the right of red and begins, then orange, then red."""
    decision = play(begin(3, first_player=RED).game, *map(ChooseTown, ("pueblo", "memphis", "raleigh")))
    assert [fact.seat for fact in facts(decision, TownFounded)] == [BLUE, ORANGE, RED]


def test_r2_3_every_free_town_in_play_is_open() -> None:
    """R2.3: twenty towns for four players; a chosen one is gone."""
    game = begin(4).game
    assert allowed(game) == [ChooseTown(town) for town in TOWNS]
    game = decide(game, ChooseTown("fargo")).game
    assert allowed(game) == [ChooseTown(town) for town in TOWNS if town != "fargo"]
    assert why(game, ChooseTown("fargo")) == ("occupied", "R2.3")


def test_r2_3_a_first_franchise_goes_to_a_town() -> None:
    """R2.3: neither to a city nor to an unknown place."""
    game = begin(4).game
    assert why(game, ChooseTown("chicago")) == ("not_a_town", "R2.3")
    assert why(game, ChooseTown("gotham")) == ("unknown_place", "R1.1")


@pytest.mark.parametrize(
    ("players", "money"), [(2, [2, 4]), (3, [2, 3, 5]), (4, [3, 4, 6, 8]), (5, [3, 4, 5, 7, 9])], ids=str
)
@pytest.mark.parametrize("kind", ["standard", "introductory"])
def test_r2_3_starting_money_follows_the_turn_order(players: int, money: list[int], kind: str) -> None:
    """R2.3, R2.4: the first player gets the least; money comes after the towns."""
    decision = begin(players, start=kind, first_player=1)
    while decision.game.phase == "towns":
        assert [player.money for player in decision.game.players] == [0] * players
        decision = decide(decision.game, allowed(decision.game)[0])
    paid = {fact.seat: fact.dollars for fact in facts(decision, StartingMoneyReceived)}
    assert [paid[seat % players] for seat in range(1, players + 1)] == money


# --- R2.4 introductory start -------------------------------------------------------------------------------------

LAST_THREE = [("pueblo", "indianapolis"), ("reno", "little-rock"), ("montgomery", "ogallala")]


@pytest.mark.parametrize(
    ("players", "towns"),
    [
        (2, [("pueblo", "indianapolis"), ("montgomery", "ogallala")]),
        (3, [("flagstaff", "little-rock"), ("pueblo", "indianapolis"), ("montgomery", "ogallala")]),
        (4, [("el-paso", "las-vegas"), *LAST_THREE]),
        (5, [("memphis", "spokane"), ("el-paso", "las-vegas"), *LAST_THREE]),
    ],
)
@pytest.mark.parametrize("first", [BLUE, RED])
def test_r2_4_two_fixed_towns_each(players: int, towns: list[tuple[str, str]], first: int) -> None:
    """R2.4: the rulebook's table, counted from the first player; nobody chooses."""
    decision = begin(players, start="introductory", first_player=first)
    assert decision.game.phase == "expand"
    for order, pair in enumerate(towns):
        seat = (first + order) % players
        assert [on(decision.game, town) for town in pair] == [(seat,), (seat,)]
    assert [player.supply for player in decision.game.players] == [38] * players
    assert len(facts(decision, TownFounded)) == 2 * players
    assert all(fact.fixed for fact in facts(decision, TownFounded))


# --- R2.5 bonus tiles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "tiles"), [(2, 4), (3, 4), (4, 3), (5, 3)])
def test_r2_5_four_or_three_bonus_tiles(players: int, tiles: int) -> None:
    """R2.5: 4 each with two or three players, 3 each with four or five."""
    decision = begin(players)
    assert the(decision, BonusTilesDealt).each == tiles
    assert [player.bonus_tiles for player in decision.game.players] == [tiles] * players


# --- R2.6 expert variant -----------------------------------------------------------------------------------------


def swapped(players: int) -> tuple[dict[str, int], dict[str, str]]:
    """Return a changed layout: two cities of a group and two regions are swapped."""
    cities = dict(OPEN_CITIES if players < 4 else AS_PRINTED)
    cities["chicago"], cities["new-york"] = 8, 7
    regions = {region.id: region.id for region in BOARD.regions if players > 3 or region.id not in CLOSED}
    regions["florida"], regions["texas"] = "texas", "florida"
    return cities, regions


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r2_6_an_agreed_layout_is_laid_as_agreed(players: int) -> None:
    """R2.6: values are those of the laid tiles, and left-over tiles go to the track."""
    cities, regions = swapped(players)
    game = begin(players, expert=ExplicitLayout(cities, regions)).game
    assert (value(game, "chicago"), value(game, "new-york")) == (8, 7)
    florida = game.regions[BOARD.region_number["florida"]].tile
    assert florida is not None
    assert florida.values == (5, 4, 2)
    assert [tile.id for tile in game.track] == (list(CLOSED) if players < 4 else [])


def test_r2_6_any_region_tile_may_be_left_over() -> None:
    """R2.6: with closed regions the tile of a closed one may lie in play; three others fill the track."""
    cities, regions = swapped(3)
    regions |= {"florida": "california", "central": "montana"}
    game = begin(3, expert=ExplicitLayout(cities, regions)).game
    assert [tile.id for tile in game.track] == ["upper-west", "central", "texas"]


@pytest.mark.parametrize(
    ("cities", "regions", "sentence", "text"),
    [
        ({"chicago": 6}, {}, "wrong_group", "Chicago"),
        ({"chicago": 8}, {}, "too_few_city_tiles", "8"),
        ({"gotham": 4}, {}, "layout_of_cities", "gotham"),
        ({"reno": 2}, {}, "layout_of_cities", "Reno"),
        ({"seattle": 4}, {}, "layout_of_cities", "Seattle"),
        ({"chicago": None}, {}, "layout_of_cities", "Chicago"),
        ({}, {"texas": "florida"}, "region_tile_twice", ""),
        ({}, {"texas": "ohio"}, "unknown_tiles", "ohio"),
        ({}, {"ohio": "california"}, "layout_of_regions", "ohio"),
        ({}, {"california": "california"}, "layout_of_regions", "California"),
        ({}, {"texas": None}, "layout_of_regions", "Texas"),
    ],
)
def test_r2_6_an_impossible_layout_is_refused(
    cities: dict[str, Any], regions: dict[str, Any], sentence: str, text: str
) -> None:
    """R2.6: every city and region in play exactly once, tiles with the right back, each tile at most once."""
    all_cities = {city: tile for city, tile in (OPEN_CITIES | cities).items() if tile is not None}
    printed = {region.id: region.id for region in BOARD.regions if region.id not in CLOSED}
    all_regions = {region: tile for region, tile in (printed | regions).items() if tile is not None}
    refusal = refusal_of(GameOptions(expert=ExplicitLayout(all_cities, all_regions)), 3)
    assert (refusal.code, refusal.rule) == ("invalid_options", "R2.6")
    assert refusal.sentence == sentence
    assert text in str(refusal.values)


def test_r2_6_tiles_of_the_expansion_belong_to_the_expansion() -> None:
    """R2.6, R12.1: without the Region tiles an agreed layout names printed tiles only."""
    cities, regions = swapped(4)
    layout = ExplicitLayout(cities, regions | {"texas": "new-01"})
    refusal = refusal_of(GameOptions(expert=layout), 4)
    assert (refusal.code, refusal.rule) == ("invalid_options", "R2.6")
    with_expansion = GameOptions(expert=layout, modules=Modules(region_tiles="mixed"))
    texas = start(with_expansion, 4, 1, NEW_TILES).game.regions[BOARD.region_number["texas"]].tile
    assert texas is not None
    assert texas.id == "new-01"


def in_group(city: str, tile: int) -> bool:
    return any(AS_PRINTED[city] in group and tile in group for group in ((2, 3), (4, 5, 6), (7, 8)))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r2_6_a_random_layout_keeps_the_groups(players: int) -> None:
    """R2.6: each city gets a tile with its back, each tile is used at most once, and none is lost."""
    layouts = []
    for seed in range(20):
        decision = begin(players, seed, expert=RandomLayout())
        tiles = the(decision, CityTilesLaid).tiles
        assert set(tiles) == set(OPEN_CITIES if players < 4 else AS_PRINTED)
        assert all(in_group(city, tile) for city, tile in tiles.items())
        assert not Counter(tiles.values()) - Counter(AS_PRINTED.values())
        laid = [tile.id for tile in the(decision, RegionTilesLaid).tiles.values()]
        on_track = [tile.id for tile in decision.game.track]
        assert sorted(laid + on_track) == sorted(region.id for region in BOARD.regions)
        assert len(on_track) == (3 if players < 4 else 0)
        assert the(decision, CityTilesLaid).seed == the(decision, RegionTilesLaid).seed == seed
        layouts.append((tiles, laid))
    assert layouts[0] != layouts[1]
    again = begin(players, 3, expert=RandomLayout())
    assert (again.facts, replay(again.facts)) == (begin(players, 3, expert=RandomLayout()).facts, again.game)


def draft(players: int, first: int = BLUE, **options: Any) -> tuple[Game, list[tuple[str, int]]]:
    """Lay every tile of a draft, the last listed one; return who laid how many in which phase."""
    game = begin(players, expert=Draft(), first_player=first, **options).game
    order: list[tuple[str, int]] = []
    while game.phase in ("city_tiles", "region_tiles"):
        assert game.to_play is not None
        order.append((game.phase, game.to_play))
        game = decide(game, allowed(game)[-1]).game
    return game, order


def test_r2_6_a_draft_goes_from_the_first_player_cities_first_without_a_break() -> None:
    """R2.6: 25 city tiles and 10 region tiles by four players in turn order, then the towns."""
    game, order = draft(4, first=ORANGE)
    assert [seat for _, seat in order] == [(ORANGE + turn) % 4 for turn in range(35)]
    assert [phase for phase, _ in order] == ["city_tiles"] * 25 + ["region_tiles"] * 10
    assert (game.phase, game.to_play) == ("towns", RED)
    assert game.track == ()
    assert sorted(game.values[place] for place in range(45) if game.values[place]) == sorted(AS_PRINTED.values())


@pytest.mark.parametrize("players", [2, 3])
def test_r2_6_a_draft_with_closed_regions_leaves_three_tiles_for_the_track(players: int) -> None:
    """R2.6, R2.2: every tile of the box is in the pool, three region tiles are left over."""
    game, order = draft(players)
    assert len(order) == len(OPEN_CITIES) + 7
    assert len(game.track) == 3
    assert game.region_pool == ()
    laid = [region.tile.id for region in game.regions if region.tile is not None]
    assert sorted(laid + [tile.id for tile in game.track]) == sorted(region.id for region in BOARD.regions)
    assert Counter(ExpertVariant.of(game).city_pool) + Counter(filter(None, game.values)) == Counter(
        AS_PRINTED.values()
    )


def test_r2_6_a_draft_before_the_introductory_towns_is_followed_by_the_first_turn() -> None:
    """R2.6, R2.4, R13.2: no towns are chosen then."""
    game, _ = draft(3, first=RED, start="introductory")
    assert (game.phase, game.to_play) == ("expand", RED)


def test_r2_6_a_drafted_city_tile_has_the_citys_back() -> None:
    """R2.6: a 5 may lie on Detroit (4), a 7 may not; a city takes one tile, a town none."""
    game = begin(2, expert=Draft()).game
    assert why(game, PlaceCityTile("detroit", 7)) == ("wrong_group", "R2.6")
    assert why(game, PlaceCityTile("pueblo", 4)) == ("not_a_city", "R2.6")
    assert why(game, PlaceCityTile("seattle", 4)) == ("closed_region", "R2.2")
    assert why(game, PlaceCityTile("gotham", 4)) == ("unknown_place", "R1.1")
    assert why(game, PlaceRegionTile("texas", "florida")) == ("wrong_phase", "R2.6")
    game = decide(game, PlaceCityTile("detroit", 5)).game
    assert value(game, "detroit") == 5
    assert why(game, PlaceCityTile("detroit", 4)) == ("tile_there", "R2.6")


def test_r2_6_a_drafted_city_tile_is_gone_from_the_pool() -> None:
    """R2.6: there is one 8 in the box."""
    game = begin(2, expert=Draft()).game
    game = decide(game, PlaceCityTile("chicago", 8)).game
    refusal = refused(game, PlaceCityTile("new-york", 8))
    assert (refusal.reason, refusal.needed) == ("no_tile", {"value": 8})
    assert PlaceCityTile("new-york", 7) in allowed(game)


def test_r2_6_region_tiles_go_on_any_region_in_play() -> None:
    """R2.6: once each, on a region that has none, and not on a closed one."""
    game = begin(2, expert=Draft()).game
    while game.phase == "city_tiles":
        game = decide(game, allowed(game)[0]).game
    assert len(allowed(game)) == 7 * 10
    assert why(game, PlaceRegionTile("california", "texas")) == ("closed_region", "R2.2")
    assert why(game, PlaceRegionTile("ohio", "texas")) == ("unknown_region", "R2.6")
    assert why(game, PlaceCityTile("detroit", 4)) == ("wrong_phase", "R2.6")
    game = decide(game, PlaceRegionTile("florida", "california")).game
    assert why(game, PlaceRegionTile("florida", "texas")) == ("tile_there", "R2.6")
    assert why(game, PlaceRegionTile("texas", "california")) == ("no_tile", "R2.6")
    assert why(game, PlaceRegionTile("texas", "ohio")) == ("no_tile", "R2.6")


def test_r2_6_the_laid_tile_sets_the_value_of_a_city() -> None:
    """R2.6: a Chicago of 8 counts eight spaces."""
    cities, regions = swapped(2)
    game = begin(2, start="introductory", expert=ExplicitLayout(cities, regions)).game
    assert game.free_spaces(BOARD.number["chicago"]) == 8


def test_r2_an_unknown_board_is_refused() -> None:
    """R2: the options name one of our boards."""
    refusal = refusal_of(GameOptions(board="atlantis"), 3)
    assert (refusal.code, refusal.rule) == ("invalid_options", "R2")


def test_r2_3_the_player_to_decide_is_a_fact() -> None:
    """R2.3: so is each change of the phase."""
    decision = begin(2)
    assert the(decision, PhaseBegan) == PhaseBegan("towns", RED)
    decision = decide(decision.game, ChooseTown("pueblo"))
    assert the(decision, PhaseBegan) == PhaseBegan("towns", BLUE)
    decision = decide(decision.game, ChooseTown("memphis"))
    assert the(decision, PhaseBegan) == PhaseBegan("expand", BLUE)
