"""The floor of streams: a bare asyncio server that writes what is published to every socket that watches."""

import asyncio
import sys
from typing import cast

import uvloop

from bench.load import HOST, length_of

BACKLOG = 1024
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
BEGINNING = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
    b"d\r\nretry: 2000\n\n\r\n"
)


class Connection(asyncio.Protocol):
    """A connection: ``GET /stream`` begins to watch, the body of a POST goes to all who watch as it is."""

    def __init__(self, watchers: set[asyncio.Transport]) -> None:
        self._watchers = watchers
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer a request once all of it is there."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end or len(body) < length_of(head):
            return
        self._received = b""
        if head.startswith(b"GET /stream "):
            self._transport.write(BEGINNING)
            self._watchers.add(self._transport)
            return
        self._transport.write(ANSWER)
        if head.startswith(b"POST "):
            for watcher in self._watchers:
                watcher.write(body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a watcher that has left."""
        self._watchers.discard(self._transport)


async def serve(port: int) -> None:
    """Serve until somebody stops the process."""
    watchers: set[asyncio.Transport] = set()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(watchers), HOST, port, backlog=BACKLOG)
    await server.serve_forever()


def main() -> None:
    """Serve on the port of the first argument."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
