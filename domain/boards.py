"""Read boards and tile sets from data, and check them for contradictions."""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec

from domain.board import SINGLE_KINDS, Board, RegionTile, members
from domain.geometry import Point, holds, path_ends

TILES_IN_THE_EXPANSION = 20


class _TileSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tiles: tuple[RegionTile, ...]
    note: str = ""


class BoardError(ValueError):
    """A contradiction in the data of a board or of a tile set; the message names it."""


@cache
def load_board(name: str) -> Board:
    """Return a board by its name; raise ``BoardError`` if it is unknown or contradicts itself."""
    if name not in board_names():
        raise BoardError(f"there is no board {name!r}")
    raw = files("domain.data").joinpath(f"{name}.json").read_bytes()
    return parse_board(name, raw)


@cache
def board_names() -> tuple[str, ...]:
    names = (file.name for file in files("domain.data").iterdir())
    return tuple(sorted(name[:-5] for name in names if name.endswith(".json") and not name.startswith("region-tiles")))


def parse_board(name: str, raw: bytes) -> Board:
    """Decode a board from JSON; raise ``BoardError`` with the first contradiction."""
    try:
        board = msgspec.structs.replace(msgspec.json.decode(raw, type=Board), id=name)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BoardError(f"board {name}: {error}") from error
    contradiction = next(contradictions(board), None)
    if contradiction is not None:
        raise BoardError(f"board {name}: {contradiction}")
    return board


def load_region_tiles(raw: bytes | None = None) -> tuple[RegionTile, ...]:
    """Return the twenty tiles of the Region tiles expansion: those of a file, or the house set (R12.7)."""
    if raw is None:
        raw = files("domain.data").joinpath("region-tiles-new.json").read_bytes()
    try:
        tiles = msgspec.json.decode(raw, type=_TileSet).tiles
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BoardError(f"region tiles: {error}") from error
    contradiction = next(_contradictions_of(tiles), None)
    if contradiction is not None:
        raise BoardError(f"region tiles: {contradiction}")
    return tiles


def _contradictions_of(tiles: tuple[RegionTile, ...]) -> Iterator[str]:
    printed = {tile.id for name in board_names() for tile in load_board(name).printed_tiles}
    for twice in _repeated(tile.id for tile in tiles):
        yield f"two tiles are called {twice!r}"
    for tile in tiles:
        if tile.id in printed:
            yield f"{tile.id!r} is the name of a printed tile"
        if tile.kind != "regions" and min(tile.values) < 0:
            yield f"{tile.id} has a negative value, which only a number of regions can have"
    if len(tiles) != TILES_IN_THE_EXPANSION:
        yield f"the expansion has {TILES_IN_THE_EXPANSION} tiles, the file {len(tiles)}"
    for kind in SINGLE_KINDS:
        if sum(tile.kind == kind for tile in tiles) > 1:
            yield f"two tiles grant the {kind} tile, which exists only once"


def contradictions(board: Board) -> Iterator[str]:
    """Yield the contradictions in a board, the most basic one first."""
    for check in (_names, _places, _regions, _links, _player_counts, _charts, _connections, _positions):
        yield from check(board)


def _names(board: Board) -> Iterator[str]:
    for twice in _repeated(place.id for place in board.places):
        yield f"two places are called {twice!r}"
    for twice in _repeated(region.id for region in board.regions):
        yield f"two regions are called {twice!r}"
    for twice in _repeated("-".join(sorted(link.between)) for link in board.links):
        yield f"the link {twice} occurs twice"


def _places(board: Board) -> Iterator[str]:
    for place in board.places:
        if place.region not in board.region_number:
            yield f"{place.id} lies in the unknown region {place.region!r}"
        if (place.kind == "town") != (place.spaces == 1):
            yield f"{place.id} is a {place.kind} of {place.spaces} spaces"
        if place.kind == "city" and place.spaces not in board.grouped_values:
            yield f"no group of city tiles contains the {place.spaces} of {place.id}"


def _regions(board: Board) -> Iterator[str]:
    with_city = {place.region for place in board.places if place.kind == "city"}
    for region in board.regions:
        if region.id not in with_city:
            yield f"the region {region.id} has no city"
    if len(board.region_track.influence) < len(board.regions):
        yield "the region track is shorter than the number of regions"
    if board.region_track.red_from not in range(1, len(board.regions) + 1):
        yield "the red zone begins beyond the spaces that region tiles can reach"


def _links(board: Board) -> Iterator[str]:
    for link in board.links:
        for end in link.between:
            if end not in board.number:
                yield f"the link {'-'.join(link.between)} ends in an unknown place"
        if link.between[0] == link.between[1]:
            yield f"{link.between[0]} is linked to itself"
        if link.cost < 0:
            yield f"the link {'-'.join(link.between)} has a negative cost"


def _player_counts(board: Board) -> Iterator[str]:
    counts = set(board.starting_money)
    tables = (board.closed_regions, board.income, board.bonus_tiles, board.introductory_towns)
    if any(set(table) != counts for table in tables):
        yield "the tables are for different numbers of players"
    for players, money in board.starting_money.items():
        if len(money) != players:
            yield f"the starting money for {players} players has {len(money)} rows"


def _charts(board: Board) -> Iterator[str]:
    for players, chart in board.income.items():
        if (
            not chart
            or chart[0][0] != 0
            or any(low >= high or less >= more for (low, less), (high, more) in pairwise(chart))
        ):
            yield f"the income chart for {players} players does not rise from 0"
    for players, closed in board.closed_regions.items():
        if not set(closed) <= board.region_number.keys():
            yield f"an unknown region is closed for {players} players"
    for players, rows in board.introductory_towns.items():
        towns = [town for row in rows for town in row]
        known = {place.id for place in board.places if place.kind == "town"}
        if len(rows) != players or len(set(towns)) < len(towns) or not known.issuperset(towns):
            yield f"the introductory towns for {players} players are not {players} rows of known towns"
        elif board.set_of(towns) & board.closed(players):
            yield f"an introductory town for {players} players is closed"


def _connections(board: Board) -> Iterator[str]:
    for players in board.closed_regions:
        in_play = (1 << len(board.places)) - 1 & ~board.closed(players)
        reached = in_play & -in_play
        while (further := reached | board.linked_to(reached) & in_play) != reached:
            reached = further
        if reached != in_play:
            lonely = board.places[members(in_play & ~reached)[0]].id
            yield f"with {players} players {lonely} cannot be reached"


def _positions(board: Board) -> Iterator[str]:
    at = {place.id: f"{place.x} {place.y}" for place in board.places}
    for link in board.links:
        if path_ends(link.path) != tuple(at[end] for end in link.between):
            yield f"the path of the link {'-'.join(link.between)} does not lead from one of its places to the other"
    if len(board.region_track.spaces) != len(board.region_track.influence):
        yield "the region track has more or fewer positions than spaces"
    for name, point in _drawn(board):
        if not holds(board.view_box, point):
            yield f"{name} lies outside of the view box"


def _drawn(board: Board) -> Iterator[tuple[str, Point]]:
    for place in board.places:
        yield place.id, Point(place.x, place.y)
    for link in board.links:
        yield f"the price of the link {'-'.join(link.between)}", link.label
    for region in board.regions:
        yield f"the tile of {region.id}", region.tile_at
    for number, space in enumerate(board.region_track.spaces, start=1):
        yield f"space {number} of the region track", space


def _repeated(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
