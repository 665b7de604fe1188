"""The preview of a series of actions, which is not played."""

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
    """An action that would be legal, and its consequences."""

    action: Action
    seat: Annotated[int, Meta(description="The seat that would take it.")]
    events: Annotated[
        tuple[GameFact, ...],
        Meta(description="The events that it would cause, in their stored form without `version`, `at` and `digest`."),
    ]
    effects: Annotated[tuple[Effect, ...], Meta(description="The events in words and numbers.")]
    money_left: Annotated[int, Meta(description="The money of that seat after the action.")]


class PreviewRefusal(msgspec.Struct, frozen=True):
    """The first action that would be refused. Later actions are not tried."""

    index: Annotated[int, Meta(description="The index of the action in the request, from 0.")]
    code: Annotated[str, Meta(description="The `code` of the problem that the action would cause.")]
    reason: Annotated[Reason | None, Meta(description="The `reason` of an `illegal_action`; null for other codes.")]
    rule: Annotated[str, Meta(description="The number of the rule that forbids the action; `/rules` has the text.")]
    detail: Annotated[str, Meta(description="The reason in a sentence.")]
    needed: Needed
    had: Had


class Preview(msgspec.Struct, frozen=True):
    """The consequences of the actions, up to the first one that would be refused."""

    version: Annotated[int, Meta(description="The version of the game from which the preview starts.")]
    steps: Annotated[tuple[PreviewStep, ...], Meta(description="One step for each action that would be legal.")]
    refused: Annotated[PreviewRefusal | None, Meta(description="Null if all actions would be legal.")]
    turn: TurnNumber
    phase: Phase
    phase_text: PhaseText
    to_play: Annotated[
        int | None, Meta(description="The seat that would have to decide next; null if the game would be over.")
    ]
    winners: Annotated[tuple[int, ...] | None, Meta(description="The winners; null unless the game would be over.")]
    players: Annotated[
        tuple[Standing, ...], Meta(description="The money and the influence of all players after the steps.")
    ]


def preview(timeline: Timeline, game: Game, actions: Sequence[Action], seat: int | None = None) -> Preview:
    """Play actions in order until one is refused.

    ``seat`` takes all of them. Without a seat, the player who has to decide takes each action.
    """
    table = timeline.table
    played: list[PreviewStep] = []
    refused = None
    for index, action in enumerate(actions):
        try:
            step, game = _play(table, game, action, seat)
        except Refused as refusal:
            detail = en.refusal_text(player_names(table), refusal)
            needed, had = cast(Needed, refusal.needed), cast(Had, refusal.had)  # including the fields of modules
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
    seat = check_seat(game, action, seat)
    decision = decide(game, action, seat)
    seen = effects(names_at(table, game.board), steps(game, decision.facts))
    money = decision.game.players[seat].money
    return PreviewStep(action, seat, decision.facts, seen, money), decision.game
