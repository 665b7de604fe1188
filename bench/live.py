"""Streams: moves of a game with a thousand watchers."""

import resource
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from statistics import median

import msgspec

from bench.games import scripts
from bench.load import HOST, OK, READ_BYTES, Arrival, LoadFailed, length_of, watching
from bench.report import Comparison, percentile
from bench.rounds import ROUND_SECONDS, interleave
from bench.servers import Server, broadcast_server, franchise_server, get, move, post

WATCHERS = 1000
MOVES = 100
SILENCE = 3600
"""The heartbeat interval in seconds, so long that none is sent between moves."""


class Step(msgspec.Struct, frozen=True):
    """The seconds until the response and until the last watcher's arrival, and the bytes of one watcher."""

    responded: float
    arrived: float
    bytes_of_one: bytes


def measure_live() -> Iterator[Comparison]:
    """Measure moves with and without watchers, and the same bytes written by a bare server."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the servers inherit it
    room = {"watchers": WATCHERS, "watchers_per_client": WATCHERS, "connections_per_client": 0}
    with franchise_server(rate_limit=0, heartbeat=SILENCE, **room) as server, broadcast_server() as bare:
        published = [post("/stream", "", step.bytes_of_one) for step in _moves(server, 1)]
        ours, theirs, alone = interleave(
            "live",
            lambda _: _moves(server, WATCHERS),
            lambda _: send_watched(bare.port, published, get("/stream"), WATCHERS),
            lambda _: _moves(server, 0),
        )
    name, other = f"moves to {WATCHERS:,} watchers", "bare asyncio server, same bytes"
    yield Comparison(name, "moves/s", [*map(rate, ours)], other, [*map(rate, theirs)], at_least=0.6)
    arrived = [[step.arrived * 1000 for step in steps] for steps in ours]
    slow, middle = ([percentile(times, part) for times in arrived] for part in (0.99, 0.5))
    yield Comparison(f"{name}, the last one: p99", "ms", slow, "p50 of the same", middle, at_most=3)
    watched, unwatched = ([median(step.responded * 1000 for step in steps) for steps in each] for each in (ours, alone))
    name = f"the response to a move with {WATCHERS:,} watchers"
    yield Comparison(name, "ms", watched, "without watchers", unwatched, at_most=1.5)


def _moves(server: Server, watchers: int) -> list[Step]:
    """Open a game, and make its moves while it is watched."""
    (script,) = scripts(1, MOVES)
    table = server.open(script)
    requests = [move(table, taken) for taken in script.actions]
    return send_watched(server.port, requests, get(f"{table.path}/stream"), watchers)


def rate(steps: Sequence[Step]) -> float:
    """Return the number of requests a second that have arrived at all watchers."""
    return len(steps) / sum(step.arrived for step in steps)


def send_watched(port: int, requests: Sequence[bytes], stream: bytes, watchers: int) -> list[Step]:
    """Send each request after all watchers have received the previous one, until the round is over."""
    steps: list[Step] = []
    with ExitStack() as stack:
        arrivals = stack.enter_context(watching(port, stream, watchers)) if watchers else None
        connection = stack.enter_context(socket.create_connection((HOST, port)))
        until = time.perf_counter() + ROUND_SECONDS
        for request in requests:
            began = time.perf_counter()
            if began > until:
                break
            exchange(connection, request)
            responded = time.perf_counter()
            arrival = next(arrivals) if arrivals else Arrival(responded, b"", 0)
            if arrival.total != watchers * len(arrival.first):
                raise LoadFailed(f"{watchers} watchers got {arrival.total} bytes, the first {len(arrival.first)}")
            steps.append(Step(responded - began, arrival.at - began, arrival.first))
    return steps


def exchange(connection: socket.socket, request: bytes) -> None:
    connection.sendall(request)
    received = b""
    while True:
        received += connection.recv(READ_BYTES)
        head, end, body = received.partition(b"\r\n\r\n")
        if end and len(body) >= length_of(head):
            break
    if not head.startswith(OK):
        raise LoadFailed(f"a request got {head[:500]!r}")
