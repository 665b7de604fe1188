"""Live changes: the newest events of watched games, and the changed entries of the lobby."""

import asyncio
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
from domain.store import apps, lobby, streams
from domain.store.database import Database
from domain.store.feed import RECHECK_SECONDS, Feed, Followers, Notifier, StoredRow, game_of
from domain.store.games import LoadedGame, LoadedGames
from domain.store.schema import TABLE_TOPIC
from domain.store.work import ClientLimit, DatabaseThreads, HeavyWork
from domain.stream import VersionedEvent, at_of, is_last, split_row

KEPT_BYTES = 256 * 1024
"""The size of the newest events that are kept for each watched game. Slower watchers read the database."""

ENTRIES_KEPT = 1000
"""The number of changed entries that are kept. Slower watchers read the database."""

ROWS_SEARCHED = 500
"""The number of rows that one search for changed games reads."""


# --- games ---


class Batch(msgspec.Struct, frozen=True, eq=False):
    """The events of one decision. ``texts`` caches the forms in which they are sent."""

    first: int
    events: tuple[bytes, ...]
    texts: dict[str, bytes] = {}

    @property
    def last(self) -> int:
        return self.first + len(self.events) - 1


def batches_of(events: Iterable[VersionedEvent]) -> Iterator[Batch]:
    """Group events by decision: all events of a decision have the same time."""
    for _, decision in groupby(events, lambda event: at_of(*event)):
        first, *others = decision
        yield Batch(first[0], (first[1], *(event for _, event in others)))


