"""The load generator: keep-alive clients in a process of their own, each sending its next request once it is answered.

It speaks to 127.0.0.1 only, sends what it was given and nothing more, and ends by itself: when all is answered, when
the time is up, or when the server hangs up. Requests are made up beforehand and answers are only measured, so that it
takes far less time than the server does.
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

from bench.rounds import ENOUGH

HOST = "127.0.0.1"
MOST_CLIENTS = 256
MOST_REQUESTS = 200_000
MOST_SECONDS = 10.0
GRACE_SECONDS = 20.0
"""How long the last answers may take."""


class Plan(msgspec.Struct, frozen=True):
    """What each client sends, one list of whole requests for each; nothing new is sent after so many seconds."""

    port: int
    clients: tuple[tuple[bytes, ...], ...]
    seconds: float = ENOUGH


class Outcome(msgspec.Struct, frozen=True):
    """What became of it: seconds for everything, the answers by status, and each answer's time in seconds."""

    seconds: float
    statuses: dict[int, int]
    times: list[float]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.times) / self.seconds

    def percentile(self, part: float) -> float:
        """The time within which this part of the answers came."""
        return percentile(self.times, part)


class LoadFailed(RuntimeError):
    """Not everything was answered, or not as it should have been."""


def percentile(times: Sequence[float], part: float) -> float:
    """The smallest value that this part of all values does not exceed."""
    ordered = sorted(times)
    return ordered[max(0, -(-round(len(ordered) * part * 1000) // 1000) - 1)]


def send(port: int, clients: Sequence[Sequence[bytes]], status: int = 200, seconds: float = ENOUGH) -> Outcome:
    """Let a process of its own send these requests, as far as it gets; every answer has to have this status."""
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
    """Raise if a plan is larger than any measurement needs."""
    requests = sum(map(len, plan.clients))
    if len(plan.clients) > MOST_CLIENTS or requests > MOST_REQUESTS or plan.seconds > MOST_SECONDS:
        raise ValueError(f"too much: {len(plan.clients)} clients, {requests} requests, {plan.seconds} s")


class Client(asyncio.Protocol):
    """One connection: sends a request, waits for the whole answer, sends the next."""

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
        """Wait for the start, which is the same for all."""
        self.transport = cast(asyncio.Transport, transport)

    def go(self, until: float = math.inf) -> None:
        """Begin, and send nothing new after that time."""
        self._until = until
        self.go_on()

    def go_on(self) -> None:
        """Send the next request, or end."""
        self._began = time.perf_counter()
        request = next(self._requests, None) if self._began < self._until else None
        if request is None:
            self.end()
        else:
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer, most often all of it."""
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
            self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """The server hung up, or all is done."""
        self.end()

    def end(self) -> None:
        """Nothing more will be sent."""
        if not self.done.done():
            self.done.set_result(None)


def length_of(head: bytes) -> int:
    """How long the body is that follows this head."""
    head = head.lower()
    start = head.find(b"\r\ncontent-length:")
    return 0 if start < 0 else int(head[start + 17 :].partition(b"\r\n")[0])


async def generate(plan: Plan) -> Outcome:
    """Send everything, as far as the time allows."""
    check(plan)
    clients = await _connected(plan)
    began = time.perf_counter()
    for client in clients:
        client.go(began + plan.seconds)
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
    """Read a plan, carry it out, write the outcome."""
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.buffer.write(msgspec.msgpack.encode(runner.run(generate(plan))))


if __name__ == "__main__":
    main()
