"""The delivery of notices to endpoints: one process at a time does it, and another one takes over when it dies."""

import asyncio
import logging
from collections.abc import Callable
from secrets import token_hex
from time import time
from typing import Self

from api.webhooks.session import Counts, Post, Session
from domain.store import GameService, StorageUnavailable

_log = logging.getLogger("franchise")

LEASE_SECONDS = 15.0
"""The time after which another process takes over from one that has died. A request takes less."""

POLL_SECONDS = 0.5
"""The time between two attempts to take over."""


class Delivery:
    """A task that delivers notices during this context, unless another process does."""

    def __init__(
        self,
        service: GameService,
        post: Post,
        *,
        lease_seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time,
    ) -> None:
        """``clock`` returns the seconds since 1970."""
        self.counts = Counts()
        self._service = service
        self._post = post
        self._lease_seconds = lease_seconds
        self._clock = clock
        self._holder = token_hex(8)
        self._session: Session | None = None
        self._stopped = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        if self._task is not None:
            await self._task

    def stop(self) -> None:
        """Begin no more requests. Running ones end, and their results are stored."""
        self._stopped = True
        if self._session is not None:
            self._session.stop()
        self._service.webhooks.wake()

    async def _run(self) -> None:
        store = self._service.webhooks
        while not self._stopped:
            try:
                lease = await store.take(self._holder, self._lease_seconds)
                if lease is None:
                    await store.wait(POLL_SECONDS)
                    continue
                self._session = Session(self._service, self._post, self._clock, self.counts)
                if self._stopped:
                    self._session.stop()
                await self._session.run(self._holder, self._lease_seconds, lease)
                if self._stopped:
                    await store.release(self._holder)
            except Exception as error:  # whatever has failed must not end the delivery
                if not isinstance(error, StorageUnavailable):
                    _log.exception("notices cannot be delivered; retrying")
                if not self._stopped:
                    await store.wait(POLL_SECONDS)
