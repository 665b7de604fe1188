"""Answers as bytes: what is sent is ready before it is sent."""

from collections.abc import Iterable

import msgspec
from litestar.types import Receive, Scope, Send

Headers = Iterable[tuple[bytes, bytes]]

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"


class Answer:
    """A finished answer; it is an ASGI application of its own, so nothing stands between it and the server."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, body: bytes, *, status: int = 200, media_type: bytes = JSON, headers: Headers = ()) -> None:
        self.body = body
        self.status = status
        self.headers = [
            (b"content-type", media_type),
            (b"content-length", b"%d" % len(body)),
            *headers,
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


class Empty(Answer):
    """An answer that says all in its status and headers."""

    __slots__ = ()

    def __init__(self, status: int, headers: Headers = ()) -> None:
        self.body = b""
        self.status = status
        self.headers = list(headers)


encode = msgspec.json.Encoder().encode
