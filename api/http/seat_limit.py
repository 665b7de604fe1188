"""The limit on seats that one client takes at tables of others, so that none can fill every open table."""

from collections.abc import Callable
from time import monotonic
from uuid import UUID

from api.http.rate_limit import HOUR, RateLimit, too_many_requests

TABLES = 50_000
"""The most tables of which it is known who opened them; beyond that, the one opened first is forgotten."""


class SeatLimit:
    """An allowance of seats for each client, an hour's worth at once; at tables of their own they are free."""

    def __init__(self, per_hour: int, clock: Callable[[], float] = monotonic) -> None:
        self._limit = RateLimit(per_hour, HOUR, clock)
        self._openers: dict[UUID, str] = {}

    def note_opener(self, client: str, game: UUID) -> None:
        """Remember who opens a table."""
        self._openers[game] = client
        if len(self._openers) > TABLES:
            del self._openers[next(iter(self._openers))]

    def take(self, client: str, game: UUID) -> None:
        """Take a seat from the allowance of a client, or raise the problem of one who has none left."""
        wait = 0.0 if self._openers.get(game) == client else self._limit.seconds_to_wait(client)
        if wait:
            raise too_many_requests(wait)
