"""Clients that leave before they have their answer."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from api.http.request_body import ApiRequest


async def while_connected(request: ApiRequest, waiting: Coroutine[Any, Any, None]) -> None:
    """Wait for something as long as the client of a request without a body is there."""
    done, gone = asyncio.create_task(waiting), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((done, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        done.cancel()
    if done.done():
        done.result()


async def _disconnected(request: ApiRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
