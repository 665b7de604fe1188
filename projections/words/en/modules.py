"""The facts of the modules in English."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.game import Game
from domain.modules.boom import BoomKept, BoomMoved, BoomPlaced
from domain.modules.expert import CityTilePlaced, RegionTilePlaced, TilesPooled
from domain.modules.milestones import MilestoneId, MilestoneReached, MilestonesDrawn
from domain.modules.region_tiles import (
    BonusTileRegained,
    DevelopmentTileGained,
    RegionTilesDrawn,
    RouteTileGained,
)
from projections.names import Names
from projections.words.en.grammar import count, tile_text

Sentences = Mapping[type, Callable[[Names, Game, Any], str]]
"""By kind of fact, the function that describes it, given the game before it."""

MILESTONES: Mapping[MilestoneId, str] = {
    "four_towns": "franchises in 4 towns",
    "four_regions": "franchises in 4 regions",
    "five_in_scored": "5 franchises in scored cities",
    "unscored_2_3_4": "franchises in unscored cities of value 2, 3 and 4",
    "big_city": "triggered the scoring of a city of value 6, 7 or 8",
    "region": "triggered the scoring of a region",
    "two_8_links": "used two different $8 links",
}
"""The condition of each milestone (R10.3)."""


def _region_tiles_drawn(names: Names, game: Game, fact: RegionTilesDrawn) -> str:
    return f"Region tiles in this game: {', '.join(map(tile_text, fact.tiles))}."


def _tiles_pooled(names: Names, game: Game, fact: TilesPooled) -> str:
    cities, regions = count(len(fact.city_tiles), "city tile"), count(len(fact.region_tiles), "region tile")
    return f"The players lay {cities} and {regions}, in turn."


def _city_tile_placed(names: Names, game: Game, fact: CityTilePlaced) -> str:
    return f"{names.players[fact.seat]} lays a city tile of {fact.value} on {names.places[fact.city]}."


def _region_tile_placed(names: Names, game: Game, fact: RegionTilePlaced) -> str:
    return f"{names.players[fact.seat]} lays the region tile {tile_text(fact.tile)} on {names.regions[fact.region]}."


def _milestones_drawn(names: Names, game: Game, fact: MilestonesDrawn) -> str:
    drawn = "; ".join(MILESTONES[milestone] for milestone in fact.milestones)
    return f"Each player has {count(fact.reserve, 'bonus tile')} in reserve. Milestones in this game: {drawn}."


def _boom_placed(names: Names, game: Game, fact: BoomPlaced) -> str:
    return f"{names.players[fact.seat]} puts the Boom marker at {names.places[fact.city]}."


def _boom_moved(names: Names, game: Game, fact: BoomMoved) -> str:
    way = f"from {names.places[fact.origin]} to {names.places[fact.city]}"
    return f"{names.players[fact.seat]} moves the Boom marker {way}."


def _boom_kept(names: Names, game: Game, fact: BoomKept) -> str:
    return f"{names.players[fact.seat]} leaves the Boom marker at {names.places[fact.city]}."


def _bonus_tile_regained(names: Names, game: Game, fact: BonusTileRegained) -> str:
    return f"{names.players[fact.seat]} gets a used bonus tile back."


def _development_tile_gained(names: Names, game: Game, fact: DevelopmentTileGained) -> str:
    return f"{names.players[fact.seat]} gets the Development tile."


def _route_tile_gained(names: Names, game: Game, fact: RouteTileGained) -> str:
    return f"{names.players[fact.seat]} gets the Route tile."


def _milestone_reached(names: Names, game: Game, fact: MilestoneReached) -> str:
    piece = "" if fact.piece else ", with no franchise left to mark it"
    milestone = MILESTONES[fact.milestone]
    return f"{names.players[fact.seat]} reaches a milestone ({milestone}) and gets a bonus tile{piece}."


MODULE_SENTENCES: Sentences = {
    RegionTilesDrawn: _region_tiles_drawn,
    TilesPooled: _tiles_pooled,
    CityTilePlaced: _city_tile_placed,
    RegionTilePlaced: _region_tile_placed,
    MilestonesDrawn: _milestones_drawn,
    BoomPlaced: _boom_placed,
    BoomMoved: _boom_moved,
    BoomKept: _boom_kept,
    BonusTileRegained: _bonus_tile_regained,
    DevelopmentTileGained: _development_tile_gained,
    RouteTileGained: _route_tile_gained,
    MilestoneReached: _milestone_reached,
}
