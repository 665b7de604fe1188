"""Games in memory: what their streams fold to, and a cache of those used last."""

from collections.abc import Sequence
from itertools import count
from threading import Lock
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.game import Game
from domain.store.byte_cache import ByteCache
from domain.store.database import Database
from domain.store.errors import UnknownGame, UnknownVersion
from domain.store.streams import missing_event, select_news, select_rows, select_up_to
from domain.stream import (
    BrokenChain,
    UnreadableEvent,
    VersionedEvent,
    at_of,
    digest_of,
    facts_of,
    removed_at,
    split_row,
    verify,
    version_of,
)
from domain.table import Table
from domain.timeline import Timeline, follow

GAME_BYTES = 4_000
EVENT_BYTES = 500
"""The bytes of a game in memory, and those that each event adds (measured: 200 to 520)."""

CHECKPOINT_EVENTS = 500
"""The number of events between the versions at which a game is kept for those who ask how it was."""


class LoadedGame(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A game at a version of its stream.

    ``views`` caches what is derived from it, as bytes, and ``responses`` what these are sent in, each with a ``body``.
    ``reading`` is the same for all versions that go back to one reading of the first event: those of one stream.
    """

    id: UUID
    timeline: Timeline
    digest: bytes
    opened_at: str
    changed_at: str
    views: dict[str, bytes] = {}
    responses: dict[str, Any] = {}
    reading: int = msgspec.field(default_factory=count(1).__next__)

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


class CacheUse(msgspec.Struct, frozen=True):
    """The games in memory, the bytes that they take and may take, and how often a game was there or had to be read."""

    games: int
    bytes_kept: int
    most_bytes: int
    hits: int
    misses: int


class LoadedGames:
    """The games of a database, those used last in memory. Threads may share it."""

    def __init__(self, database: Database, cache_bytes: int) -> None:
        """Read from a database and keep games of about so many bytes."""
        self._database = database
        # The newest game under the number that its id is, found in half the time; others by their reading and version.
        self._games: ByteCache[int | tuple[int, int], LoadedGame] = ByteCache(cache_bytes)
        self._checkpoints: ByteCache[int, tuple[LoadedGame, ...]] = ByteCache(cache_bytes // 4)
        self._hits = self._misses = 0
        self._missing = Lock()

    @property
    def use(self) -> CacheUse:
        """The use of the cache; a game counts as a miss when it is read from its first event on."""
        most = self._games.most + self._checkpoints.most
        return CacheUse(len(self._games), self.bytes_kept, most, self._hits, self._misses)

    @property
    def bytes_kept(self) -> int:
        """The bytes that all games in memory take, about."""
        return self._games.size + self._checkpoints.size

    def cached(self, game: UUID) -> LoadedGame | None:
        """Return the game as it was when it was last loaded or stored, None if it is not in memory.

        Only the event loop asks, so that hits are counted without a lock.
        """
        loaded = self._games.get(game.int)
        if loaded is None or loaded.table.deleted:
            return None
        self._hits += 1
        return loaded

    def put(self, loaded: LoadedGame) -> None:
        """Keep a game in memory."""
        self._games.put(loaded.id.int, loaded, _size(loaded, loaded.version))

    def measure(self, loaded: LoadedGame) -> None:
        """Measure again how much memory a game takes, whose views have become more, unless a newer one is there."""
        if self._games.get(loaded.id.int) is loaded:
            self.put(loaded)

    def load(self, game: UUID) -> LoadedGame:
        """Return the game as it is now, reading what was stored since it was cached; raise ``UnknownGame``.

        It is read from its first event on if it was restored: if the stream is not the one that was cached.
        """
        loaded = self._games.get(game.int)
        rows = select_news(self._database, game, loaded.version, loaded.digest) if loaded else None
        if rows is None:
            loaded, rows = None, select_up_to(self._database, game)
        if rows and (removed := removed_at(rows[-1][1])):
            self._games.drop(game.int)
            raise UnknownGame(game, removed)
        if rows and loaded is None:
            with self._missing:
                self._misses += 1
        if rows:
            loaded = _fold(game, rows, loaded)
        if loaded is None:
            self._games.drop(game.int)
            raise self._no_events(game)
        self._games.put(game.int, loaded, _size(loaded, loaded.version))  # also if only its views have become more
        if loaded.table.deleted:
            raise UnknownGame(game)
        return loaded

    def _no_events(self, game: UUID) -> Exception:
        """Return the error of a game without events: it is unknown, or all of them are missing."""
        if self._database.select(("SELECT 1 FROM heads WHERE game = ?", (game.hex,))):
            return UnreadableEvent(1, "it is missing")
        return UnknownGame(game)

    def load_at(self, game: UUID, version: int) -> LoadedGame:
        """Return the game as it was at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        newest = self.load(game)
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownVersion(version, newest.version)
        loaded = self._games.get((newest.reading, version)) or self._fold_up_to(game, version, newest.reading)
        self.keep_past(loaded)
        return loaded

    def keep_past(self, loaded: LoadedGame) -> None:
        """Keep a game among those at earlier versions, under the version it has now."""
        self._games.put((loaded.reading, loaded.version), loaded, _size(loaded, CHECKPOINT_EVENTS))

    def _fold_up_to(self, game: UUID, version: int, reading: int) -> LoadedGame:
        """Fold the events after the checkpoint before a version, and keep the checkpoints on the way."""
        checkpoints = self._checkpoints.get(reading) or ()
        loaded = next((each for each in reversed(checkpoints) if each.version <= version), None)
        new: list[LoadedGame] = []
        events: list[VersionedEvent] = []
        for row in select_rows(self._database, game, loaded.version if loaded else 0, version):
            events += split_row(*row)
            if len(events) >= CHECKPOINT_EVENTS and events[-1][0] <= version:
                loaded, events = replace(_fold(game, events, loaded), reading=reading), []
                new.append(loaded)
        events = [event for event in events if event[0] <= version]
        if new:
            all_ = {each.version: each for each in (*checkpoints, *new)}
            self._checkpoints.put(reading, tuple(all_[each] for each in sorted(all_)), max(all_) * EVENT_BYTES)
        if events:
            return replace(_fold(game, events, loaded), reading=reading)
        if loaded is None or loaded.version < version:
            raise missing_event(self._database, game, version)
        return replace(loaded, views={}, responses={})


def _size(loaded: LoadedGame, events: int) -> int:
    """Return the bytes that a game takes in memory, about, if so many events are kept for it alone."""
    responses = tuple(loaded.responses.values())  # other threads may add some meanwhile
    rendered = sum(map(len, loaded.views.values())) + sum(len(each.body) for each in responses)
    return GAME_BYTES + EVENT_BYTES * events + rendered


def _fold(game: UUID, rows: Sequence[VersionedEvent], loaded: LoadedGame | None = None) -> LoadedGame:
    """Return the game after these events, which follow those folded already."""
    version, newest = rows[-1]
    before = loaded.version if loaded else 0
    if not version == before + len(rows) == version_of(newest):
        raise UnreadableEvent(version, "events before it are missing")
    if loaded is None:
        _require_first_as_written(game, rows[0][1])
    timeline, digest = _follow(loaded, rows)
    if loaded is None:
        return LoadedGame(game, timeline, digest, at_of(*rows[0]), at_of(version, newest))
    return LoadedGame(game, timeline, digest, loaded.opened_at, at_of(version, newest), reading=loaded.reading)


def _require_first_as_written(game: UUID, event: bytes) -> None:
    """Raise ``UnreadableEvent`` if the first event was changed: it says whether the game is private."""
    try:
        verify(str(game), [event])
    except BrokenChain as broken:
        raise UnreadableEvent(1, f"its {broken.what} shows that it was changed") from broken


def _follow(loaded: LoadedGame | None, rows: Sequence[VersionedEvent]) -> tuple[Timeline, bytes]:
    """Fold events that may be damaged: facts that make no game are as unreadable as broken bytes."""
    try:
        return follow(loaded.timeline if loaded else None, facts_of(rows)), digest_of(rows[-1][1])
    except UnreadableEvent:
        raise
    except Exception as error:
        raise UnreadableEvent(rows[-1][0], f"it or one before it does not fit: {error!r}") from error
