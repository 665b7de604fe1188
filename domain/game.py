"""The state of a game, the interface of its modules, and the builder of decisions. They refer to each other.

A set of places is an integer with one bit for each place (``Board.number``). Values that the rules often need, such as
the places that a player can reach, are stored with the values from which they are derived.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import msgspec
from msgspec.structs import replace

from domain.actions import ActionBase
from domain.board import Board, RegionTile, members
from domain.facts import FactBase, FinalCounted, RegionScored
from domain.legal import Legal
from domain.phase_names import SET_UP
from domain.refused import IllegalAction
from domain.state import NO_TURN, Ending, Player, Region, Turn


class Game(msgspec.Struct, frozen=True, dict=True):
    """The state of a game at one moment.

    - ``values``: the city tile on each place, 0 without one
    - ``spaces``: the seats of the franchises on each place, in the order in which they were placed
    - ``open``: the set of places with a free space
    - ``unscored``: the set of cities with a tile
    - ``region_pool``: the region tiles that are drawn or pooled, but not laid yet
    - ``passed``: the seats of the turns since the last expansion (R8.1)
    - ``rules``: the version of the rules
    """

    board: Board
    rules: int
    seed: int
    expansion_tiles: tuple[RegionTile, ...]
    modules: tuple["Module", ...]
    players: tuple[Player, ...]
    values: tuple[int, ...]
    spaces: tuple[tuple[int, ...], ...]
    regions: tuple[Region, ...]
    open: int = 0
    unscored: int = 0
    first_player: int = 0
    phase: str = SET_UP
    to_play: int | None = None
    track: tuple[RegionTile, ...] = ()
    region_pool: tuple[RegionTile, ...] = ()
    turn: Turn = NO_TURN
    passed: tuple[int, ...] = ()
    finals: tuple[FinalCounted, ...] = ()
    ending: Ending | None = None

    @property
    def seats(self) -> range:
        """All seats, including those of players who have resigned."""
        return range(len(self.players))

    @property
    def active(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.turn.seat]

    @property
    def closed(self) -> int:
        """The set of places that are out of play (R2.2)."""
        return self.board.closed(len(self.players))

    def playing(self) -> list[int]:
        """Return the seats of the players who have not resigned, in turn order."""
        return [seat for seat in self.clockwise_from(self.first_player) if not self.players[seat].resigned]

    def clockwise_from(self, seat: int) -> list[int]:
        """Return all seats clockwise, beginning with this one."""
        return [*range(seat, len(self.players)), *range(seat)]

    def next_playing(self, seat: int) -> int:
        """Return the next seat clockwise that has not resigned (R8.1, R13.1)."""
        order: list[int] = [*range(seat + 1, len(self.players)), *range(seat)]
        for other in order:
            if not self.players[other].resigned:
                return other
        return seat

    def free_spaces(self, place: int) -> int:
        """Return the number of free spaces of an unscored city (R1.3)."""
        return self.values[place] - len(self.spaces[place])

    def spare(self, seat: int) -> int:
        """Return the number of franchises in the supply without those that this turn needs for its markers (R1.6)."""
        committed = len(self.turn.markers) if seat == self.turn.seat else 0
        return self.players[seat].supply - committed

    def franchises_in(self, places: int, seat: int) -> int:
        """Count the franchises of a player in a set of places."""
        return sum(self.spaces[place].count(seat) for place in members(places & self.players[seat].present))

    def with_player(self, seat: int, player: Player) -> tuple[Player, ...]:
        """Return all players, with one of them replaced."""
        return (*self.players[:seat], player, *self.players[seat + 1 :])

    def with_module(self, module: "Module") -> "Game":
        """Return the game with the new state of a module."""
        return replace(self, modules=tuple(module if type(m) is type(module) else m for m in self.modules))


class DecisionBuilder:
    """The facts of a decision so far, and the game after them."""

    __slots__ = ("_evolve", "facts", "game")

    def __init__(self, game: Game, evolve: Callable[[Game, FactBase], Game]) -> None:
        self.game = game
        self.facts: list[FactBase] = []
        self._evolve = evolve

    def append(self, fact: FactBase) -> None:
        self.facts.append(fact)
        self.game = self._evolve(self.game, fact)

    def extend(self, facts: Iterable[FactBase]) -> None:
        for fact in facts:
            self.append(fact)

    def ask_modules(self, hook: "Callable[[Module, Game], Iterable[FactBase]]") -> None:
        """Add the facts of each module in turn. Each module sees the facts of the modules before it."""
        for number in range(len(self.game.modules)):
            self.extend(hook(self.game.modules[number], self.game))

    def board_changed(self) -> None:
        """Add the facts that follow from the board."""
        self.ask_modules(lambda module, game: module.on_board_changed(game))


Consequences = Mapping[type[ActionBase], Callable[[DecisionBuilder, int, Any], None]]
"""By kind of action, the function that adds the consequences of a legal action of a seat."""

Refusals = Mapping[type[ActionBase], Callable[[Game, Any], Iterator[IllegalAction]]]
"""By kind of action, the function that yields the reasons why an action is illegal, the most basic one first."""

Folds = Mapping[type[FactBase], Callable[[Game, Any], Game]]
"""By kind of fact, the function that folds it into the game."""

LegalActions = Callable[[Game], Iterable[Legal[ActionBase]]]
"""A function that lists the legal actions of certain kinds."""


class Phase(msgspec.Struct, frozen=True, eq=False):
    """A part of the set-up or of a turn.

    A phase is either ``automatic``, or a player decides. Then ``chooser`` returns the seat, or None to skip the phase,
    and ``actions`` maps each function that lists legal actions to their kinds. An action of a kind in ``ends_with``
    leads to the next phase.
    """

    name: str
    automatic: Callable[[DecisionBuilder], None] | None = None
    chooser: Callable[[Game], int | None] | None = None
    actions: Mapping[LegalActions, tuple[type[ActionBase], ...]] = {}
    ends_with: tuple[type[ActionBase], ...] = ()


class Module(msgspec.Struct, frozen=True):
    """A variant or an expansion of the game. The fields of the struct are its state.

    The game calls the hooks of its modules in order and knows no module by name. A hook does nothing unless a module
    overrides it.
    """

    before_towns: ClassVar[tuple[Phase, ...]] = ()
    """The phases of the set-up before the starting towns."""

    after_towns: ClassVar[tuple[Phase, ...]] = ()
    """The phases of the set-up after the starting towns."""

    before_income: ClassVar[tuple[Phase, ...]] = ()
    """The first phases of every turn."""

    reasons: ClassVar[tuple[str, ...]] = ()
    """The reasons why actions of the module are illegal."""

    @classmethod
    def find(cls, game: Game) -> Self | None:
        """Return the module of this class, None if the game is played without it."""
        return next((module for module in game.modules if isinstance(module, cls)), None)

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the module of this class in a game that is played with it."""
        return next(module for module in game.modules if isinstance(module, cls))

    def check(self, board: Board, players: int, tiles: tuple[RegionTile, ...], modules: tuple["Module", ...]) -> None:
        """Raise ``Refused`` if the options are invalid. ``tiles`` are the region tiles of the expansion."""

    def known_region_tiles(self, board: Board, tiles: tuple[RegionTile, ...]) -> tuple[RegionTile, ...]:
        """Return the region tiles that the module adds to the printed ones."""
        return ()

    def required_region_tiles(self) -> frozenset[str]:
        """Return the ids of the region tiles that the options of the module name."""
        return frozenset()

    def draw(self, game: Game) -> Sequence[FactBase]:
        """Draw what the module needs at the beginning, as facts with their seed."""
        return ()

    def lay_tiles(self, game: Game) -> Sequence[FactBase] | None:
        """Lay the city and region tiles, or return None. The first module with a result replaces the printed layout."""
        return None

    def deal_bonus_tiles(self, game: Game) -> Sequence[FactBase] | None:
        """Deal the bonus tiles, or return None. The first module with a result replaces the usual deal (R2.5)."""
        return None

    def legal_actions(self, game: Game) -> Iterable[Legal[ActionBase]]:
        """List further legal actions of the current phase."""
        return ()

    def permits(self, game: Game, action: ActionBase) -> Legal[ActionBase] | None:
        """Return an action if it is legal, but not listed."""
        return None

    def consequences(self, game: Game, seat: int, action: ActionBase) -> Sequence[FactBase] | None:
        """Return the facts of a legal action that belongs to the module."""
        return None

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        """Return the reason why an action that the module knows is illegal."""
        return None

    def fold(self, game: Game, fact: FactBase) -> Game:
        """Fold a fact into the state of the module, and a fact of the module into the game."""
        return game

    def extra_free_spaces(self, game: Game, seat: int) -> int:
        """Return the additional free spaces in a player's income (R3.1)."""
        return 0

    def bonus_tiles_to_earn(self, seat: int) -> int:
        """Return the number of bonus tiles that a player can still earn."""
        return 0

    def award(self, game: Game, tile: RegionTile, value: int) -> tuple[int, int] | None:
        """Return influence and dollars for a value of a region tile, if the module defines its kind (R7.2)."""
        return None

    def on_region_scored(self, game: Game, fact: RegionScored) -> Sequence[FactBase]:
        """Return the facts that follow from a region scoring, in addition to influence and dollars."""
        return ()

    def on_board_changed(self, game: Game) -> Sequence[FactBase]:
        """Return the facts that follow from the board.

        Called after each expansion, after each placed franchise including its scoring, and after each region scoring.
        """
        return ()
