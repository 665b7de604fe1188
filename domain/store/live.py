"""Live changes: the newest events of each watched game, and the entries of the lobby that have changed."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import groupby, takewhile
from time import monotonic
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.lobby_entry import LobbyEntry
from domain.store import lobby, streams
from domain.store.database import Database
from domain.store.errors import StorageUnavailable
from domain.store.feed import RECHECK_SECONDS, RETRY_SECONDS, Feed, Notifier, StoredRow, game_of
from domain.store.games import LoadedGame, LoadedGames
from domain.store.schema import TABLE_TOPIC
from domain.store.work import ClientLimit, DatabaseThreads, HeavyWork
from domain.stream import UnreadableEvent, VersionedEvent, at_of, fact_of, removed_at, split_row
from domain.table_facts import TableDeleted

_log = logging.getLogger(__name__)

KEPT_BYTES = 256 * 1024
"""The bytes of newest events that are kept for each watched game; slower watchers read the database."""

ENTRIES_KEPT = 1000
"""The number of changed entries that are kept; slower watchers read the database."""

GATHER_SECONDS = 0.05
"""The time for which changes are gathered before all watchers are woken."""

ROWS_SEARCHED = 500
"""The rows of events that are searched at once for games that have changed."""


# --- games ---


class Batch(msgspec.Struct, frozen=True, eq=False):
    """The events of one decision, from a version on; ``texts`` caches the forms in which they are sent."""

    first: int
    events: tuple[bytes, ...]
    texts: dict[str, bytes] = {}

    @property
    def last(self) -> int:
        """The version of the last event."""
        return self.first + len(self.events) - 1


def batches_of(events: Iterable[VersionedEvent]) -> Iterator[Batch]:
    """Yield the events of each decision, which all have one time."""
    for _, decision in groupby(events, lambda event: at_of(*event)):
        first, *others = decision
        yield Batch(first[0], (first[1], *(event for _, event in others)))


class Channel:
    """The newest batches of a game; ``ended`` once there is nothing to watch any more."""

    def __init__(self) -> None:
        self.notifier = Notifier()
        self.version = 0
        self.private = False
        self.ended = False
        self.watchers = 0
        self._batches: deque[Batch] = deque()
        self._bytes = 0

    def skip_to(self, version: int) -> None:
        """Go on from a version that was found in the database, without the batches up to it."""
        if version > self.version:
            self.version, self._bytes = version, 0
            self._batches.clear()

    def add(self, batch: Batch) -> None:
        """Keep a batch, and drop the oldest ones beyond the limit."""
        if batch.last <= self.version:
            return
        self.skip_to(batch.first - 1)
        self._batches.append(batch)
        self._bytes += sum(map(len, batch.events))
        while self._bytes > KEPT_BYTES and len(self._batches) > 1:
            self._bytes -= sum(map(len, self._batches.popleft().events))
        self.version = batch.last

    def after(self, version: int) -> list[Batch] | None:
        """Return the batches after a version, None if they are not kept any more."""
        if version >= self.version:
            return []
        found: list[Batch] = []
        for batch in reversed(self._batches):
            found.append(batch)
            if batch.first <= version + 1:
                break
        else:
            return None
        found.reverse()
        oldest = found[0]
        if oldest.first <= version:
            found[0] = Batch(version + 1, oldest.events[version + 1 - oldest.first :])
        return found


class Watchers:
    """The watchers of games, with one channel for each game."""

    def __init__(
        self,
        feed: Feed,
        load: Callable[[UUID], Awaitable[LoadedGame]],
        limit: ClientLimit,
        longest_wait: float,
    ) -> None:
        """Let nobody wait longer than this many seconds; the limit may be shared."""
        self.closed = False
        self._feed = feed
        self._load = load
        self._limit = limit
        self._longest_wait = longest_wait
        self._channels: dict[UUID, Channel] = {}
        self._recheck: asyncio.TimerHandle | None = None
        feed.readers.append(self._receive)
        feed.restored.append(self._end_all)

    @property
    def waiting(self) -> int:
        """The number of watchers, with all others that share the limit."""
        return self._limit.total

    def close(self) -> None:
        """Wake all watchers, and let nobody wait from now on: the server is about to stop."""
        self.closed = True
        for channel in self._channels.values():
            channel.notifier.notify_all()

    def is_over(self, channel: Channel) -> bool:
        """Return whether no more events of a game will come."""
        return channel.ended or self.closed

    @asynccontextmanager
    async def watching(self, game_id: UUID, client: str = "") -> AsyncGenerator[Channel]:
        """Return the channel of a game for the time of this context; raise ``TooManyWatchers``."""
        with self._limit.counted(client):
            async with self._feed.used():
                channel = self._channels.setdefault(game_id, Channel())
                channel.watchers += 1
                try:
                    loaded = await self._load(game_id)
                    channel.private = loaded.table.options.private
                    channel.skip_to(loaded.version)
                    yield channel
                finally:
                    channel.watchers -= 1
                    if not channel.watchers and self._channels.get(game_id) is channel:
                        del self._channels[game_id]

    async def wait_beyond(self, game_id: UUID, version: int, seconds: float, client: str = "") -> None:
        """Wait until a game has gone beyond a version, but no longer than that; raise ``TooManyWatchers``."""
        async with self.watching(game_id, client) as channel:
            until = monotonic() + min(seconds, self._longest_wait)
            while channel.version <= version and not self.is_over(channel):
                if not await channel.notifier.wait(until - monotonic()):
                    return

    def _end_all(self) -> None:
        """End all channels, and give later watchers new ones: the database was restored."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            channel.ended = True
            channel.notifier.notify_all()

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        """Give rows to the channels of their games, and let the watchers of private ones look at their tokens."""
        for game_id, stored in groupby(rows, lambda row: row.game):
            channel = self._channels.get(game_id)
            if channel is not None:
                _add(channel, list(stored))
                channel.notifier.notify_all()
        if self._recheck is None and any(channel.private for channel in self._channels.values()):
            self._recheck = asyncio.get_running_loop().call_later(RECHECK_SECONDS, self._wake_private)

    def _wake_private(self) -> None:
        self._recheck = None
        for channel in self._channels.values():
            if channel.private:
                channel.notifier.notify_all()


