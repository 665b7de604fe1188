"""The time that the body of a request may take to arrive."""

import asyncio
from typing import Any

from litestar.types import HTTPReceiveMessage, Receive, WebSocketReceiveMessage

from api.http.problems import ApiProblem

SECONDS_AT_STOP = 1.0
"""The longest time for a body after the server was told to stop."""


class BodyTimeout:
    """A limit to how long bodies may take, shortened when the server stops."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopping = False

    def stop(self) -> None:
        """Let bodies that are on their way arrive within a moment, or not at all."""
        self._stopping, self._seconds = True, min(self._seconds, SECONDS_AT_STOP)
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def limit(self, scope: Any, receive: Receive) -> Receive:
        """Return a way to receive a body that raises a problem if it does not arrive whole and in time."""
        began = asyncio.get_running_loop().time()

        async def receive_in_time() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            timeout = asyncio.timeout_at(began + self._seconds)
            self._running.add(timeout)
            try:
                async with timeout:
                    message = await receive()
            except TimeoutError as error:
                raise self._late() from error
            finally:
                self._running.discard(timeout)
            if message["type"] == "http.disconnect":
                raise ApiProblem("bad_request", "The request was not sent to its end.")
            scope["state"]["body_read"] = not message.get("more_body", False)
            return message

        return receive_in_time

    def _late(self) -> ApiProblem:
        if self._stopping:
            return ApiProblem("bad_request", "The request was not sent before the server stopped.")
        return ApiProblem("request_timeout", f"The body was not sent within {self._seconds:g} s.")
