"""The names in sentences. They are the same in all languages."""

from collections.abc import Iterable, Mapping

import msgspec

from domain.board import Board
from domain.table import Table


class Names(msgspec.Struct, frozen=True):
    """The names of players by seat, and of places and regions by id."""

    players: Mapping[int, str]
    places: Mapping[str, str]
    regions: Mapping[str, str]

    def on_map(self, ids: Iterable[str]) -> list[str]:
        """Return the names of places or regions."""
        return [self.places.get(id_) or self.regions[id_] for id_ in ids]

    def seated(self, seats: Iterable[int]) -> list[str]:
        """Return the names of the players at these seats."""
        return [self.players[seat] for seat in seats]


def names_at(table: Table, board: Board, version: int | None = None) -> Names:
    """Return the names now, or at a version."""
    return Names(player_names(table, version), board.place_names, board.region_names)


def player_names(table: Table, version: int | None = None) -> dict[int, str]:
    """Return the names of the players by seat, now or at a version: a seat may be handed over (R14.5)."""
    names = {player.seat: player.name for player in table.players}
    for former in reversed(table.former):
        if version is not None and version < former.version:
            names[former.seat] = former.name
    return names
