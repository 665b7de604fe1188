"""Games in memory: the folds of their streams, and a cache."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import count, starmap
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.absence import deadline_of, late_seats
from domain.game import Game
from domain.lobby_entry import Progress
from domain.store import tokens
from domain.store.database import Database
from domain.store.errors import UnknownGame, UnknownVersion
from domain.store.streams import has_head, is_stored, missing_event, select_new_events, select_rows, select_up_to
from domain.store.tokens import TokenHolder
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

K = TypeVar("K")
V = TypeVar("V")

GAME_BYTES = 4_000
EVENT_BYTES = 500
"""The size of a game in memory, and the size of each further event (measured: 200 to 520)."""

CHECKPOINT_EVENTS = 500
"""The number of events between two checkpoints of a game. Checkpoints make reads of earlier versions fast."""


class BoundedCache(Generic[K, V]):
    """A cache of the values used last, limited by their total size. It is thread-safe."""

    def __init__(self, most: int, overhead: int = 0) -> None:
        """Keep values up to a total size; ``overhead`` is added to each. At least one value is kept."""
        self.most = most
        self._overhead = overhead
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        self.size = 0

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is not cached."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, size: int = 1) -> None:
        """Add a value, and drop the values that were not used for the longest time."""
        size += self._overhead
        with self._lock:
            if key in self._values:
                self.size -= self._values.pop(key)[1]
            self._values[key] = value, size
            self.size += size
            while self.size > self.most and len(self._values) > 1:
                self.size -= self._values.popitem(last=False)[1][1]

    def drop(self, key: K) -> None:
        with self._lock:
            self.size -= self._values.pop(key, (None, 0))[1]

    def __len__(self) -> int:
        return len(self._values)


class LoadedGame(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A game at a version of its stream.

    ``reading`` is the same for all versions that were folded from the same reading of the first event. A restored
    stream is read again.
    """

    id: UUID
    timeline: Timeline
    digest: bytes
    opened_at: str
    changed_at: str
    reading: int = msgspec.field(default_factory=count(1).__next__)

    @property
    def version(self) -> int:
        return self.timeline.version

    @property
    def table(self) -> Table:
        return self.timeline.table

    @property
    def game(self) -> Game | None:
        """The game, None before the start."""
        return self.timeline.game

    @property
    def progress(self) -> Progress:
        """The progress for the lobby."""
        now = self.timeline.now
        if now is None:
            return Progress(self.timeline.version, self.changed_at)
        game, limited = now.game, self.timeline.table.options.turn_limit
        return Progress(
            self.timeline.version,
            self.changed_at,
            game.turn.number,
            game.phase,
            game.to_play,
            game.ending.winners if game.ending else None,
            self.timeline.clock.since,
            deadline_of(self.timeline) if limited else None,
            late_seats(self.timeline) if limited else (),
        )


encode_progress = msgspec.json.Encoder().encode
"""Encodes a ``Progress`` as it is stored with the head of a stream."""


class CacheUse(msgspec.Struct, frozen=True):
    """The number of cached games, their size and its limit in bytes, and the numbers of hits and misses."""

    games: int
    bytes_kept: int
    most_bytes: int
    hits: int
    misses: int


