"""The state of a game, the interface of its modules, and the builder of its next facts, which refer to each other.

Sets of places are integers with one bit for each place (``Board.number``). Values that the rules read at every step,
such as the places that a player can reach, are stored beside the values that they follow from.
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

    ``values`` holds the tile that lies on each place (0 where none does), ``spaces`` the seats of the franchises on
    each place in the order they were placed, ``open`` the places that still have a free space and ``unscored`` the
    cities with a tile. ``region_pool`` holds the region tiles that were drawn or pooled and do not lie anywhere yet,
    ``passed`` the seats of the turns since the last expansion (R8.1). ``rules`` is the version of the rules.
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
        """Return the seats still playing, in turn order."""
        return [seat for seat in self.clockwise_from(self.first_player) if not self.players[seat].resigned]

    def clockwise_from(self, seat: int) -> list[int]:
        """Return all seats clockwise around the table, beginning with this one."""
        return [*range(seat, len(self.players)), *range(seat)]

    def next_playing(self, seat: int) -> int:
        """Return the next seat clockwise that is still playing (R8.1, R13.1)."""
        order: list[int] = [*range(seat + 1, len(self.players)), *range(seat)]
        for other in order:
            if not self.players[other].resigned:
                return other
        return seat

    def free_spaces(self, place: int) -> int:
        """Return the free spaces of an unscored city (R1.3)."""
        return self.values[place] - len(self.spaces[place])

    def spare(self, seat: int) -> int:
        """Return the franchises of the supply that this turn has not yet committed (R1.6)."""
        committed = len(self.turn.markers) if seat == self.turn.seat else 0
        return self.players[seat].supply - committed

    def franchises_in(self, places: int, seat: int) -> int:
        """Count the franchises of a player in a set of places."""
        return sum(self.spaces[place].count(seat) for place in members(places & self.players[seat].present))

    def with_player(self, seat: int, player: Player) -> tuple[Player, ...]:
        """Return the players with this one changed."""
        return (*self.players[:seat], player, *self.players[seat + 1 :])

    def with_module(self, module: "Module") -> "Game":
        """Return the game with the new state of a module in the place of its former one."""
        return replace(self, modules=tuple(module if type(m) is type(module) else m for m in self.modules))


class DecisionBuilder:
    """The facts of a decision so far, and the game after them, on which the next consequence is decided."""

    __slots__ = ("_evolve", "facts", "game")

    def __init__(self, game: Game, evolve: Callable[[Game, FactBase], Game]) -> None:
        """Begin with the game as it is and the fold of its facts."""
        self.game = game
        self.facts: list[FactBase] = []
        self._evolve = evolve

    def append(self, fact: FactBase) -> None:
        """Add a fact and fold it into the game."""
        self.facts.append(fact)
        self.game = self._evolve(self.game, fact)

    def extend(self, facts: Iterable[FactBase]) -> None:
        """Add several facts."""
        for fact in facts:
            self.append(fact)

    def ask_modules(self, hook: "Callable[[Module, Game], Iterable[FactBase]]") -> None:
        """Add the facts of each module in turn, each on the game after those of the modules before."""
        for number in range(len(self.game.modules)):
            self.extend(hook(self.game.modules[number], self.game))

    def board_changed(self) -> None:
        """Add the facts that the modules derive from the board as it is now."""
        self.ask_modules(lambda module, game: module.on_board_changed(game))


Consequences = Mapping[type[ActionBase], Callable[[DecisionBuilder, int, Any], None]]
"""For each kind of action the function that adds the consequences of a legal one by a seat."""

Refusals = Mapping[type[ActionBase], Callable[[Game, Any], Iterator[IllegalAction]]]
"""For each kind of action the function that yields why one is not legal, the most basic reason first."""

Folds = Mapping[type[FactBase], Callable[[Game, Any], Game]]
"""For each kind of fact the function that folds it into the game."""

LegalActions = Callable[[Game], Iterable[Legal[ActionBase]]]
"""A function that lists the legal actions of certain kinds."""


class Phase(msgspec.Struct, frozen=True, eq=False):
    """A part of the set-up or of a turn.

    Either it is ``automatic``, or a player decides: ``chooser`` returns the seat (None to skip the phase), ``actions``
    maps each list of legal actions to the kinds in it, and an action of a kind in ``ends_with`` leads to the next
    phase.
    """

    name: str
    automatic: Callable[[DecisionBuilder], None] | None = None
    chooser: Callable[[Game], int | None] | None = None
    actions: Mapping[LegalActions, tuple[type[ActionBase], ...]] = {}
    ends_with: tuple[type[ActionBase], ...] = ()


class Module(msgspec.Struct, frozen=True):
    """A part of the game that can be left out. Its fields are its state.

    The game asks each of its modules in turn and knows none by name. Every hook returns a value and does nothing
    unless a module overrides it.
    """

    before_towns: ClassVar[tuple[Phase, ...]] = ()
    """Phases of the set-up that come before the starting towns."""

    after_towns: ClassVar[tuple[Phase, ...]] = ()
    """Phases of the set-up that come after the starting towns."""

    before_income: ClassVar[tuple[Phase, ...]] = ()
    """Phases that come first in every turn."""

    reasons: ClassVar[tuple[str, ...]] = ()
    """The reasons of the module's own illegal actions."""

    @classmethod
    def find(cls, game: Game) -> Self | None:
        """Return the module of this kind, None if the game is played without it."""
        return next((module for module in game.modules if isinstance(module, cls)), None)

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the module of this kind in a game that is played with it."""
        return next(module for module in game.modules if isinstance(module, cls))

    def check(self, board: Board, players: int, tiles: tuple[RegionTile, ...], modules: tuple["Module", ...]) -> None:
        """Raise ``Refused`` if the options of the module make no game; ``tiles`` are the expansion's region tiles."""

    def known_region_tiles(self, board: Board, tiles: tuple[RegionTile, ...]) -> tuple[RegionTile, ...]:
        """Return the region tiles that the module adds to the printed ones."""
        return ()

    def required_region_tiles(self) -> frozenset[str]:
        """Return the ids of the region tiles without which the options of the module make no game."""
        return frozenset()

    def draw(self, game: Game) -> Sequence[FactBase]:
        """Draw at the very beginning, as facts with their seed."""
        return ()

    def lay_tiles(self, game: Game) -> Sequence[FactBase] | None:
        """Lay the city and region tiles otherwise than printed; the first module with a result decides."""
        return None

    def deal_bonus_tiles(self, game: Game) -> Sequence[FactBase] | None:
        """Deal the bonus tiles in another way (R2.5)."""
        return None

    def legal_actions(self, game: Game) -> Iterable[Legal[ActionBase]]:
        """List the actions that are legal in the current phase beside those of the phase itself."""
        return ()

    def permits(self, game: Game, action: ActionBase) -> Legal[ActionBase] | None:
        """Return an action that is legal without being listed."""
        return None

    def consequences(self, game: Game, seat: int, action: ActionBase) -> Sequence[FactBase] | None:
        """Return the facts of a legal action that is the module's own."""
        return None

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        """Explain why an action that the module knows is not legal."""
        return None

    def fold(self, game: Game, fact: FactBase) -> Game:
        """Fold a fact into the module's own state, and its own facts into the game."""
        return game

    def extra_free_spaces(self, game: Game, seat: int) -> int:
        """Return the free spaces that count in a player's income beside those of phase 1 (R3.1)."""
        return 0

    def bonus_tiles_to_earn(self, seat: int) -> int:
        """Return the bonus tiles that a player does not have yet, but may earn."""
        return 0

    def award(self, game: Game, tile: RegionTile, value: int) -> tuple[int, int] | None:
        """Return influence and dollars for the entry of a region tile whose kind is the module's own (R7.2)."""
        return None

    def on_region_scored(self, game: Game, fact: RegionScored) -> Sequence[FactBase]:
        """Return the facts that a region scoring brings beside influence and dollars."""
        return ()

    def on_board_changed(self, game: Game) -> Sequence[FactBase]:
        """Return the facts that follow from the state of the game.

        Called after each expansion, after each placed franchise together with the scoring it causes, and after each
        region scoring.
        """
        return ()
