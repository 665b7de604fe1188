"""Server-sent events: answers that go on for as long as there is something to tell and somebody to tell it to."""

import time
from collections.abc import AsyncGenerator, Callable
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
"""Headers that keep caches and proxies from holding a stream back."""

LAST_EVENT_ID_PATTERN = "^[0-9]{1,18}$"

LastEventId = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="The `id` that came last, which browsers send by themselves: the stream goes on after it.",
        schema_extra={"pattern": LAST_EVENT_ID_PATTERN},
    ),
]


def parse_last_event_id(header: str) -> int:
    """Return the position after which a stream goes on, or raise a problem."""
    if header.isascii() and header.isdecimal() and len(header) <= 18:
        return int(header)
    why = "the id of an event of this stream is expected"
    raise ApiProblem("invalid_header", f"Header Last-Event-ID: {why}.", errors=(FieldError("Last-Event-ID", why),))


RETRY = b"retry: %d\n\n" % RETRY_MILLISECONDS


def sse_position(position: int) -> bytes:
    """Return the position from which a client that is cut off goes on, without an event."""
    return b"id: %d\n\n" % position


def sse_event(data: bytes, position: int | None = None, name: bytes = b"") -> bytes:
    """Return an event with its data on one line; without a position a client goes on from the event before."""
    return b"%b%bdata: %b\n\n" % (
        b"event: %b\n" % name if name else b"",
        b"" if position is None else b"id: %d\n" % position,
        data,
    )


class Silence:
    """The time since something was sent, after which a heartbeat is due."""

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self.end()

    def end(self) -> None:
        """Note that something is sent."""
        self._due = time.monotonic() + self._longest

    @property
    def left(self) -> float:
        """The seconds until the next heartbeat."""
        return max(0.0, self._due - time.monotonic())


class EventStream(Response[T], Generic[T]):
    """A stream of events of a type."""

    def __init__(self, place: AbstractAsyncContextManager[C], tell: Callable[[C], AsyncGenerator[bytes, None]]) -> None:
        """Take a place for as long as the answer goes on, and send what is told there."""
        super().__init__(cast(T, b""), media_type=MEDIA_TYPE, headers=HEADERS)
        self._place = place
        self._tell = tell

    def to_asgi_response(self, app: Litestar | None, request: Request[Any, Any, Any], **_: Any) -> ASGIResponse:
        """Return the answer that goes on; to HEAD only its headers."""
        if request.method == "HEAD":
            return ASGIStreamingResponse(iterator=(), media_type=MEDIA_TYPE, headers=HEADERS, is_head_response=True)
        return _Streaming(self._place, self._tell)


class _Streaming(ASGIStreamingResponse):
    """A streaming response that ends its iterator when the client leaves, which litestar's own may not (#3772)."""

    def __init__(self, place: Any, tell: Callable[[Any], AsyncGenerator[bytes, None]]) -> None:
        super().__init__(iterator=(), media_type=MEDIA_TYPE, headers=HEADERS)
        self._place = place
        self._tell = tell
        self._told: AsyncGenerator[bytes, None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer once there is a place; without one nothing has been sent, and the problem can be."""
        async with self._place as place, aclosing(self._tell(place)) as self._told:
            await super().__call__(scope, receive, send)

    async def send_body(self, send: Send, receive: Receive) -> None:
        """Send everything that is told while the client is there."""
        await while_connected(receive, self._send_all(send))
        await send(_body(b"", more=False))

    async def _send_all(self, send: Send) -> None:
        async for part in self._told:
            await send(_body(part, more=True))


def _body(part: bytes, *, more: bool) -> HTTPResponseBodyEvent:
    return {"type": "http.response.body", "body": part, "more_body": more}
