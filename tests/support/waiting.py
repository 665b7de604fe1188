"""Waiting for what comes in its own time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import TypeVar

PATIENCE = 120
"""Seconds after which a test fails that waits for something."""

T = TypeVar("T")


def until(condition: Callable[[], T | None], *not_yet: type[Exception], patience: float = PATIENCE) -> T:
    """Ask again and again until the answer is true, and return it; some exceptions say that it is not yet."""
    late = monotonic() + patience
    while monotonic() < late:
        with suppress(*not_yet):
            if answer := condition():
                return answer
        sleep(0.01)
    raise AssertionError("what was waited for does not come")


async def soon(condition: Callable[[], object]) -> None:
    """Let others go on until the condition is true."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)
