"""Failures in the log: the first of a kind at once, those that follow once every few seconds, with their number."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any

from api.http.request_log import Log
from domain.store import StorageUnavailable

QUIET_SECONDS = 10.0
"""The time after a line in which failures of the same kind are only counted."""

KINDS = 1000
"""The most kinds that are told apart; beyond that, the one that was told first is forgotten."""


class FailureLog:
    """The lines about failures that come in numbers."""

    def __init__(self, log: Log, clock: Callable[[], float] = monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = Lock()
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}

    def failed(self, error: StorageUnavailable) -> None:
        """Tell that the database did not do what it was asked for."""
        self.tell("the storage failed", error=str(error), cause=repr(error.__cause__))

    def tell(self, event: str, of: str = "", **facts: Any) -> None:
        """Write a line about an event, unless one was written lately, about the same game if one is named."""
        kind, now = (event, of), self._clock()
        with self._lock:
            quiet_until, left_out = self._kinds.pop(kind, (now, 0))
            self._kinds[kind] = (quiet_until, left_out + 1) if now < quiet_until else (now + QUIET_SECONDS, 0)
            if len(self._kinds) > KINDS:
                del self._kinds[next(iter(self._kinds))]
        if now >= quiet_until:
            self._log.error(event, **facts, **({"left_out": left_out} if left_out else {}))
