"""Waiting for the next notification, any number of tasks together."""

import asyncio


class Notifier:
    """A condition without a lock: a notification reaches all who wait by then."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify_all(self) -> None:
        """Wake all who wait."""
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait for the next notification, and return whether it came in time."""
        coming = self._next
        try:
            async with asyncio.timeout(seconds):
                await coming.wait()
        except TimeoutError:
            return False
        return True
