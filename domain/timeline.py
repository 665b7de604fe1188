"""The fold of a whole stream: the table, the game, and the moments to which an undo may go back.

Undo truncates: ``Undone`` and ``Redone`` say that the game is again as it was at an earlier version. Since games are
values, a moment is kept as it was and going back to it costs nothing, however long the game is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast, get_args

import msgspec

from domain.evolve import evolve, new_game
from domain.game import Game
from domain.modules import ActionTaken, Fact, GameFact, GameStarted, TableFact
from domain.table import Table, change_table, in_table, open_table
from domain.table_facts import Redone, Undone

_TABLE_FACTS = frozenset(get_args(TableFact))


class Moment(msgspec.Struct, frozen=True, gc=False):
    """The game at rest, after the event ``version`` and before an action of ``seat``."""

    version: int
    game: Game
    seat: int
    earlier: "Moment | None"


class Position(msgspec.Struct, frozen=True, gc=False):
    """A game, the version it stood at, and the moments before it, the latest first."""

    version: int
    game: Game
    moments: Moment | None = None

    def actions(self) -> Iterator[Moment]:
        """The moments before each action in force, going back."""
        moment = self.moments
        while moment is not None:
            yield moment
            moment = moment.earlier


class Timeline(msgspec.Struct, frozen=True, gc=False):
    """All that a stream tells up to ``version``: the table, where the game stands, and what may be put back."""

    version: int
    table: Table
    position: Position | None = None
    undone: tuple[Position, ...] = ()

    @property
    def game(self) -> Game | None:
        """The game as it stands, None before it has begun."""
        return self.position.game if self.position else None


class LostMoment(ValueError):
    """A fact goes back to a version at which the game was not at rest."""

    def __init__(self, version: int, to: int) -> None:
        super().__init__(f"event {version} goes back to version {to}, at which the game was not at rest")
        self.version = version


def follow(timeline: Timeline | None, facts: Iterable[Fact]) -> Timeline:
    """The timeline after more facts; without a timeline the facts are a stream from its beginning."""
    story = iter(facts)
    if timeline is None:
        timeline = Timeline(version=1, table=open_table(next(story)))
    follower = _Follower(timeline)
    for fact in story:
        follower.take(fact)
    return follower.timeline()


def follow_action(timeline: Timeline, facts: Sequence[GameFact], game: Game) -> Timeline:
    """The timeline after an action whose outcome is known, so that its facts need not be folded again."""
    table, here = timeline.table, timeline.position
    taken = facts[0]
    if here is None or not isinstance(taken, ActionTaken):
        raise TypeError("an action of a game that is being played begins with ActionTaken")
    for version, fact in enumerate(facts, timeline.version + 1):
        if in_table(fact):
            table = change_table(table, version, fact)
    version = timeline.version + len(facts)
    moment = Moment(here.version, here.game, taken.seat, here.moments)
    return Timeline(version, table, Position(version, game, moment))


class _Follower:
    """A timeline on its way from fact to fact."""

    __slots__ = ("at", "game", "moments", "table", "undone", "version")

    def __init__(self, timeline: Timeline) -> None:
        self.version, self.table, self.undone = timeline.version, timeline.table, timeline.undone
        self.stand_at(timeline.position)

    def stand_at(self, position: Position | None) -> None:
        """Go on from here."""
        self.game = position.game if position else None
        self.at = position.version if position else 0
        self.moments = position.moments if position else None

    def position(self) -> Position | None:
        """Where the game stands now."""
        return Position(self.at, self.game, self.moments) if self.game is not None else None

    def timeline(self) -> Timeline:
        """All that has been followed so far."""
        return Timeline(self.version, self.table, self.position(), self.undone)

    def take(self, fact: Fact) -> None:
        """Follow one fact."""
        self.version += 1
        if in_table(fact):
            self.table = change_table(self.table, self.version, fact)
            if isinstance(fact, Undone):
                self.go_back(fact.to)
            elif isinstance(fact, Redone):
                self.put_back(fact.to)
        if type(fact) not in _TABLE_FACTS:
            self.play(cast(GameFact, fact))

    def play(self, fact: GameFact) -> None:
        """The game goes on."""
        if isinstance(fact, GameStarted):
            self.game = new_game(fact)
        elif self.game is not None:
            if isinstance(fact, ActionTaken):
                self.moments = Moment(self.at, self.game, fact.seat, self.moments)
                self.undone = ()
            self.game = evolve(self.game, fact)
        self.at = self.version

    def go_back(self, to: int) -> None:
        """The game is again as it was before an action."""
        here = self.position()
        moment = next((m for m in here.actions() if m.version == to), None) if here else None
        if here is None or moment is None:
            raise LostMoment(self.version, to)
        self.undone = (*self.undone, here)
        self.stand_at(Position(to, moment.game, moment.earlier))

    def put_back(self, to: int) -> None:
        """The game is again as it was before the last undo."""
        if not self.undone or self.undone[-1].version != to:
            raise LostMoment(self.version, to)
        self.stand_at(self.undone[-1])
        self.undone = self.undone[:-1]
