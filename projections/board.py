"""The board: places, regions, the region track, and the markers of the expansions."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, count, repeat
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.board import Board, PlaceKind, RegionTile, members
from domain.game import Game
from domain.modules.boom import Boom
from domain.modules.expert import ExpertVariant
from domain.modules.milestones import MilestoneId, Milestones
from domain.state import Turn
from domain.timeline import Timeline
from projections.before_start import game_before_start
from projections.versions import ViewVersion
from projections.words import en

RegionStatus = Annotated[
    Literal["open", "scored", "closed"],
    Meta(
        description="`open`: in play. `scored`: its tile is on the region track. `closed`: out of play with this "
        "number of players (R1.5)."
    ),
]

FranchisesBySeat = Annotated[
    dict[int, int], Meta(description="The number of franchises of each seat. Seats without a franchise are omitted.")
]


class PlaceView(msgspec.Struct, frozen=True):
    """A town or a city with its franchises (R1.1 to R1.3)."""

    id: str
    name: str
    region: Annotated[str, Meta(description="The id of the region.")]
    kind: PlaceKind
    value: Annotated[
        int,
        Meta(
            description="The value of the tile on a city; 0 once the city is scored, or before a tile is laid. Always "
            "1 for a town."
        ),
    ]
    printed: Annotated[int, Meta(description="The value that is printed on the map; 1 for a town.")]
    scored: Annotated[bool, Meta(description="Whether the city is scored.")]
    closed: Annotated[bool, Meta(description="Whether the place is out of play (R2.2).")]
    spaces: Annotated[
        tuple[int | None, ...],
        Meta(
            description="The seat on each space, from the start space clockwise; null for a free space. Empty once the "
            "city is scored."
        ),
    ]
    franchises: FranchisesBySeat
    markers: Annotated[tuple[int, ...], Meta(description="The seats with an expansion marker in this place.")]
    centre: Annotated[
        dict[int, int],
        Meta(description="The number of franchises in the centre by seat. They open at the end of the turn."),
    ]
    x: Annotated[int, Meta(description="The x coordinate on the map, in map units.")]
    y: Annotated[int, Meta(description="The y coordinate on the map, in map units, downwards.")]


class TileView(RegionTile, frozen=True, kw_only=True):
    """A region tile with its text."""

    text: Annotated[str, Meta(description="The values and their meaning, such as `12/8/4 in dollars`.")]


class RegionView(msgspec.Struct, frozen=True):
    """A region with its tile and its franchises."""

    id: str
    name: str
    status: RegionStatus
    tile: Annotated[
        TileView | None,
        Meta(description="The tile on the region; null once the region is scored, or before a tile is laid."),
    ]
    tie_break: Annotated[
        int | None, Meta(description="The seat that has the tie-break marker; null if nobody has it (R6.5).")
    ]
    franchises: FranchisesBySeat


class TrackSpace(msgspec.Struct, frozen=True):
    """A space of the region track (R7.4)."""

    space: Annotated[int, Meta(description="The number of the space, from 1.")]
    influence: Annotated[int, Meta(description="The influence for the active player when a tile comes to this space.")]
    red: Annotated[bool, Meta(description="Whether a tile on this space ends the game (R8.1).")]
    tile: Annotated[TileView | None, Meta(description="The region tile on this space, if any.")]


class MilestoneView(msgspec.Struct, frozen=True):
    """A milestone of this game (R10)."""

    id: MilestoneId
    reached: Annotated[
        tuple[int, ...], Meta(description="The seats that have reached it, in the order in which they did.")
    ]


class BoardView(msgspec.Struct, frozen=True):
    """The public state of the board: everything that does not belong to a single player."""

    version: ViewVersion
    places: Annotated[tuple[PlaceView, ...], Meta(description="All places, in the order of the map.")]
    regions: Annotated[
        tuple[RegionView, ...], Meta(description="All regions, in the order in which they score (R7.5).")
    ]
    track: Annotated[tuple[TrackSpace, ...], Meta(description="The spaces of the region track, from the first one.")]
    boom: Annotated[
        str | None, Meta(description="The id of the city with the Boom marker; null without a marker (R11).")
    ]
    milestones: Annotated[tuple[MilestoneView, ...], Meta(description="The milestones that were drawn (R10.1).")]
    city_tiles_left: Annotated[
        tuple[int, ...], Meta(description="Expert draft: the values of the city tiles that are not laid (R2.6).")
    ]
    region_tiles_left: Annotated[
        tuple[str, ...], Meta(description="Expert draft: the ids of the region tiles that are not laid (R2.6).")
    ]
    tiles_left: Annotated[tuple[TileView, ...], Meta(description="The tiles of `region_tiles_left` with their values.")]


def board(timeline: Timeline) -> BoardView:
    """Return the board of a game; before the start, the printed board for the number of seats."""
    game = timeline.game or game_before_start(timeline.table)
    boom, expert = Boom.find(game), ExpertVariant.find(game)
    return BoardView(
        version=timeline.version,
        places=tuple(_places(game)),
        regions=tuple(_regions(game)),
        track=tuple(_track(game)),
        boom=boom.city if boom else None,
        milestones=tuple(_milestones(game)),
        city_tiles_left=expert.city_pool if expert else (),
        region_tiles_left=tuple(tile.id for tile in game.region_pool),
        tiles_left=tuple(map(tile_view, game.region_pool)),
    )


@lru_cache(maxsize=1000)
def tile_view(tile: RegionTile) -> TileView:
    return TileView(tile.id, tile.values, tile.kind, text=en.tile_text(tile))


def _places(game: Game) -> Iterator[PlaceView]:
    board, turn = game.board, game.turn
    known = map(_place, repeat(board), repeat(len(game.players)), count(), game.values, game.spaces)
    unopened = {*turn.markers, *turn.centre}
    for number, place in enumerate(known):
        yield _with_turn(place, turn, number) if number in unopened else place


def _with_turn(place: PlaceView, turn: Turn, number: int) -> PlaceView:
    """Return a place with the markers and unopened franchises of the turn."""
    centre = turn.centre.count(number)
    return replace(
        place,
        markers=(turn.seat,) if number in turn.markers else (),
        centre={turn.seat: centre} if centre else {},
    )


@lru_cache(maxsize=20_000)
def _place(board: Board, players: int, number: int, tile: int, here: tuple[int, ...]) -> PlaceView:
    """Return a place with its tile and its franchises. It is cached, because most places rarely change."""
    place = board.places[number]
    town, closed = place.kind == "town", bool(1 << number & board.closed(players))
    value = 1 if town else tile
    return PlaceView(
        id=place.id,
        name=place.name,
        region=place.region,
        kind=place.kind,
        value=value,
        printed=place.spaces,
        scored=bool(here) and not value and not closed,
        closed=closed,
        spaces=(*here, *(None,) * (value - len(here))) if value else (),
        franchises=_by_seat(here),
        markers=(),
        centre={},
        x=place.x,
        y=place.y,
    )


def _regions(game: Game) -> Iterator[RegionView]:
    for number, region in enumerate(game.regions):
        printed, places = game.board.regions[number], game.board.region_places[number]
        status: RegionStatus = "closed" if region.closed else "scored" if region.scored else "open"
        franchises = _in_region(tuple([game.spaces[place] for place in members(places)]))
        tile = tile_view(region.tile) if region.tile else None
        yield RegionView(printed.id, printed.name, status, tile, region.tie_break, franchises)


@lru_cache(maxsize=20_000)
def _in_region(spaces: tuple[tuple[int, ...], ...]) -> dict[int, int]:
    return _by_seat(tuple(chain.from_iterable(spaces)))


def _by_seat(franchises: tuple[int, ...]) -> dict[int, int]:
    return {seat: franchises.count(seat) for seat in sorted(set(franchises))}


def _track(game: Game) -> Iterator[TrackSpace]:
    track = game.board.region_track
    for space, influence in enumerate(track.influence, start=1):
        tile = tile_view(game.track[space - 1]) if space <= len(game.track) else None
        yield TrackSpace(space, influence, space >= track.red_from, tile)


def _milestones(game: Game) -> Iterator[MilestoneView]:
    milestones = Milestones.find(game)
    if milestones:
        for id_, seats in zip(milestones.drawn, milestones.reached, strict=True):
            yield MilestoneView(id_, seats)
