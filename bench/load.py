"""Clients in processes of their own: some send requests over HTTP, others watch a stream.

They connect only to 127.0.0.1, send prepared requests, and parse only the status and the length of responses, so that
they take much less time than the server. All processes of a machine share the performance counter.
"""

import asyncio
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import cast

import msgspec
import uvloop

from bench.rounds import ROUND_SECONDS

HOST = "127.0.0.1"
GRACE_SECONDS = 20.0
"""The time limit for the last responses."""

READ_BYTES = 65536
OK = b"HTTP/1.1 200 "
END = b"\n\n\r\n"
"""The end of an event and of its chunk."""


class LoadFailed(RuntimeError):
    """A request was refused, or a connection was closed."""


def length_of(head: bytes) -> int:
    head = head.lower()
    start = head.find(b"\r\ncontent-length:")
    return 0 if start < 0 else int(head[start + 17 :].partition(b"\r\n")[0])


# --- clients that send requests --------------------------------------------------------------------------------


class Requests(msgspec.Struct, frozen=True):
    """The requests of each client, sent one after the other."""

    port: int
    clients: Sequence[Sequence[bytes]]


class Outcome(msgspec.Struct, frozen=True):
    """The seconds from the first request to the last response, and the number of responses by status."""

    seconds: float
    statuses: dict[int, int]

    @property
    def responses(self) -> int:
        return sum(self.statuses.values())

    @property
    def rate(self) -> float:
        return self.responses / self.seconds


def send(port: int, clients: Sequence[Sequence[bytes]]) -> Outcome:
    """Send requests from a separate process until the round is over; raise ``LoadFailed`` for any refusal."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load", "send"],
        input=msgspec.msgpack.encode(Requests(port, clients)),
        stdout=subprocess.PIPE,
        check=True,
        timeout=ROUND_SECONDS + 2 * GRACE_SECONDS,
    )
    outcome = msgspec.msgpack.decode(done.stdout, type=Outcome)
    if list(outcome.statuses) != [200]:
        raise LoadFailed(f"the statuses were {outcome.statuses}, and only 200 was expected")
    return outcome


class Client(asyncio.Protocol):
    """A connection that sends each request after the response to the previous one."""

    def __init__(self, requests: Sequence[bytes]) -> None:
        self.statuses: Counter[int] = Counter()
        self.done = asyncio.get_running_loop().create_future()
        self._requests = iter(requests)
        self._missing = 0
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; all clients start together later."""
        self.transport = cast(asyncio.Transport, transport)

    def start(self, until: float) -> None:
        """Send the first request, and no new one after this time."""
        self._until = until
        self.send_next()

    def send_next(self) -> None:
        """Send the next request; finish after the last one or at the end of the time."""
        request = next(self._requests, None) if time.perf_counter() < self._until else None
        if request is None:
            self.finish()
        else:
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._missing -= len(data)
        else:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            self._missing = length_of(head) - len(body)
            self.statuses[int(head[9:12])] += 1
            self._head = b""
        if not self._missing:
            self.send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        self.finish()

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


async def _send_all(requests: Requests) -> Outcome:
    loop = asyncio.get_running_loop()
    clients = [Client(of_client) for of_client in requests.clients]
    for client in clients:
        await loop.create_connection(lambda client=client: client, HOST, requests.port)  # type: ignore[misc]
    began = time.perf_counter()
    for client in clients:
        client.start(began + ROUND_SECONDS)
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*(client.done for client in clients)), ROUND_SECONDS + GRACE_SECONDS)
    seconds = time.perf_counter() - began
    for client in clients:
        client.transport.close()
    return Outcome(seconds, dict(sum((client.statuses for client in clients), Counter[int]())))


# --- clients that watch a stream -------------------------------------------------------------------------------


class Stream(msgspec.Struct, frozen=True):
    """The request of each watcher."""

    port: int
    request: bytes
    watchers: int


class Arrival(msgspec.Struct, frozen=True):
    """The time at which the last watcher had a decision, the bytes of the first watcher, and the total of all."""

    at: float
    first: bytes
    total: int


@contextmanager
def watching(port: int, request: bytes, watchers: int) -> Iterator[Iterator[Arrival]]:
    """Run watchers during this context, and yield the arrivals."""
    command = [sys.executable, "-m", "bench.load", "watch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(Stream(port, request, watchers)))
            process.stdin.close()
            arrived = (msgspec.json.decode(line, type=Arrival) for line in process.stdout)
            next(arrived)
            yield arrived
        finally:
            process.terminate()


class Watcher:
    """The socket of a watcher."""

    def __init__(self, connection: socket.socket) -> None:
        self._begun = False
        self._connection = connection
        self._tail = b""

    def read(self) -> bytes:
        """Read available bytes; raise ``LoadFailed`` if the stream is refused or has ended."""
        data = self._connection.recv(READ_BYTES)
        if not data or not (self._begun or data.startswith(OK)):
            raise LoadFailed(f"a watcher got {data[:500]!r}")
        self._begun = True
        self._tail = (self._tail + data)[-len(END) :]
        return data

    @property
    def complete(self) -> bool:
        """True if the last bytes end the events of a decision."""
        return self._tail == END


def arrivals(sockets: list[socket.socket]) -> Iterator[Arrival]:
    """Yield an arrival whenever all sockets have received a whole decision."""
    with selectors.DefaultSelector() as selector:
        for connection in sockets:
            selector.register(connection, selectors.EVENT_READ, Watcher(connection))
        first = selector.get_key(sockets[0]).data
        while True:
            yield _next_arrival(selector, first, len(sockets))


def _next_arrival(selector: selectors.BaseSelector, first: Watcher, watchers: int) -> Arrival:
    complete: set[Watcher] = set()
    of_first, total = b"", 0
    while len(complete) < watchers:
        for key, _ in selector.select():
            data = key.data.read()
            total += len(data)
            if key.data is first:
                of_first += data
            if key.data.complete:
                complete.add(key.data)
    return Arrival(time.perf_counter(), of_first, total)


def _watch(stream: Stream) -> None:
    """Connect all watchers, and write a line for each arrival."""
    connections = [socket.create_connection((HOST, stream.port)) for _ in range(stream.watchers)]
    for connection in connections:
        connection.sendall(stream.request)
    for arrival in arrivals(connections):
        sys.stdout.buffer.write(msgspec.json.encode(arrival) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    if sys.argv[1] == "send":
        requests = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Requests)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            sys.stdout.buffer.write(msgspec.msgpack.encode(runner.run(_send_all(requests))))
    else:
        _watch(msgspec.json.decode(sys.stdin.buffer.read(), type=Stream))
