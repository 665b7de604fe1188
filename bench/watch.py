"""Watchers: a separate process with many sockets, which says when the last of them has all that was sent to each.

It connects to 127.0.0.1 only and counts bytes without reading them; only of the last four it knows that they end the
events of one decision. Its clock is the one of ``time.perf_counter``, which all processes of a machine share.
"""

import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from bench.load import HOST

MAX_WATCHERS = 2000
READ_BYTES = 65536
OK = b"HTTP/1.1 200 "
END = b"\n\n\r\n"
"""The end of an event and of the chunk that it came in."""


class Plan(msgspec.Struct, frozen=True):
    """The request that each of so many watchers sends."""

    port: int
    request: bytes
    watchers: int


class Arrival(msgspec.Struct, frozen=True):
    """The arrival of one fan-out: when the last watcher had it, what the first one got, the bytes of all together."""

    at: float
    first: bytes
    total: int


class WatchFailed(RuntimeError):
    """The watchers were refused, were cut off, or did not all get the same."""


class Watchers:
    """The process with the watchers, seen from the benchmark."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def await_all(self) -> Arrival:
        """Wait until all watchers have what was sent since the last call."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WatchFailed("the watchers have ended")
        return msgspec.json.decode(line, type=Arrival)


@contextmanager
def watching(port: int, request: bytes, watchers: int) -> Iterator[Watchers]:
    """Let so many clients watch for the time of this context; at its beginning each has the beginning of its stream."""
    plan = Plan(port, request, watchers)
    check(plan)
    command = [sys.executable, "-m", "bench.watch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(plan) + b"\n")
            process.stdin.flush()
            found = Watchers(process)
            found.await_all()
            yield found
        finally:
            process.terminate()


def check(plan: Plan) -> None:
    """Raise ``ValueError`` if there are more watchers than any measurement needs."""
    if plan.watchers > MAX_WATCHERS:
        raise ValueError(f"too much: {plan.watchers} watchers")


# --- in the process itself -------------------------------------------------------------------------------------


class Socket:
    """The socket of a watcher."""

    def __init__(self, connection: socket.socket) -> None:
        self.begun = False
        self._connection = connection
        self._tail = b""

    def read(self) -> bytes:
        """Read what there is; raise ``WatchFailed`` if the stream is refused or has ended."""
        data = self._connection.recv(READ_BYTES)
        if not data or not (self.begun or data.startswith(OK)):
            raise WatchFailed(f"the server hung up, or answered {data[:500]!r}")
        self.begun = True
        self._tail = (self._tail + data)[-len(END) :]
        return data

    @property
    def complete(self) -> bool:
        """True if the last bytes end the events of a decision."""
        return self._tail == END


def arrivals(sockets: list[socket.socket]) -> Iterator[Arrival]:
    """Yield whenever each socket has something, and all of it."""
    with selectors.DefaultSelector() as selector:
        for connection in sockets:
            selector.register(connection, selectors.EVENT_READ, Socket(connection))
        first = selector.get_key(sockets[0]).data
        while True:
            yield _next_arrival(selector, first, len(sockets))


def _next_arrival(selector: selectors.BaseSelector, first: Socket, watchers: int) -> Arrival:
    complete: set[Socket] = set()
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


def _connect(plan: Plan) -> socket.socket:
    connection = socket.create_connection((HOST, plan.port))
    connection.sendall(plan.request)
    return connection


def main() -> None:
    """Read a plan from the input, and write a line for each arrival to the output until somebody ends this."""
    plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=Plan)
    check(plan)
    for arrival in arrivals([_connect(plan) for _ in range(plan.watchers)]):
        sys.stdout.buffer.write(msgspec.json.encode(arrival) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
