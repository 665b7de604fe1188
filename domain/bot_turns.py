"""Find the bot that has to act."""

from domain.table import Seat
from domain.timeline import Timeline
from domain.undo import waiting_for


def bot_to_decide(timeline: Timeline) -> Seat | None:
    """Return the bot that has to answer an undo proposal or to play; None if no bot has to act.

    No bot plays while people still have to answer a proposal: an action would end the proposal.
    """
    table, game = timeline.table, timeline.game
    if not table.has_bots or table.deleted or game is None or game.ending is not None:
        return None
    seats = (game.to_play,) if table.proposal is None else waiting_for(table.proposal, game)
    return next((player for player in table.players if player.bot and player.seat in seats), None)
