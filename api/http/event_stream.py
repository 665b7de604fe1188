"""Responses in chunks that end when the client disconnects: server-sent events, and lines."""

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Annotated, Any, Generic, TypeVar, cast

from litestar import Litestar, Request, Response
from litestar.params import HeaderParameter
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import HTTPResponseBodyEvent, Receive, Scope, Send

from api.http.problems import ApiProblem, FieldError
from api.http.requests import while_connected

T = TypeVar("T")
C = TypeVar("C")

MEDIA_TYPE = "text/event-stream"
RETRY_MILLISECONDS = 2000
HEADERS = {
    "cache-control": "no-store",
    "content-type": f"{MEDIA_TYPE}; charset=utf-8",
    "x-accel-buffering": "no",
}
"""Headers that stop caches and proxies from buffering a stream."""

LAST_EVENT_ID_PATTERN = "^[0-9]{1,18}$"

LastEventId = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="The `id` of the last event that you got; the stream continues after it. Browsers send this.",
        schema_extra={"pattern": LAST_EVENT_ID_PATTERN},
    ),
]


def parse_last_event_id(header: str) -> int:
    """Return the position after which a stream continues, or raise a problem."""
    if header.isascii() and header.isdecimal() and len(header) <= 18:
        return int(header)
    raise invalid_event_id()


def invalid_event_id() -> ApiProblem:
    why = "send the id of an event of this stream"
    return ApiProblem("invalid_header", f"Header Last-Event-ID: {why}.", errors=(FieldError("Last-Event-ID", why),))


RETRY = b"retry: %d\n\n" % RETRY_MILLISECONDS

RETRY_SECONDS = 1.0
"""The wait before a response in chunks continues after an error of the database or without an allowance."""


def sse_position(position: int | str) -> bytes:
    """Return a position without an event, for a client that reconnects."""
    return f"id: {position}\n\n".encode()


def sse_event(data: bytes, position: int | str | None = None, name: bytes = b"") -> bytes:
    """Return an event with its data on one line; without a position the client keeps its last one."""
    return b"%b%bdata: %b\n\n" % (
        b"event: %b\n" % name if name else b"",
        b"" if position is None else f"id: {position}\n".encode(),
        data,
    )


class HeartbeatTimer:
    """A countdown to the next heartbeat."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        """Count from now, because something is sent."""
        self._due = time.monotonic() + self._seconds

    @property
    def remaining(self) -> float:
        """The seconds until the next heartbeat is due."""
        return max(0.0, self._due - time.monotonic())


class Chunked(Response[T], Generic[T]):
    """A response that is sent in chunks while they are made. The type of its parts is for the OpenAPI document."""

    def __init__(
        self,
        subscription: AbstractAsyncContextManager[C],
        chunks_of: Callable[[C], AsyncGenerator[bytes, None]],
        headers: Mapping[str, str],
    ) -> None:
        """Send the chunks of a subscription, which lasts as long as the response."""
        super().__init__(cast(T, b""), headers=headers)
        self._subscription = subscription
        self._chunks_of = chunks_of

    def to_asgi_response(self, app: Litestar | None, request: Request[Any, Any, Any], **_: Any) -> ASGIResponse:
        """Return the streaming response; for HEAD only its headers."""
        if request.method == "HEAD":
            return ASGIStreamingResponse(iterator=(), headers=self.headers, is_head_response=True)
        return _Streaming(self._subscription, self._chunks_of, self.headers)


class EventStream(Chunked[T]):
    """A stream of server-sent events of a type."""

    def __init__(
        self, subscription: AbstractAsyncContextManager[C], chunks_of: Callable[[C], AsyncGenerator[bytes, None]]
    ) -> None:
        super().__init__(subscription, chunks_of, HEADERS)


class _Streaming(ASGIStreamingResponse):
    """A streaming response that ends its iterator when the client leaves, which litestar's own may not (#3772)."""

    def __init__(
        self, subscription: Any, chunks_of: Callable[[Any], AsyncGenerator[bytes, None]], headers: Mapping[str, str]
    ) -> None:
        super().__init__(iterator=(), headers=dict(headers))
        self._subscription = subscription
        self._chunks_of = chunks_of
        self._chunks: AsyncGenerator[bytes, None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Subscribe before the first byte is sent, so that a refusal becomes a problem response."""
        async with self._subscription as subscription, aclosing(self._chunks_of(subscription)) as self._chunks:
            await super().__call__(scope, receive, send)

    async def send_body(self, send: Send, receive: Receive) -> None:
        """Send all chunks until the client disconnects."""
        await while_connected(receive, self._send_all(send))
        await send(_body(b"", more=False))

    async def _send_all(self, send: Send) -> None:
        async for chunk in self._chunks:
            await send(_body(chunk, more=True))


def _body(chunk: bytes, *, more: bool) -> HTTPResponseBodyEvent:
    return {"type": "http.response.body", "body": chunk, "more_body": more}
