"""Names, numbers and lists in words, for the sentences of the views."""

from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from domain.board import Board, RegionTile
from domain.game import Game
from domain.table import Table
from domain.table_facts import TokenRenewed

TILE_KINDS: Mapping[str, str] = {
    "influence": "",
    "dollars": "in dollars",
    "bonus_tile": "with a bonus tile",
    "regions": "by the number of regions",
    "development": "with the Development tile",
    "route": "with the Route tile",
}
"""The speciality of each kind of region tile (R12)."""


class Names(msgspec.Struct, frozen=True):
    """The names of players, places and regions."""

    players: tuple[str, ...]
    places: Mapping[str, str]
    regions: Mapping[str, str]

    def list_of(self, ids: Iterable[str]) -> str:
        """List places or regions by name."""
        return listed(self.places.get(id_) or self.regions[id_] for id_ in ids)

    def players_at(self, seats: Iterable[int]) -> str:
        """List players by name."""
        return listed(self.players[seat] for seat in seats)


def names_at(table: Table, game: Game) -> Names:
    """Return the names of a game at its table."""
    return Names(tuple(player.name for player in table.players), *_on_map(game.board))


@cache
def _on_map(board: Board) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the names of all places and regions of a board."""
    return {place.id: place.name for place in board.places}, {region.id: region.name for region in board.regions}


def renewal_text(renewed: TokenRenewed, name: str | None) -> str:
    """Return the renewal of a token in words, given the name of the player at its seat."""
    if name is None:
        by = "An operator" if renewed.by == "operator" else "The host"
        return f"{by} renewed the host's token."
    if renewed.by == "holder":
        return f"{name} renewed the token of their seat."
    return f"{'An operator' if renewed.by == 'operator' else 'The host'} issued a new token for {name}."


def listed(words: Iterable[str]) -> str:
    """Join words by commas, and the last two by "and"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def count(number: int, word: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{number} {word}{'' if number == 1 else 's'}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """Return a number as an ordinal: ``1st``."""
    return f"{number}{_ENDINGS.get(number, 'th')}"


def tile_text(tile: RegionTile) -> str:
    """Return a region tile in words: ``10/6/3`` and its speciality."""
    values = "/".join(f"{value:+}" if tile.kind == "regions" else str(value) for value in tile.values)
    return f"{values} {TILE_KINDS[tile.kind]}".rstrip()
