"""A game as an entry of the lobby."""

from typing import NamedTuple

import msgspec

from domain.table import Table


class Progress(NamedTuple):
    """The turn, the player to decide or the winners at a version. ``phase`` is None before the start.

    ``late`` are the players who have to decide by ``deadline``.
    """

    version: int
    changed_at: str
    turn: int = 0
    phase: str | None = None
    to_play: int | None = None
    winners: tuple[int, ...] | None = None
    waiting_since: str | None = None
    deadline: str | None = None
    late: tuple[int, ...] = ()


class LobbyEntry(msgspec.Struct, frozen=True):
    """An entry of the lobby: the table, the times of its opening and its last change, and the progress of the game.

    ``id`` is the id of the game in hexadecimal.
    """

    id: str
    table: Table
    opened: str
    changed: str
    progress: Progress
