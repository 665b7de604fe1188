"""The parts of a game's state: players, regions, the current turn and the ending."""

from typing import Annotated

import msgspec
from msgspec import Meta

from domain.board import RegionTile
from domain.field_types import DecidedBy, EndReason, Winners


class Earned(msgspec.Struct, frozen=True, gc=False):
    """The sources of a player's influence."""

    cities: Annotated[int, Meta(description="Scored cities (R6.3).")] = 0
    regions: Annotated[int, Meta(description="Ranks in scored regions (R7.2).")] = 0
    region_track: Annotated[int, Meta(description="Spaces of the region track (R7.4).")] = 0
    towns: Annotated[int, Meta(description="Franchises in towns, counted at the end (R8.2).")] = 0
    dollars: Annotated[int, Meta(description="Money that was left, counted at the end (R8.2).")] = 0
    bonus_tiles: Annotated[int, Meta(description="Bonus tiles that were left, counted at the end (R8.2).")] = 0

    @property
    def total(self) -> int:
        """All influence points of the player."""
        return self.cities + self.regions + self.region_track + self.towns + self.dollars + self.bonus_tiles


class Player(msgspec.Struct, frozen=True, gc=False):
    """The pieces, money and influence of a player, the places with a franchise and the places they can reach."""

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
        """The player's influence points (IP)."""
        return self.earned.total


class Region(msgspec.Struct, frozen=True, gc=False):
    """A region: its tile until it is scored, and the owner of the tie-break marker (R6.5)."""

    tile: RegionTile | None = None
    tie_break: int | None = None
    closed: bool = False
    scored: bool = False


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The decisions of the active player in a turn that has not ended yet.

    ``markers`` are the numbers of the places with an expansion marker, ``centre`` those of the cities with a
    franchise in the centre, both in the order placed. ``bonus`` tells whether a bonus tile may be used (R9.1),
    ``expanded`` whether the turn had an expansion (R8.1).
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
