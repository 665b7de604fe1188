"""The watchers of games: the newest events of each game that is watched, shared by all who watch it."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from time import monotonic
from uuid import UUID

import msgspec

from domain.store.client_limit import ClientLimit
from domain.store.feed import RECHECK_SECONDS, Feed, StoredRow
from domain.store.loaded_games import LoadedGame
from domain.store.notifier import Notifier
from domain.store.schema import TABLE_TOPIC
from domain.stream import UnreadableEvent, VersionedEvent, at_of, fact_of, removed_at, split_row
from domain.table_facts import TableDeleted

KEPT_BYTES = 256 * 1024
"""The bytes of newest events that are kept for each game that is watched; who is further behind reads the database."""


class Piece(msgspec.Struct, frozen=True, eq=False):
    """The events of one decision from a version on; ``texts`` caches the forms in which they are sent."""

    first: int
    events: tuple[bytes, ...]
    texts: dict[str, bytes] = {}

    @property
    def last(self) -> int:
        """The version of the last event."""
        return self.first + len(self.events) - 1


def pieces_of(events: Iterable[VersionedEvent]) -> Iterator[Piece]:
    """Yield the decisions that events were stored with, which all have one time."""
    for _, decision in groupby(events, lambda event: at_of(*event)):
        first, *others = decision
        yield Piece(first[0], (first[1], *(event for _, event in others)))


class Channel:
    """The newest events of a game; ``ended`` once there is nothing to watch any more."""

    def __init__(self) -> None:
        self.notifier = Notifier()
        self.version = 0
        self.private = False
        self.ended = False
        self.watchers = 0
        self._pieces: deque[Piece] = deque()
        self._bytes = 0

    def go_on_from(self, version: int) -> None:
        """Go on from a version that was found in the database, without the decisions up to it that are not here."""
        if version > self.version:
            self.version, self._bytes = version, 0
            self._pieces.clear()

    def add(self, piece: Piece) -> None:
        """Keep a decision, and drop the oldest ones where it would be too much."""
        if piece.last <= self.version:
            return
        self.go_on_from(piece.first - 1)
        self._pieces.append(piece)
        self._bytes += sum(map(len, piece.events))
        while self._bytes > KEPT_BYTES and len(self._pieces) > 1:
            self._bytes -= sum(map(len, self._pieces.popleft().events))
        self.version = piece.last

    def after(self, version: int) -> list[Piece] | None:
        """Return the decisions after a version, None if they are not kept any more."""
        if version >= self.version:
            return []
        found: list[Piece] = []
        for piece in reversed(self._pieces):
            found.append(piece)
            if piece.first <= version + 1:
                break
        else:
            return None
        found.reverse()
        oldest = found[0]
        if oldest.first <= version:
            found[0] = Piece(version + 1, oldest.events[version + 1 - oldest.first :])
        return found


class Watchers:
    """Everybody who watches a game, with one channel for each game."""

    def __init__(
        self,
        feed: Feed,
        load: Callable[[UUID], Awaitable[LoadedGame]],
        limit: ClientLimit,
        longest_wait: float,
    ) -> None:
        """Let nobody wait longer than so many seconds; others than watchers may count for the same limit."""
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
        """The number of those who watch or wait."""
        return self._limit.total

    def close(self) -> None:
        """Let all go who watch, and nobody wait from now on: the server is about to stop."""
        self.closed = True
        for channel in self._channels.values():
            channel.notifier.notify_all()

    def is_over(self, channel: Channel) -> bool:
        """Return whether nothing more will be told of a game."""
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
                    channel.go_on_from(loaded.version)
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
        """Let all go who watch, and give those who come new channels: the database was restored."""
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
    if any(row.topic == TABLE_TOPIC for row in rows) and any(_is_end(*event) for event in events):
        channel.ended = True
        return
    for piece in pieces_of(events):
        channel.add(piece)


def _is_end(version: int, event: bytes) -> bool:
    """Return whether a table was taken away or a game removed with an event."""
    try:
        return removed_at(event) is not None or isinstance(fact_of(version, event), TableDeleted)
    except UnreadableEvent:
        return False
