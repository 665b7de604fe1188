"""Long polling: requests that wait for the next event of a game share one look at the storage."""

import asyncio
from contextlib import suppress
from uuid import UUID

from api.http.exception_handlers import RETRY_SECONDS
from api.http.problems import ApiProblem
from domain.store import GameService, StorageAway, UnknownGame

POLL_SECONDS = 0.3
"""How often a game is looked at that somebody waits for; any process may have written to it."""


class LongPolling:
    """All requests that wait, by game."""

    def __init__(self, service: GameService, most: int, longest_wait: int) -> None:
        """Let so many wait at once, none of them longer than so many seconds."""
        self._service = service
        self._most = most
        self._longest_wait = longest_wait
        self.waiting = 0
        self._polls: dict[UUID, tuple[asyncio.Event, asyncio.Task[int | None]]] = {}
        self._closed = False

    def close(self) -> None:
        """Answer all who wait, and let nobody wait from now on: the server is about to stop."""
        self._closed = True
        for game_id in self._polls:
            self.wake(game_id)

    def wake(self, game_id: UUID) -> None:
        """Wake all who wait for a game: it has changed in this process."""
        if game_id in self._polls:
            self._polls[game_id][0].set()

    async def wait_beyond(self, game_id: UUID, version: int, seconds: float) -> None:
        """Wait until a game has gone beyond a version, but no longer than that."""
        if self.waiting >= self._most:
            detail = "Too many are waiting already; ask without `wait`."
            raise ApiProblem("too_many_requests", detail, {"Retry-After": str(RETRY_SECONDS)})
        self.waiting += 1
        newest: int | None = version
        try:
            async with asyncio.timeout(min(seconds, self._longest_wait)):
                while newest is not None and newest <= version and not self._closed:
                    newest = await asyncio.shield(self._next_poll(game_id))
        except TimeoutError:
            pass
        finally:
            self.waiting -= 1

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
            return (await self._service.load(game_id)).version
        except (StorageAway, UnknownGame):
            return None
