"""Waiting for the next event of a game: one look at the storage serves everybody who waits for it."""

import asyncio
from contextlib import suppress
from uuid import UUID

from api.conventions.problems import RETRY_SECONDS, Failure
from domain.application import Club, StorageAway, UnknownGame

LOOK_SECONDS = 0.3
"""How often a game is looked at that somebody waits for; any process may have written to it."""


class Watch:
    """Everybody who waits, by game."""

    def __init__(self, club: Club, most: int) -> None:
        self._club = club
        self._most = most
        self.waiting = 0
        self._looks: dict[UUID, tuple[asyncio.Event, asyncio.Task[int | None]]] = {}
        self._closed = False

    def close(self) -> None:
        """Let everybody go, and keep nobody waiting from now on: the server is about to stop."""
        self._closed = True
        for game in self._looks:
            self.tell(game)

    def tell(self, game: UUID) -> None:
        """Wake everybody who waits for this game: it has gone on in this process."""
        if game in self._looks:
            self._looks[game][0].set()

    async def beyond(self, game: UUID, version: int, seconds: float) -> None:
        """Wait until the game has gone beyond a version, but no longer than that."""
        if self.waiting >= self._most:
            detail = "Too many are waiting already; ask without `wait`."
            raise Failure("too_many_requests", detail, {"Retry-After": str(RETRY_SECONDS)})
        self.waiting += 1
        newest: int | None = version
        try:
            async with asyncio.timeout(seconds):
                while newest is not None and newest <= version and not self._closed:
                    newest = await asyncio.shield(self._next_look(game))
        except TimeoutError:
            pass
        finally:
            self.waiting -= 1

    def _next_look(self, game: UUID) -> asyncio.Task[int | None]:
        if game not in self._looks:
            wake = asyncio.Event()
            self._looks[game] = wake, asyncio.create_task(self._look(game, wake))
        return self._looks[game][1]

    async def _look(self, game: UUID, wake: asyncio.Event) -> int | None:
        """The newest version, after a while or as soon as there is news; None if there is nothing to wait for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await wake.wait()
        del self._looks[game]
        try:
            return (await self._club.look(game)).version
        except (StorageAway, UnknownGame):
            return None
