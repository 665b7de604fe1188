"""The state of a game as an immutable value, and the small questions that the rules ask of it.

Sets of places are integers, one bit a place (``Board.number``); what the rules ask at every step, such as what a
player can reach, is kept beside what it follows from.
"""

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.board import Board, RegionTile, members
from domain.events import FinalCounted, GameStarted
from domain.terms import DecisionOf, ReasonOf, Winners

if TYPE_CHECKING:
    from domain.modules.base import Module


class Earned(msgspec.Struct, frozen=True, gc=False):
    """Where a player's influence came from."""

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
    """What lies before a player, and where they stand on the map."""

    supply: int
    money: int = 0
    bonus_tiles: int = 0
    used_tiles: int = 0
    earned: Earned = Earned()
    turns: int = 0
    resigned: bool = False
    present: int = 0
    reach: int = 0

    @property
    def influence(self) -> int:
        """The player's influence points (IP)."""
        return self.earned.total


class Region(msgspec.Struct, frozen=True, gc=False):
    """A region in play: its tile until it is scored, and who owns the tie-break marker (R6.5)."""

    tile: RegionTile | None = None
    tie_break: int | None = None
    closed: bool = False
    scored: bool = False


class Turn(msgspec.Struct, frozen=True, gc=False):
    """What the active player has done in the turn and not ended yet.

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
    """How the game ended and who has won."""

    reason: ReasonOf
    winners: Winners
    decided_by: DecisionOf


NO_TURN = Turn(seat=-1)


class Game(msgspec.Struct, frozen=True, dict=True):
    """A game at one moment.

    ``values`` holds the tile that lies on each place (0 where none does), ``spaces`` the seats of the franchises on
    each place in the order they were placed, ``open`` the places that still have a free space and ``unscored`` the
    cities with a tile.
    """

    board: Board
    started: GameStarted
    modules: tuple["Module", ...]
    players: tuple[Player, ...]
    values: tuple[int, ...]
    spaces: tuple[tuple[int, ...], ...]
    regions: tuple[Region, ...]
    open: int = 0
    unscored: int = 0
    first_player: int = 0
    phase: str = "set_up"
    to_play: int | None = None
    track: tuple[RegionTile, ...] = ()
    pooled_cities: tuple[int, ...] = ()
    pooled_regions: tuple[RegionTile, ...] = ()
    turn: Turn = NO_TURN
    idle_turns: int = 0
    finals: tuple[FinalCounted, ...] = ()
    ending: Ending | None = None

    @property
    def seats(self) -> range:
        """All seats, those that have resigned included."""
        return range(len(self.players))

    @property
    def active(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.turn.seat]

    @property
    def closed(self) -> int:
        """The set of places out of play (R2.2)."""
        return self.board.closed(len(self.players))

    def playing(self) -> list[int]:
        """The seats still playing, in turn order."""
        return [seat for seat in self.clockwise_from(self.first_player) if not self.players[seat].resigned]

    def clockwise_from(self, seat: int) -> list[int]:
        """All seats clockwise around the table, beginning with this one."""
        return [*range(seat, len(self.players)), *range(seat)]

    def next_playing(self, seat: int) -> int:
        """The next seat clockwise that is still playing (R8.1, R13.1)."""
        order: list[int] = [*range(seat + 1, len(self.players)), *range(seat)]
        for other in order:
            if not self.players[other].resigned:
                return other
        return seat

    def free_spaces(self, place: int) -> int:
        """The free spaces of an unscored city (R1.3)."""
        return self.values[place] - len(self.spaces[place])

    def spare(self, seat: int) -> int:
        """The franchises of the supply that this turn has not yet committed (R1.6)."""
        committed = len(self.turn.markers) if seat == self.turn.seat else 0
        return self.players[seat].supply - committed

    def franchises_in(self, places: int, seat: int) -> int:
        """How many franchises a player has in a set of places."""
        return sum(self.spaces[place].count(seat) for place in members(places & self.players[seat].present))

    def with_player(self, seat: int, player: Player) -> tuple[Player, ...]:
        """The players with this one changed."""
        return (*self.players[:seat], player, *self.players[seat + 1 :])

    def with_module(self, module: "Module") -> "Game":
        """The game with the new state of a module in the place of its former one."""
        return replace(self, modules=tuple(module if type(m) is type(module) else m for m in self.modules))