def _add(channel: Channel, rows: Sequence[StoredRow]) -> None:
    """Keep the events of rows, unless one of them ends it all."""
    events = [event for row in rows for event in split_row(row.version, row.text)]
    if any(row.topic == TABLE_TOPIC for row in rows) and any(_is_last(*event) for event in events):
        channel.ended = True
        return
    for batch in batches_of(events):
        channel.add(batch)


def _is_last(version: int, event: bytes) -> bool:
    """Return whether an event deleted the table or removed the game."""
    try:
        return removed_at(event) is not None or isinstance(fact_of(version, event), TableDeleted)
    except UnreadableEvent:
        return False


# --- entries of the lobby ---


class ChangedEntry(msgspec.Struct, frozen=True, eq=False):
    """The entry of a game up to the row at a position, None if the table was deleted; ``texts`` caches its forms.

    ``same_at`` is the earlier position at which the same entry was kept already, because it was read after this row.
    """

    position: int
    game: UUID
    private: bool
    entry: LobbyEntry | None
    same_at: int | None = None
    texts: dict[bytes, bytes] = {}


class ChangedEntries:
    """The entries that have changed last, in the order of their changes."""

    def __init__(
        self,
        feed: Feed,
        database: Database,
        games: LoadedGames,
        threads: DatabaseThreads,
        heavy: HeavyWork,
        limit: ClientLimit,
    ) -> None:
        """Follow a feed, and read changed entries from a database; searches of it are heavy work."""
        self.notifier = Notifier()
        self.position = 0
        self.closed = False
        self._oldest = 0
        self._feed = feed
        self._find = partial(threads.load, find_entries, database, games)
        self._search = partial(search_entries, database, games)
        self._heavy = heavy
        self._limit = limit
        self._watchers = 0
        self._changed: dict[UUID, int] = {}
        self._finding: asyncio.Task[None] | None = None
        self._recheck: asyncio.TimerHandle | None = None
        self._kept: deque[ChangedEntry] = deque()
        self._newest: dict[UUID, ChangedEntry] = {}
        self.restored = 0
        feed.readers.append(self._receive)
        feed.restored.append(self._restart)

    def close(self) -> None:
        """Wake all watchers, and read nothing more: the server is about to stop."""
        self.closed = True
        self._reset()
        self.notifier.notify_all()

    @asynccontextmanager
    async def watching(self, client: str = "") -> AsyncGenerator["ChangedEntries"]:
        """Keep up with changes for the time of this context; raise ``TooManyWatchers``."""
        with self._limit.counted(client):
            async with self._feed.used():
                if not self._watchers:
                    self._reset()
                self._watchers += 1
                try:
                    yield self
                finally:
                    self._watchers -= 1

    def after(self, position: int) -> list[ChangedEntry] | None:
        """Return the changes after a position, None if they are not kept any more."""
        if position < self._oldest:
            return None
        found = list(takewhile(lambda change: change.position > position, reversed(self._kept)))
        found.reverse()
        return found

    async def now(self, games: Collection[UUID], position: int) -> list[ChangedEntry]:
        """Return the entries of games as they are now, which is at least as new as at a position."""
        return await self._find(dict.fromkeys(games, position))

    async def search(
        self, position: int, games: Collection[UUID] | None, client: str = ""
    ) -> tuple[list[ChangedEntry], int]:
        """Return the entries of games, or of all, that changed soon after a position, and the position searched up to.

        Raise ``TooMuchWork`` if too much waits already.
        """
        end = min(position + ROWS_SEARCHED, self.position)
        return await self._heavy.run(client, self._search, position, end, games), end

    def _restart(self) -> None:
        """Wake all watchers, and count how often the database was restored."""
        self.restored += 1
        self._reset()
        self.notifier.notify_all()

    def _reset(self) -> None:
        """Start again from the position of the feed."""
        self.position = self._oldest = self._feed.position
        self._kept.clear()
        self._newest.clear()
        self._changed.clear()
        if self._finding is not None:
            self._finding.cancel()
            self._finding = None
        if self._recheck is not None:
            self._recheck.cancel()
            self._recheck = None

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        """Gather the games of rows and read their entries in a task; without rows, let watchers check their tokens."""
        if self._watchers and not rows and self._recheck is None:
            self._recheck = asyncio.get_running_loop().call_later(RECHECK_SECONDS, self._wake)
        if self._watchers and rows:
            self._changed |= {row.game: row.position for row in rows}
            if self._finding is None:
                self._finding = asyncio.create_task(self._keep_changes())

    def _wake(self) -> None:
        self._recheck = None
        self.notifier.notify_all()

    async def _keep_changes(self) -> None:
        while self._changed:
            await asyncio.sleep(GATHER_SECONDS)
            changed, self._changed = self._changed, {}
            try:
                found = await self._find(changed)
            except Exception as error:
                if not isinstance(error, StorageUnavailable):
                    _log.exception("changed entries cannot be read; retrying")
                self._changed = changed | self._changed
                await asyncio.sleep(RETRY_SECONDS)
                continue
            for change in found:
                self._keep(change)
            self.position = max(self.position, *changed.values())
            self.notifier.notify_all()
        self._finding = None

    def _keep(self, change: ChangedEntry) -> None:
        """Keep a changed entry, and drop the oldest ones beyond the limit."""
        before = self._newest.get(change.game)
        if before is not None and before.entry == change.entry:
            change = replace(change, same_at=before.position)
        self._kept.append(change)
        self._newest[change.game] = change
        while len(self._kept) > ENTRIES_KEPT:
            dropped = self._kept.popleft()
            self._oldest = dropped.position
            if self._newest.get(dropped.game) is dropped:
                del self._newest[dropped.game]


def find_entries(database: Database, games: LoadedGames, changed: Mapping[UUID, int]) -> list[ChangedEntry]:
    """Return the entries of games that changed up to a position each, in the order of the positions."""
    entries = lobby.entries_of(database, games, changed)
    return [
        ChangedEntry(position, game, _is_private(database, game, entries.get(game)), entries.get(game))
        for game, position in sorted(changed.items(), key=lambda item: item[1])
    ]


def search_entries(
    database: Database, games: LoadedGames, after: int, end: int, wanted: Collection[UUID] | None
) -> list[ChangedEntry]:
    """Return the entries of wanted games, or of all for None, with rows between two positions."""
    changed: dict[UUID, int] = {}
    for originator, position in database.select((streams.GAMES_CHANGED, (after, end))):
        game = game_of(originator)
        if game is not None and (wanted is None or game in wanted):
            changed[game] = position
    return find_entries(database, games, changed)


def _is_private(database: Database, game: UUID, entry: LobbyEntry | None) -> bool:
    return streams.opened_private(database, game) if entry is None else entry.table.options.private
