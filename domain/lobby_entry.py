"""A game as lists of games know it."""

from typing import NamedTuple

import msgspec

from domain.table import Table


class Progress(NamedTuple):
    """The turn, the player to decide or the winners at a version, and its time; no phase before the start."""

    version: int
    changed_at: str
    turn: int = 0
    phase: str | None = None
    to_play: int | None = None
    winners: tuple[int, ...] | None = None
    waiting_since: str | None = None


class LobbyEntry(msgspec.Struct, frozen=True):
    """A game by its id in hexadecimal: its table, when it was opened and last changed in the list, its progress."""

    id: str
    table: Table
    opened: str
    changed: str
    progress: Progress
