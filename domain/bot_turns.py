"""The bot that has to do something now."""

from domain.table import Seat
from domain.timeline import Timeline
from domain.undo import waiting_for


def bot_to_decide(timeline: Timeline) -> Seat | None:
    """Return the bot that has to answer the open proposal, or to play if there is none; None if nobody or a person has.

    As long as people have to answer a proposal, no bot plays: an action would end the proposal.
    """
    table, game = timeline.table, timeline.game
    if not table.has_bots or table.deleted or game is None or game.ending is not None:
        return None
    seats = (game.to_play,) if table.proposal is None else waiting_for(table.proposal, game)
    return next((player for player in table.players if player.bot and player.seat in seats), None)
