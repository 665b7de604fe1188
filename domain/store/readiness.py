"""The question whether the database does its work: it reads each time, and now and then it writes."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from domain.store.database import Database, Statement
from domain.store.errors import StorageUnavailable

WRITE_SECONDS = 2.0
"""The time between two attempts to write: what the last one found holds until the next."""


class Readiness:
    """Checks of a database, one at a time for all who ask."""

    def __init__(
        self, database: Database, load: Callable[..., Awaitable[Any]], clock: Callable[[], float] = monotonic
    ) -> None:
        """Check a database, by calls of a function that runs others where they keep nobody waiting."""
        self._database = database
        self._load = load
        self._clock = clock
        self._write_at = clock()
        self._unwritten: StorageUnavailable | None = None
        self._checking: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise ``StorageUnavailable`` unless the database reads now, and wrote when that was last tried."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check())
        await asyncio.shield(self._checking)

    async def close(self) -> None:
        """Let nobody wait any more."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)

    async def _check(self) -> None:
        if self._clock() >= self._write_at:
            self._unwritten = await self._write()
            self._write_at = self._clock() + WRITE_SECONDS
        if self._unwritten is not None:
            raise StorageUnavailable(str(self._unwritten)) from self._unwritten
        await self._load(self._database.select, _READ)

    async def _write(self) -> StorageUnavailable | None:
        """Write as changes do, but to a row that nobody reads; return the failure."""
        try:
            await self._load(self._database.append, (), (_WRITE,))
        except StorageUnavailable as error:
            return error
        return None


_WRITE: Statement = (
    "INSERT INTO readiness (one, written_at) VALUES (1, {milliseconds})"
    " ON CONFLICT (one) DO UPDATE SET written_at = excluded.written_at",
    (),
)
_READ: Statement = "SELECT (SELECT MAX({number}) FROM stored_events), (SELECT 1 FROM heads LIMIT 1)", ()
"""Of the file itself: after a commit of another connection SQLite forgets what it has read."""
