"""The load generator: keep-alive clients in a separate process, each sending its next request after an answer.

It connects to 127.0.0.1 only, sends the requests it was given and nothing else, and ends when all are answered, when
the time is up, or when the server closes the connections. Requests are prepared beforehand and answers are not parsed
beyond status and length, so that the generator takes far less time than the server.
"""

import asyncio
import math
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import msgspec
import uvloop

from bench.rounds import ROUND_SECONDS

HOST = "127.0.0.1"
MAX_CLIENTS = 256
MAX_REQUESTS = 200_000
MAX_SECONDS = 10.0
GRACE_SECONDS = 20.0
"""The time that the last answers may take."""


class Plan(msgspec.Struct, frozen=True):
    """The requests of each client, as bytes; no new request is sent after ``seconds``."""

    port: int
    clients: tuple[tuple[bytes, ...], ...]
    seconds: float = ROUND_SECONDS


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a plan: its duration, the number of answers by status, and the seconds of each answer."""

    seconds: float
    statuses: dict[int, int]
    times: list[float]

    @property
    def rate(self) -> float:
        """The number of answers a second."""
        return len(self.times) / self.seconds

    def percentile(self, fraction: float) -> float:
        """Return the time within which this fraction of the answers came."""
        return percentile(self.times, fraction)


class LoadFailed(RuntimeError):
    """Some requests were not answered, or not with the expected status."""


def percentile(times: Sequence[float], fraction: float) -> float:
    """Return the smallest value that this fraction of all values does not exceed."""
    ordered = sorted(times)
    return ordered[max(0, -(-round(len(ordered) * fraction * 1000) // 1000) - 1)]


def send(port: int, clients: Sequence[Sequence[bytes]], status: int = 200, seconds: float = ROUND_SECONDS) -> Outcome:
    """Send requests from a separate process until the time is up; raise ``LoadFailed`` for any other status."""
    plan = Plan(port, tuple(map(tuple, clients)), seconds)
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=msgspec.msgpack.encode(plan),
        stdout=subprocess.PIPE,
        check=True,
        timeout=seconds + 2 * GRACE_SECONDS,
    )
    outcome = msgspec.msgpack.decode(done.stdout, type=Outcome)
    if list(outcome.statuses) != [status]:
        raise LoadFailed(f"answers by status were {outcome.statuses}, and only {status} was expected")
    return outcome


def check(plan: Plan) -> None:
    """Raise ``ValueError`` if a plan is larger than any measurement needs."""
    requests = sum(map(len, plan.clients))
    if len(plan.clients) > MAX_CLIENTS or requests > MAX_REQUESTS or plan.seconds > MAX_SECONDS:
        raise ValueError(f"too much: {len(plan.clients)} clients, {requests} requests, {plan.seconds} s")


class Client(asyncio.Protocol):
    """A connection that sends a request, waits for the whole answer, and sends the next request."""

    def __init__(self, requests: Sequence[bytes]) -> None:
        self.statuses: Counter[int] = Counter()
        self.times: list[float] = []
        self.done = asyncio.get_running_loop().create_future()
        self._requests = iter(requests)
        self._until = math.inf
        self._began = 0.0
        self._missing = 0
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; all clients start at the same time later."""
        self.transport = cast(asyncio.Transport, transport)

    def start(self, until: float = math.inf) -> None:
        """Send the first request; send no new one after this time."""
        self._until = until
        self.send_next()

    def send_next(self) -> None:
        """Send the next request, or finish if there is none."""
        self._began = time.perf_counter()
        request = next(self._requests, None) if self._began < self._until else None
        if request is None:
            self.finish()
        else:
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read a part of an answer, usually all of it."""
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
            self.times.append(time.perf_counter() - self._began)
            self.send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Finish: the connection was closed."""
        self.finish()

    def finish(self) -> None:
        """Mark this client as done."""
        if not self.done.done():
            self.done.set_result(None)


def length_of(head: bytes) -> int:
    """Return the length of the body that follows this head."""
    head = head.lower()
    start = head.find(b"\r\ncontent-length:")
    return 0 if start < 0 else int(head[start + 17 :].partition(b"\r\n")[0])


async def generate(plan: Plan) -> Outcome:
    """Carry out a plan, as far as the time allows."""
    check(plan)
    clients = await _connected(plan)
    began = time.perf_counter()
    for client in clients:
        client.start(began + plan.seconds)
    with suppress(TimeoutError):
        answered = asyncio.gather(*(client.done for client in clients))
        await asyncio.wait_for(answered, plan.seconds + GRACE_SECONDS)
    seconds = time.perf_counter() - began
    for client in clients:
        client.transport.close()
    statuses = sum((client.statuses for client in clients), Counter[int]())
    return Outcome(seconds, dict(statuses), [time for client in clients for time in client.times])


async def _connected(plan: Plan) -> list[Client]:
    loop = asyncio.get_running_loop()
    clients = [Client(requests) for requests in plan.clients]
    for client in clients:
        await loop.create_connection(lambda client=client: client, HOST, plan.port)  # type: ignore[misc]
    return clients


def main() -> None:
    """Read a plan from the input, carry it out, and write the outcome to the output."""
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.buffer.write(msgspec.msgpack.encode(runner.run(generate(plan))))


if __name__ == "__main__":
    main()
