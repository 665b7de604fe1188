"""The parts of a game's state: players, regions, the current turn and the ending."""

from typing import Annotated

import msgspec
from msgspec import Meta

from domain.board import RegionTile
from domain.field_types import DecidedBy, EndReason, Winners


class Earned(msgspec.Struct, frozen=True, gc=False):
    """The influence of a player by source."""

    cities: Annotated[int, Meta(description="Influence from scored cities (R6.3).")] = 0
    regions: Annotated[int, Meta(description="Influence from ranks in scored regions (R7.2).")] = 0
    region_track: Annotated[int, Meta(description="Influence from spaces of the region track (R7.4).")] = 0
    towns: Annotated[int, Meta(description="Influence from franchises in towns, added by the final count (R8.2).")] = 0
    dollars: Annotated[
        int, Meta(description="Influence from the remaining money, added by the final count (R8.2).")
    ] = 0
    bonus_tiles: Annotated[
        int, Meta(description="Influence from the remaining bonus tiles, added by the final count (R8.2).")
    ] = 0

    @property
    def total(self) -> int:
        return self.cities + self.regions + self.region_track + self.towns + self.dollars + self.bonus_tiles


class Player(msgspec.Struct, frozen=True, gc=False):
    """The pieces, the money and the influence of a player.

    ``present`` is the set of places with a franchise of the player, ``reach`` the set of places that are linked to
    them.
    """

    supply: int
    money: int = 0
    bonus_tiles: int = 0
    earned: Earned = Earned()
    turns: int = 0
    resigned: bool = False
    present: int = 0
    reach: int = 0
    bonus_tiles_used: int = 0

    @property
    def influence(self) -> int:
        """The influence points (IP) of the player."""
        return self.earned.total


class Region(msgspec.Struct, frozen=True, gc=False):
    """A region: its tile until it is scored, and the owner of the tie-break marker (R6.5)."""

    tile: RegionTile | None = None
    tie_break: int | None = None
    closed: bool = False
    scored: bool = False


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The unfinished turn of the active player.

    ``markers`` are the numbers of the places with an expansion marker, ``centre`` those of the cities with a franchise
    in the centre, both in the order in which they were placed. ``bonus`` is true while a bonus tile may be used (R9.1),
    ``expanded`` once the turn had an expansion (R8.1).
    """

    seat: int
    number: int = 0
    bonus: bool = False
    expanded: bool = False
    markers: tuple[int, ...] = ()
    centre: tuple[int, ...] = ()


class Ending(msgspec.Struct, frozen=True):
    """The reason of the end, and the winners."""

    reason: EndReason
    winners: Winners
    decided_by: DecidedBy


NO_TURN = Turn(seat=-1)
