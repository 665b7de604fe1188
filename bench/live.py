"""Streams: a game with a thousand watchers, watchers at another process, and watchers to whom nothing is told."""

import os
import resource
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from statistics import median

import msgspec

from bench.floors import temporary_folder
from bench.games import scripts
from bench.load import HOST, length_of, percentile
from bench.postgres import postgres_server
from bench.progress import report_progress
from bench.report import Result, compare
from bench.rounds import ROUND_SECONDS, ROUNDS, interleave
from bench.servers import Server, broadcast_server, franchise_server, get, move, post
from bench.usage import usage_of
from bench.watch import Arrival, Watchers, WatchFailed, watching

PART = "live"
WATCHERS = 1000
MOVES = 100
LONG_SILENCE, SHORT_SILENCE = 3600, 2
"""The seconds until a heartbeat: none may come in between, or one to each watcher in a round."""

ANSWER_BYTES = 65536
BARE = "bare asyncio server, same bytes"
FAN_OUTS_AT_LEAST, P99_AT_MOST, MOVE_AT_MOST = 0.6, 3.0, 1.5


def measure() -> Iterator[Result]:
    """Measure one game for many, then two processes, then silence."""
    _allow_open_files()
    with temporary_folder() as path, postgres_server(PART) as postgres_url:
        sqlite_url = f"sqlite:///{path / 'games.sqlite'}"
        yield from _one_game(sqlite_url)
        yield from _two_processes(sqlite_url, "SQLite")
        if postgres_url is not None:
            yield from _two_processes(postgres_url, "PostgreSQL")
        yield from _silence(sqlite_url)


def streaming_server(database_url: str, heartbeat: int = LONG_SILENCE) -> AbstractContextManager[Server]:
    """Run the server of this project with room for all watchers."""
    most = {"watchers": WATCHERS, "watchers_per_client": WATCHERS, "connections_per_client": 0}
    return franchise_server(database_url, rate_limit=0, heartbeat=heartbeat, **most)


