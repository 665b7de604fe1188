"""The preview of a series of actions, none of which is played."""

from collections.abc import Sequence
from typing import Annotated, cast

import msgspec
from msgspec import Meta

from domain.decide import check_seat, decide
from domain.field_types import TurnNumber
from domain.game import Game
from domain.modules import Action, GameFact, Had, Needed, Reason
from domain.refused import Refused
from domain.table import Table
from domain.timeline import Timeline
from projections.effects import Effect, Standing, effects, standings, steps
from projections.names import names_at, player_names
from projections.phases import Phase, PhaseText
from projections.words import en


class PreviewStep(msgspec.Struct, frozen=True):
    """An action that would be allowed, and its consequences."""

    action: Action
    seat: Annotated[int, Meta(description="Who would take it.")]
    events: Annotated[
        tuple[GameFact, ...],
        Meta(description="The events it would cause, as they would stand in the stream but for version, time, digest."),
    ]
    effects: Annotated[tuple[Effect, ...], Meta(description="The same in words and numbers.")]
    money_left: Annotated[int, Meta(description="The money of that seat after it.")]


class PreviewRefusal(msgspec.Struct, frozen=True):
    """The refusal of an action; those after it were not looked at."""

    index: Annotated[int, Meta(description="Which of the actions, counted from 0.")]
    code: Annotated[str, Meta(description="The `code` of the problem that playing it would be answered with.")]
    reason: Annotated[
        Reason | None, Meta(description="Of an `illegal_action`: what makes it illegal, as in that problem; else null.")
    ]
    rule: Annotated[str, Meta(description="The number of the rule that forbids it, as at `/rules`.")]
    detail: Annotated[str, Meta(description="The same in a sentence.")]
    needed: Needed
    had: Had


class Preview(msgspec.Struct, frozen=True):
    """The consequences of the actions, up to the first that would be refused."""

    version: Annotated[int, Meta(description="The version of the game on which they were tried.")]
    steps: Annotated[tuple[PreviewStep, ...], Meta(description="One for each action that would be allowed.")]
    refused: Annotated[PreviewRefusal | None, Meta(description="Null if all of them would be allowed.")]
    turn: TurnNumber
    phase: Phase
    phase_text: PhaseText
    to_play: Annotated[int | None, Meta(description="Who would have to decide then.")]
    winners: Annotated[tuple[int, ...] | None, Meta(description="Null unless the game would be over.")]
    players: Annotated[tuple[Standing, ...], Meta(description="Where everybody would stand.")]


def preview(timeline: Timeline, game: Game, actions: Sequence[Action], seat: int | None = None) -> Preview:
    """Play actions one after the other until one is refused.

    They are all taken by the seat; without a seat, each by the player who has to decide then.
    """
    table = timeline.table
    played: list[PreviewStep] = []
    refused = None
    for index, action in enumerate(actions):
        try:
            step, game = _play(table, game, action, seat)
        except Refused as refusal:
            detail = en.refusal_text(player_names(table), refusal)
            needed, had = cast(Needed, refusal.needed), cast(Had, refusal.had)  # with the fields of modules
            refused = PreviewRefusal(index, refusal.code, refusal.reason, refusal.rule, detail, needed, had)
            break
        played.append(step)
    return Preview(
        version=timeline.version,
        steps=tuple(played),
        refused=refused,
        turn=game.turn.number,
        phase=game.phase,
        phase_text=en.PHASES[game.phase],
        to_play=game.to_play,
        winners=game.ending.winners if game.ending else None,
        players=standings(game),
    )


def _play(table: Table, game: Game, action: Action, seat: int | None) -> tuple[PreviewStep, Game]:
    """Play an action; raise ``Refused`` if it is not allowed."""
    seat = check_seat(game, action, seat)
    decision = decide(game, action, seat)
    seen = effects(names_at(table, game.board), steps(game, decision.facts))
    money = decision.game.players[seat].money
    return PreviewStep(action, seat, decision.facts, seen, money), decision.game
