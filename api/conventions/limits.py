"""How much one client may ask for."""

import math
from collections.abc import Callable
from time import monotonic

from litestar.types import ASGIApp, Receive, Scope, Send

from api.conventions.errors import problem_answer
from api.conventions.problems import Failure

MINUTE = 60.0
CLIENTS = 50_000
"""How many clients are told apart; beyond that the one heard of longest ago starts anew."""

_COSTS = {"audit": 25, "record": 10, "records": 50, "fork": 10}
"""What takes the server longer counts several times."""

_FREE = ("/health/live", "/health/ready")
"""Whoever watches over the server may always ask how it is."""


class Limited:
    """Lets in those who have not asked for too much."""

    def __init__(self, inside: ASGIApp, limit: "RateLimit") -> None:
        self._inside = inside
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or tell it to come back later."""
        wait = self._limit.seconds_to_wait(client_of(scope["client"]), scope["path"])
        if wait:
            await problem_answer(come_back(wait))(scope, receive, send)
        else:
            await self._inside(scope, receive, send)


def come_back(wait: float) -> Failure:
    """What a client is told that asks too often."""
    seconds = max(1, math.ceil(wait))
    detail = f"The next one is welcome in {seconds} s."
    return Failure("too_many_requests", detail, {"Retry-After": str(seconds)})


class RateLimit:
    """An allowance for each client: a minute's worth at once, refilled steadily."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = float(per_minute)
        self._refill = per_minute / MINUTE
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def seconds_to_wait(self, client: str, path: str) -> float:
        """Take a request from the allowance: 0, or how long to wait until there is enough for it."""
        path = path.rstrip("/")
        if not self._most or path in _FREE:
            return 0.0
        now = self._clock()
        left, before = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - before) * self._refill)
        cost = min(self._most, _COSTS.get(path.rpartition("/")[2], 1))
        allowed = left >= cost
        self._left[client] = (left - cost if allowed else left, now)
        if len(self._left) > CLIENTS:
            del self._left[next(iter(self._left))]
        return 0.0 if allowed else (cost - left) / self._refill


def client_of(address: tuple[str, int] | None) -> str:
    """Who counts as one client: an address, of IPv6 the network that a single subscriber has."""
    if address is None:
        return ""
    host = address[0]
    return ":".join(host.split(":")[:4]) if ":" in host else host
