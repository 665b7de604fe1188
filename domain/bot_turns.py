"""Find the seats that have to decide, and the bot that has to act."""

from typing import Literal, NamedTuple

from domain.field_types import BotKind
from domain.timeline import Timeline
from domain.undo import waiting_for


class BotTurn(NamedTuple):
    """A seat for which a bot has to act, its own or that of an absent player."""

    seat: int
    bot: BotKind
    by: Literal["bot", "stand_in"]


def seats_to_decide(timeline: Timeline) -> tuple[int, ...]:
    """Return the seats that have to answer a proposal, or the one that has to play."""
    table, game = timeline.table, timeline.game
    if table.deleted or game is None or game.to_play is None:
        return ()
    return (game.to_play,) if table.proposal is None else waiting_for(table.proposal, game)


def bot_to_decide(timeline: Timeline) -> BotTurn | None:
    """Return the bot that has to answer a proposal or to play; None if no bot has to act.

    No bot plays while people still have to answer a proposal: an action would end the proposal.
    """
    table = timeline.table
    if not table.has_bots:
        return None
    bots = {player.seat: BotTurn(player.seat, player.bot, "bot") for player in table.players if player.bot}
    bots |= {seat: BotTurn(seat, bot, "stand_in") for seat, bot in table.stand_ins.items()}
    return next((bots[seat] for seat in seats_to_decide(timeline) if seat in bots), None)
