"""One edition of the game as it is printed: its map, its tiles and its tables."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.geometry import NamePosition, Point, ViewBox

PlaceKind = Annotated[Literal["town", "city"], Meta(description="Whether the place is a town or a city.")]
TileKind = Annotated[
    Literal["influence", "dollars", "bonus_tile", "regions", "development", "route"],
    Meta(
        description="The meaning of the values: influence, dollars, or the number of scored regions. The other kinds "
        "count influence and give the player ranked first a bonus tile, the Development tile or the Route tile (R12)."
    ),
]

SINGLE_KINDS: tuple[TileKind, ...] = ("development", "route")
"""The kinds of region tiles that grant the Development or the Route tile; each of these exists once."""


class Place(msgspec.Struct, frozen=True):
    """A town or a city on the printed map (R1.1)."""

    id: str
    name: str
    region: str
    kind: PlaceKind
    spaces: int
    x: int
    y: int
    label: NamePosition


class Link(msgspec.Struct, frozen=True):
    """A direct connection between two places (R4.1)."""

    between: Annotated[tuple[str, str], Meta(description="The ids of the two places.")]
    cost: Annotated[int, Meta(description="The price of the link in dollars.")]
    path: Annotated[
        str,
        Meta(
            description="The line of the link on the map as an SVG path, from the first place to the second. It passes "
            "no other place."
        ),
    ]
    label: Annotated[Point, Meta(description="The position of the price: on the line, and clear of everything else.")]


class RegionTile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A region tile (R7.2, R12)."""

    id: Annotated[
        str,
        Meta(description="The id of the region that it is printed on; `new-01` and so on for tiles of the expansion."),
    ]
    values: Annotated[
        tuple[int, int, int],
        Meta(description="The values for the first rank, the second, and all others (R7.2, R7.3)."),
    ]
    kind: TileKind = "influence"


class PrintedRegion(msgspec.Struct, frozen=True):
    """A region of the map, with the values and the position of the tile printed on it."""

    id: str
    name: str
    tile: tuple[int, int, int]
    colour: str
    area: str
    label: Point
    tile_at: Point


class Track(msgspec.Struct, frozen=True):
    """The region track: influence and position of each space, and the number of the first red space (R7.4, R8.1)."""

    influence: tuple[int, ...]
    red_from: int
    spaces: tuple[Point, ...]


class Board(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One edition: its map and its tables. Places and regions are numbered in the order of the file.

    ``panel`` is the upper left corner of the area for the list of players.
    """

    view_box: ViewBox
    panel: Point
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
        """The number of each place. A set of places is an integer with the bits ``1 << number``."""
        return {place.id: number for number, place in enumerate(self.places)}

    @cached_property
    def region_number(self) -> dict[str, int]:
        return {region.id: number for number, region in enumerate(self.regions)}

    @cached_property
    def place_names(self) -> dict[str, str]:
        return {place.id: place.name for place in self.places}

    @cached_property
    def region_names(self) -> dict[str, str]:
        return {region.id: region.name for region in self.regions}

    @cached_property
    def region_of(self) -> tuple[int, ...]:
        """The number of each place's region."""
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
        """The cost of each link, in both directions."""
        there = {link.between: link.cost for link in self.links}
        return there | {(b, a): cost for (a, b), cost in there.items()}

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """The set of places that are directly linked to each place."""
        return tuple(self.set_of(b for a, b in self.costs if a == place.id) for place in self.places)

    @cached_property
    def income_by_spaces(self) -> dict[int, tuple[int, ...]]:
        """The income for 0, 1, 2... free spaces by number of players, up to the last row of the chart (R3.1)."""
        return {players: tuple(_steps(chart)) for players, chart in self.income.items()}

    @cached_property
    def printed_tiles(self) -> tuple[RegionTile, ...]:
        """The region tiles of the base game; each has the id of its region."""
        return tuple(RegionTile(region.id, region.tile) for region in self.regions)

    @cached_property
    def city_tiles(self) -> tuple[int, ...]:
        """The values of the city tiles of the base game, lowest first."""
        return tuple(sorted(place.spaces for place in self.places if place.kind == "city"))

    @cached_property
    def grouped_values(self) -> frozenset[int]:
        """The values of city tiles that belong to a group (R2.6)."""
        return frozenset(value for group in self.expert_groups for value in group)

    def tile_names(self, tiles: Iterable[str]) -> list[str]:
        """Return the sorted names of region tiles; a printed tile has the name of its region."""
        return sorted(self.region_names.get(tile, tile) for tile in tiles)

    def set_of(self, places: Iterable[str]) -> int:
        """Return the set of the named places."""
        return sum(1 << self.number[place] for place in places)

    def link_costs(self, path: tuple[str, ...]) -> tuple[int, ...]:
        """Return the printed cost of each link of a path (R4.1)."""
        return tuple(self.costs[link] for link in pairwise(path))

    def linked_to(self, places: int) -> int:
        """Return the set of places that are directly linked to one of these."""
        linked = 0
        for place in members(places):
            linked |= self.neighbours[place]
        return linked

    def closed(self, players: int) -> int:
        """Return the set of places that are out of play for a number of players (R2.2)."""
        closed = self.closed_regions[players]
        return sum(self.region_places[self.region_number[region]] for region in closed)

    def income_for(self, players: int, free_spaces: int) -> int:
        """Return the dollars that phase 1 pays for a number of free spaces (R3.1)."""
        chart = self.income_by_spaces[players]
        return chart[min(free_spaces, len(chart) - 1)]

    def group_of(self, value: int) -> tuple[int, ...]:
        """Return the values of the city tiles with the same back (R2.6)."""
        return next(group for group in self.expert_groups if value in group)


@lru_cache(maxsize=1 << 14)
def members(places: int) -> tuple[int, ...]:
    """Return the numbers of the places in a set, in the order of the board file."""
    return tuple(number for number in range(places.bit_length()) if places >> number & 1)


def _steps(chart: Sequence[tuple[int, int]]) -> Iterator[int]:
    for (low, dollars), (high, _) in pairwise(chart):
        yield from [dollars] * (high - low)
    yield chart[-1][1]
