"""The clients of the benchmarks: counting, refusals, and the arrival of events at all watchers."""

import asyncio
import math
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from bench.live import Step, exchange, rate, send_watched
from bench.load import Arrival, Client, LoadFailed, Outcome, Watcher, arrivals, length_of, send
from bench.servers import broadcast_server, get, post

# --- clients that send requests --------------------------------------------------------------------------------


class Wire(asyncio.Transport):
    """A connection that records the sent bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))


def talk(
    requests: list[bytes], conversation: Callable[[Client, list[bytes]], None], until: float = math.inf
) -> tuple[Client, list[bytes]]:
    """Return a client after a conversation, and all bytes that it sent."""

    async def connected() -> tuple[Client, list[bytes]]:
        wire, client = Wire(), Client(requests)
        client.connection_made(wire)
        client.start(until)
        conversation(client, wire.sent)
        return client, wire.sent

    return asyncio.run(connected())


def test_the_rate_is_responses_a_second() -> None:
    assert Outcome(2.0, {200: 2, 409: 1}).rate == 1.5


@pytest.mark.parametrize(
    ("head", "length"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 12", 12),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\netag: x", 3),
        (b"HTTP/1.1 304 Not Modified\r\netag: x", 0),
    ],
)
def test_the_head_has_the_length_of_the_body(head: bytes, length: int) -> None:
    assert length_of(head) == length


def test_a_client_sends_its_next_request_after_the_whole_response() -> None:
    def conversation(client: Client, sent: list[bytes]) -> None:
        client.data_received(b"HTTP/1.1 200 OK\r\nconte")
        client.data_received(b"nt-length: 6\r\n\r\nab")
        client.data_received(b"cd")
        assert sent == [b"first"]
        client.data_received(b"ef")
        assert sent == [b"first", b"second"]
        assert not client.done.done()
        client.data_received(b"HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n")

    client, sent = talk([b"first", b"second"], conversation)
    assert sent == [b"first", b"second"]
    assert client.statuses == {200: 1, 409: 1}
    assert client.done.done()


def test_a_client_ends_when_the_server_closes_the_connection() -> None:
    client, sent = talk([b"first", b"second"], lambda client, _: client.connection_lost(None))
    assert client.done.done()
    assert sent == [b"first"]


def test_a_client_sends_nothing_after_the_end_of_the_time() -> None:
    client, sent = talk([b"first"], lambda *_: None, until=-math.inf)
    assert client.done.done()
    assert not sent


def test_a_refused_request_is_not_a_measurement() -> None:
    server, client = socket.socketpair()
    with server, client:
        server.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        exchange(client, b"first")
        server.sendall(b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\n{}")
        with pytest.raises(LoadFailed, match="409"):
            exchange(client, b"second")
        assert server.recv(100) == b"firstsecond"


# --- clients that watch a stream -------------------------------------------------------------------------------

Pair = tuple[socket.socket, socket.socket]
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
BEGINNING = HEAD + b"7\r\nid: 4\n\n\r\n"
EVENT = b"f\r\nid: 5\ndata: {}\n\n\r\n"


@pytest.fixture
def pairs() -> Iterator[tuple[Pair, Pair]]:
    """Two connections, each with a server's and a watcher's end."""
    with ExitStack() as stack:
        first, second = socket.socketpair(), socket.socketpair()
        for end in (*first, *second):
            stack.enter_context(end)
        yield first, second


def watched(pairs: tuple[Pair, Pair]) -> Iterator[Arrival]:
    return arrivals([watcher for _, watcher in pairs])


def test_an_arrival_ends_when_the_last_watcher_has_the_whole_event(pairs: tuple[Pair, Pair]) -> None:
    (first, _), (second, _) = pairs
    for server in (first, second):
        server.sendall(BEGINNING)
    coming = watched(pairs)
    assert next(coming).total == 2 * len(BEGINNING)
    for server in (first, second):
        server.sendall(EVENT)
    arrival = next(coming)
    assert (arrival.first, arrival.total) == (EVENT, 2 * len(EVENT))


def test_an_event_may_arrive_in_parts() -> None:
    server, connection = socket.socketpair()
    with server, connection:
        watcher = Watcher(connection)
        server.sendall(BEGINNING + EVENT[:-1])
        watcher.read()
        assert not watcher.complete
        server.sendall(EVENT[-1:])
        watcher.read()
        assert watcher.complete


def test_a_refused_or_disconnected_watcher_is_an_error(pairs: tuple[Pair, Pair]) -> None:
    (first, watcher), (second, other) = pairs
    first.sendall(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n")
    with pytest.raises(LoadFailed, match="429"):
        next(arrivals([watcher]))
    second.sendall(BEGINNING)
    coming = arrivals([other])
    next(coming)
    second.close()
    with pytest.raises(LoadFailed, match="got b''"):
        next(coming)


# --- both, with the bare server --------------------------------------------------------------------------------

FAN_OUTS = (EVENT, b"11\r\nid: 6\ndata: true\n\n\r\n")


def test_the_rate_counts_requests_that_have_reached_all_watchers() -> None:
    assert rate([Step(0.001, 0.3, b""), Step(0.001, 0.1, b"")]) == 5.0


def test_the_bare_server_writes_published_events_to_all_watchers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.live.ROUND_SECONDS", 60)
    published = [post("/stream", "", fan_out) for fan_out in FAN_OUTS]
    with broadcast_server() as server:
        steps = send_watched(server.port, published, get("/stream"), watchers=3)
        assert [step.bytes_of_one for step in steps] == list(FAN_OUTS)
        assert all(step.responded > 0 for step in steps)
        assert len(send_watched(server.port, published, get("/stream"), watchers=0)) == 2


def test_each_request_of_each_client_is_sent_to_a_server() -> None:
    with broadcast_server() as server:
        assert send(server.port, [[get("/")] * 3, [get("/")]]).statuses == {200: 4}
