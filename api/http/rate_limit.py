"""The rate limit: how much one client may ask for."""

import math
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Any

from api.http.problems import ApiProblem

MINUTE = 60.0
HOUR = 3600.0
CLIENTS = 50_000
"""The most clients with an allowance of their own; beyond that, the one unused for longest is forgotten."""


def too_many_requests(wait: float) -> ApiProblem:
    """Return the problem of a client that asks too often or stores too much."""
    seconds = max(1, math.ceil(wait))
    detail = f"The next one is welcome in {seconds} s."
    return ApiProblem("too_many_requests", detail, {"Retry-After": str(seconds)})


class RateLimit:
    """An allowance for each client: that of a whole period, such as a minute, at once, refilled steadily."""

    def __init__(self, per_period: int, period: float = MINUTE, clock: Callable[[], float] = monotonic) -> None:
        self._most = float(per_period)
        self._refill = per_period / period
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def seconds_to_wait(self, client: str, cost: float = 1) -> float:
        """Take a cost from the allowance of a client: return 0, or how long to wait until there is enough."""
        if not self._most:
            return 0.0
        now = self._clock()
        left, before = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - before) * self._refill)
        cost = min(self._most, cost)
        allowed = left >= cost
        self._left[client] = (left - cost if allowed else left, now)
        if len(self._left) > CLIENTS:
            del self._left[next(iter(self._left))]
        return 0.0 if allowed else (cost - left) / self._refill


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
