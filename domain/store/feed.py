"""The feed: rows of events as any process stores them, read for those who watch in this one."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import msgspec

from domain.store.database import LiveDatabase
from domain.store.errors import StorageUnavailable
from domain.stream import at_of, split_row

_log = logging.getLogger(__name__)

ROWS_READ = 1000
"""The most rows that are read at once."""

RETRY_SECONDS = 0.5
"""The time after which a database that did not answer is asked again."""


RECHECK_SECONDS = 1.0
"""The longest time until the watchers of private games are woken after something was stored, perhaps about tokens."""


class StoredRow(msgspec.Struct, frozen=True, gc=False):
    """A row of events: its place among the rows of all games, its game and first version, its topic and text."""

    place: int
    game: UUID
    version: int
    topic: str
    text: bytes


class Feed:
    """The rows of all games in the order in which they were stored, read as long as somebody watches."""

    def __init__(self, database: LiveDatabase, read: Callable[..., Awaitable[Any]]) -> None:
        """Read from a database, by calls of a function that does so where it keeps nobody waiting."""
        self.readers: list[Callable[[Sequence[StoredRow]], None]] = []
        self.place = 0
        self._database = database
        self._read = read
        self._users = 0
        self._beginning = asyncio.Lock()
        self._news, self._used = asyncio.Event(), asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    @asynccontextmanager
    async def used(self) -> AsyncGenerator[None]:
        """Give the readers all rows that are stored from the beginning of this context on, and perhaps earlier ones.

        The readers are called without rows where something else was stored, such as a token.
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

    def wake(self) -> None:
        """Read at once: this process has stored something."""
        self._news.set()

    async def close(self) -> None:
        """Read no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self) -> None:
        """Read from what is stored next."""
        ((newest,),) = await self._read(self._database.select, _NEWEST)
        self.place = newest
        self._used.set()
        if not self._tasks:
            self._tasks = tuple(asyncio.create_task(_repeat(work)) for work in (self._listen, self._follow))

    async def _listen(self) -> None:
        async for _ in self._database.commits():
            self._news.set()
            await self._used.wait()

    async def _follow(self) -> None:
        self._news.set()
        while True:
            await self._news.wait()
            await self._used.wait()
            self._news.clear()
            rows = await self._read_on()
            for reader in self.readers:
                reader(rows)

    async def _read_on(self) -> Sequence[StoredRow]:
        """Return the next rows; of a game none without those of the same decision, which were stored together."""
        found = await self._read(self._database.select, (_NEXT, (self.place, ROWS_READ)))
        rows = [
            StoredRow(place, game, version, *rest)
            for place, originator, version, *rest in found
            if (game := game_of(originator)) is not None and isinstance(version, int)
        ]
        end = found[-1][0] if found else self.place
        if len(found) == ROWS_READ:
            self._news.set()
            last = _decision_of(rows[-1]) if rows else None
            complete = next((count for count in range(len(rows), 0, -1) if _decision_of(rows[count - 1]) != last), None)
            rows = rows[:complete]
            end = rows[-1].place if complete else end
        self.place = end
        return rows


async def _repeat(work: Callable[[], Awaitable[None]]) -> None:
    """Do something that has no end, and begin it again after a while if it fails."""
    while True:
        try:
            await work()
        except Exception as error:
            if not isinstance(error, StorageUnavailable):
                _log.exception("what is stored cannot be followed, and is tried again")
        await asyncio.sleep(RETRY_SECONDS)


def game_of(originator: object) -> UUID | None:
    """Return the game of a row, None for a row that is of no game."""
    try:
        return originator if isinstance(originator, UUID) else UUID(str(originator))
    except ValueError:
        return None


def _decision_of(row: StoredRow) -> tuple[UUID, str]:
    """Return the game and the time of a row, which those of one decision have in common."""
    return row.game, at_of(*next(split_row(row.version, row.text)))


_NEWEST = "SELECT COALESCE(MAX({number}), 0) FROM stored_events", ()
_NEXT = (
    "SELECT {number}, originator_id, originator_version, topic, state FROM stored_events"
    " WHERE {number} > ? ORDER BY {number} LIMIT ?"
)
