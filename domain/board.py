"""The map, the tiles and the tables of one edition of the game, read from data and validated."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from typing import Literal

import msgspec

TileKind = Literal["influence", "dollars", "bonus_tile", "regions", "development", "route"]


class BoardError(ValueError):
    """The data of a board or of a tile set contradicts itself; the message says where."""


class Place(msgspec.Struct, frozen=True):
    """A town or a city as it is printed on the map (R1.1)."""

    id: str
    name: str
    region: str
    kind: Literal["town", "city"]
    spaces: int
    x: int
    y: int


class Link(msgspec.Struct, frozen=True):
    """A direct connection of two places, and what its use costs (R4.1)."""

    between: tuple[str, str]
    cost: int


class RegionTile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A region tile: what the first, the second and everyone else get (R7.2, R12)."""

    id: str
    values: tuple[int, int, int]
    kind: TileKind = "influence"


class PrintedRegion(msgspec.Struct, frozen=True):
    """A region of the map with the values of the tile printed on it."""

    id: str
    name: str
    tile: tuple[int, int, int]
    color: str


class Track(msgspec.Struct, frozen=True):
    """The region track: influence per space, and the first red space (R7.4, R8.1)."""

    influence: tuple[int, ...]
    red_from: int


class Board(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One edition: its map and its tables, with places and regions numbered in the order of the file."""

    places: tuple[Place, ...]
    links: tuple[Link, ...]
    regions: tuple[PrintedRegion, ...]
    region_track: Track
    closed_regions: dict[int, tuple[str, ...]]
    income: dict[int, tuple[tuple[int, int], ...]]
    starting_money: dict[int, tuple[int, ...]]
    bonus_tiles: dict[int, int]
    franchises_per_player: int
    introductory_towns: dict[int, tuple[tuple[str, ...], ...]]
    expert_groups: tuple[tuple[int, ...], ...]
    id: str = ""

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each place; bit ``1 << number`` stands for it in sets of places."""
        return {place.id: number for number, place in enumerate(self.places)}

    @cached_property
    def region_number(self) -> dict[str, int]:
        """The number of each region."""
        return {region.id: number for number, region in enumerate(self.regions)}

    @cached_property
    def region_of(self) -> tuple[int, ...]:
        """The number of the region in which each place lies."""
        return tuple(self.region_number[place.region] for place in self.places)

    @cached_property
    def region_places(self) -> tuple[int, ...]:
        """The set of places of each region."""
        return tuple(
            self.set_of(place.id for place in self.places if place.region == region.id) for region in self.regions
        )

    @cached_property
    def towns(self) -> int:
        """The set of all towns."""
        return self.set_of(place.id for place in self.places if place.kind == "town")

    @cached_property
    def cities(self) -> int:
        """The set of all cities."""
        return self.set_of(place.id for place in self.places if place.kind == "city")

    @cached_property
    def costs(self) -> dict[tuple[str, str], int]:
        """What each link costs, under both of its directions."""
        there = {link.between: link.cost for link in self.links}
        return there | {(b, a): cost for (a, b), cost in there.items()}

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """The set of places directly linked to each place."""
        return tuple(self.set_of(b for a, b in self.costs if a == place.id) for place in self.places)

    @cached_property
    def income_by_spaces(self) -> dict[int, tuple[int, ...]]:
        """For each player count the dollars for 0, 1, 2... free spaces, up to the chart's last row (R3.1)."""
        return {players: tuple(_steps(chart)) for players, chart in self.income.items()}

    @cached_property
    def printed_tiles(self) -> tuple[RegionTile, ...]:
        """The region tiles of the base game, named after the regions they are printed on."""
        return tuple(RegionTile(region.id, region.tile) for region in self.regions)

    @cached_property
    def city_tiles(self) -> tuple[int, ...]:
        """The city tiles of the base game, smallest first."""
        return tuple(sorted(place.spaces for place in self.places if place.kind == "city"))

    def set_of(self, places: Iterable[str]) -> int:
        """The set of the named places."""
        return sum(1 << self.number[place] for place in places)

    def closed(self, players: int) -> int:
        """The set of places out of play for that many players (R2.2)."""
        closed = self.closed_regions[players]
        return sum(self.region_places[self.region_number[region]] for region in closed)

    def income_for(self, players: int, free_spaces: int) -> int:
        """The dollars of phase 1 for that many free spaces (R3.1)."""
        chart = self.income_by_spaces[players]
        return chart[min(free_spaces, len(chart) - 1)]

    def group_of(self, value: int) -> tuple[int, ...]:
        """The values that share the back of a city tile (R2.6)."""
        return next(group for group in self.expert_groups if value in group)


def members(places: int) -> Iterator[int]:
    """The numbers in a set of places, in the order of the board file."""
    while places:
        lowest = places & -places
        yield lowest.bit_length() - 1
        places ^= lowest


@cache
def load_board(name: str) -> Board:
    """The board of that name; raises ``BoardError`` if there is none or if it contradicts itself."""
    if name not in board_names():
        raise BoardError(f"there is no board {name!r}")
    raw = files("domain.data").joinpath(f"{name}.json").read_bytes()
    return parse_board(name, raw)


@cache
def board_names() -> tuple[str, ...]:
    """The boards that are there to play on."""
    names = (file.name for file in files("domain.data").iterdir())
    return tuple(sorted(name[:-5] for name in names if name.endswith(".json") and not name.startswith("region-tiles")))


def parse_board(name: str, raw: bytes) -> Board:
    """A board from its JSON; raises ``BoardError`` with the first contradiction found."""
    try:
        board = msgspec.structs.replace(msgspec.json.decode(raw, type=Board), id=name)
    except msgspec.ValidationError as error:
        raise BoardError(f"board {name}: {error}") from error
    for complaint in _complaints(board):
        raise BoardError(f"board {name}: {complaint}")
    return board


def load_region_tiles(raw: bytes | None = None) -> tuple[RegionTile, ...]:
    """The twenty tiles of the Region tiles expansion: the house set, or an operator's own file (R12.7)."""
    raw = raw or files("domain.data").joinpath("region-tiles-new.json").read_bytes()
    try:
        tiles = msgspec.json.decode(raw, type=_TileSet).tiles
    except msgspec.MsgspecError as error:
        raise BoardError(f"region tiles: {error}") from error
    for twice in _repeated(tile.id for tile in tiles):
        raise BoardError(f"region tiles: two tiles are called {twice!r}")
    if len(tiles) != _TILES_IN_THE_EXPANSION:
        raise BoardError(f"region tiles: the expansion has {_TILES_IN_THE_EXPANSION} tiles, the file {len(tiles)}")
    for kind in ("development", "route"):
        if sum(tile.kind == kind for tile in tiles) > 1:
            raise BoardError(f"region tiles: there is only one {kind} tile to gain, the file grants it twice")
    return tiles


_TILES_IN_THE_EXPANSION = 20


class _TileSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tiles: tuple[RegionTile, ...]
    note: str = ""


def _steps(chart: Sequence[tuple[int, int]]) -> Iterator[int]:
    for (low, dollars), (high, _) in pairwise(chart):
        yield from [dollars] * (high - low)
    yield chart[-1][1]


def _repeated(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


def _complaints(board: Board) -> Iterator[str]:
    """What contradicts itself in a board, most basic first."""
    yield from _complaints_about_places(board)
    yield from _complaints_about_links(board)
    yield from _complaints_about_tables(board)


def _complaints_about_places(board: Board) -> Iterator[str]:
    for twice in _repeated(place.id for place in board.places):
        yield f"two places are called {twice!r}"
    for twice in _repeated(region.id for region in board.regions):
        yield f"two regions are called {twice!r}"
    for place in board.places:
        if place.region not in board.region_number:
            yield f"{place.id} lies in the unknown region {place.region!r}"
        if (place.kind == "town") != (place.spaces == 1):
            yield f"{place.id} is a {place.kind} of {place.spaces} spaces"
        elif place.kind == "city" and not any(place.spaces in group for group in board.expert_groups):
            yield f"no group of city tiles holds the {place.spaces} of {place.id}"
    for region in board.regions:
        if not any(place.region == region.id and place.kind == "city" for place in board.places):
            yield f"the region {region.id} has no city"


def _complaints_about_links(board: Board) -> Iterator[str]:
    for link in board.links:
        for end in link.between:
            if end not in board.number:
                yield f"the link {'-'.join(link.between)} ends in an unknown place"
        if link.between[0] == link.between[1]:
            yield f"{link.between[0]} is linked to itself"
        if link.cost < 0:
            yield f"the link {'-'.join(link.between)} has a negative cost"
    for twice in _repeated("-".join(sorted(link.between)) for link in board.links):
        yield f"the link {twice} stands there twice"


def _complaints_about_tables(board: Board) -> Iterator[str]:
    if len(board.region_track.influence) < len(board.regions):
        yield "the region track is shorter than the number of regions"
    counts = set(board.starting_money)
    tables = (board.closed_regions, board.income, board.bonus_tiles, board.introductory_towns)
    if any(set(table) != counts for table in tables):
        yield "the tables are not all made for the same numbers of players"
    for players, chart in board.income.items():
        if chart[0][0] != 0 or any(low >= high or less >= more for (low, less), (high, more) in pairwise(chart)):
            yield f"the income chart for {players} players does not rise from 0"
    for players, closed in board.closed_regions.items():
        if not set(closed) <= set(board.region_number):
            yield f"an unknown region is closed for {players} players"
    for players, rows in board.introductory_towns.items():
        towns = [town for row in rows for town in row]
        if len(rows) != players or any(town not in board.number for town in towns):
            yield f"the introductory towns for {players} players are not {players} rows of known towns"
    for players, money in board.starting_money.items():
        if len(money) != players:
            yield f"the starting money for {players} players has {len(money)} rows"
