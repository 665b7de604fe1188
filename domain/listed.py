"""A game as lists of games know it."""

from typing import NamedTuple
from uuid import UUID

import msgspec

from domain.table import Table


class Progress(NamedTuple):
    """Whose turn it is at a version, and when that was stored; no phase before the start."""

    version: int
    changed_at: str
    turn: int = 0
    phase: str | None = None
    to_play: int | None = None


class ListedGame(msgspec.Struct, frozen=True):
    """A game with its table, the times at which it was opened and last changed in the list, and its progress."""

    id: UUID
    table: Table
    opened: str
    changed: str
    progress: Progress
