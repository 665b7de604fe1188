"""Expert variant: the city and region tiles go where the players want them (R2.6)."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from domain.actions import Action, PlaceCityTile, PlaceRegionTile
from domain.board import Board, RegionTile
from domain.events import CityTilePlaced, CityTilesLaid, GameFact, RegionTilePlaced, TilesPooled, TrackFilled
from domain.game import Game
from domain.modules.base import Legal, Module, Phase
from domain.options import Draft, Expert, ExplicitLayout, Options, RandomLayout
from domain.refusals import Refused, not_a_city, unknown_place, wrong_phase
from domain.tiles import cities_in_play, region_pool, region_tiles_laid, regions_in_play

if TYPE_CHECKING:
    from domain.story import Story


def _bare_cities(game: Game) -> Iterator[str]:
    for city in cities_in_play(game):
        if not game.values[game.board.number[city.id]]:
            yield city.id


def _bare_regions(game: Game) -> Iterator[str]:
    for region in regions_in_play(game):
        if game.regions[game.board.region_number[region]].tile is None:
            yield region


def _city_choices(game: Game) -> Iterator[Legal]:
    pool = dict.fromkeys(game.pooled_cities)
    for city in _bare_cities(game):
        group = _group_of(game.board, city)
        for value in pool:
            if value in group:
                yield Legal(PlaceCityTile(city, value), "R2.6")


def _region_choices(game: Game) -> Iterator[Legal]:
    for region in _bare_regions(game):
        for tile in game.pooled_regions:
            yield Legal(PlaceRegionTile(region, tile.id), "R2.6")


def _group_of(board: Board, city: str) -> tuple[int, ...]:
    return board.group_of(board.places[board.number[city]].spaces)


def _lays_city_tile(game: Game) -> int | None:
    """From the first player in turn order, one tile at a time."""
    return _lays_next(game) if any(_bare_cities(game)) else None


def _lays_region_tile(game: Game) -> int | None:
    """The order goes on after the last city tile without a break."""
    return _lays_next(game) if any(_bare_regions(game)) else None


def _lays_next(game: Game) -> int:
    last = ExpertVariant.of(game).last
    return game.playing()[0] if last is None else game.next_playing(last)


def _fill_track(story: "Story") -> None:
    """The region tiles that no player laid fill the track (R2.2)."""
    if story.game.pooled_regions:
        story.tell(TrackFilled(story.game.pooled_regions))


class ExpertVariant(Module, frozen=True):
    """How the tiles are laid, and who laid the last one of a draft."""

    layout: Expert
    last: int | None = None

    before_towns: ClassVar[tuple[Phase, ...]] = (
        Phase("city_tiles", chooser=_lays_city_tile, offers={_city_choices: (PlaceCityTile,)}),
        Phase("region_tiles", chooser=_lays_region_tile, offers={_region_choices: (PlaceRegionTile,)}),
        Phase("tiles_left_over", happens=_fill_track),
    )

    def check(self, options: Options, board: Board, players: int, tiles: tuple[RegionTile, ...]) -> None:
        """An explicit layout names a tile of the right group for each city in play, and a tile for each region."""
        if isinstance(self.layout, ExplicitLayout):
            _check_cities(board, players, self.layout.city_tiles)
            _check_regions(board, players, self.layout.region_tiles)
            known = board.printed_tiles if options.modules.region_tiles is None else board.printed_tiles + tiles
            unknown = set(self.layout.region_tiles.values()) - {tile.id for tile in known}
            if unknown:
                raise _bad_layout(f"There is no region tile {', '.join(sorted(unknown))} in this game.")

    def lay_tiles(self, game: Game) -> Sequence[GameFact]:
        """As agreed, as drawn, or not yet: then the players lay them."""
        pool = region_pool(game)
        seed = game.started.seed
        match self.layout:
            case Draft():
                return [TilesPooled(game.board.city_tiles, pool)]
            case RandomLayout():
                cities = CityTilesLaid(_drawn_cities(game, random.Random(f"{seed}/city tiles")), seed)
                drawn = random.Random(f"{seed}/region tiles").sample(pool, len(pool))
                regions = dict(zip(regions_in_play(game), drawn, strict=False))
                return [cities, *region_tiles_laid(game, regions, seed)]
            case ExplicitLayout(city_tiles, region_tiles):
                named = {tile.id: tile for tile in pool}
                regions = {region: named[tile] for region, tile in region_tiles.items()}
                return [CityTilesLaid(city_tiles), *region_tiles_laid(game, regions)]

    def decide(self, game: Game, seat: int, action: Action) -> Sequence[GameFact] | None:
        """Lay one tile."""
        match action:
            case PlaceCityTile(city, value):
                return [CityTilePlaced(seat, city, value)]
            case PlaceRegionTile(region, tile):
                laid = next(pooled for pooled in game.pooled_regions if pooled.id == tile)
                return [RegionTilePlaced(seat, region, laid)]
            case _:
                return None

    def evolve(self, game: Game, fact: GameFact) -> Game:
        """Remember who laid the last tile."""
        if isinstance(fact, CityTilePlaced | RegionTilePlaced):
            return game.with_module(ExpertVariant(self.layout, fact.seat))
        return game

    def refuse(self, game: Game, action: Action) -> Refused | None:
        """Why a tile cannot be laid there, or not now."""
        match action:
            case PlaceCityTile(city, value):
                return next(_refuse_city_tile(game, city, value))
            case PlaceRegionTile(region, tile):
                return next(_refuse_region_tile(game, region, tile))
            case _:
                return None


def _drawn_cities(game: Game, luck: random.Random) -> dict[str, int]:
    """A tile of its group for each city in play."""
    stacks = {
        group: luck.sample(tiles, len(tiles))
        for group in game.board.expert_groups
        if (tiles := [value for value in game.board.city_tiles if value in group])
    }
    return {city.id: stacks[game.board.group_of(city.spaces)].pop() for city in cities_in_play(game)}


def _check_cities(board: Board, players: int, layout: dict[str, int]) -> None:
    closed = board.closed_regions[players]
    in_play = {place.id: place for place in board.places if place.kind == "city" and place.region not in closed}
    if set(layout) != set(in_play):
        wrong = sorted(set(layout) ^ set(in_play))
        raise _bad_layout(f"city_tiles must name every city in play and no other place: see {', '.join(wrong)}.")
    for city, value in layout.items():
        if value not in board.group_of(in_play[city].spaces):
            raise _bad_layout(f"A tile of {value} has not the same back as the {in_play[city].spaces} of {city}.")
    if short := Counter(layout.values()) - Counter(board.city_tiles):
        raise _bad_layout(f"There are not so many city tiles of {', '.join(map(str, sorted(short)))}.")


def _check_regions(board: Board, players: int, layout: dict[str, str]) -> None:
    in_play = {region.id for region in board.regions} - set(board.closed_regions[players])
    if set(layout) != in_play:
        wrong = sorted(set(layout) ^ in_play)
        raise _bad_layout(f"region_tiles must name every region in play and no other: see {', '.join(wrong)}.")
    if len(set(layout.values())) < len(layout):
        raise _bad_layout("A region tile lies on two regions.")


def _bad_layout(detail: str) -> Refused:
    return Refused("invalid_options", "R2.6", detail)


def _refuse_city_tile(game: Game, city: str, value: int) -> Iterator[Refused]:
    if game.phase != "city_tiles":
        yield wrong_phase(game, ("city_tiles",), "R2.6")
    if city not in game.board.number:
        yield unknown_place(city)
    place = game.board.number[city]
    if not 1 << place & game.board.cities & ~game.closed:
        yield not_a_city(game, city, "R2.6")
    if game.values[place]:
        laid = game.values[place]
        yield Refused("tile_there", "R2.6", f"A tile of {laid} lies on {city} already.", {"value": 0}, {"value": laid})
    group = _group_of(game.board, city)
    if value not in group:
        yield Refused(
            "wrong_group", "R2.6", f"{city} takes a tile with the same back.", {"value": list(group)}, {"value": value}
        )
    yield Refused(
        "no_tile", "R2.6", f"No city tile of {value} is left.", {"value": value}, {"left": list(game.pooled_cities)}
    )


def _refuse_region_tile(game: Game, region: str, tile: str) -> Iterator[Refused]:
    if game.phase != "region_tiles":
        yield wrong_phase(game, ("region_tiles",), "R2.6")
    if region not in game.board.region_number:
        detail = f"There is no region {region!r} on this board."
        yield Refused("unknown_region", "R2.6", detail, {"region": "one of the board"}, {"region": region})
    laid_on = game.regions[game.board.region_number[region]]
    if laid_on.closed:
        detail = f"{region} is closed for {len(game.players)} players."
        yield Refused("closed_region", "R2.2", detail, {"region": "in play"}, {"region": "closed"})
    if laid_on.tile is not None:
        laid = laid_on.tile.id
        yield Refused(
            "tile_there", "R2.6", f"The tile {laid} lies on {region} already.", {"tile": None}, {"tile": laid}
        )
    left = [pooled.id for pooled in game.pooled_regions]
    yield Refused("no_tile", "R2.6", f"The region tile {tile!r} is not left.", {"tile": tile}, {"left": left})
