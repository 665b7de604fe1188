"""Limits of a client: requests, seats, stored bytes, and concurrent uploads."""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Any

from litestar.types import ASGIApp, Middleware, Receive, Scope, Send

from api.http.problems import ApiProblem, LimitName
from domain.store import APP, APP_FACTOR, BoundedCache, ClientLimit, TooMuchWork, app_shares

MINUTE = 60.0
HOUR = 3600.0
LEAST_AT_ONCE = 100
CLIENTS = 50_000
"""The number of clients whose allowances are kept; the least recently used are dropped."""


def too_many_requests(limit: LimitName, detail: str, seconds: int | None) -> ApiProblem:
    """Return the problem of a client that has reached a limit, with the wait if waiting helps."""
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return ApiProblem("too_many_requests", detail, headers, limit=limit, retry_after=seconds)


def allowance_used_up(limit: LimitName, wait: float) -> ApiProblem:
    """Return the problem of a client that has used up an allowance."""
    seconds = max(1, math.ceil(wait))
    when = f"{math.ceil(seconds / 60)} minutes" if seconds > 90 else f"{seconds} s"
    return too_many_requests(limit, f"Too {_WHAT[limit]} from this client. Try again in {when}.", seconds)


_WHAT: dict[LimitName, str] = {"requests": "many requests", "seats": "many seats taken", "storage": "much data stored"}


class RateLimit:
    """A steadily refilled allowance for each client; by default all of it may be used at once."""

    def __init__(
        self,
        per_period: float,
        period: float = MINUTE,
        *,
        at_once: float | None = None,
        name: LimitName = "requests",
        app_factor: int = APP_FACTOR,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._app_factor = app_factor
        self._most = float(per_period if at_once is None else at_once)
        self._refill = per_period / period
        self._name: LimitName = name
        self._clock = clock
        self._allowances: BoundedCache[str, tuple[float, float]] = BoundedCache(CLIENTS)

    def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
        """Charge a client, or raise ``too_many_requests`` if the allowance does not cover the cost.

        A cost that is known only ``afterwards`` is always charged, so the allowance may become negative once for each
        request in progress. A negative cost is a refund.
        """
        if not self._most:
            return
        if client.startswith(APP):
            for counter, clients in app_shares(client, self._app_factor):
                self.take(counter, cost / clients, afterwards=afterwards)
            return
        now, cost = self._clock(), min(self._most, cost)
        left, before = self._allowances.get(client) or (self._most, now)
        left = min(self._most, left + (now - before) * self._refill)
        allowed = afterwards or left >= cost
        self._allowances.put(client, (left - cost if allowed else left, now))
        if not allowed:
            raise allowance_used_up(self._name, (cost - left) / self._refill)


def request_limit(per_minute: int, app_factor: int = APP_FACTOR) -> RateLimit:
    """Make the limit of requests: a tenth of the minute's allowance may be used at once, but at least 100.

    A cached response costs 1, others 1 for each 0.1 ms of processor time. Work in separate processes (bots, images)
    counts a tenth, since it delays no other request.
    """
    at_once = min(per_minute, max(per_minute / 10, LEAST_AT_ONCE))
    return RateLimit(per_minute, at_once=at_once, app_factor=app_factor)


def client_of(address: Any) -> str:
    """Return the client of an address: an IPv4 address, or the /64 network of an IPv6 address."""
    host: str = "" if address is None else address[0]
    if ":" not in host:
        return host
    try:
        ip = address_of(address)
    except ValueError:  # a proxy may name clients by other texts
        return host
    return str(ip if isinstance(ip, IPv4Address) else IPv6Network((ip, 64), strict=False))


def address_of(address: Any) -> IPv4Address | IPv6Address:
    """Return the IP address of a socket address; an IPv4-mapped address as IPv4."""
    ip = ip_address(address[0].partition("%")[0])
    return ip if isinstance(ip, IPv4Address) else ip.ipv4_mapped or ip


# --- seats ---------------------------------------------------------------------------------------------------------


class SeatLimit:
    """An hourly allowance of seats for each client; seats taken with the host's token are free."""

    def __init__(self, per_hour: int, app_factor: int = APP_FACTOR, clock: Callable[[], float] = monotonic) -> None:
        self._limit = RateLimit(per_hour, HOUR, name="seats", app_factor=app_factor, clock=clock)

    @contextmanager
    def seat(self, client: str, *, by_host: bool) -> Generator[Callable[[], None]]:
        """Charge a client for a seat, or raise ``too_many_requests``.

        The charge is refunded if the context fails or if the returned function is called.
        """
        cost = 0 if by_host else 1
        self._limit.take(client, cost)

        def refund() -> None:
            self._limit.take(client, -cost, afterwards=True)

        try:
            yield refund
        except BaseException:
            refund()
            raise


# --- uploads -------------------------------------------------------------------------------------------------------


def upload_middleware(most: int, most_of_client: int, app_factor: int) -> Middleware:
    """Make the middleware that limits concurrent requests with large bodies, in total and for each client."""
    limit = ClientLimit(most, most_of_client, TooMuchWork, app_factor)

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            uploads = limit.counted(client_of(scope["client"])) if scope.get("method") == "POST" else nullcontext()
            with uploads:
                await app(scope, receive, send)

        return middleware

    return wrap
