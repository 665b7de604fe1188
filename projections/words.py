"""Names and small words that the views share."""

from collections.abc import Iterable, Mapping

import msgspec

from domain.board import RegionTile
from domain.game import Game
from domain.modules.milestones import MilestoneId
from domain.table import Table

MILESTONES: Mapping[MilestoneId, str] = {
    "four_towns": "franchises in 4 towns",
    "four_regions": "franchises in 4 regions",
    "five_in_scored": "5 franchises in scored cities",
    "unscored_2_3_4": "franchises in unscored cities of value 2, 3 and 4",
    "big_city": "triggered the scoring of a city of value 6, 7 or 8",
    "region": "triggered the scoring of a region",
    "two_8_links": "used two different $8 links",
}
"""What each milestone asks for (R10.3)."""

TILE_KINDS: Mapping[str, str] = {
    "influence": "",
    "dollars": "in dollars",
    "bonus_tile": "with a bonus tile",
    "regions": "by the number of regions",
    "development": "with the Development tile",
    "route": "with the Route tile",
}
"""What is special about a region tile (R12)."""


class Names(msgspec.Struct, frozen=True):
    """What players, places and regions are called."""

    players: tuple[str, ...]
    places: Mapping[str, str]
    regions: Mapping[str, str]

    def list_of(self, names: Iterable[str]) -> str:
        """Names of places or regions as one reads them out."""
        return listed(self.places.get(name) or self.regions[name] for name in names)

    def of(self, seats: Iterable[int]) -> str:
        """Names of players as one reads them out."""
        return listed(self.players[seat] for seat in seats)


def names_at(table: Table, game: Game) -> Names:
    """The names at a table."""
    return Names(
        players=tuple(player.name for player in table.players),
        places={place.id: place.name for place in game.board.places},
        regions={region.id: region.name for region in game.board.regions},
    )


def listed(words: Iterable[str]) -> str:
    """Words as one reads them out: the last two joined by "and"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def count(number: int, word: str) -> str:
    """A number of things."""
    return f"{number} {word}{'' if number == 1 else 's'}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """The number of a place in an order."""
    return f"{number}{_ENDINGS.get(number, 'th')}"


def tile_words(tile: RegionTile) -> str:
    """A region tile as it is read out: ``10/6/3``, and what is special about it."""
    values = "/".join(f"{value:+}" if tile.kind == "regions" else str(value) for value in tile.values)
    return f"{values} {TILE_KINDS[tile.kind]}".rstrip()
