"""The history of a game page by page, with one line per action.

A page is made from its own moments and the game before them. Its cost does not depend on the length of the game or on
the number of undos.
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
from domain.timeline import Moment, moment_at_depth
from projections.effects import Effect, Standing, Step, effects, standings, steps
from projections.names import Names, names_at
from projections.versions import ViewVersion
from projections.words import en
from projections.words.en.views import Note

MAX_NOTES = 1000


class HistoryLine(msgspec.Struct, frozen=True):
    """An action and its effects."""

    version: Annotated[int, Meta(description="The version after the action. An undo can return to it (`to`).")]
    at: Annotated[Time, Meta(description="When the action was stored.")]
    turn: Annotated[int, Meta(description="The number of the turn, from 1; 0 in the set-up.")]
    seat: Annotated[int, Meta(description="The seat that acted.")]
    name: Annotated[str, Meta(description="The name of the player who acted.")]
    by: ActedBy
    action: Action
    text: Annotated[str, Meta(description="All effects in sentences.")]
    effects: Annotated[
        tuple[Effect, ...],
        Meta(
            description="The effects of the action in order. The effects that open the next turn are in `opening` of "
            "that turn."
        ),
    ]
    money: Annotated[int, Meta(description="The money of the seat that acted, after the action.")]
    influence: Annotated[int, Meta(description="The influence of the seat that acted, after the action.")]
    players: Annotated[
        tuple[Standing, ...], Meta(description="The money and the influence of all players after the action.")
    ]


class HistoryTurn(msgspec.Struct, frozen=True):
    """The opening of a turn or of the set-up."""

    turn: Annotated[int, Meta(description="The number of the turn, from 1; 0 for the set-up.")]
    seat: Annotated[int | None, Meta(description="The seat whose turn it is; null for the set-up.")]
    name: Annotated[str | None, Meta(description="The name of that player; null for the set-up.")]
    version: Annotated[
        int, Meta(description="The version after the opening. To undo the whole turn, return to it (`to`).")
    ]
    opening: Annotated[
        tuple[Effect, ...], Meta(description="The automatic effects at the beginning of the turn, such as income.")
    ]


class HistoryNote(msgspec.Struct, frozen=True):
    """A change of the table during play that undo does not take back."""

    version: int
    at: Annotated[Time, Meta(description="When the change was stored.")]
    text: Annotated[str, Meta(description="The change in a sentence.")]


class GameHistory(msgspec.Struct, frozen=True):
    """The actions of a game that are in force, page by page. Actions that were taken back are omitted."""

    version: ViewVersion
    after: Annotated[
        int,
        Meta(
            description="The version of the last line before this page; 0 if the page begins with the set-up. Delete "
            "any lines you have with a later version: their actions were taken back."
        ),
    ] = 0
    items: Annotated[
        tuple[HistoryLine, ...],
        Meta(description="One line per action in force, in order. The last line of a turn is the action that ends it."),
    ] = ()
    turns: Annotated[
        tuple[HistoryTurn, ...], Meta(description="The set-up and the turns that begin on this page, in order.")
    ] = ()
    notes: Annotated[
        tuple[HistoryNote, ...],
        Meta(
            description="Changes of the table between the lines of this page, such as renewals of tokens and absent "
            "players, in order of versions; at most the newest 1,000."
        ),
    ] = ()
    next: Annotated[str | None, Meta(description="The `cursor` of the next page; null on the last page.")] = None


class HistoryPage(msgspec.Struct, frozen=True):
    """The moments on a page, the moment before them, and whether another page follows."""

    before: Moment | None = None
    moments: tuple[Moment, ...] = ()
    more: bool = False

    @property
    def versions(self) -> list[range]:
        """The versions of the events on the page."""
        return [moment.versions for moment in self.moments]


def history_page(now: Moment | None, before: Moment | None, limit: int) -> HistoryPage:
    """Return the page with at most ``limit`` actions after the moment ``before``; empty before the start."""
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
    """Return the versions of facts for notes between two versions; the newest ones if there are too many."""
    first = bisect_right(table.kept, after, key=lambda kept: kept.version)
    end = bisect_right(table.kept, last, key=lambda kept: kept.version)
    return [range(kept.version, kept.version + 1) for kept in table.kept[max(first, end - MAX_NOTES) : end]]


def history_notes(table: Table, events: Sequence[Recorded]) -> tuple[HistoryNote, ...]:
    names = {kept.version: kept.name for kept in table.kept}
    return tuple(
        HistoryNote(event.version, event.at, en.note_text(event.fact, names[event.version]))
        for event in events
        if isinstance(event.fact, Note)
    )


def history(
    version: int,
    table: Table,
    page: HistoryPage,
    events: Sequence[Recorded],
    cursor: str | None = None,
    notes: tuple[HistoryNote, ...] = (),
) -> GameHistory:
    """Return a page of the history at a version from its events. ``cursor`` is the one of the next page."""
    if not page.moments:
        return GameHistory(version, page.before.version if page.before else 0, notes=notes)
    actions = tuple(_actions(table, page, events))
    return GameHistory(
        version=version,
        after=page.before.version if page.before else 0,
        items=tuple(_line(table, action, action.taken) for action in actions if action.taken is not None),
        turns=tuple(_turns(actions)),
        notes=notes,
        next=cursor,
    )


class _Action(msgspec.Struct, frozen=True):
    """An action with its consequences and the names then. The first one of a game is its start, without an action."""

    names: Names
    taken: ActionTaken | None
    version: int
    at: str
    steps: tuple[Step, ...]

    @property
    def own(self) -> tuple[Step, ...]:
        """The steps until the next turn begins."""
        return tuple(takewhile(lambda step: not isinstance(step.fact, TurnStarted), self.steps))

    @property
    def next_opening(self) -> tuple[Step, ...]:
        """The steps that open the next turn, if the action ended a turn."""
        return self.steps[len(self.own) :]


def _actions(table: Table, page: HistoryPage, events: Sequence[Recorded]) -> Iterator[_Action]:
    """Group the events by the moments to which they lead."""
    remaining, board = iter(events), page.moments[0].game.board
    names = names_at(table, board)
    before = page.before.game if page.before else None
    for moment in page.moments:
        recorded = list(islice(remaining, len(moment.versions)))
        facts: list[GameFact] = [event.fact for event in recorded]  # type: ignore[misc]
        first = facts[0]
        if before is None and isinstance(first, GameStarted):
            before = new_game(first)
        taken = first if isinstance(first, ActionTaken) else None
        if before is not None:
            then = names_at(table, board, moment.version) if table.former else names
            yield _Action(then, taken, moment.version, recorded[0].at, tuple(steps(before, facts)))
        before = moment.game


def _turns(actions: tuple[_Action, ...]) -> Iterator[HistoryTurn]:
    beginning = actions[0]
    if beginning.taken is None:
        yield HistoryTurn(0, None, None, beginning.version, effects(beginning.names, beginning.own))
    for action in actions:
        if opening := action.next_opening:
            turn = opening[0].after.turn
            name = action.names.players[turn.seat]
            yield HistoryTurn(turn.number, turn.seat, name, action.version, effects(action.names, opening))


def _line(table: Table, action: _Action, taken: ActionTaken) -> HistoryLine:
    before, after = action.steps[0].before, action.steps[-1].after
    own, by = effects(action.names, action.own), acted_by(table, taken.seat, taken.by)
    return HistoryLine(
        version=action.version,
        at=action.at,
        turn=before.turn.number,
        seat=taken.seat,
        name=action.names.players[taken.seat],
        by=by,
        action=taken.action,
        text=en.line_text((effect.text for effect in own), by),
        effects=own,
        money=after.players[taken.seat].money,
        influence=after.players[taken.seat].influence,
        players=standings(after),
    )
