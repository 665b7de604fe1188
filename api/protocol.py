"""How answers leave the server: in one piece, where uvicorn would send the head and the body each for itself."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class InOnePiece(HttpToolsProtocol):
    """Uvicorn's HTTP on a transport that waits for the body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected."""
        super().connection_made(cast(asyncio.Transport, Waiting(transport, self.loop)))


class Waiting:
    """A transport that keeps a head until its body comes, but no longer than what runs at this moment."""

    __slots__ = ("_head", "_loop", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def write(self, data: bytes) -> None:
        """Send something, together with the head if it has one."""
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head + data)
        elif data.startswith(b"HTTP/1.1 "):
            self._head = data
            self._loop.call_soon(self._send_head)
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Send what waits, and hang up."""
        self._send_head()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _send_head(self) -> None:
        """Wait no longer: the head has no body, or one that takes its time."""
        if self._head:
            self._transport.write(self._head)
            self._head = b""
