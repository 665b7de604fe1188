"""A game held in memory: all that its stream tells, so that nothing is read twice."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from domain.game import Game
from domain.stream import UnreadableEvent, at_of, digest_of, facts_of, version_of
from domain.table import Table
from domain.timeline import Timeline, follow
from domain.undo import waiting_for

Row = tuple[int, bytes]


class Held(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A game at a version of its stream; ``views`` is for what others derive from it and drop with it."""

    id: UUID
    timeline: Timeline
    digest: bytes
    opened: str
    changed: str
    views: dict[str, bytes] = {}

    @property
    def version(self) -> int:
        """The version of the stream at which the game is looked at."""
        return self.timeline.version

    @property
    def table(self) -> Table:
        """The table."""
        return self.timeline.table

    @property
    def game(self) -> Game | None:
        """The game, None before it has begun."""
        return self.timeline.game

    @property
    def waiting(self) -> tuple[int, ...]:
        """The players whose answer to a proposed undo is missing."""
        proposal, game = self.table.proposal, self.game
        return waiting_for(proposal, game) if proposal and game else ()


def hold(game: UUID, rows: Sequence[Row], held: Held | None = None) -> Held:
    """The game after these stored events, which follow what is held of it already."""
    version, newest = rows[-1]
    before = held.version if held else 0
    if not version == before + len(rows) == version_of(newest):
        raise UnreadableEvent(version, "events before it are missing")
    timeline = _follow(held, rows)
    opened = held.opened if held else at_of(*rows[0])
    return Held(game, timeline, digest_of(newest), opened, at_of(version, newest))


def _follow(held: Held | None, rows: Sequence[Row]) -> Timeline:
    """Fold events that may have been tampered with: facts that make no game are as unreadable as broken bytes."""
    try:
        return follow(held.timeline if held else None, facts_of(rows))
    except UnreadableEvent:
        raise
    except Exception as error:
        raise UnreadableEvent(rows[-1][0], f"it or one before it does not fit: {error!r}") from error
