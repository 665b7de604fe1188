"""The fold of a whole stream: the table, the game, and the moments to which an undo may go back.

``Undone`` and ``Redone`` return the game to an earlier version. All moments are kept, because games are immutable. So
an undo costs nothing, even in a long game.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, cast, get_args

import msgspec
from msgspec.structs import replace

from domain.clock import Clock, interrupt, renew, settle, time_used
from domain.evolve import evolve, new_game
from domain.game import Game
from domain.modules import ActionTaken, Fact, GameFact, GameStarted, TableFact
from domain.table import TABLE_CHANGES, Table, change_table, new_table
from domain.table_facts import (
    GameForked,
    GameImported,
    Redone,
    SeatHandedOver,
    SeatTakenBack,
    UndoAnswered,
    Undone,
    UndoProposed,
)


class Moment(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The game after an action, the seat that took it, and the moment before it.

    ``first`` is the version of the action's first event. ``depth`` is the number of earlier moments. ``jump`` is an
    earlier moment, further back: with it any earlier moment is found in few steps (skip lists of Myers, 1983).
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
        """The versions of the events between the earlier moment and this one."""
        return range(self.first, self.version + 1)


class Timeline(msgspec.Struct, frozen=True, gc=False):
    """The fold of a stream: the table, the present moment, and the undone moments, the last undone one at the end."""

    version: int
    table: Table
    now: Moment | None = None
    undone: tuple[Moment, ...] = ()
    clock: Clock = Clock()

    @property
    def game(self) -> Game | None:
        """The game at the present moment, None before the start."""
        return self.now.game if self.now else None

    @property
    def moments(self) -> Iterator[Moment]:
        """The moments before each action in force, latest first."""
        return earlier_moments(self.now)


class LostMoment(ValueError):
    """An undo or a redo to a version at which no decision was complete."""

    def __init__(self, version: int, to: int) -> None:
        super().__init__(f"event {version} goes back to version {to}, at which no decision was complete")
        self.version = version


def earlier_moments(moment: Moment | None) -> Iterator[Moment]:
    """Return the moments before this one, latest first."""
    while moment is not None and moment.earlier is not None:
        moment = moment.earlier
        yield moment


def moment_at_version(moment: Moment, version: int) -> Moment | None:
    """Return the newest moment at or before a version, None if all are later."""
    found: Moment | None = moment
    while found is not None and found.version > version:
        found = found.jump if found.jump and found.jump.version >= version else found.earlier
    return found


def moment_at_depth(moment: Moment, depth: int) -> Moment:
    """Return the earlier moment with this depth."""
    while moment.depth > depth and moment.earlier is not None:
        moment = moment.jump if moment.jump and moment.jump.depth >= depth else moment.earlier
    return moment


def common_moment(timeline: Timeline, version: int) -> Moment | None:
    """Return the newest moment that was in force at a version and still is, None without one.

    Undos go back along the chain of moments, actions extend it. A redo restores moments that were undone last. So a
    moment with an older version was not necessarily in force at the version: it was if it came after the last undo
    before.
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
    """Return the moment at a version if it is in force or can be restored by a redo."""
    for latest in (timeline.now, *timeline.undone[:1]):
        found = moment_at_version(latest, version) if latest else None
        if found is not None and found.version == version:
            return found
    return None


def next_moment(earlier: Moment | None, first: int, version: int, game: Game, seat: int | None) -> Moment:
    """Return the moment after the events between two versions."""
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
    """Return the timeline after an action whose game is known, without folding its facts again."""
    table, action, now = timeline.table, facts[0], timeline.now
    if now is None or not isinstance(action, ActionTaken):
        raise TypeError("an action of a game that is being played begins with ActionTaken")
    for version, fact in enumerate(facts, timeline.version + 1):
        table = change_table(table, version, fact)
    version, before = timeline.version + len(facts), now.game
    clock = timeline.clock
    since, extra, used = clock.since, clock.extra, time_used(clock, before.to_play, at)
    if game.to_play is None:
        since, extra = None, 0
    elif game.to_play != before.to_play or game.turn.number != before.turn.number or not before.turn.number:
        since, extra = at, 0
    elif clock.proposed is not None:
        extra = settle(replace(clock, at=at), table.options.turn_limit).extra
    moment = next_moment(now, timeline.version + 1, version, game, action.seat)
    return Timeline(version, table, moment, clock=Clock(at, since, used, extra))


def _waited_for(game: Game) -> tuple[int | None, int]:
    return game.to_play, game.turn.number


