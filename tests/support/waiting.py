"""Helpers to wait for a condition."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import TypeVar

PATIENCE = 120
"""Timeout of a wait in seconds."""

T = TypeVar("T")


def until(condition: Callable[[], T | None], *not_yet: type[Exception], patience: float = PATIENCE) -> T:
    """Repeat a condition until it returns a true value, and return that; some exceptions mean "not yet"."""
    late = monotonic() + patience
    while monotonic() < late:
        with suppress(*not_yet):
            if found := condition():
                return found
        sleep(0.01)
    raise AssertionError(f"the condition was not met in {patience} s")


async def soon(condition: Callable[[], object]) -> None:
    """Let other tasks run until the condition is true."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)