class LoadedGames:
    """The games of a database, with a cache. It is thread-safe."""

    def __init__(self, database: Database, cache_bytes: int) -> None:
        """Use three quarters of ``cache_bytes`` for games. The rest is for views."""
        self._database = database
        # The newest version is found by the id as an integer (in half the time), others by reading and version.
        self._games: BoundedCache[int | tuple[int, int], LoadedGame] = BoundedCache(cache_bytes // 2)
        self._checkpoints: BoundedCache[int, tuple[LoadedGame, ...]] = BoundedCache(cache_bytes // 4)
        self._hits = self._misses = 0
        self._missing = Lock()

    @property
    def use(self) -> CacheUse:
        """The use of the cache. A read of the whole stream counts as a miss."""
        most = self._games.most + self._checkpoints.most
        return CacheUse(len(self._games), self.bytes_kept, most, self._hits, self._misses)

    @property
    def bytes_kept(self) -> int:
        """The approximate size of all cached games."""
        return self._games.size + self._checkpoints.size

    def cached(self, game: UUID) -> LoadedGame | None:
        """Return the cached game, which may be stale; None if it is not cached.

        Only the event loop calls this, so that hits are counted without a lock.
        """
        loaded = self._games.get(game.int)
        if loaded is None or loaded.timeline.table.deleted:
            return None
        self._hits += 1
        return loaded

    def put(self, loaded: LoadedGame) -> None:
        self._games.put(loaded.id.int, loaded, GAME_BYTES + EVENT_BYTES * loaded.timeline.version)

    def load(self, game: UUID, cached: LoadedGame | None = None) -> LoadedGame:
        """Return the current game; raise ``UnknownGame``. Only events after the cached version are read.

        If the stream is not the cached one, because the database was restored, the whole stream is read.
        """
        loaded = cached or self._games.get(game.int)
        rows = select_new_events(self._database, game, loaded.timeline.version, loaded.digest) if loaded else None
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
            self.put(loaded)
        if loaded is None:
            self._games.drop(game.int)
            raise self._no_events(game)
        if loaded.timeline.table.deleted:
            raise UnknownGame(game)
        return loaded

    def resolve_token(self, token: str, holder: TokenHolder) -> TokenHolder | None:
        """Resolve a token to a seat that still exists; None if the token or the seat is gone.

        Tokens of deleted tables and of damaged games stay valid, because these games cause other errors.
        """
        try:
            table = self.load(holder.game).table
        except UnreadableEvent:
            return holder
        except UnknownGame:
            return holder if is_stored(self._database, holder.game) else None
        if table.has_seat(holder.seat):
            return holder
        moved = tokens.find(self._database, token)  # players may have moved to lower seats meanwhile
        return moved if moved and table.has_seat(moved.seat) else None

    def _no_events(self, game: UUID) -> Exception:
        """Return the error for a game without events: it is unknown, or all events are lost."""
        if has_head(self._database, game):
            return UnreadableEvent(1, "it is missing")
        return UnknownGame(game)

    def load_at(self, game: UUID, version: int) -> LoadedGame:
        """Return the game at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        newest = self.load(game)
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownVersion(version, newest.version)
        loaded = self._games.get((newest.reading, version)) or self._fold_up_to(game, version, newest.reading)
        self.cache_version(loaded)
        return loaded

    def cache_version(self, loaded: LoadedGame) -> None:
        """Cache a game under its version, in addition to the newest one."""
        self._games.put((loaded.reading, loaded.version), loaded, GAME_BYTES + EVENT_BYTES * CHECKPOINT_EVENTS)

    def _fold_up_to(self, game: UUID, version: int, reading: int) -> LoadedGame:
        """Fold the events between the last checkpoint and a version, and cache new checkpoints."""
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
        return loaded


def _fold(game: UUID, rows: Sequence[VersionedEvent], loaded: LoadedGame | None = None) -> LoadedGame:
    """Return the game after these events."""
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
    """Raise ``UnreadableEvent`` if the first event was changed: it defines whether the game is private."""
    try:
        verify(str(game), [event])
    except BrokenChain as broken:
        raise UnreadableEvent(1, f"its {broken.what} shows that it was changed") from broken


def _follow(loaded: LoadedGame | None, rows: Sequence[VersionedEvent]) -> tuple[Timeline, bytes]:
    """Fold events. If their facts contradict each other, they are unreadable too."""
    try:
        return follow(loaded.timeline if loaded else None, facts_of(rows), starmap(at_of, rows)), digest_of(rows[-1][1])
    except UnreadableEvent:
        raise
    except Exception as error:
        raise UnreadableEvent(rows[-1][0], f"it contradicts the events before it: {error!r}") from error
