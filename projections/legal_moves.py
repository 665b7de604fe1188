"""The legal moves: what the player who decides may do now, what it costs and what it would score."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.actions import Action, TakeDollars
from domain.game import Game
from domain.modules.base import WouldScore
from domain.rules import BONUS_DOLLARS, legal_actions


class LegalMove(msgspec.Struct, frozen=True, gc=False):
    """An action that is allowed now."""

    action: Annotated[Action, Meta(description="Send it as it is to play it.")]
    cost: Annotated[int, Meta(description="What has to be paid, in dollars.")]
    money_left: Annotated[int, Meta(description="The player's money after it.")]
    rule: Annotated[str, Meta(description="The number of the rule that allows it.")]
    would_score: Annotated[
        WouldScore | None,
        Meta(description="The city that the franchise placed by this action will score once the turn is ended."),
    ]


class LegalMoves(msgspec.Struct, frozen=True):
    """Every atomic action open to the player who decides, always in the same order.

    Two kinds are allowed without being listed: `resign`, which every player may do at any time, and with the
    Development tile longer paths than the cheapest.
    """

    version: Annotated[int, Meta(description="The version of the game that these moves belong to.")]
    phase: str
    turn: int
    to_play: Annotated[int | None, Meta(description="The seat that has to decide; null if nobody has to.")]
    money: Annotated[int | None, Meta(description="The money of that seat.")]
    moves: tuple[LegalMove, ...]


def legal_moves(version: int, game: Game | None) -> LegalMoves:
    """The moves open at a version; none while the table waits for players and once the game is over."""
    if game is None:
        return LegalMoves(version, "lobby", 0, None, None, ())
    money = None if game.to_play is None else game.players[game.to_play].money
    return LegalMoves(version, game.phase, game.turn.number, game.to_play, money, tuple(_moves(game, money or 0)))


def _moves(game: Game, money: int) -> Iterator[LegalMove]:
    for legal in legal_actions(game):
        gained = BONUS_DOLLARS if isinstance(legal.action, TakeDollars) else 0
        yield LegalMove(legal.action, legal.cost, money - legal.cost + gained, legal.rule, legal.would_score)
