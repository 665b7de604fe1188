"""A hint: a bot's advice for the player who has to decide."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.bots.evaluation import chances
from domain.bots.weights import CALIBRATED
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action
from domain.timeline import Timeline
from projections.names import Names, names_at
from projections.versions import ViewVersion
from projections.words import en


class Hint(msgspec.Struct, frozen=True):
    """The action that a bot would take for the player who has to decide, and the reasons."""

    version: ViewVersion
    to_play: Annotated[int, Meta(description="The seat that has to decide.")]
    bot: Annotated[BotKind, Meta(description="The kind of bot that gives the hint.")]
    action: Annotated[Action, Meta(description="The action. Send it unchanged to play it.")]
    text: Annotated[str, Meta(description="The action in words.")]
    rule: Annotated[str, Meta(description="The number of the rule that allows the action.")]
    why: Annotated[str, Meta(description="The reasons in sentences.")]


def hint(timeline: Timeline, game: Game, bot: BotKind, action: Action) -> Hint:
    """Return the hint to take a legal action."""
    names, to_play = names_at(timeline.table, game.board), game.to_play or 0
    legal = next(each for each in legal_actions(game) if each.action == action)
    why = " ".join(_reasons(names, game, legal, to_play))
    return Hint(timeline.version, to_play, bot, action, en.action_text(names, game, legal), legal.rule, why)


def _reasons(names: Names, game: Game, legal: Legal[Action], to_play: int) -> Iterator[str]:
    number, score = len(legal_actions(game)), legal.would_score
    if number == 1:
        yield en.ONLY_ACTION
        return
    yield en.best_action(number)
    if score is not None:
        yield en.city_would_score(names.places[score.city], names.players[score.winner], score.influence)
    yield en.chance_of_winning(names.players[to_play], chances(game, CALIBRATED)[to_play])
