"""The watchers of the benchmarks: when all of them have something, and what they refuse."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from bench.watch import MAX_WATCHERS, Arrival, Plan, Socket, WatchFailed, arrivals, check

Pair = tuple[socket.socket, socket.socket]
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
BEGINNING = HEAD + b"7\r\nid: 4\n\n\r\n"
EVENT = b"f\r\nid: 5\ndata: {}\n\n\r\n"


@pytest.fixture
def pairs() -> Iterator[tuple[Pair, Pair]]:
    """Two connections: the ends of a server and of a watcher each."""
    with ExitStack() as stack:
        first, second = socket.socketpair(), socket.socketpair()
        for end in (*first, *second):
            stack.enter_context(end)
        yield first, second


def watched(pairs: tuple[Pair, Pair]) -> Iterator[Arrival]:
    return arrivals([watcher for _, watcher in pairs])


def test_an_arrival_is_over_when_the_last_watcher_has_all_of_it(pairs: tuple[Pair, Pair]) -> None:
    (first, _), (second, _) = pairs
    for server in (first, second):
        server.sendall(BEGINNING)
    coming = watched(pairs)
    assert next(coming).total == 2 * len(BEGINNING)
    for server in (first, second):
        server.sendall(EVENT)
    arrival = next(coming)
    assert (arrival.first, arrival.total) == (EVENT, 2 * len(EVENT))


def test_an_event_may_come_in_parts() -> None:
    server, watcher = socket.socketpair()
    with server, watcher:
        stream = Socket(watcher)
        server.sendall(BEGINNING + EVENT[:-1])
        stream.read()
        assert not stream.complete
        server.sendall(EVENT[-1:])
        stream.read()
        assert stream.complete


def test_a_watcher_who_is_refused_or_cut_off_is_noticed(pairs: tuple[Pair, Pair]) -> None:
    (first, watcher), (second, other) = pairs
    first.sendall(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n")
    with pytest.raises(WatchFailed, match="429"):
        next(arrivals([watcher]))
    second.sendall(BEGINNING)
    coming = arrivals([other])
    next(coming)
    second.close()
    with pytest.raises(WatchFailed, match="hung up"):
        next(coming)


def test_watchers_are_bounded() -> None:
    with pytest.raises(ValueError, match="too much"):
        check(Plan(1, b"", MAX_WATCHERS + 1))
