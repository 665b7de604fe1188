"""The ending of a game, with its sentence."""

from typing import Annotated

from msgspec import Meta

from domain import state
from domain.table import Table
from projections.names import player_names
from projections.words import en


class Ending(state.Ending, frozen=True):
    """The reason of the end, and the winners."""

    text: Annotated[str, Meta(description="The ending in a sentence.")]


def ending_of(table: Table, ending: state.Ending) -> Ending:
    names = player_names(table)
    winners = [names[seat] for seat in ending.winners]
    text = en.ending_text(ending.reason, ending.decided_by, winners)
    return Ending(ending.reason, ending.winners, ending.decided_by, text)
