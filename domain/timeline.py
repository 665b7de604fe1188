"""The fold of a whole stream: the table, the game, and the moments to which an undo may go back.

``Undone`` and ``Redone`` say that the game is again as it was at an earlier version. Since games are values, each
moment is kept as it was, and going back to it costs nothing, however long the game is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, cast, get_args

import msgspec
from msgspec.structs import replace

from domain.clock import Clock, time_used
from domain.evolve import evolve, new_game
from domain.game import Game
from domain.modules import ActionTaken, Fact, GameFact, GameStarted, TableFact
from domain.table import TABLE_CHANGES, Table, change_table, new_table
from domain.table_facts import GameForked, GameImported, Redone, Undone


class Moment(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The game at rest at a version, the seat whose action led there, and the moment before that action.

    ``first`` is the version of the first event that led there. ``jump`` is a moment further back, so that any one
    before, of which there are ``depth``, is found in few steps (the skip lists of Myers, 1983).
    """

    version: int
    first: int
    game: Game
    seat: int | None = None
    earlier: "Moment | None" = None
    depth: int = 0
    jump: "Moment | None" = None

    def __repr__(self) -> str:
        return f"Moment({self.version}, depth={self.depth})"

    @property
    def versions(self) -> range:
        """The versions of the events that led there from the moment before."""
        return range(self.first, self.version + 1)


class Timeline(msgspec.Struct, frozen=True, gc=False):
    """The fold of a stream up to ``version``: the table, the present moment, and those that a redo leads to."""

    version: int
    table: Table
    now: Moment | None = None
    undone: tuple[Moment, ...] = ()
    clock: Clock = Clock()

    @property
    def game(self) -> Game | None:
        """The game as it stands, None before it has begun."""
        return self.now.game if self.now else None

    @property
    def moments(self) -> Iterator[Moment]:
        """The moments before each action in force, the latest first."""
        return earlier_moments(self.now)


class LostMoment(ValueError):
    """A fact goes back to a version at which the game was not at rest."""

    def __init__(self, version: int, to: int) -> None:
        super().__init__(f"event {version} goes back to version {to}, at which the game was not at rest")
        self.version = version


def earlier_moments(moment: Moment | None) -> Iterator[Moment]:
    """Return the moments before this one, the latest first."""
    while moment is not None and moment.earlier is not None:
        moment = moment.earlier
        yield moment


def moment_at_version(moment: Moment, version: int) -> Moment | None:
    """Return the newest moment of a chain at or before a version, None if there is none."""
    found: Moment | None = moment
    while found is not None and found.version > version:
        found = found.jump if found.jump and found.jump.version >= version else found.earlier
    return found


def moment_at_depth(moment: Moment, depth: int) -> Moment:
    """Return the moment of a chain that has so many before it."""
    while moment.depth > depth and moment.earlier is not None:
        moment = moment.jump if moment.jump and moment.jump.depth >= depth else moment.earlier
    return moment


def common_moment(timeline: Timeline, version: int) -> Moment | None:
    """Return the newest moment that was in force at a version and still is, None if there is none.

    Undos go back along the chain of moments and actions extend it. A redo brings back what was taken back last, so a
    moment that is older than a version may not have been in force then: it was if it came after the last undo before.
    """
    if timeline.now is None or not version:
        return None
    last, before = version, None
    for restored in reversed(timeline.table.restored):
        if restored.version <= version:
            before = restored
            break
        last = min(last, restored.to)
    found = moment_at_version(timeline.now, last)
    if found is not None and before is not None and found.first < before.version:
        return moment_at_version(found, before.to)
    return found


def moment_of(timeline: Timeline, version: int) -> Moment | None:
    """Return the moment at a version if it is in force, or could be put back."""
    for latest in (timeline.now, *timeline.undone[:1]):
        found = moment_at_version(latest, version) if latest else None
        if found is not None and found.version == version:
            return found
    return None


def next_moment(earlier: Moment | None, first: int, version: int, game: Game, seat: int | None) -> Moment:
    """Return the moment to which the events from the first one up to a version lead."""
    if earlier is None:
        return Moment(version, first, game, seat)
    jump = earlier.jump
    if jump is not None and jump.jump is not None and earlier.depth - jump.depth == jump.depth - jump.jump.depth:
        jump = jump.jump
    else:
        jump = earlier
    return Moment(version, first, game, seat, earlier, earlier.depth + 1, jump)


def follow(timeline: Timeline | None, facts: Iterable[Fact], times: Iterable[str] = ()) -> Timeline:
    """Return the timeline after more facts, stored at these times if the clock matters.

    Without a timeline the facts are a stream from its beginning.
    """
    timed = zip(facts, chain(times, repeat("")), strict=False)
    if timeline is None:
        opened, at = next(timed)
        timeline = Timeline(version=1, table=new_table(opened), clock=Clock(at))
    fold = _Fold(timeline)
    fold.add(timed)
    return fold.timeline()


def follow_action(timeline: Timeline, facts: Sequence[GameFact], game: Game, at: str) -> Timeline:
    """Return the timeline after an action that led to this game, without folding its facts again."""
    table, action, now = timeline.table, facts[0], timeline.now
    if now is None or not isinstance(action, ActionTaken):
        raise TypeError("an action of a game that is being played begins with ActionTaken")
    for version, fact in enumerate(facts, timeline.version + 1):
        table = change_table(table, version, fact)
    version, before = timeline.version + len(facts), now.game
    since, used = timeline.clock.since, time_used(timeline.clock, before.to_play, at)
    if game.to_play is None:
        since = None
    elif game.to_play != before.to_play or game.turn.number != before.turn.number or not before.turn.number:
        since = at
    moment = next_moment(now, timeline.version + 1, version, game, action.seat)
    return Timeline(version, table, moment, clock=Clock(at, since, used))


