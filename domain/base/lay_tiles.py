"""City and region tiles: the cities and regions in play, and the layout of the tiles (R2.2, R2.6)."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from domain.base.changes import changed, changed_region
from domain.board import Place, RegionTile
from domain.facts import CityTilesLaid, FactBase, RegionTilesLaid, TrackFilled
from domain.game import DecisionBuilder, Folds, Game


def cities_in_play(game: Game) -> list[Place]:
    """Return the cities outside of closed regions, in the order of the board file."""
    closed = game.board.closed_regions[len(game.players)]
    return [place for place in game.board.places if place.kind == "city" and place.region not in closed]


def regions_in_play(game: Game) -> list[str]:
    """Return the ids of the regions that are not closed, in the order of the board file."""
    closed = game.board.closed_regions[len(game.players)]
    return [region.id for region in game.board.regions if region.id not in closed]


def region_pool(game: Game) -> tuple[RegionTile, ...]:
    """Return the region tiles of this game: the drawn ones, or the printed ones."""
    return game.region_pool or game.board.printed_tiles


def city_tiles_as_printed(game: Game) -> CityTilesLaid:
    """Lay the printed tile on each city in play."""
    return CityTilesLaid({place.id: place.spaces for place in cities_in_play(game)})


def region_tiles_laid(game: Game, layout: dict[str, RegionTile], seed: int | None = None) -> Sequence[FactBase]:
    """Lay region tiles, and put the remaining ones on the track (R2.2)."""
    laid = {tile.id for tile in layout.values()}
    left = tuple(tile for tile in region_pool(game) if tile.id not in laid)
    return (RegionTilesLaid(layout, seed), *([TrackFilled(left)] if left else []))


def tiles_as_printed(game: Game) -> Sequence[FactBase]:
    """Lay city and region tiles as printed. The tiles of closed regions go to the track."""
    in_play = regions_in_play(game)
    layout = {tile.id: tile for tile in game.board.printed_tiles if tile.id in in_play}
    return (city_tiles_as_printed(game), *region_tiles_laid(game, layout))


def lay_tiles(builder: DecisionBuilder) -> None:
    """Lay the tiles as the first module with a layout wants, else as printed."""
    layouts = (module.lay_tiles(builder.game) for module in builder.game.modules)
    builder.extend(next((facts for facts in layouts if facts is not None), tiles_as_printed(builder.game)))


def with_city_tile(game: Game, city: str, value: int) -> Game:
    """Return the game with a tile on a city."""
    place = game.board.number[city]
    bit = 1 << place
    return replace(game, values=changed(game.values, place, value), open=game.open | bit, unscored=game.unscored | bit)


def with_region_tiles(game: Game, layout: Mapping[str, RegionTile]) -> Game:
    """Return the game with tiles on regions, without those tiles in the pool."""
    for region, tile in layout.items():
        game = replace(game, regions=changed_region(game, region, tile=tile))
    return _without_tiles(game, layout.values())


def _without_tiles(game: Game, tiles: Iterable[RegionTile]) -> Game:
    gone = {tile.id for tile in tiles}
    return replace(game, region_pool=tuple(tile for tile in game.region_pool if tile.id not in gone))


def _city_tiles_laid(game: Game, fact: CityTilesLaid) -> Game:
    for city, value in fact.tiles.items():
        game = with_city_tile(game, city, value)
    return game


def _region_tiles_laid(game: Game, fact: RegionTilesLaid) -> Game:
    return with_region_tiles(game, fact.tiles)


def _track_filled(game: Game, fact: TrackFilled) -> Game:
    return _without_tiles(replace(game, track=game.track + fact.tiles), fact.tiles)


FOLDS: Folds = {CityTilesLaid: _city_tiles_laid, RegionTilesLaid: _region_tiles_laid, TrackFilled: _track_filled}
