"""HTTP as uvicorn speaks it, with whole answers in one piece, and with whole requests whatever they wish for."""

import asyncio
from typing import Any, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_FRAMING = (b"content-length", b"transfer-encoding")


class Protocol(HttpToolsProtocol):
    """Uvicorn's HTTP/1.1, over a transport that waits for the body of an answer.

    Some clients wish for HTTP/2 with every request (``Upgrade: h2c``). That wish may be ignored (RFC 9110, 7.8), but
    the parser takes it for the end of HTTP: it has to be told that the body is still to come.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected."""
        self.waiting = Waiting(transport, self.loop)
        super().connection_made(cast(asyncio.Transport, self.waiting))

    def eof_received(self) -> None:
        """Nothing more will come, and the connection ends with what was sent by now."""
        self.waiting.send_head()

    def data_received(self, data: bytes) -> None:
        """Something has come: a request, a part of one, or several."""
        self._unset_keepalive_if_required()
        try:
            while data:
                data = self._parse(data)
        except HttpParserError:
            self.logger.warning("Invalid HTTP request received.")
            self.send_400_response("Invalid HTTP request received.")

    def _parse(self, data: bytes) -> bytes:
        """What the parser leaves over when it takes a wish for the end."""
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            self._expect_body()
            return data[upgrade.args[0] :]
        return b""

    def _expect_body(self) -> None:
        """Have a new parser go on with the body that the head has told of, and the request wait for it."""
        self.cycle.more_body = True
        self.cycle.message_event.clear()
        framing = [b"%b: %b\r\n" % told for told in self.headers if told[0] in _FRAMING]
        self.parser = HttpRequestParser(self)
        self._in_body = True
        self.parser.feed_data(b"POST / HTTP/1.1\r\n%b\r\n" % b"".join(framing or [b"content-length: 0\r\n"]))
        self._in_body = False

    def on_headers_complete(self) -> None:
        """A request begins, or goes on with its body."""
        if not self._in_body:
            super().on_headers_complete()


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
            self._loop.call_soon(self.send_head)
        else:
            self._transport.write(data)

    def send_head(self) -> None:
        """Wait no longer: the head has no body, or one that takes its time."""
        if self._head:
            self._transport.write(self._head)
            self._head = b""

    def close(self) -> None:
        """Send what waits, and hang up."""
        self.send_head()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