def _allow_open_files() -> None:
    """Let this process, and so those that it starts, open as many files as they ever may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# --- requests in turns with what they make watchers see ----------------------------------------------------------


class Plan(msgspec.Struct, frozen=True):
    """Requests to a server, and a stream of the same or another server in which each of them is seen."""

    port: int
    requests: Sequence[bytes]
    stream_port: int
    stream: bytes
    watchers: int


class Times(msgspec.Struct, frozen=True):
    """The seconds from each request to its answer, and to the last watcher."""

    answered: list[float]
    arrived: list[float]

    @property
    def rate(self) -> float:
        """The number of requests a second whose outcome all watchers have."""
        return len(self.arrived) / sum(self.arrived)


class WatchedSubject:
    """A subject that sends each request once all watchers have seen the one before, and keeps the times."""

    def __init__(self, prepare: Callable[[], Plan]) -> None:
        self._prepare = prepare
        self._rounds: list[Times] = []

    def __call__(self, _: int) -> float:
        """Measure requests a second."""
        times, _arrivals = carry_out(self._prepare())
        self._rounds.append(times)
        return times.rate

    def answers(self) -> list[float]:
        """Return the median milliseconds to an answer, for each round."""
        return [median(times.answered) * 1000 for times in self._rounds[-ROUNDS:]]

    def arrivals(self, fraction: float) -> list[float]:
        """Return the milliseconds within which this fraction of the requests reached all, for each round."""
        return [percentile(times.arrived, fraction) * 1000 for times in self._rounds[-ROUNDS:]]


def carry_out(plan: Plan) -> tuple[Times, list[Arrival]]:
    """Send requests one after the other until the time is up, and return what watchers have seen of them."""
    with ExitStack() as stack:
        watchers = (
            stack.enter_context(watching(plan.stream_port, plan.stream, plan.watchers)) if plan.watchers else None
        )
        connection = stack.enter_context(socket.create_connection((HOST, plan.port)))
        return _send_all(plan, connection, watchers)


def _send_all(plan: Plan, connection: socket.socket, watchers: Watchers | None) -> tuple[Times, list[Arrival]]:
    times, arrivals = Times([], []), []
    until = time.perf_counter() + ROUND_SECONDS
    for request in plan.requests:
        began = time.perf_counter()
        if began > until:
            break
        exchange(connection, request)
        answered = arrived = time.perf_counter()
        if watchers is not None:
            arrival = watchers.await_all()
            _check(arrival, plan.watchers)
            arrived = arrival.at
            arrivals.append(arrival)
        times.answered.append(answered - began)
        times.arrived.append(arrived - began)
    return times, arrivals


def exchange(connection: socket.socket, request: bytes) -> None:
    """Send a request and wait for the whole answer."""
    connection.sendall(request)
    received = b""
    while True:
        received += connection.recv(ANSWER_BYTES)
        head, end, body = received.partition(b"\r\n\r\n")
        if end and len(body) >= length_of(head):
            break
    if not head.startswith(b"HTTP/1.1 200 "):
        raise WatchFailed(f"a request was answered {head[:500]!r}")


def _check(arrival: Arrival, watchers: int) -> None:
    if arrival.total != watchers * len(arrival.first):
        raise WatchFailed(f"{watchers} watchers got {arrival.total} bytes, the first {len(arrival.first)}")


# --- one game with many watchers ---------------------------------------------------------------------------------


def _one_game(url: str) -> Iterator[Result]:
    """Measure moves of a game with many watchers and without, and the same bytes written by a bare server."""
    with streaming_server(url) as server, broadcast_server() as bare:
        ours = WatchedSubject(partial(_moves, server, server, WATCHERS))
        theirs = WatchedSubject(partial(_publishing, bare, _fan_outs(server)))
        alone = WatchedSubject(partial(_moves, server, server, 0))
        rate, floor, _ = interleave("live, one game", ours, theirs, alone)
    name = f"moves to {WATCHERS:,} watchers"
    yield compare(PART, name, "moves/s", rate, beside=BARE, theirs=floor, at_least=FAN_OUTS_AT_LEAST)
    yield _tail(f"{name}, the last one", ours, P99_AT_MOST)
    name = f"the answer to a move with {WATCHERS:,} watchers"
    yield compare(
        PART, name, "ms", ours.answers(), beside="without watchers", theirs=alone.answers(), at_most=MOVE_AT_MOST
    )


def _moves(server: Server, watched: Server, watchers: int) -> Plan:
    """Open a game at one server, to be watched at one."""
    (script,) = scripts(1, MOVES)
    table = server.open(script)
    requests = [move(table, taken) for taken in script.actions]
    return Plan(server.port, requests, watched.port, get(f"/v1/games/{table.id}/stream"), watchers)


def _fan_outs(server: Server) -> list[bytes]:
    """Return what a watcher gets of each move."""
    _, arrivals = carry_out(_moves(server, server, 1))
    return [arrival.first for arrival in arrivals]


def _publishing(bare: Server, fan_outs: Sequence[bytes]) -> Plan:
    requests = [post("/stream", "", fan_out) for fan_out in fan_outs]
    return Plan(bare.port, requests, bare.port, get("/stream"), WATCHERS)


def _tail(name: str, subject: WatchedSubject, at_most: float | None = None) -> Result:
    """Compare the 99th percentile with the median."""
    slow, middle = subject.arrivals(0.99), subject.arrivals(0.5)
    return compare(PART, f"{name}: p99", "ms", slow, beside="p50 of the same", theirs=middle, at_most=at_most)


# --- from one process to another ---------------------------------------------------------------------------------


def _two_processes(url: str, database: str) -> Iterator[Result]:
    """Measure the time from a move at one process to a watcher at another, beside that to the answer."""
    with streaming_server(url) as server, streaming_server(url) as other:
        subject = WatchedSubject(partial(_moves, server, other, 1))
        interleave(f"live, two processes on {database}", subject)
    name = f"{database}: a move to a watcher at another process"
    beside = "to its answer"
    yield compare(PART, name, "ms", subject.arrivals(0.5), beside=beside, theirs=subject.answers())
    yield _tail(name, subject)


# --- watchers to whom nothing is told ----------------------------------------------------------------------------


class SilentSubject:
    """A subject that watches a fresh server for a while without anything to tell."""

    def __init__(self, serve: Callable[[], AbstractContextManager[Server]], stream: Callable[[Server], bytes]) -> None:
        self._serve = serve
        self._stream = stream
        self.cores: list[float] = []

    def __call__(self, _: int) -> float:
        """Measure the bytes for each watcher."""
        with self._serve() as server:
            stream = self._stream(server)
            before = usage_of(server.pid)
            with watching(server.port, stream, WATCHERS):
                connected, began = usage_of(server.pid), time.perf_counter()
                time.sleep(SHORT_SILENCE)
                after, ended = usage_of(server.pid), time.perf_counter()
        assert before is not None
        assert connected is not None
        assert after is not None
        self.cores.append((after.seconds - connected.seconds) / (ended - began))
        return (after.resident - before.resident) / WATCHERS


def _silence(url: str) -> Iterator[Result]:
    """Measure the memory and the processor time that watchers take while nothing happens."""
    if usage_of(os.getpid()) is None:
        report_progress("live: idle watchers are left out, there is no /proc")
        return
    ours = SilentSubject(partial(streaming_server, url, SHORT_SILENCE), _stream_of_new_game)
    theirs = SilentSubject(broadcast_server, lambda _: get("/stream"))
    memory, floor = interleave("live, idle watchers", ours, theirs, warm_up=0)
    name = f"one of {WATCHERS:,} idle watchers"
    yield compare(PART, name, "bytes", memory, beside="bare asyncio server", theirs=floor)
    name = f"{WATCHERS:,} idle watchers, a heartbeat each {SHORT_SILENCE} s"
    yield compare(PART, name, "s/s", ours.cores, beside="a processor", theirs=[1.0] * ROUNDS)


def _stream_of_new_game(server: Server) -> bytes:
    (script,) = scripts(1, MOVES)
    return get(f"/v1/games/{server.open(script).id}/stream")
