"""Clients that leave before they have their answer."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from litestar.types import Receive


async def while_connected(receive: Receive, waiting: Coroutine[Any, Any, None]) -> None:
    """Wait for something as long as the client of a request without a body is there."""
    done, gone = asyncio.create_task(waiting), asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((done, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        done.cancel()
        with suppress(asyncio.CancelledError):
            await done


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
