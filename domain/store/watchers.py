"""Those who wait for the next event of a game: all who wait for one share one look at the storage."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import UUID

from domain.store.client_limit import ClientLimit
from domain.store.errors import StorageUnavailable, TooManyWatchers, UnknownGame
from domain.store.loaded_games import LoadedGame

POLL_SECONDS = 0.3
"""The interval at which a game is read that somebody waits for; any process may have written to it."""


class Watchers:
    """Everybody who waits, by game."""

    def __init__(
        self, load: Callable[[UUID], Awaitable[LoadedGame]], most: int, most_of_client: int, longest_wait: float
    ) -> None:
        """Let so many wait at once, in all and of each client, none of them longer than so many seconds."""
        self._load = load
        self._limit = ClientLimit(most, most_of_client, TooManyWatchers)
        self._longest_wait = longest_wait
        self._polls: dict[UUID, tuple[asyncio.Event, asyncio.Task[int | None]]] = {}
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of those who wait."""
        return self._limit.total

    def close(self) -> None:
        """Let all go who wait, and nobody wait from now on: the server is about to stop."""
        self._closed = True
        for game_id in self._polls:
            self.wake(game_id)

    def wake(self, game_id: UUID) -> None:
        """Wake all who wait for a game: it has changed in this process."""
        if game_id in self._polls:
            self._polls[game_id][0].set()

    async def wait_beyond(self, game_id: UUID, version: int, seconds: float, client: str = "") -> None:
        """Wait until a game has gone beyond a version, but no longer than that; raise ``TooManyWatchers``."""
        with self._limit.counted(client), suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, self._longest_wait)):
                newest: int | None = version
                while newest is not None and newest <= version and not self._closed:
                    newest = await asyncio.shield(self._next_poll(game_id))

    def _next_poll(self, game_id: UUID) -> asyncio.Task[int | None]:
        if game_id not in self._polls:
            wake = asyncio.Event()
            self._polls[game_id] = wake, asyncio.create_task(self._poll(game_id, wake))
        return self._polls[game_id][1]

    async def _poll(self, game_id: UUID, wake: asyncio.Event) -> int | None:
        """Return the newest version after a while or as soon as it is woken; None if there is nothing to wait for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL_SECONDS):
                await wake.wait()
        del self._polls[game_id]
        try:
            return (await self._load(game_id)).version
        except (StorageUnavailable, UnknownGame):
            return None