class _Fold:
    """A mutable timeline for folding many facts."""

    def __init__(self, timeline: Timeline) -> None:
        self.version, self.table, self.undone = timeline.version, timeline.table, timeline.undone
        self.restored = list(timeline.table.restored)
        self.game: Game | None = None
        self.at, self.first, self.seat, self.earlier = 0, 0, cast(int | None, None), cast(Moment | None, None)
        self.clock, self.decided_at, self.continued = timeline.clock, timeline.clock.at, 0
        self.waited_for = cast(tuple[int | None, int] | None, None)
        if timeline.now is not None:
            self.go_to(timeline.now)
            self.waited_for = _waited_for(timeline.now.game)

    def go_to(self, moment: Moment) -> None:
        self.at, self.first, self.game = moment.version, moment.first, moment.game
        self.seat, self.earlier = moment.seat, moment.earlier

    def now(self) -> Moment | None:
        return None if self.game is None else next_moment(self.earlier, self.first, self.at, self.game, self.seat)

    def timeline(self) -> Timeline:
        table = replace(self.table, restored=tuple(self.restored)) if self.restored else self.table
        self.end_decision()
        return Timeline(self.version, table, self.now(), self.undone, self.clock)

    def add(self, timed: Iterable[tuple[Fact, str]]) -> None:
        """Fold the next facts. Most of them change only the game."""
        for fact, at in timed:
            self.version += 1
            if at != self.clock.at:
                to_play = (
                    None if self.game is None or isinstance(fact, GameForked | GameImported) else self.game.to_play
                )
                self.clock = replace(self.clock, at=at, used=time_used(self.clock, to_play, at))
            step = _STEPS.get(type(fact))
            if step is not None:
                step(self, fact)
            elif self.game is not None:
                self.game, self.at = evolve(self.game, cast(GameFact, fact)), self.version

    def change_table(self, fact: Fact) -> None:
        self.table = change_table(self.table, self.version, fact)

    def end_decision(self) -> None:
        """Begin a new wait if the last decision has changed the turn or the player."""
        continued, self.continued = self.continued, 0
        if self.game is None or self.waited_for == (waited_for := _waited_for(self.game)):
            return
        self.waited_for = waited_for
        since = None if self.game.to_play is None else self.decided_at
        self.clock = replace(self.clock, since=since, extra=-continued)

    def begin_decision(self, *, waited_for: bool = True) -> None:
        """Begin a decision. Without ``waited_for``, a new wait begins after it in any case."""
        self.end_decision()
        self.decided_at = self.clock.at
        if not waited_for:
            self.waited_for = None

    def copy(self, fact: GameForked | GameImported) -> None:
        """Continue in a copy. The time before the copy was made counts for nobody."""
        self.begin_decision(waited_for=False)
        proposed = None if self.clock.proposed is None else self.clock.at
        self.clock = replace(self.clock, proposed=proposed, interrupted={})
        self.change_table(fact)

    def start(self, fact: GameStarted) -> None:
        """Begin the game."""
        self.begin_decision(waited_for=False)
        self.change_table(fact)
        self.game, self.first, self.at = new_game(fact), self.version, self.version

    def act(self, fact: ActionTaken) -> None:
        """Fold the first fact of a decision. It makes a redo impossible."""
        if self.game is not None:
            self.begin_decision(waited_for=self.game.turn.number > 0)
            self.earlier = self.now()
            self.seat, self.first, self.undone = fact.seat, self.version, ()
            self.settle()
            self.clock = replace(self.clock, interrupted={})
        self.change_both(fact)

    def propose(self, fact: UndoProposed) -> None:
        """Stop the limit of ``to_play`` while the others have to answer."""
        self.end_decision()
        self.change_table(fact)
        self.clock = replace(self.clock, proposed=self.clock.at)

    def answer(self, fact: UndoAnswered) -> None:
        self.change_table(fact)
        if self.table.proposal is None:
            self.settle()

    def come_back(self, fact: SeatTakenBack | SeatHandedOver) -> None:
        """Give a player who is back, or new, the whole limit."""
        self.end_decision()
        self.change_table(fact)
        if self.game is not None and self.game.to_play == fact.seat:
            self.clock = renew(self.clock)

    def settle(self) -> None:
        if self.clock.proposed is not None:
            self.clock = settle(self.clock, self.table.options.turn_limit)

    def change_both(self, fact: GameFact) -> None:
        self.change_table(fact)
        if self.game is not None:
            self.game, self.at = evolve(self.game, fact), self.version

    def go_back(self, fact: Undone | Redone) -> None:
        """Fold an undo or a redo. It continues the wait of the moment to which it leads, if there was one."""
        self.begin_decision()
        self.settle()
        self.change_table(fact)
        # appended to a list here: a new tuple for each undo would take quadratic time
        self.restored.append(self.table.restored[-1])
        self.table = replace(self.table, restored=())
        self.clock = interrupt(self.clock, self.at)
        if isinstance(fact, Undone):
            self.undo(fact.to)
        else:
            self.redo(fact.to)
        self.continued = self.clock.interrupted.get(self.at, 0)

    def undo(self, to: int) -> None:
        """Go back to the moment at a version, or raise ``LostMoment``."""
        now = self.now()
        moment = None if now is None or now.earlier is None else moment_at_version(now.earlier, to)
        if now is None or moment is None or moment.version != to:
            raise LostMoment(self.version, to)
        self.undone = (*self.undone, now)
        self.go_to(moment)

    def redo(self, to: int) -> None:
        """Go to the moment before the last undo, or raise ``LostMoment`` if it has another version."""
        if not self.undone or self.undone[-1].version != to:
            raise LostMoment(self.version, to)
        self.go_to(self.undone[-1])
        self.undone = self.undone[:-1]


_STEPS: dict[type, Callable[[_Fold, Any], None]] = {
    **dict.fromkeys(TABLE_CHANGES, _Fold.change_both),
    **dict.fromkeys(get_args(TableFact), _Fold.change_table),
    GameStarted: _Fold.start,
    ActionTaken: _Fold.act,
    UndoProposed: _Fold.propose,
    UndoAnswered: _Fold.answer,
    SeatTakenBack: _Fold.come_back,
    SeatHandedOver: _Fold.come_back,
    GameForked: _Fold.copy,
    GameImported: _Fold.copy,
    Undone: _Fold.go_back,
    Redone: _Fold.go_back,
}
"""The folds of facts that do more than change the game, or do not change it."""
