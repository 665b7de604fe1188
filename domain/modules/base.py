"""What a module of the game is: every point at which it may have a say, on one page.

A module is an immutable record with its own state. The core holds the modules of a game as a tuple and asks each of
them in turn; it knows none by name. Every hook takes a value and returns a value, and does nothing unless a module
says otherwise, so a new expansion is one new file.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

import msgspec

from domain.actions import Action
from domain.board import Board, RegionTile
from domain.events import GameFact, RegionScored
from domain.options import Options
from domain.terms import CityId, ClauseOf, Influence, Winner

if TYPE_CHECKING:
    from domain.game import Game
    from domain.refusals import Refused
    from domain.story import Story


class WouldScore(msgspec.Struct, frozen=True, gc=False):
    """The scoring that an action leads to when the turn is ended: who gains how much, and by which clause (R6.3)."""

    city: CityId
    winner: Winner
    clause: ClauseOf
    influence: Influence


class Legal(msgspec.Struct, frozen=True, gc=False):
    """An action that is allowed now, the rule that allows it, what it costs and what it would trigger."""

    action: Action
    rule: str
    cost: int = 0
    would_score: WouldScore | None = None


Offer = Callable[["Game"], Iterable[Legal]]
"""A question to the game: which actions of certain kinds are open to the player who decides?"""


class Phase(msgspec.Struct, frozen=True, eq=False):
    """A part of the set-up or of a turn.

    Either it ``happens`` by itself, or a player decides: ``chooser`` tells who (nobody, if there is nothing to
    decide), ``offers`` list what, each with the kinds of actions it has, and an action of the kinds in ``ends_with``
    leads on to the next phase.
    """

    name: str
    happens: "Callable[[Story], None] | None" = None
    chooser: "Callable[[Game], int | None] | None" = None
    offers: Mapping[Offer, tuple[type[Action], ...]] = {}
    ends_with: tuple[type[Action], ...] = ()


class Module(msgspec.Struct, frozen=True):
    """A part of the game that can be left out. Its fields are its state."""

    before_towns: ClassVar[tuple[Phase, ...]] = ()
    """Phases of the set-up that come before the starting towns."""

    after_towns: ClassVar[tuple[Phase, ...]] = ()
    """Phases of the set-up that come after the starting towns."""

    before_income: ClassVar[tuple[Phase, ...]] = ()
    """Phases that come first in every turn."""

    @classmethod
    def of(cls, game: "Game") -> Self:
        """The module of this kind as it stands in a game that is played with it."""
        return next(module for module in game.modules if isinstance(module, cls))

    def check(self, options: Options, board: Board, players: int, tiles: tuple[RegionTile, ...]) -> None:
        """Raise ``Refused`` if the options of the module make no game; ``tiles`` are the expansion's region tiles."""

    def draw(self, game: "Game") -> Sequence[GameFact]:
        """What is drawn at the very beginning, as facts with their seed."""
        return ()

    def lay_tiles(self, game: "Game") -> Sequence[GameFact] | None:
        """How the city and region tiles are laid instead of as printed; the first module with an answer decides."""
        return None

    def deal_bonus_tiles(self, game: "Game") -> Sequence[GameFact] | None:
        """What becomes of the bonus tiles instead of being dealt (R2.5)."""
        return None

    def offers(self, game: "Game") -> Iterable[Legal]:
        """Actions that are open in the current phase beside those of the phase itself."""
        return ()

    def permits(self, game: "Game", action: Action) -> Legal | None:
        """The say on an action that is allowed without being listed."""
        return None

    def decide(self, game: "Game", seat: int, action: Action) -> Sequence[GameFact] | None:
        """The facts of an allowed action that is the module's own."""
        return None

    def refuse(self, game: "Game", action: Action) -> "Refused | None":
        """Why an action that the module has a say in is not allowed."""
        return None

    def evolve(self, game: "Game", fact: GameFact) -> "Game":
        """The game after a fact, as far as the module's own state and its own facts are concerned."""
        return game

    def extra_free_spaces(self, game: "Game", seat: int) -> int:
        """Free spaces that count in a player's income beside those of phase 1 (R3.1)."""
        return 0

    def award(self, game: "Game", tile: RegionTile, value: int) -> tuple[int, int] | None:
        """Influence and dollars for the entry of a region tile whose kind is the module's own (R7.2)."""
        return None

    def region_gains(self, game: "Game", fact: RegionScored) -> Sequence[GameFact]:
        """What a region scoring brings beside influence and dollars."""
        return ()

    def notice(self, game: "Game") -> Sequence[GameFact]:
        """What follows, unasked, from the state of the game.

        Asked after each expansion, after each placed franchise together with the scoring it causes, and after each
        region scoring.
        """
        return ()
