"""The map: the printed parts of a board, which never change during a game."""

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
    """A printed town or city (R1.1)."""

    id: str
    name: str
    region: Annotated[str, Meta(description="The id of the region.")]
    kind: PlaceKind
    value: Annotated[int, Meta(description="The number of printed spaces; 1 for a town.")]
    x: Annotated[int, Meta(description="The x coordinate, in map units.")]
    y: Annotated[int, Meta(description="The y coordinate, in map units, downwards.")]
    label: Annotated[NamePosition, Meta(description="The position of the name. It covers nothing else.")]


class MapTile(TileView, frozen=True, kw_only=True):
    """A region tile with its printed position."""

    x: Annotated[int, Meta(description="The x coordinate of the middle of the tile.")]
    y: Annotated[int, Meta(description="The y coordinate of the middle of the tile.")]


class MapRegion(msgspec.Struct, frozen=True):
    """A region with its printed tile."""

    id: str
    name: str
    colour: Annotated[str, Meta(description="The colour of the region on the map, as in CSS.")]
    tile: Annotated[MapTile, Meta(description="The printed tile and its position.")]
    places: Annotated[tuple[str, ...], Meta(description="The ids of the places in the region.")]
    area: Annotated[str, Meta(description="The area of the region on the map, as an SVG path.")]
    label: Annotated[Point, Meta(description="The position of the name: the middle of its baseline.")]


class MapTrackSpace(msgspec.Struct, frozen=True):
    """A printed space of the region track (R7.4)."""

    space: Annotated[int, Meta(description="The number of the space, from 1.")]
    influence: Annotated[int, Meta(description="The influence for the active player when a tile comes to this space.")]
    red: Annotated[bool, Meta(description="Whether a tile on this space ends the game (R8.1).")]
    x: Annotated[int, Meta(description="The x coordinate of the middle of the space.")]
    y: Annotated[int, Meta(description="The y coordinate of the middle of the space.")]


class IncomeStep(msgspec.Struct, frozen=True):
    """A row of an income chart (R3.1)."""

    free_spaces: Annotated[int, Meta(description="The lowest number of free spaces for this row.")]
    dollars: Annotated[int, Meta(description="The income in dollars.")]


class PlayerCount(msgspec.Struct, frozen=True):
    """The tables of the board for one number of players."""

    players: Annotated[int, Meta(description="The number of players.")]
    closed_regions: Annotated[tuple[str, ...], Meta(description="The ids of the regions that are out of play (R2.2).")]
    income: Annotated[tuple[IncomeStep, ...], Meta(description="The income chart, lowest row first.")]
    starting_money: Annotated[tuple[int, ...], Meta(description="The starting money in dollars, by turn order (R2.3).")]
    bonus_tiles: Annotated[int, Meta(description="The number of bonus tiles of each player (R2.5).")]
    introductory_towns: Annotated[
        tuple[tuple[str, ...], ...],
        Meta(description="The ids of the fixed towns of each player, by turn order (R2.4)."),
    ]


class MilestoneCondition(msgspec.Struct, frozen=True):
    """A milestone and its condition (R10.3)."""

    id: MilestoneId
    condition: Annotated[str, Meta(description="The condition in words.")]


class BoardMap(msgspec.Struct, frozen=True):
    """A printed board: its map and its tables."""

    id: str
    view_box: Annotated[
        ViewBox, Meta(description="Left, top, width and height of the map, in map units, as in SVG's `viewBox`.")
    ]
    places: tuple[MapPlace, ...]
    links: Annotated[
        tuple[Link, ...], Meta(description="Each direct connection once. It can be used in both directions.")
    ]
    regions: Annotated[tuple[MapRegion, ...], Meta(description="All regions, in the order in which they score (R7.5).")]
    track: tuple[MapTrackSpace, ...]
    player_counts: tuple[PlayerCount, ...]
    franchises_per_player: Annotated[
        int, Meta(description="The number of franchises in each player's supply at the start (R1.6).")
    ]
    colours: Annotated[tuple[Colour, ...], Meta(description="The default colours, by seat.")]
    city_tiles: Annotated[tuple[int, ...], Meta(description="The values of all city tiles.")]
    city_tile_groups: Annotated[
        tuple[tuple[int, ...], ...],
        Meta(description="The groups of city tile values with the same back, for the expert variant (R2.6)."),
    ]
    new_region_tiles: Annotated[tuple[TileView, ...], Meta(description="The region tiles of the expansion (R12).")]
    milestones: tuple[MilestoneCondition, ...]


def board_map(board: Board, tiles: tuple[RegionTile, ...]) -> BoardMap:
    """Return the printed map of a board, with the region tiles of the expansion."""
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
