"""The threads in which the database is read, and the time that it has to answer."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from domain.store.errors import StorageUnavailable

T = TypeVar("T")

READERS = 8
LOADERS = 4
"""Whole games are read and folded apart, so that small reads never wait for these."""


class DatabaseThreads:
    """Threads for small reads and for loading games; nobody waits for either longer than so many seconds."""

    def __init__(self, seconds: float, failed: Callable[[StorageUnavailable], None]) -> None:
        """Wait so many seconds at most, and tell of each time that this was not enough."""
        self._seconds = seconds
        self._failed = failed
        self._readers = ThreadPoolExecutor(READERS, "read")
        self._loaders = ThreadPoolExecutor(LOADERS, "load")

    async def read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Do a small read, or raise ``StorageUnavailable``."""
        return await self._run(self._readers, function, *arguments)

    async def load(self, function: Callable[..., T], *arguments: Any) -> T:
        """Read what may be long, or raise ``StorageUnavailable``."""
        return await self._run(self._loaders, function, *arguments)

    async def _run(self, threads: Executor, function: Callable[..., T], *arguments: Any) -> T:
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)
        except TimeoutError as error:
            late = StorageUnavailable(f"no answer within {self._seconds:g} s")
            self._failed(late)
            raise late from error

    def close(self) -> None:
        """Drop what still waits for a thread."""
        for threads in (self._readers, self._loaders):
            threads.shutdown(wait=False, cancel_futures=True)