class Channel:
    """The newest batches of a game. ``ended`` is true when no more events can come."""

    def __init__(self) -> None:
        self.notifier = Notifier()
        self.version = 0
        self.private = False
        self.ended = False
        self.watchers = 0
        self._batches: deque[Batch] = deque()
        self._bytes = 0

    def skip_to(self, version: int) -> None:
        """Skip to a version that was read from the database, and drop the earlier batches."""
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
        """Return the batches after a version, None if they were dropped."""
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
    """The watchers of games, with one channel per game."""

    def __init__(
        self,
        feed: Feed,
        load: Callable[[UUID], Awaitable[LoadedGame]],
        limit: ClientLimit,
        longest_wait: float,
    ) -> None:
        """Limit each wait to a number of seconds. The limit of watchers may be shared."""
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
        """The number of watchers, including others that share the limit."""
        return self._limit.total

    def close(self) -> None:
        """Wake all watchers and accept no more waits, because the server is about to stop."""
        self.closed = True
        for channel in self._channels.values():
            channel.notifier.notify_all()

    def is_over(self, channel: Channel) -> bool:
        """Return whether no more events of a game will come."""
        return channel.ended or self.closed

    @asynccontextmanager
    async def watching(self, game_id: UUID, client: str = "") -> AsyncGenerator[Channel]:
        """Return the channel of a game while the context is open; raise ``TooManyWatchers``."""
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
        """Wait until a game is beyond a version, or for a number of seconds; raise ``TooManyWatchers``."""
        async with self.watching(game_id, client) as channel:
            until = monotonic() + min(seconds, self._longest_wait)
            while channel.version <= version and not self.is_over(channel):
                if not await channel.notifier.wait(until - monotonic()):
                    return

    def _end_all(self) -> None:
        """End all channels, because the database was restored. Later watchers get new ones."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            channel.ended = True
            channel.notifier.notify_all()

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        """Pass rows to the channels of their games, and let the watchers of private games check their tokens."""
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
    """Keep the events of rows, unless one of them ends the game for its watchers."""
    events = [event for row in rows for event in split_row(row.version, row.text)]
    if any(row.topic == TABLE_TOPIC for row in rows) and any(is_last(event) for _, event in events):
        channel.ended = True
        return
    for batch in batches_of(events):
        channel.add(batch)


# --- entries of the lobby ---


class ChangedEntry(msgspec.Struct, frozen=True, eq=False):
    """The entry of a game up to the row at a position, None if the table was deleted.

    ``app`` is the application that opened the game. ``same_at`` is the earlier position at which the same entry was
    kept, because it was read after both rows. ``texts`` caches the forms in which the entry is sent.
    """

    position: int
    game: UUID
    private: bool
    entry: LobbyEntry | None
    app: str | None = None
    same_at: int | None = None
    texts: dict[bytes, bytes] = {}


class ChangedEntries(Followers):
    """The latest changed entries in the order of their changes."""

    def __init__(
        self,
        feed: Feed,
        database: Database,
        games: LoadedGames,
        threads: DatabaseThreads,
        heavy: HeavyWork,
        limit: ClientLimit,
    ) -> None:
        """Follow a feed. Searches in the database are heavy work."""
        super().__init__(feed, limit, self._keep_changes)
        self._find = partial(threads.load, find_entries, database, games)
        self._search = partial(search_entries, database, games)
        self._heavy = heavy
        self._recheck: asyncio.TimerHandle | None = None
        self._kept: deque[ChangedEntry] = deque()
        self._newest: dict[UUID, ChangedEntry] = {}

    def after(self, position: int) -> list[ChangedEntry] | None:
        """Return the changes after a position, None if they were dropped."""
        if position < self._oldest:
            return None
        found = list(takewhile(lambda change: change.position > position, reversed(self._kept)))
        found.reverse()
        return found

    async def now(self, games: Collection[UUID], position: int) -> list[ChangedEntry]:
        """Return the current entries of games. They are at least as new as the position."""
        return await self._find(dict.fromkeys(games, position))

    async def search(
        self, position: int, games: Collection[UUID] | None, client: str = ""
    ) -> tuple[list[ChangedEntry], int]:
        """Search for entries that changed after a position; return them and the position reached.

        Without ``games``, search for all games. Raise ``TooMuchWork`` if the queue is full.
        """
        end = min(position + ROWS_SEARCHED, self.position)
        return await self._heavy.run(client, self._search, position, end, games), end

    def _reset(self) -> None:
        """Start again from the position of the feed."""
        super()._reset()
        self._kept.clear()
        self._newest.clear()
        if self._recheck is not None:
            self._recheck.cancel()
            self._recheck = None

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        """Read the entries of changed games in a task. Without rows, let watchers check their tokens."""
        if self._watchers and not rows and self._recheck is None:
            self._recheck = asyncio.get_running_loop().call_later(RECHECK_SECONDS, self._wake)
        super()._receive(rows)

    def _wake(self) -> None:
        self._recheck = None
        self.notifier.notify_all()

    async def _keep_changes(self, rows: Sequence[StoredRow]) -> None:
        for change in await self._find({row.game: row.position for row in rows}):
            self._keep(change)
        self.position = max(self.position, rows[-1].position)
        self.notifier.notify_all()

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
    """Return the entries of games that changed up to the given positions, in order of positions."""
    entries, owners = lobby.entries_of(database, games, changed), apps.owners(database, changed)
    return [
        ChangedEntry(
            position, game, _is_private(database, game, entries.get(game)), entries.get(game), owners.get(game)
        )
        for game, position in sorted(changed.items(), key=lambda item: item[1])
    ]


def search_entries(
    database: Database, games: LoadedGames, after: int, end: int, wanted: Collection[UUID] | None
) -> list[ChangedEntry]:
    """Return the entries of wanted games (None: all) with rows between two positions."""
    changed: dict[UUID, int] = {}
    for originator, position in database.select((streams.GAMES_CHANGED, (after, end))):
        game = game_of(originator)
        if game is not None and (wanted is None or game in wanted):
            changed[game] = position
    return find_entries(database, games, changed)


def _is_private(database: Database, game: UUID, entry: LobbyEntry | None) -> bool:
    return streams.opened_private(database, game) if entry is None else entry.table.options.private
