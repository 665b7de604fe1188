"""The feed: new rows of events from all processes, for the watchers in this process."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, NamedTuple, Self
from uuid import UUID

import msgspec

from domain.store.database import LiveDatabase
from domain.store.errors import StorageUnavailable
from domain.store.schema import SELECT_EPOCH
from domain.store.streams import NEWEST_ROW, ROWS_FROM, removal_time
from domain.store.work import ClientLimit
from domain.stream import at_of, split_row

_log = logging.getLogger(__name__)

ROWS_READ = 1000
"""The number of rows that are read at once."""

RETRY_SECONDS = 0.5
"""The time after which a failed read is retried."""

RECHECK_SECONDS = 1.0
"""The longest delay until watchers of private games are woken after a commit, which may have changed tokens."""

GATHER_SECONDS = 0.05
"""The time for which rows are gathered before they are handled."""


class StoredRow(msgspec.Struct, frozen=True, gc=False):
    """A row of events: its position, its game, its first version, its topic and its text."""

    position: int
    game: UUID
    version: int
    topic: str
    text: bytes


class _LastRow(NamedTuple):
    """The row that was read last: its game and its last digest."""

    game: UUID | None
    digest: bytes


class Feed:
    """The rows of all games in the order in which they were stored, read while there are watchers.

    If the epoch has changed or the last read row is gone, the database was restored. Then the feed calls ``restored``
    and continues with new rows. The service sets ``news`` after each commit of this process.
    """

    def __init__(self, database: LiveDatabase, read: Callable[..., Awaitable[Any]]) -> None:
        """Use a function that runs reads in threads."""
        self.readers: list[Callable[[Sequence[StoredRow]], None]] = []
        self.restored: list[Callable[[], None]] = []
        self.epoch = ""
        self.position = 0
        self._last: _LastRow | None = None
        self._database = database
        self._read = read
        self._users = 0
        self._beginning, self._reading = asyncio.Lock(), asyncio.Lock()
        self.news, self._used = asyncio.Event(), asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    @asynccontextmanager
    async def used(self) -> AsyncGenerator[None]:
        """Pass all rows that are stored from now on to the readers, until the context ends.

        The readers are called without rows if something else was stored, for example a token.
        """
        async with self._beginning:
            if not self._users:
                await self._begin()
            self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._used.clear()

    async def close(self) -> None:
        """Stop reading."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self) -> None:
        """Start to read from the newest row."""
        async with self._reading:
            await self._skip_to_newest()
        self._used.set()
        if not self._tasks:
            self._tasks = tuple(asyncio.create_task(_repeat(work)) for work in (self._listen, self._follow))

    async def _listen(self) -> None:
        async for _ in self._database.commits():
            self.news.set()
            await self._used.wait()

    async def _follow(self) -> None:
        self.news.set()
        while True:
            await self.news.wait()
            await self._used.wait()
            self.news.clear()
            async with self._reading:
                rows = await self._read_on()
            for reader in self.readers:
                reader(rows)

    async def _skip_to_newest(self) -> None:
        epoch = await self._read_epoch()
        found: Sequence[tuple[int, object, object]] = await self._read(self._database.select, NEWEST_ROW)
        self.epoch = epoch
        self._go_to(*(found[0] if found else (0, None, None)))

    async def _read_epoch(self) -> str:
        ((epoch,),) = await self._read(self._database.select, SELECT_EPOCH)
        return str(epoch)

    def _go_to(self, position: int, originator: object, digest: object) -> None:
        """Continue after a row. Its game and its digest identify the row later."""
        self.position = position
        self._last = _LastRow(game_of(originator), digest) if isinstance(digest, bytes) else None

    async def _read_on(self) -> Sequence[StoredRow]:
        """Return the next rows. The rows of one decision are never split."""
        found = await self._read(self._database.select, (ROWS_FROM, (self.position, self.position, ROWS_READ + 1)))
        if await self._was_restored(found):
            _log.warning("the database was restored; watchers start again")
            await self._skip_to_newest()
            for restored in self.restored:
                restored()
            return ()
        found = [row for row in found if row[0] > self.position]
        rows = rows_of(found)
        end = found[-1] if found else None
        if len(found) >= ROWS_READ:  # one row more if this is the first read
            self.news.set()
            last = _decision_of(rows[-1]) if rows else None
            complete = next((count for count in range(len(rows), 0, -1) if _decision_of(rows[count - 1]) != last), None)
            rows = rows[:complete]
            end = next((row for row in found if complete and row[0] == rows[-1].position), end)
        if end is not None:
            self._go_to(end[0], end[1], _digest_of(end[-1]))
        return rows

    async def _was_restored(self, found: Sequence[Sequence[Any]]) -> bool:
        """Return whether the epoch has changed, or the last read row is gone although its game was not removed."""
        if await self._read_epoch() != self.epoch:
            return True
        if self._last is None or (found and (found[0][0], found[0][-1]) == (self.position, self._last.digest)):
            return False
        gone = bool(found) and found[0][0] > self.position and self._last.game is not None
        return not (gone and await self._read(removal_time, self._database, self._last.game))


