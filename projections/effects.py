"""The effects of facts on a game, in words and in numbers."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.evolve import evolve
from domain.game import Game
from domain.modules import GameFact
from projections.names import Names
from projections.targets import fact_targets
from projections.words import en


class Change(msgspec.Struct, frozen=True, gc=False):
    """A change of a player's money and influence. Negative numbers are payments."""

    seat: int
    money: Annotated[int, Meta(description="The change of the money, in dollars.")]
    influence: Annotated[int, Meta(description="The change of the influence, in influence points (IP).")]


class Effect(msgspec.Struct, frozen=True, gc=False):
    """A single effect of an action."""

    type: Annotated[str, Meta(description="The type of the event that records it.")]
    text: Annotated[str, Meta(description="The effect in a sentence.")]
    changes: Annotated[
        tuple[Change, ...],
        Meta(description="The changes of money and influence. Players without a change are omitted."),
    ]
    targets: Annotated[tuple[str, ...], Meta(description="The ids of the places and regions where it happened.")]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """The money and the influence of a player."""

    seat: int
    money: Annotated[int, Meta(description="The money in dollars.")]
    influence: Annotated[int, Meta(description="The influence points (IP).")]


class Step(msgspec.Struct, frozen=True):
    """A fact with the game before and after it."""

    before: Game
    fact: GameFact
    after: Game


def steps(game: Game, facts: Iterable[GameFact]) -> Iterator[Step]:
    """Fold facts into a game one by one."""
    for fact in facts:
        before, game = game, evolve(game, fact)
        yield Step(before, fact, game)


def effects(names: Names, done: Iterable[Step]) -> tuple[Effect, ...]:
    """Return the effects of the facts that have a sentence."""
    return tuple(_effects(names, done))


def standings(game: Game) -> tuple[Standing, ...]:
    return tuple(Standing(seat, player.money, player.influence) for seat, player in enumerate(game.players))


def _effects(names: Names, done: Iterable[Step]) -> Iterator[Effect]:
    for step in done:
        text = en.sentence_for(names, step.before, step.fact)
        if text:
            yield Effect(str(step.fact.__struct_config__.tag), text, tuple(_changes(step)), fact_targets(step.fact))


def _changes(step: Step) -> Iterator[Change]:
    for seat, (before, after) in enumerate(zip(step.before.players, step.after.players, strict=True)):
        money, influence = after.money - before.money, after.influence - before.influence
        if money or influence:
            yield Change(seat, money, influence)
