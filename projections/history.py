"""The history: the whole game as a person would read it, one line an action."""

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
from projections.words import Names, names_at


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
    """How a turn, or the set-up, began."""

    turn: Annotated[int, Meta(description="Counted from 1; 0 is the set-up.")]
    seat: Annotated[int | None, Meta(description="Whose turn it is; null for the set-up.")]
    name: Annotated[str | None, Meta(description="Of that player.")]
    version: Annotated[
        int, Meta(description="The last event of its opening; an undo of all its actions goes back to here.")
    ]
    opening: Annotated[tuple[Effect, ...], Meta(description="What happened by itself at its beginning.")]


class History(msgspec.Struct, frozen=True):
    """A game told action by action and turn by turn; what was taken back is not in it."""

    items: Annotated[tuple[HistoryLine, ...], Meta(description="One an action; the last one of a turn ends it.")] = ()
    turns: Annotated[tuple[HistoryTurn, ...], Meta(description="The turns that the lines belong to, by number.")] = ()


class _Decision(msgspec.Struct, frozen=True):
    """An action with its consequences, up to a version; the first of a game is its beginning, without an action."""

    action: ActionTaken | None
    version: int
    steps: tuple[Step, ...]

    @property
    def own(self) -> tuple[Step, ...]:
        """What belongs to the turn of the action."""
        return tuple(takewhile(lambda step: not isinstance(step.fact, TurnStarted), self.steps))

    @property
    def next_opening(self) -> tuple[Step, ...]:
        """What opens the turn after it, if the action was the last one of a turn."""
        return self.steps[len(self.own) :]


def history(table: Table, story: Sequence[Recorded]) -> History:
    """The story of a game from its effective events; empty before the start."""
    decisions = tuple(_decisions(story))
    if not decisions:
        return History()
    names = names_at(table, decisions[0].steps[0].after)
    lines = (_line(names, decision, decision.action) for decision in decisions if decision.action is not None)
    return History(tuple(lines), tuple(_turns(names, decisions)))


def _turns(names: Names, decisions: tuple[_Decision, ...]) -> Iterator[HistoryTurn]:
    """The set-up, then each turn."""
    beginning = decisions[0]
    yield HistoryTurn(0, None, None, beginning.version, effects(names, beginning.own))
    for decision in decisions:
        if opening := decision.next_opening:
            turn = opening[0].after.turn
            name = names.players[turn.seat]
            yield HistoryTurn(turn.number, turn.seat, name, decision.version, effects(names, opening))


def _line(names: Names, decision: _Decision, taken: ActionTaken) -> HistoryLine:
    before, after = decision.steps[0].before, decision.steps[-1].after
    told = effects(names, decision.own)
    return HistoryLine(
        version=decision.version,
        turn=before.turn.number,
        seat=taken.seat,
        name=names.players[taken.seat],
        action=taken.action,
        text=" ".join(effect.text for effect in told),
        effects=told,
        money=after.players[taken.seat].money,
        influence=after.players[taken.seat].influence,
        players=standings(after),
    )


def _decisions(story: Sequence[Recorded]) -> Iterator[_Decision]:
    """The events of the game, split before each action."""
    facts = [recorded.fact for recorded in story if not isinstance(recorded.fact, TableFact)]
    versions = [recorded.version for recorded in story if not isinstance(recorded.fact, TableFact)]
    if not facts or not isinstance(facts[0], GameStarted):
        return
    taken: ActionTaken | None = None
    decided: list[Step] = []
    last = 0
    for version, step in zip(versions, steps(new_game(facts[0]), facts), strict=True):
        if isinstance(step.fact, ActionTaken):
            yield _Decision(taken, last, tuple(decided))
            taken, decided = step.fact, []
        decided.append(step)
        last = version
    yield _Decision(taken, last, tuple(decided))
