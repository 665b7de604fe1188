"""The words for links to the page of a game."""

import msgspec

from domain.timeline import Timeline
from projections.names import player_names
from projections.pictures.description import heading
from projections.words import en


class LinkPreview(msgspec.Struct, frozen=True):
    """The title and the description of a game, and the words for the picture of its board."""

    title: str
    description: str
    picture: str


def link_preview(timeline: Timeline) -> LinkPreview:
    names, state, game = player_names(timeline.table), heading(timeline), timeline.game
    influence = [(names[seat], game.players[seat].influence) for seat in game.seats] if game else []
    return LinkPreview(
        en.pages.game_title(timeline.table.status, list(names.values())),
        en.pages.game_description(state, influence),
        en.pictures.board_title(state),
    )
