"""Server-sent events parsed as in the HTML standard, each stream on its own connection."""

import asyncio
import json
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from http.client import HTTPConnection
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import msgspec
from httpx import Client
from litestar import Litestar

from tests.api.people import bearer
from tests.support.waiting import soon

GUARD = 30
"""Seconds after which a stream that only sends heartbeats has failed."""

BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """A dispatched event: its type, its data and the last id so far."""

    name: str
    data: str
    id: str

    def json(self) -> Any:
        return json.loads(self.data)


class Parser:
    """A parser of event streams by https://html.spec.whatwg.org/#event-stream-interpretation."""

    def __init__(self) -> None:
        self.last_event_id = ""
        self.retry: int | None = None
        self._buffer = b""
        self._begun = False
        self._id, self._name, self._data = "", "", list[str]()

    def feed(self, received: bytes) -> Iterator[Event]:
        """Yield the events that are complete with these bytes."""
        self._buffer += received
        if not self._begun and len(self._buffer) >= len(BOM):
            self._begun = True
            self._buffer = self._buffer.removeprefix(BOM)
        while self._begun and (line := self._line()) is not None:
            if line:
                self._field(line.decode())
            elif (event := self._dispatched()) is not None:
                yield event

    def _line(self) -> bytes | None:
        """Take a line that ends with LF, CR or both; after a final CR, wait for the next byte."""
        ends = [at for end in (b"\n", b"\r") if (at := self._buffer.find(end)) >= 0]
        if not ends or self._buffer[min(ends) :] == b"\r":
            return None
        at = min(ends)
        length = 2 if self._buffer[at : at + 2] == b"\r\n" else 1
        line, self._buffer = self._buffer[:at], self._buffer[at + length :]
        return line

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            self.retry = int(value)

    def _dispatched(self) -> Event | None:
        self.last_event_id = self._id
        data, name = self._data, self._name
        self._data, self._name = [], ""
        return Event(name or "message", "\n".join(data), self._id) if data else None


class Stream:
    """A stream that is read event by event; its `status` and `headers` are known at once."""

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        last_event_id: str = "",
        headers: Mapping[str, str] | None = None,
        buffer: int | None = None,
    ) -> None:
        """Open the stream, optionally with a small receive buffer, so that the server soon notices a slow reader."""
        parts = urlsplit(url)
        sent = {"Accept": "text/event-stream"} | bearer(token) | dict(headers or {})
        sent |= {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._parser = Parser()
        self._last_event_id = last_event_id
        self._events: deque[Event] = deque()
        self._connection = HTTPConnection(str(parts.hostname), parts.port, timeout=GUARD)
        self._connection.sock = _connected(str(parts.hostname), parts.port or 0, buffer)
        try:
            self._connection.request("GET", f"{parts.path}?{parts.query}", headers=sent)
            self._response = self._connection.getresponse()
        except BaseException:
            self._connection.close()
            raise
        self.status = self._response.status
        self.headers = self._response.headers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def last_event_id(self) -> str:
        """The id with which a browser would resume."""
        return self._parser.last_event_id or self._last_event_id

    @property
    def retry(self) -> int | None:
        """The milliseconds after which a browser would reconnect."""
        return self._parser.retry

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def read(self, most: int = 65536) -> list[Event]:
        """Wait for some bytes, and return the events that they complete; raise ``EOFError`` at the end."""
        received = self._response.read1(most)
        if not received:
            raise EOFError
        return list(self._parser.feed(received))

    def next(self) -> Event:
        """Return the next event, including heartbeats; raise ``EOFError`` at the end."""
        while not self._events:
            self._events += self.read()
        return self._events.popleft()

    def until(self, is_last: Callable[[Event], bool]) -> list[Event]:
        """Return the events up to a matching one, without heartbeats."""
        found: list[Event] = []
        until = monotonic() + GUARD
        while monotonic() < until:
            event = self.next()
            if event.name != "heartbeat":
                until = monotonic() + GUARD
                found.append(event)
                if is_last(event):
                    return found
        raise TimeoutError(found[-3:])

    def up_to(self, version: int) -> list[Event]:
        """Return the events up to the one with this id, without heartbeats."""
        return self.until(lambda event: event.id == str(version))

    def position(self) -> str:
        """Return the last id; wait until there is one."""
        while not self.last_event_id:
            self._events += self.read()
        return self.last_event_id

    def rest(self) -> list[Event]:
        """Return the events up to the end of the stream."""
        found: list[Event] = []
        until = monotonic() + GUARD
        with suppress(EOFError):
            while monotonic() < until:
                found.append(self.next())
            raise TimeoutError(found[-3:])
        return found


def stored(client: Client, path: str, token: str = "", after: int = 0) -> list[tuple[str, str]]:
    """Return the ids and the data of a game's stream after a version."""
    found: list[tuple[str, str]] = []
    query: dict[str, Any] = {"view": "full", "limit": 1000, "after": after}
    while True:
        response = client.get(f"{path}/events", params=query, headers=bearer(token)).raise_for_status()
        page = msgspec.json.decode(response.content, type=_Page)
        found += [(str(number), bytes(item).decode()) for number, item in enumerate(page.items, after + 1 + len(found))]
        if page.next is None:
            return found
        query["cursor"] = page.next


def ids_and_data(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Return the ids and the data of events."""
    return [(event.id, event.data) for event in events]


class LocalStream:
    """A stream of an application in this process, which a test can delay."""

    def __init__(self, body: bytes | None = None) -> None:
        self.left, self.ended = asyncio.Event(), asyncio.Event()
        self._body = body
        self.last_event_id = ""
        self._parser = Parser()
        self._events: asyncio.Queue[Event] = asyncio.Queue()

    async def receive(self) -> Any:
        body, self._body = self._body, None
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        assert message.get("status", 200) == 200
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.ended.set()
        for event in self._parser.feed(message.get("body", b"")):
            self._events.put_nowait(event)
        self.last_event_id = self._parser.last_event_id

    async def next(self) -> Event:
        """Return the next event, including heartbeats."""
        async with asyncio.timeout(GUARD):
            return await self._events.get()

    async def position(self) -> str:
        """Return the last id; wait until there is one."""
        await soon(lambda: self.last_event_id)
        return self.last_event_id


@asynccontextmanager
async def following(
    app: Litestar, path: str, address: str = "127.0.0.1", body: bytes | None = None, **headers: str
) -> AsyncIterator[LocalStream]:
    """Follow a stream of an application in this process, as a client at an address; a body is posted."""
    path, _, query = path.partition("?")
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    method = "GET" if body is None else "POST"
    scope: Any = {"type": "http", "http_version": "1.1", "method": method, "scheme": "http", "root_path": ""}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": query.encode(), "headers": named}
    scope |= {"client": (address, 1), "server": ("127.0.0.1", 2)}
    stream = LocalStream(body)
    serving = asyncio.create_task(app(scope, stream.receive, stream.send))
    try:
        yield stream
    finally:
        stream.left.set()
        await serving


class _Page(msgspec.Struct):
    items: list[msgspec.Raw]
    next: str | None


def _connected(host: str, port: int, buffer: int | None) -> socket.socket:
    connection = socket.socket()
    connection.settimeout(GUARD)
    if buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        connection.connect((host, port))
    except OSError:
        connection.close()
        raise
    return connection
