"""The map: everything about a board that is printed and never changes in a game."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.board import Board, Link, PlaceKind, RegionTile
from domain.field_types import Colour
from domain.geometry import NamePosition, Point, ViewBox
from domain.modules.milestones import CONDITIONS, MilestoneId
from domain.table import COLOURS
from projections.board import TileView, tile_view
from projections.words import en


class MapPlace(msgspec.Struct, frozen=True):
    """A town or a city as it is printed (R1.1)."""

    id: str
    name: str
    region: Annotated[str, Meta(description="The id of its region.")]
    kind: PlaceKind
    value: Annotated[int, Meta(description="The spaces printed there; 1 for a town.")]
    x: Annotated[int, Meta(description="From the left, in the map's own units.")]
    y: Annotated[int, Meta(description="From the top.")]
    label: Annotated[NamePosition, Meta(description="Where its name stands; it covers nothing else.")]


class MapTile(TileView, frozen=True, kw_only=True):
    """A region tile where it is printed."""

    x: Annotated[int, Meta(description="The middle of the tile, from the left.")]
    y: Annotated[int, Meta(description="From the top.")]


class MapRegion(msgspec.Struct, frozen=True):
    """A region with the tile that is printed on it."""

    id: str
    name: str
    colour: Annotated[str, Meta(description="The colour of the region on the map, as in CSS.")]
    tile: Annotated[MapTile, Meta(description="The tile printed there, and where.")]
    places: Annotated[tuple[str, ...], Meta(description="The ids of the places in it.")]
    area: Annotated[str, Meta(description="Its area on the map, an SVG path.")]
    label: Annotated[Point, Meta(description="Where its name stands: the middle of the baseline.")]


class MapTrackSpace(msgspec.Struct, frozen=True):
    """A space of the region track (R7.4)."""

    space: Annotated[int, Meta(description="Counted from 1.")]
    influence: Annotated[int, Meta(description="What the active player gains when a tile comes here.")]
    red: Annotated[bool, Meta(description="Whether a tile here ends the game (R8.1).")]
    x: Annotated[int, Meta(description="The middle of the space, from the left.")]
    y: Annotated[int, Meta(description="From the top.")]


class IncomeStep(msgspec.Struct, frozen=True):
    """A row of an income chart: from that many free spaces on, so many dollars (R3.1)."""

    free_spaces: Annotated[int, Meta(description="From that many on.")]
    dollars: Annotated[int, Meta(description="What is paid.")]


class PlayerCount(msgspec.Struct, frozen=True):
    """The tables of the board for a number of players."""

    players: Annotated[int, Meta(description="How many play.")]
    closed_regions: Annotated[tuple[str, ...], Meta(description="Out of play (R2.2).")]
    income: Annotated[tuple[IncomeStep, ...], Meta(description="The income chart, from its lowest row up.")]
    starting_money: Annotated[tuple[int, ...], Meta(description="By place in the turn order (R2.3).")]
    bonus_tiles: Annotated[int, Meta(description="For each player (R2.5).")]
    introductory_towns: Annotated[
        tuple[tuple[str, ...], ...], Meta(description="The fixed towns by place in the turn order (R2.4).")
    ]


class MilestoneCondition(msgspec.Struct, frozen=True):
    """A milestone that may be drawn, and its condition (R10.3)."""

    id: MilestoneId
    condition: Annotated[str, Meta(description="In words.")]


class BoardMap(msgspec.Struct, frozen=True):
    """A board as it is printed: its map and its tables."""

    id: str
    view_box: Annotated[
        ViewBox, Meta(description="Left, top, width and height of the map in its own units, as in SVG's `viewBox`.")
    ]
    places: tuple[MapPlace, ...]
    links: Annotated[tuple[Link, ...], Meta(description="Each direct connection once; it works in both directions.")]
    regions: Annotated[tuple[MapRegion, ...], Meta(description="In the order in which they score (R7.5).")]
    track: tuple[MapTrackSpace, ...]
    player_counts: tuple[PlayerCount, ...]
    franchises_per_player: Annotated[int, Meta(description="The supply that each player begins with (R1.6).")]
    colours: Annotated[tuple[Colour, ...], Meta(description="The players' colours by seat.")]
    city_tiles: Annotated[tuple[int, ...], Meta(description="The values of all city tiles.")]
    city_tile_groups: Annotated[
        tuple[tuple[int, ...], ...], Meta(description="The values that share a back, for the expert variant (R2.6).")
    ]
    new_region_tiles: Annotated[tuple[TileView, ...], Meta(description="The tiles of the expansion (R12).")]
    milestones: tuple[MilestoneCondition, ...]


def board_map(board: Board, tiles: tuple[RegionTile, ...]) -> BoardMap:
    """Return the printed map of a board, with the region tiles of the expansion to draw from."""
    track = board.region_track
    return BoardMap(
        id=board.id,
        view_box=board.view_box,
        places=tuple(MapPlace(p.id, p.name, p.region, p.kind, p.spaces, p.x, p.y, p.label) for p in board.places),
        links=board.links,
        regions=tuple(_regions(board)),
        track=tuple(
            MapTrackSpace(space, influence, space >= track.red_from, at.x, at.y)
            for space, (influence, at) in enumerate(zip(track.influence, track.spaces, strict=True), start=1)
        ),
        player_counts=tuple(_player_count(board, players) for players in sorted(board.starting_money)),
        franchises_per_player=board.franchises_per_player,
        colours=COLOURS,
        city_tiles=board.city_tiles,
        city_tile_groups=board.expert_groups,
        new_region_tiles=tuple(map(tile_view, tiles)),
        milestones=tuple(MilestoneCondition(id_, en.MILESTONES[id_]) for id_ in CONDITIONS),
    )


def _regions(board: Board) -> Iterable[MapRegion]:
    for region, tile in zip(board.regions, board.printed_tiles, strict=True):
        places = tuple(place.id for place in board.places if place.region == region.id)
        shown = tile_view(tile)
        at = MapTile(tile.id, tile.values, tile.kind, text=shown.text, x=region.tile_at.x, y=region.tile_at.y)
        yield MapRegion(region.id, region.name, region.colour, at, places, region.area, region.label)


def _player_count(board: Board, players: int) -> PlayerCount:
    return PlayerCount(
        players=players,
        closed_regions=board.closed_regions[players],
        income=tuple(IncomeStep(*step) for step in board.income[players]),
        starting_money=board.starting_money[players],
        bonus_tiles=board.bonus_tiles[players],
        introductory_towns=board.introductory_towns[players],
    )
