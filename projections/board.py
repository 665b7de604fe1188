"""The board: every place, every region, the region track, and the markers of the expansions."""

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
    Meta(description="In play (`open`), `scored`, or out of play (`closed`; R1.5)."),
]

FranchisesBySeat = Annotated[
    dict[int, int], Meta(description="How many franchises each seat has; seats without one are left out.")
]


class PlaceView(msgspec.Struct, frozen=True):
    """A town or a city and the franchises there (R1.1 to R1.3)."""

    id: str
    name: str
    region: Annotated[str, Meta(description="The id of its region.")]
    kind: PlaceKind
    value: Annotated[
        int,
        Meta(description="The tile that lies on a city, 0 once it is scored and while none lies there; 1 for a town."),
    ]
    printed: Annotated[int, Meta(description="The value printed on the map; 1 for a town.")]
    scored: Annotated[bool, Meta(description="Whether the city was scored.")]
    closed: Annotated[bool, Meta(description="Whether the place is out of play (R2.2).")]
    spaces: Annotated[
        tuple[int | None, ...],
        Meta(description="The seat on each space from the start space clockwise, null where free; empty once scored."),
    ]
    franchises: FranchisesBySeat
    markers: Annotated[tuple[int, ...], Meta(description="The seats with an expansion marker here.")]
    centre: Annotated[
        dict[int, int], Meta(description="Franchises in the centre, which will open at the end of the turn, by seat.")
    ]
    x: Annotated[int, Meta(description="Where the place lies on the map, in its own units, from the left.")]
    y: Annotated[int, Meta(description="Where the place lies on the map, from the top.")]


class TileView(RegionTile, frozen=True, kw_only=True):
    """A region tile, also in words."""

    text: Annotated[str, Meta(description="Its values and what they count, such as `12/8/4 in dollars`.")]


class RegionView(msgspec.Struct, frozen=True):
    """A region with its tile and the franchises there."""

    id: str
    name: str
    status: RegionStatus
    tile: Annotated[TileView | None, Meta(description="The tile that lies there until the region is scored.")]
    tie_break: Annotated[int | None, Meta(description="The seat that owns the tie-break marker (R6.5).")]
    franchises: FranchisesBySeat


class TrackSpace(msgspec.Struct, frozen=True):
    """A space of the region track (R7.4)."""

    space: Annotated[int, Meta(description="Counted from 1.")]
    influence: Annotated[int, Meta(description="What the active player gains when a tile comes here.")]
    red: Annotated[bool, Meta(description="Whether a tile here ends the game (R8.1).")]
    tile: Annotated[TileView | None, Meta(description="The region tile that lies here, if any.")]


class MilestoneView(msgspec.Struct, frozen=True):
    """A milestone of this game (R10)."""

    id: MilestoneId
    reached: Annotated[tuple[int, ...], Meta(description="The seats that have reached it, in that order.")]


class BoardView(msgspec.Struct, frozen=True):
    """Everything that lies on the table and belongs to no player alone."""

    version: ViewVersion
    places: Annotated[tuple[PlaceView, ...], Meta(description="In the order of the map.")]
    regions: Annotated[tuple[RegionView, ...], Meta(description="In the order in which they score (R7.5).")]
    track: Annotated[tuple[TrackSpace, ...], Meta(description="The region track, from its first space.")]
    boom: Annotated[str | None, Meta(description="The city at which the Boom marker stands (R11).")]
    milestones: Annotated[tuple[MilestoneView, ...], Meta(description="Those that were drawn (R10.1).")]
    city_tiles_left: Annotated[
        tuple[int, ...], Meta(description="Expert draft: the city tiles that wait to be laid, or stay over (R2.6).")
    ]
    region_tiles_left: Annotated[
        tuple[str, ...], Meta(description="Expert draft: the region tiles that wait to be laid (R2.6).")
    ]
    tiles_left: Annotated[
        tuple[TileView, ...], Meta(description="The tiles of `region_tiles_left` in full, as this game has them.")
    ]


def board(timeline: Timeline) -> BoardView:
    """Return the board of a game; before the start the printed board for as many players as the table has seats."""
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
    """Return a region tile in words too."""
    return TileView(tile.id, tile.values, tile.kind, text=en.tile_text(tile))


def _places(game: Game) -> Iterator[PlaceView]:
    board, turn = game.board, game.turn
    known = map(_place, repeat(board), repeat(len(game.players)), count(), game.values, game.spaces)
    unopened = {*turn.markers, *turn.centre}
    for number, place in enumerate(known):
        yield _with_turn(place, turn, number) if number in unopened else place


def _with_turn(place: PlaceView, turn: Turn, number: int) -> PlaceView:
    """Return a place with what the turn has put there and not opened yet."""
    centre = turn.centre.count(number)
    return replace(
        place,
        markers=(turn.seat,) if number in turn.markers else (),
        centre={turn.seat: centre} if centre else {},
    )


@lru_cache(maxsize=20_000)
def _place(board: Board, players: int, number: int, tile: int, here: tuple[int, ...]) -> PlaceView:
    """Return a place with its tile and the franchises there; most places of a game stay as they are for long."""
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
