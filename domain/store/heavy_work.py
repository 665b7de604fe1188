"""Work that takes long, apart from everything else: audits, records, forks."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from domain.store.client_limit import ClientLimit
from domain.store.errors import TooMuchWork

T = TypeVar("T")

THREADS = 2


class HeavyWork:
    """Threads of its own for heavy work, of which each client has one at a time."""

    def __init__(self, most: int, most_of_client: int) -> None:
        """Let so much be under way or wait for its turn, in all and of each client."""
        self._limit = ClientLimit(most, most_of_client, TooMuchWork)
        self._threads = ThreadPoolExecutor(THREADS, "heavy")
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, client: str, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call a function when it is the turn of this client; raise ``TooMuchWork`` if too much waits already."""
        async with self.turn(client):
            call = partial(function, *arguments, **options)
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncGenerator[None]:
        """Wait for the turn of this client, which lasts as long as the context; raise ``TooMuchWork`` as ``run``."""
        with self._limit.counted(client):
            async with self._locks.setdefault(client, asyncio.Lock()):
                yield

    def close(self) -> None:
        """Let what is under way end, and drop what waits."""
        self._threads.shutdown(wait=False, cancel_futures=True)
