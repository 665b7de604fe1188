"""Expert variant: other layouts of the city and region tiles (R2.6)."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.actions import ActionBase, CityChoice
from domain.base import lay_tiles
from domain.base.refusals import not_a_city, outside_of, unknown_place
from domain.board import Board, RegionTile
from domain.facts import CityTilesLaid, FactBase, SeatlessFact, TrackFilled
from domain.field_types import MAX_ID_LENGTH, CityId, Id, RegionId
from domain.game import DecisionBuilder, Game, Module, Phase
from domain.legal import Legal
from domain.refused import BaseHad, BaseNeeded, IllegalAction, Refused, Value

CITY_TILES = "city_tiles"
REGION_TILES = "region_tiles"

RegionChoice = Annotated[str, Meta(description="The id of a region, such as `texas`.", max_length=MAX_ID_LENGTH)]
TileChoice = Annotated[str, Meta(description="The id of a region tile that is not laid yet.", max_length=MAX_ID_LENGTH)]
ValueChoice = Annotated[int, Meta(description="The value of a city tile that is not laid yet.", ge=0, le=99)]
CityTileValues = Annotated[tuple[int, ...], Meta(description="The values of the city tiles.")]
CityTileValue = Annotated[int, Meta(description="The value of the city tile.")]


class Draft(msgspec.Struct, frozen=True, tag_field="mode", tag="draft", forbid_unknown_fields=True):
    """Expert variant: the players take turns laying the tiles (R2.6)."""


class RandomLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="random", forbid_unknown_fields=True):
    """Expert variant: the layout is drawn (R2.6)."""


class ExplicitLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="explicit", forbid_unknown_fields=True):
    """Expert variant: the players have agreed on a layout (R2.6)."""

    city_tiles: Annotated[
        dict[Id, int],
        Meta(description="The value of the tile on each city in play, by the id of the city, from the city's group."),
    ]
    region_tiles: Annotated[
        dict[Id, Id], Meta(description="The id of the tile on each region in play, by the id of the region.")
    ]

    def __hash__(self) -> int:  # dictionaries have no hash, and bots keep positions in sets
        return hash((frozenset(self.city_tiles.items()), frozenset(self.region_tiles.items())))


Expert = Draft | RandomLayout | ExplicitLayout


class PlaceCityTile(ActionBase, frozen=True):
    """Expert draft: lay a city tile on a city of its group (R2.6)."""

    city: CityChoice
    value: ValueChoice


class PlaceRegionTile(ActionBase, frozen=True):
    """Expert draft: lay a region tile on a region (R2.6)."""

    region: RegionChoice
    tile: TileChoice


class TilesPooled(SeatlessFact, frozen=True):
    """Expert draft: these city and region tiles are for the players to lay (R2.6)."""

    city_tiles: CityTileValues
    region_tiles: tuple[RegionTile, ...]


class CityTilePlaced(FactBase, frozen=True):
    """Expert draft: a player laid a city tile (R2.6)."""

    seat: int
    city: CityId
    value: CityTileValue


class RegionTilePlaced(FactBase, frozen=True):
    """Expert draft: a player laid a region tile (R2.6)."""

    seat: int
    region: RegionId
    tile: RegionTile


def _bare_cities(game: Game) -> Iterator[str]:
    for city in lay_tiles.cities_in_play(game):
        if not game.values[game.board.number[city.id]]:
            yield city.id


def _bare_regions(game: Game) -> Iterator[str]:
    for region in lay_tiles.regions_in_play(game):
        if game.regions[game.board.region_number[region]].tile is None:
            yield region


def _city_choices(game: Game) -> Iterator[Legal[ActionBase]]:
    pool = dict.fromkeys(ExpertVariant.of(game).city_pool)
    for city in _bare_cities(game):
        group = _group_of(game.board, city)
        for value in pool:
            if value in group:
                yield Legal(PlaceCityTile(city, value), "R2.6")


def _region_choices(game: Game) -> Iterator[Legal[ActionBase]]:
    for region in _bare_regions(game):
        for tile in game.region_pool:
            yield Legal(PlaceRegionTile(region, tile.id), "R2.6")


def _group_of(board: Board, city: str) -> tuple[int, ...]:
    return board.group_of(board.places[board.number[city]].spaces)


def _lays_city_tile(game: Game) -> int | None:
    return _lays_next(game) if any(_bare_cities(game)) else None


def _lays_region_tile(game: Game) -> int | None:
    return _lays_next(game) if any(_bare_regions(game)) else None


def _lays_next(game: Game) -> int:
    """Return the player after the one who laid the last tile, else the first player."""
    last = ExpertVariant.of(game).last
    return game.playing()[0] if last is None else game.next_playing(last)


def _fill_track(builder: DecisionBuilder) -> None:
    if builder.game.region_pool:
        builder.append(TrackFilled(builder.game.region_pool))


class ExpertVariant(Module, frozen=True):
    """The layout; in a draft, the remaining city tiles and the seat that laid the last tile."""

    layout: Expert
    last: int | None = None
    city_pool: tuple[int, ...] = ()

    before_towns: ClassVar[tuple[Phase, ...]] = (
        Phase(CITY_TILES, chooser=_lays_city_tile, actions={_city_choices: (PlaceCityTile,)}),
        Phase(REGION_TILES, chooser=_lays_region_tile, actions={_region_choices: (PlaceRegionTile,)}),
        Phase("tiles_left_over", automatic=_fill_track),
    )

    reasons: ClassVar[tuple[str, ...]] = ("unknown_region", "no_tile", "tile_there", "wrong_group")

    def check(self, board: Board, players: int, tiles: tuple[RegionTile, ...], modules: tuple[Module, ...]) -> None:
        """Check that an explicit layout has a tile of the right group for each city, and a tile for each region."""
        if isinstance(self.layout, ExplicitLayout):
            _check_cities(board, players, self.layout.city_tiles)
            _check_regions(board, players, self.layout.region_tiles)
            more = (tile for module in modules for tile in module.known_region_tiles(board, tiles))
            if unknown := self.required_region_tiles() - {tile.id for tile in (*board.printed_tiles, *more)}:
                raise _bad_layout("unknown_tiles", values={"tiles": board.tile_names(unknown)})

    def required_region_tiles(self) -> frozenset[str]:
        """Return the region tiles that an explicit layout names."""
        return frozenset(self.layout.region_tiles.values() if isinstance(self.layout, ExplicitLayout) else ())

    def lay_tiles(self, game: Game) -> Sequence[FactBase]:
        """Lay the tiles as agreed or drawn, or put them into the pool for a draft."""
        pool = lay_tiles.region_pool(game)
        match self.layout:
            case Draft():
                return [TilesPooled(game.board.city_tiles, pool)]
            case RandomLayout():
                cities = CityTilesLaid(_drawn_cities(game, random.Random(f"{game.seed}/city tiles")), game.seed)
                drawn = random.Random(f"{game.seed}/region tiles").sample(pool, len(pool))
                regions = dict(zip(lay_tiles.regions_in_play(game), drawn, strict=False))
                return [cities, *lay_tiles.region_tiles_laid(game, regions, game.seed)]
            case ExplicitLayout(city_tiles, region_tiles):
                named = {tile.id: tile for tile in pool}
                regions = {region: named[tile] for region, tile in region_tiles.items()}
                return [CityTilesLaid(city_tiles), *lay_tiles.region_tiles_laid(game, regions)]

    def consequences(self, game: Game, seat: int, action: ActionBase) -> Sequence[FactBase] | None:
        """Lay one tile."""
        match action:
            case PlaceCityTile(city, value):
                return [CityTilePlaced(seat, city, value)]
            case PlaceRegionTile(region, tile):
                laid = next(pooled for pooled in game.region_pool if pooled.id == tile)
                return [RegionTilePlaced(seat, region, laid)]
            case _:
                return None

    def fold(self, game: Game, fact: FactBase) -> Game:
        """Fold the pool of tiles and each laid tile."""
        match fact:
            case TilesPooled():
                game = game.with_module(replace(self, city_pool=fact.city_tiles))
                return replace(game, region_pool=fact.region_tiles)
            case CityTilePlaced():
                first = self.city_pool.index(fact.value)
                left = self.city_pool[:first] + self.city_pool[first + 1 :]
                game = game.with_module(ExpertVariant(self.layout, fact.seat, left))
                return lay_tiles.with_city_tile(game, fact.city, fact.value)
            case RegionTilePlaced():
                game = game.with_module(replace(self, last=fact.seat))
                return lay_tiles.with_region_tiles(game, {fact.region: fact.tile})
            case _:
                return game

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        """Return why a tile cannot be laid."""
        match action:
            case PlaceCityTile(city, value):
                return next(_refuse_city_tile(game, city, value))
            case PlaceRegionTile(region, tile):
                return next(_refuse_region_tile(game, region, tile))
            case _:
                return None


def _drawn_cities(game: Game, luck: random.Random) -> dict[str, int]:
    stacks = {
        group: luck.sample(tiles, len(tiles))
        for group in game.board.expert_groups
        if (tiles := [value for value in game.board.city_tiles if value in group])
    }
    return {city.id: stacks[game.board.group_of(city.spaces)].pop() for city in lay_tiles.cities_in_play(game)}


def _check_cities(board: Board, players: int, layout: dict[str, int]) -> None:
    closed = board.closed_regions[players]
    in_play = {place.id: place for place in board.places if place.kind == "city" and place.region not in closed}
    if set(layout) != set(in_play):
        wrong = sorted(board.place_names.get(place, place) for place in set(layout) ^ set(in_play))
        raise _bad_layout("layout_of_cities", values={"places": wrong})
    for city, value in layout.items():
        group = board.group_of(in_play[city].spaces)
        if value not in group:
            raise _bad_layout("wrong_group", values={"place": in_play[city].name, "group": group, "value": value})
    if short := Counter(layout.values()) - Counter(board.city_tiles):
        raise _bad_layout("too_few_city_tiles", values={"tiles": sorted(short)})


def _check_regions(board: Board, players: int, layout: dict[str, str]) -> None:
    in_play = {region.id for region in board.regions} - set(board.closed_regions[players])
    if set(layout) != in_play:
        wrong = sorted(board.region_names.get(region, region) for region in set(layout) ^ in_play)
        raise _bad_layout("layout_of_regions", values={"regions": wrong})
    if len(set(layout.values())) < len(layout):
        raise _bad_layout("region_tile_twice")


def _bad_layout(sentence: str, values: Mapping[str, Value] | None = None) -> Refused:
    return Refused("invalid_options", "R2.6", sentence=sentence, values=values)


def _refuse_city_tile(game: Game, city: str, value: int) -> Iterator[IllegalAction]:
    yield from outside_of(game, (CITY_TILES,), "R2.6")
    if city not in game.board.number:
        yield unknown_place(city)
    place = game.board.number[city]
    if not 1 << place & game.board.cities & ~game.closed:
        yield not_a_city(game, city, "R2.6")
    name = game.board.places[place].name
    if laid := game.values[place]:
        yield IllegalAction("tile_there", "R2.6", {"value": 0}, {"value": laid}, values={"place": name, "value": laid})
    group = list(_group_of(game.board, city))
    if value not in group:
        values: dict[str, Value] = {"place": name, "group": group, "value": value}
        yield IllegalAction("wrong_group", "R2.6", {"value": group}, {"value": value}, values=values)
    left = list(ExpertVariant.of(game).city_pool)
    yield IllegalAction("no_tile", "R2.6", {"value": value}, {"left": left}, values={"value": value})


def _refuse_region_tile(game: Game, region: str, tile: str) -> Iterator[IllegalAction]:
    yield from outside_of(game, (REGION_TILES,), "R2.6")
    if region not in game.board.region_number:
        yield IllegalAction(
            "unknown_region", "R2.6", {"region": "one of the board"}, {"region": region}, values={"region": region}
        )
    target, name = game.regions[game.board.region_number[region]], game.board.region_names[region]
    if target.closed:
        needed, had = BaseNeeded(region="in play"), BaseHad(region="closed")
        values: Mapping[str, Value] = {"region": name, "players": len(game.players)}
        yield IllegalAction("closed_region", "R2.2", needed, had, sentence="region_closed", values=values)
    if target.tile is not None:
        needed, had, values = BaseNeeded(tile=None), BaseHad(tile=target.tile.id), {"region": name}
        yield IllegalAction("tile_there", "R2.6", needed, had, sentence="region_tile_there", values=values)
    left = [pooled.id for pooled in game.region_pool]
    yield IllegalAction("no_tile", "R2.6", {"tile": tile}, {"left": left}, sentence="no_region_tile")
