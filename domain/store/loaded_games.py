"""Games in memory: what their streams fold to, and a cache of those used last."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import LRUCache

from domain.game import Game
from domain.store.database import Database
from domain.store.errors import UnknownGame, UnknownVersion
from domain.store.stored_events import select_after, select_up_to
from domain.stream import UnreadableEvent, VersionedEvent, at_of, digest_of, facts_of, version_of
from domain.table import Table
from domain.timeline import Timeline, follow

PAST_GAMES_CACHED = 100
"""The most games kept in memory as they were at an earlier version."""


class LoadedGame(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A game at a version of its stream.

    ``views`` caches what is derived from it, as bytes, and ``responses`` what these are sent in; both go with it.
    """

    id: UUID
    timeline: Timeline
    digest: bytes
    opened_at: str
    changed_at: str
    views: dict[str, bytes] = {}
    responses: dict[str, Any] = {}

    @property
    def version(self) -> int:
        """The version of the stream at which the game is seen."""
        return self.timeline.version

    @property
    def table(self) -> Table:
        """The table."""
        return self.timeline.table

    @property
    def game(self) -> Game | None:
        """The game, None before play has begun."""
        return self.timeline.game


class LoadedGames:
    """The games of a database, those used last in memory. Threads may share it."""

    def __init__(self, database: Database, games_cached: int) -> None:
        """Read from a database and cache at most so many games."""
        self._database = database
        # The key is the number that the id is: it is found in half the time.
        self._games: LRUCache[int, LoadedGame] = LRUCache(games_cached)
        self._past: LRUCache[tuple[int, int], LoadedGame] = LRUCache(PAST_GAMES_CACHED)

    def cached(self, game: UUID) -> LoadedGame | None:
        """Return the game as it was when it was last loaded or stored, None if it is not in memory."""
        loaded = self._find(game)
        return None if loaded is None or loaded.table.deleted else loaded

    def put(self, loaded: LoadedGame) -> None:
        """Keep a game in memory."""
        self._games.put(loaded.id.int, loaded)

    def load(self, game: UUID) -> LoadedGame:
        """Return the game as it is now, reading what was stored since it was cached; raise ``UnknownGame``."""
        loaded = self._find(game)
        rows = select_after(self._database, game, loaded.version if loaded else 0)
        if rows:
            loaded = _fold(game, rows, loaded)
            self.put(loaded)
        elif loaded is None and self._database.select(("SELECT 1 FROM heads WHERE game = ?", (game.hex,))):
            raise UnreadableEvent(1, "it is missing")
        if loaded is None or loaded.table.deleted:
            raise UnknownGame(game)
        return loaded

    def load_at(self, game: UUID, version: int) -> LoadedGame:
        """Return the game as it was at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        newest = self.load(game)
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownVersion(version, newest.version)
        with suppress(KeyError):
            return self._past.get((game.int, version))
        loaded = _fold(game, select_up_to(self._database, game, version))
        self.keep_past(loaded)
        return loaded

    def keep_past(self, loaded: LoadedGame) -> None:
        """Keep a game among those at earlier versions, under the version it has now."""
        self._past.put((loaded.id.int, loaded.version), loaded)

    def _find(self, game: UUID) -> LoadedGame | None:
        try:
            return self._games.get(game.int)
        except KeyError:
            return None


def _fold(game: UUID, rows: Sequence[VersionedEvent], loaded: LoadedGame | None = None) -> LoadedGame:
    """Return the game after these events, which follow those folded already."""
    version, newest = rows[-1]
    before = loaded.version if loaded else 0
    if not version == before + len(rows) == version_of(newest):
        raise UnreadableEvent(version, "events before it are missing")
    timeline, digest = _follow(loaded, rows)
    opened_at = loaded.opened_at if loaded else at_of(*rows[0])
    return LoadedGame(game, timeline, digest, opened_at, at_of(version, newest))


def _follow(loaded: LoadedGame | None, rows: Sequence[VersionedEvent]) -> tuple[Timeline, bytes]:
    """Fold events that may be damaged: facts that make no game are as unreadable as broken bytes."""
    try:
        return follow(loaded.timeline if loaded else None, facts_of(rows)), digest_of(rows[-1][1])
    except UnreadableEvent:
        raise
    except Exception as error:
        raise UnreadableEvent(rows[-1][0], f"it or one before it does not fit: {error!r}") from error
