"""Laying city and region tiles: what is in play, what goes where, what stays over (R2.2, R2.6)."""

from collections.abc import Sequence

from domain.board import Place, RegionTile
from domain.events import CityTilesLaid, GameFact, RegionTilesLaid, TrackFilled
from domain.game import Game


def cities_in_play(game: Game) -> list[Place]:
    """The cities outside closed regions, in the order of the board file."""
    closed = game.board.closed_regions[len(game.players)]
    return [place for place in game.board.places if place.kind == "city" and place.region not in closed]


def regions_in_play(game: Game) -> list[str]:
    """The regions that are not closed, in the order of the board file."""
    closed = game.board.closed_regions[len(game.players)]
    return [region.id for region in game.board.regions if region.id not in closed]


def region_pool(game: Game) -> tuple[RegionTile, ...]:
    """The region tiles of this game: those drawn for it, or the printed ones."""
    return game.pooled_regions or game.board.printed_tiles


def city_tiles_as_printed(game: Game) -> CityTilesLaid:
    """Each city in play has the tile that is printed on it."""
    return CityTilesLaid({place.id: place.spaces for place in cities_in_play(game)})


def region_tiles_laid(game: Game, layout: dict[str, RegionTile], seed: int | None = None) -> Sequence[GameFact]:
    """The region tiles lie like this, and those left over fill the track (R2.2)."""
    laid = {tile.id for tile in layout.values()}
    left = tuple(tile for tile in region_pool(game) if tile.id not in laid)
    return (RegionTilesLaid(layout, seed), *([TrackFilled(left)] if left else []))


def tiles_as_printed(game: Game) -> Sequence[GameFact]:
    """City tiles on the cities of their value, region tiles on their regions, those of closed ones on the track."""
    in_play = regions_in_play(game)
    layout = {tile.id: tile for tile in game.board.printed_tiles if tile.id in in_play}
    return (city_tiles_as_printed(game), *region_tiles_laid(game, layout))