def _waited_for(game: Game) -> tuple[int | None, int]:
    return game.to_play, game.turn.number


class _Fold:
    """A timeline while facts are added to it."""

    def __init__(self, timeline: Timeline) -> None:
        self.version, self.table, self.undone = timeline.version, timeline.table, timeline.undone
        self.restored = list(timeline.table.restored)
        self.game: Game | None = None
        self.at, self.first, self.seat, self.earlier = 0, 0, cast(int | None, None), cast(Moment | None, None)
        self.clock, self.decided_at, self.waited_for = (
            timeline.clock,
            timeline.clock.at,
            cast(tuple[int | None, int] | None, None),
        )
        if timeline.now is not None:
            self.go_to(timeline.now)
            self.waited_for = _waited_for(timeline.now.game)

    def go_to(self, moment: Moment) -> None:
        """Go on from a moment."""
        self.at, self.first, self.game = moment.version, moment.first, moment.game
        self.seat, self.earlier = moment.seat, moment.earlier

    def now(self) -> Moment | None:
        """Return the present moment, None before play has begun."""
        return None if self.game is None else next_moment(self.earlier, self.first, self.at, self.game, self.seat)

    def timeline(self) -> Timeline:
        """Return the timeline after all facts that were added."""
        table = replace(self.table, restored=tuple(self.restored)) if self.restored else self.table
        self.end_decision()
        return Timeline(self.version, table, self.now(), self.undone, self.clock)

    def add(self, timed: Iterable[tuple[Fact, str]]) -> None:
        """Fold the next facts of the stream, most of which do no more than change the game."""
        for fact, at in timed:
            self.version += 1
            if at != self.clock.at:
                to_play = (
                    None if self.game is None or isinstance(fact, GameForked | GameImported) else self.game.to_play
                )
                self.clock = Clock(at, self.clock.since, time_used(self.clock, to_play, at))
            step = _STEPS.get(type(fact))
            if step is not None:
                step(self, fact)
            elif self.game is not None:
                self.game, self.at = evolve(self.game, cast(GameFact, fact)), self.version

    def change_table(self, fact: Fact) -> None:
        """Change the table by a fact, if it is one that does so."""
        self.table = change_table(self.table, self.version, fact)

    def end_decision(self) -> None:
        """Note the time of the last decision if another one has to be made since."""
        if self.game is None or self.waited_for == (waited_for := _waited_for(self.game)):
            return
        self.waited_for = waited_for
        self.clock = replace(self.clock, since=None if self.game.to_play is None else self.decided_at)

    def begin_decision(self, *, waited_for: bool = True) -> None:
        """Begin a decision; unless somebody is waited for already, a new wait begins with it."""
        self.end_decision()
        self.decided_at = self.clock.at
        if not waited_for:
            self.waited_for = None

    def copy(self, fact: GameForked | GameImported) -> None:
        """Go on in a copy: the time until it was made is nobody's."""
        self.begin_decision(waited_for=False)
        self.change_table(fact)

    def start(self, fact: GameStarted) -> None:
        """Begin the game."""
        self.begin_decision(waited_for=False)
        self.change_table(fact)
        self.game, self.first, self.at = new_game(fact), self.version, self.version

    def act(self, fact: ActionTaken) -> None:
        """Fold the first fact of a decision, after which what was undone cannot come back."""
        if self.game is not None:
            self.begin_decision(waited_for=self.game.turn.number > 0)
            self.earlier = self.now()
            self.seat, self.first, self.undone = fact.seat, self.version, ()
        self.change_both(fact)

    def change_both(self, fact: GameFact) -> None:
        """Fold a fact of the game that the table shows too."""
        self.change_table(fact)
        if self.game is not None:
            self.game, self.at = evolve(self.game, fact), self.version

    def go_back(self, fact: Undone | Redone) -> None:
        """Fold an undo or a redo."""
        self.begin_decision()
        self.change_table(fact)
        # They are gathered here, since to copy all before at each would take the square of their number.
        self.restored.append(self.table.restored[-1])
        self.table = replace(self.table, restored=())
        if isinstance(fact, Undone):
            self.undo(fact.to)
        else:
            self.redo(fact.to)

    def undo(self, to: int) -> None:
        """Go back to the moment at a version, or raise ``LostMoment``."""
        now = self.now()
        moment = None if now is None or now.earlier is None else moment_at_version(now.earlier, to)
        if now is None or moment is None or moment.version != to:
            raise LostMoment(self.version, to)
        self.undone = (*self.undone, now)
        self.go_to(moment)

    def redo(self, to: int) -> None:
        """Go to the moment before the last undo, or raise ``LostMoment`` if that is another version."""
        if not self.undone or self.undone[-1].version != to:
            raise LostMoment(self.version, to)
        self.go_to(self.undone[-1])
        self.undone = self.undone[:-1]


_STEPS: dict[type, Callable[[_Fold, Any], None]] = {
    **dict.fromkeys(TABLE_CHANGES, _Fold.change_both),
    **dict.fromkeys(get_args(TableFact), _Fold.change_table),
    GameStarted: _Fold.start,
    ActionTaken: _Fold.act,
    GameForked: _Fold.copy,
    GameImported: _Fold.copy,
    Undone: _Fold.go_back,
    Redone: _Fold.go_back,
}
"""The facts that do more than change the game, or do not change it."""
