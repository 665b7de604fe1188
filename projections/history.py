"""The history of a game, one line an action, page by page.

A page is made from the moments on it and the game before the first of them, so that it costs what it holds, however
long the game is and however much of it was taken back.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.evolve import new_game
from domain.facts import TurnStarted
from domain.field_types import ActedBy, Time
from domain.modules import Action, ActionTaken, GameFact, GameStarted
from domain.stream import Recorded
from domain.table import Table, acted_by
from domain.table_facts import TokenRenewed
from domain.timeline import Moment, moment_at_depth
from projections.effects import Effect, Standing, Step, effects, standings, steps
from projections.names import Names, names_at
from projections.versions import ViewVersion
from projections.words import en

MAX_NOTES = 1000


class HistoryLine(msgspec.Struct, frozen=True):
    """An action and what it did."""

    version: Annotated[int, Meta(description="The last event that followed from it; an undo may go back to here.")]
    at: Annotated[Time, Meta(description="When it was stored.")]
    turn: Annotated[int, Meta(description="Counted from 1; 0 in the set-up.")]
    seat: Annotated[int, Meta(description="Whose action it was.")]
    name: Annotated[str, Meta(description="Of the player.")]
    by: ActedBy
    action: Action
    text: Annotated[str, Meta(description="The sentences of all effects.")]
    effects: Annotated[
        tuple[Effect, ...],
        Meta(description="What it did, one by one. What opens the next turn stands there as `opening`."),
    ]
    money: Annotated[int, Meta(description="Of the seat that acted, at this version.")]
    influence: Annotated[int, Meta(description="Of the seat that acted, at this version.")]
    players: Annotated[tuple[Standing, ...], Meta(description="Where everybody stands at this version.")]


class HistoryTurn(msgspec.Struct, frozen=True):
    """The beginning of a turn or of the set-up."""

    turn: Annotated[int, Meta(description="Counted from 1; 0 is the set-up.")]
    seat: Annotated[int | None, Meta(description="Whose turn it is; null for the set-up.")]
    name: Annotated[str | None, Meta(description="Of that player.")]
    version: Annotated[
        int, Meta(description="The last event of its opening; an undo of all its actions goes back to here.")
    ]
    opening: Annotated[tuple[Effect, ...], Meta(description="What happened by itself at its beginning.")]


class HistoryNote(msgspec.Struct, frozen=True):
    """Something about the table that happened during play and that no undo takes back."""

    version: int
    at: Annotated[Time, Meta(description="When it was stored.")]
    text: Annotated[str, Meta(description="In words.")]


class GameHistory(msgspec.Struct, frozen=True):
    """A game action by action and turn by turn, without the actions that were taken back."""

    version: ViewVersion
    after: Annotated[
        int,
        Meta(
            description="The version of the line before the first one here, or of the set-up; 0 if this begins with "
            "the set-up. If you have lines of later versions, they were taken back."
        ),
    ] = 0
    items: Annotated[tuple[HistoryLine, ...], Meta(description="One an action; the last one of a turn ends it.")] = ()
    turns: Annotated[
        tuple[HistoryTurn, ...], Meta(description="The set-up and the turns that begin on this page, by number.")
    ] = ()
    notes: Annotated[
        tuple[HistoryNote, ...],
        Meta(description="Renewed tokens, by version: those between the lines of this page; the newest 1,000 at most."),
    ] = ()
    next: Annotated[str | None, Meta(description="The `cursor` of the following page, null if this is the last.")] = (
        None
    )


class HistoryPage(msgspec.Struct, frozen=True):
    """The moments of a page in their order, the moment before them, and whether more follow."""

    before: Moment | None = None
    moments: tuple[Moment, ...] = ()
    more: bool = False

    @property
    def versions(self) -> list[range]:
        """The versions of the events that the page is made from."""
        return [moment.versions for moment in self.moments]


def history_page(now: Moment | None, before: Moment | None, limit: int) -> HistoryPage:
    """Return the page of at most so many actions up to now after the moment before; empty before the start."""
    if now is None:
        return HistoryPage()
    last = moment_at_depth(now, (before.depth if before else 0) + limit)
    moments: list[Moment] = []
    moment: Moment | None = last
    while moment is not None and moment is not before:
        moments.append(moment)
        moment = moment.earlier
    return HistoryPage(before, tuple(reversed(moments)), more=last is not now)


def note_versions(table: Table, after: int, last: int) -> list[range]:
    """Return the versions of the facts between two versions that the history notes, the newest if there are many."""
    first = bisect_right(table.kept, after, key=lambda kept: kept.version)
    end = bisect_right(table.kept, last, key=lambda kept: kept.version)
    return [range(kept.version, kept.version + 1) for kept in table.kept[max(first, end - MAX_NOTES) : end]]


def history_notes(table: Table, events: Sequence[Recorded]) -> tuple[HistoryNote, ...]:
    """Return the notes of these events."""
    names = {kept.version: kept.name for kept in table.kept}
    return tuple(
        HistoryNote(event.version, event.at, en.renewal_text(event.fact.by, names[event.version]))
        for event in events
        if isinstance(event.fact, TokenRenewed)
    )


def history(
    version: int,
    table: Table,
    page: HistoryPage,
    events: Sequence[Recorded],
    cursor: str | None = None,
    notes: tuple[HistoryNote, ...] = (),
) -> GameHistory:
    """Return a page of the history at a version from its events, with the cursor of the page after it."""
    if not page.moments:
        return GameHistory(version, page.before.version if page.before else 0, notes=notes)
    names = names_at(table, page.moments[0].game.board)
    actions = tuple(_actions(page, events))
    return GameHistory(
        version=version,
        after=page.before.version if page.before else 0,
        items=tuple(_line(table, names, action, action.taken) for action in actions if action.taken is not None),
        turns=tuple(_turns(names, actions)),
        notes=notes,
        next=cursor,
    )


class _Action(msgspec.Struct, frozen=True):
    """An action with its consequences, up to a version; the first of a game is its beginning, without an action."""

    taken: ActionTaken | None
    version: int
    at: str
    steps: tuple[Step, ...]

    @property
    def own(self) -> tuple[Step, ...]:
        """The steps that belong to the turn of the action."""
        return tuple(takewhile(lambda step: not isinstance(step.fact, TurnStarted), self.steps))

    @property
    def next_opening(self) -> tuple[Step, ...]:
        """The steps that open the next turn, if the action was the last one of a turn."""
        return self.steps[len(self.own) :]


def _actions(page: HistoryPage, events: Sequence[Recorded]) -> Iterator[_Action]:
    """Split the events by the moments that they lead to."""
    remaining = iter(events)
    before = page.before.game if page.before else None
    for moment in page.moments:
        recorded = list(islice(remaining, len(moment.versions)))
        facts: list[GameFact] = [event.fact for event in recorded]  # type: ignore[misc]
        first = facts[0]
        if before is None and isinstance(first, GameStarted):
            before = new_game(first)
        taken = first if isinstance(first, ActionTaken) else None
        if before is not None:
            yield _Action(taken, moment.version, recorded[0].at, tuple(steps(before, facts)))
        before = moment.game


def _turns(names: Names, actions: tuple[_Action, ...]) -> Iterator[HistoryTurn]:
    beginning = actions[0]
    if beginning.taken is None:
        yield HistoryTurn(0, None, None, beginning.version, effects(names, beginning.own))
    for action in actions:
        if opening := action.next_opening:
            turn = opening[0].after.turn
            name = names.players[turn.seat]
            yield HistoryTurn(turn.number, turn.seat, name, action.version, effects(names, opening))


def _line(table: Table, names: Names, action: _Action, taken: ActionTaken) -> HistoryLine:
    before, after = action.steps[0].before, action.steps[-1].after
    own, by = effects(names, action.own), acted_by(table, taken.seat, taken.by)
    return HistoryLine(
        version=action.version,
        at=action.at,
        turn=before.turn.number,
        seat=taken.seat,
        name=names.players[taken.seat],
        by=by,
        action=taken.action,
        text=en.line_text((effect.text for effect in own), by),
        effects=own,
        money=after.players[taken.seat].money,
        influence=after.players[taken.seat].influence,
        players=standings(after),
    )
