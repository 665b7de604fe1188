"""The history of a game, one line an action."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.evolve import new_game
from domain.facts import TurnStarted
from domain.modules import Action, ActionTaken, GameStarted, TableFact
from domain.stream import Recorded
from domain.table import Table
from projections.effects import Effect, Standing, Step, effects, standings, steps
from projections.wording import Names, names_at


class HistoryLine(msgspec.Struct, frozen=True):
    """An action and what it did."""

    version: Annotated[int, Meta(description="The last event that followed from it; an undo may go back to here.")]
    turn: Annotated[int, Meta(description="Counted from 1; 0 in the set-up.")]
    seat: Annotated[int, Meta(description="Whose action it was.")]
    name: Annotated[str, Meta(description="Of the player.")]
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


class History(msgspec.Struct, frozen=True):
    """A game action by action and turn by turn, without the actions that were taken back."""

    items: Annotated[tuple[HistoryLine, ...], Meta(description="One an action; the last one of a turn ends it.")] = ()
    turns: Annotated[tuple[HistoryTurn, ...], Meta(description="The turns that the lines belong to, by number.")] = ()


class _Action(msgspec.Struct, frozen=True):
    """An action with its consequences, up to a version; the first of a game is its beginning, without an action."""

    taken: ActionTaken | None
    version: int
    steps: tuple[Step, ...]

    @property
    def own(self) -> tuple[Step, ...]:
        """The steps that belong to the turn of the action."""
        return tuple(takewhile(lambda step: not isinstance(step.fact, TurnStarted), self.steps))

    @property
    def next_opening(self) -> tuple[Step, ...]:
        """The steps that open the next turn, if the action was the last one of a turn."""
        return self.steps[len(self.own) :]


def history(table: Table, events: Sequence[Recorded]) -> History:
    """Return the history of a game from its effective events; empty before the start."""
    actions = tuple(_actions(events))
    if not actions:
        return History()
    names = names_at(table, actions[0].steps[0].after)
    lines = (_line(names, action, action.taken) for action in actions if action.taken is not None)
    return History(tuple(lines), tuple(_turns(names, actions)))


def _turns(names: Names, actions: tuple[_Action, ...]) -> Iterator[HistoryTurn]:
    beginning = actions[0]
    yield HistoryTurn(0, None, None, beginning.version, effects(names, beginning.own))
    for action in actions:
        if opening := action.next_opening:
            turn = opening[0].after.turn
            name = names.players[turn.seat]
            yield HistoryTurn(turn.number, turn.seat, name, action.version, effects(names, opening))


def _line(names: Names, action: _Action, taken: ActionTaken) -> HistoryLine:
    before, after = action.steps[0].before, action.steps[-1].after
    own = effects(names, action.own)
    return HistoryLine(
        version=action.version,
        turn=before.turn.number,
        seat=taken.seat,
        name=names.players[taken.seat],
        action=taken.action,
        text=" ".join(effect.text for effect in own),
        effects=own,
        money=after.players[taken.seat].money,
        influence=after.players[taken.seat].influence,
        players=standings(after),
    )


def _actions(events: Sequence[Recorded]) -> Iterator[_Action]:
    """Split the events of the game before each action."""
    facts = [event.fact for event in events if not isinstance(event.fact, TableFact)]
    versions = [event.version for event in events if not isinstance(event.fact, TableFact)]
    if not facts or not isinstance(facts[0], GameStarted):
        return
    taken: ActionTaken | None = None
    done: list[Step] = []
    last = 0
    for version, step in zip(versions, steps(new_game(facts[0]), facts), strict=True):
        if isinstance(step.fact, ActionTaken):
            yield _Action(taken, last, tuple(done))
            taken, done = step.fact, []
        done.append(step)
        last = version
    yield _Action(taken, last, tuple(done))
