"""Waiting for the next notification, any number of tasks together."""

import asyncio


class Notifier:
    """A condition without a lock: a notification reaches all who wait by then."""

    def __init__(self) -> None:
        self._waiters: set[asyncio.Future[bool]] = set()

    def notify_all(self) -> None:
        """Wake all who wait."""
        waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            _end(waiter, notified=True)

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait for the next notification, and return whether it came in time."""
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