async def _repeat(work: Callable[[], Awaitable[None]]) -> None:
    """Run something endless, and restart it after a while if it fails."""
    while True:
        try:
            await work()
        except Exception as error:
            if not isinstance(error, StorageUnavailable):
                _log.exception("rows cannot be followed; retrying")
        await asyncio.sleep(RETRY_SECONDS)


def rows_of(found: Sequence[Sequence[Any]]) -> list[StoredRow]:
    """Return the rows of a statement, without those with an invalid id or version."""
    return [
        StoredRow(position, game, version, *rest)
        for position, originator, version, *rest in found
        if (game := game_of(originator)) is not None and isinstance(version, int)
    ]


@lru_cache(maxsize=10_000)
def game_of(originator: object) -> UUID | None:
    """Return the game of a row, None if its id is invalid."""
    try:
        return originator if isinstance(originator, UUID) else UUID(str(originator))
    except ValueError:
        return None


def _decision_of(row: StoredRow) -> tuple[UUID, str]:
    """Return the game and the time of a row. All rows of a decision share them."""
    return row.game, at_of(*next(split_row(row.version, row.text)))


def _digest_of(text: object) -> bytes | None:
    """Return the digest that ``ROWS_FROM`` reads, None if the text is too short."""
    return text[-66:-2] if isinstance(text, bytes) and len(text) >= 66 else None


class RowQueue:
    """Rows of the feed that a task handles in groups. A group that fails is handled again later."""

    def __init__(self, handle: Callable[[Sequence[StoredRow]], Awaitable[None]]) -> None:
        self._handle = handle
        self._rows: list[StoredRow] = []
        self._handling: asyncio.Task[None] | None = None

    def add(self, rows: Sequence[StoredRow]) -> None:
        self._rows += rows
        if self._rows and self._handling is None:
            self._handling = asyncio.create_task(self._handle_all())

    def clear(self) -> None:
        """Drop all rows, and cancel the task."""
        self._rows.clear()
        if self._handling is not None:
            self._handling.cancel()
            self._handling = None

    async def _handle_all(self) -> None:
        while self._rows:
            await asyncio.sleep(GATHER_SECONDS)
            rows, self._rows = self._rows, []
            try:
                await self._handle(rows)
            except Exception as error:
                if not isinstance(error, StorageUnavailable):
                    _log.exception("new rows cannot be handled; retrying")
                self._rows = rows + self._rows
                await asyncio.sleep(RETRY_SECONDS)
        self._handling = None


class Notifier:
    """A condition without a lock. A notification wakes all callers that wait at that time."""

    def __init__(self) -> None:
        self._waiters: set[asyncio.Future[bool]] = set()

    def notify_all(self) -> None:
        waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            _end(waiter, notified=True)

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait for the next notification, and return False at a timeout."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        timer = None if seconds is None else loop.call_later(seconds, _end, waiter, False)
        self._waiters.add(waiter)
        try:
            return await waiter
        finally:
            if timer is not None:
                timer.cancel()
            self._waiters.discard(waiter)


def _end(waiter: "asyncio.Future[bool]", notified: bool) -> None:
    if not waiter.done():
        waiter.set_result(notified)


class Followers:
    """Followers who are served from memory, with what the feed has passed since the first of them came."""

    def __init__(
        self, feed: Feed, limit: ClientLimit, handle: Callable[[Sequence[StoredRow]], Awaitable[None]]
    ) -> None:
        """Limit the followers by a limit of watchers that may be shared. ``handle`` keeps new rows."""
        self.notifier = Notifier()
        self.closed = False
        self.restored = 0
        self.position = self._oldest = 0
        self._feed = feed
        self._limit = limit
        self._watchers = 0
        self._rows = RowQueue(handle)
        feed.readers.append(self._receive)
        feed.restored.append(self._restart)

    def close(self) -> None:
        """Wake all watchers and stop reading, because the server is about to stop."""
        self.closed = True
        self._reset()
        self.notifier.notify_all()

    @asynccontextmanager
    async def watching(self, client: str = "") -> AsyncGenerator[Self]:
        """Follow new rows while the context is open; raise ``TooManyWatchers``."""
        with self._limit.counted(client):
            async with self._feed.used():
                if not self._watchers:
                    self._reset()
                self._watchers += 1
                try:
                    yield self
                finally:
                    self._watchers -= 1

    def _restart(self) -> None:
        """Wake all watchers, and count the restores of the database."""
        self.restored += 1
        self._reset()
        self.notifier.notify_all()

    def _reset(self) -> None:
        """Start again from the position of the feed."""
        self.position = self._oldest = self._feed.position
        self._rows.clear()

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        if self._watchers:
            self._rows.add(rows)
