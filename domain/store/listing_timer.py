"""Keeping the list of games up to date in the background."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from domain.store.errors import StorageUnavailable

LISTING_SECONDS = 1.0
"""The time for which changes are gathered for the list of games, which also catches up whenever it is read."""


class ListingTimer:
    """A timer after which the list of games catches up, so that no reader of it has to wait for much."""

    def __init__(self, catch_up: Callable[[], Awaitable[None]]) -> None:
        """Let the list catch up now."""
        self._catch_up = catch_up
        self._timer: asyncio.TimerHandle | None = None
        self._reading = asyncio.create_task(self._run(None))

    def start(self) -> None:
        """Start the timer, unless it runs already."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LISTING_SECONDS, self._expired)

    async def close(self) -> None:
        """Stop the timer and wait until nothing is read any more."""
        if self._timer is not None:
            self._timer.cancel()
        await self._reading

    def _expired(self) -> None:
        self._timer = None
        self._reading = asyncio.create_task(self._run(self._reading))

    async def _run(self, earlier: "asyncio.Task[None] | None") -> None:
        if earlier is not None:
            await earlier
        with suppress(StorageUnavailable):
            await self._catch_up()
