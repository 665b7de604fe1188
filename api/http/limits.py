"""Limits: the requests, seats and bytes that one client may ask for, and the uploads at once."""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Any
from uuid import UUID

from litestar.types import ASGIApp, Middleware, Receive, Scope, Send

from api.http.problems import ApiProblem
from domain.store import BoundedCache, ClientLimit, TooMuchWork

MINUTE = 60.0
HOUR = 3600.0
LEAST_AT_ONCE = 100
CLIENTS = 50_000
"""The most clients with an allowance of their own; beyond that, the one unused for longest is forgotten."""


def too_many_requests(what: str, wait: float) -> ApiProblem:
    """Return the problem of a client that has used up an allowance."""
    seconds = max(1, math.ceil(wait))
    when = f"{math.ceil(seconds / 60)} minutes" if seconds > 90 else f"{seconds} s"
    detail = f"Too {what} from this address. Try again in {when}."
    return ApiProblem("too_many_requests", detail, {"Retry-After": str(seconds)})


class RateLimit:
    """An allowance for each client, refilled steadily: by default that of a whole period may be used at once."""

    def __init__(
        self,
        per_period: float,
        period: float = MINUTE,
        *,
        at_once: float | None = None,
        what: str = "many requests",
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most = float(per_period if at_once is None else at_once)
        self._refill = per_period / period
        self._what = what
        self._clock = clock
        self._left: BoundedCache[str, tuple[float, float]] = BoundedCache(CLIENTS)

    def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
        """Take a cost from the allowance of a client, or raise the problem of one that has too little left.

        A cost that was found ``afterwards`` is taken however little is left, so the allowance may fall below zero once
        for each request that is being answered. A negative cost is given back.
        """
        if not self._most:
            return
        now, cost = self._clock(), min(self._most, cost)
        left, before = self._left.get(client) or (self._most, now)
        left = min(self._most, left + (now - before) * self._refill)
        allowed = afterwards or left >= cost
        self._left.put(client, (left - cost if allowed else left, now))
        if not allowed:
            raise too_many_requests(self._what, (cost - left) / self._refill)


def request_limit(per_minute: int) -> RateLimit:
    """Make the limit of requests, which lets a client have a tenth of its minute at once, but at least 100.

    A request for something that is ready costs 1, others as much as they take: one for each 0.1 ms of a processor. The
    processes that think and draw stop no other request, and count a tenth.
    """
    return RateLimit(per_minute, at_once=min(per_minute, max(per_minute / 10, LEAST_AT_ONCE)))


def client_of(address: Any) -> str:
    """Return an address as one client; of IPv6 the network that a single subscriber has, unless it stands for IPv4."""
    host: str = "" if address is None else address[0]
    if ":" not in host:
        return host
    try:
        ip = address_of(address)
    except ValueError:  # a proxy names clients in a way of its own
        return host
    return str(ip if isinstance(ip, IPv4Address) else IPv6Network((ip, 64), strict=False))


def address_of(address: Any) -> IPv4Address | IPv6Address:
    """Return the IP address of a socket address, as IPv4 if it stands for that."""
    ip = ip_address(address[0].partition("%")[0])
    return ip if isinstance(ip, IPv4Address) else ip.ipv4_mapped or ip


# --- seats ---------------------------------------------------------------------------------------------------------

TABLES = 50_000
"""The most tables whose opener is known; beyond that, the one unused for longest is forgotten."""


class SeatLimit:
    """An allowance of seats for each client, an hour's worth at once; at tables of their own they are free."""

    def __init__(self, per_hour: int, clock: Callable[[], float] = monotonic) -> None:
        self._limit = RateLimit(per_hour, HOUR, what="many seats taken", clock=clock)
        self._openers: BoundedCache[UUID, str] = BoundedCache(TABLES)

    def remember_opener(self, client: str, game: UUID) -> None:
        """Remember the client that opens a table."""
        self._openers.put(game, client)

    @contextmanager
    def seat(self, client: str, game: UUID) -> Generator[Callable[[], None]]:
        """Take a seat for the time of this context, or raise the problem of a client that has none left.

        It is given back if the context fails, or if the function is called that the context returns.
        """
        cost = 0 if self._openers.get(game) == client else 1
        self._limit.take(client, cost)

        def return_seat() -> None:
            self._limit.take(client, -cost, afterwards=True)

        try:
            yield return_seat
        except BaseException:
            return_seat()
            raise


# --- uploads -------------------------------------------------------------------------------------------------------


def upload_middleware(most: int, most_of_client: int) -> Middleware:
    """Make the middleware that limits the requests with large bodies at once, in all and of each client."""
    limit = ClientLimit(most, most_of_client, TooMuchWork)

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            with limit.counted(client_of(scope["client"])):
                await app(scope, receive, send)

        return middleware

    return wrap
