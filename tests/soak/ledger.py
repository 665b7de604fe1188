"""The results of a soak: counts, errors, and the acknowledged heads of games."""

from collections import Counter
from threading import Lock
from typing import Any

import msgspec


class Head(msgspec.Struct, frozen=True):
    """An acknowledged head of a game; its digest covers every event before it."""

    version: int
    digest: str


class Ledger:
    """Counts and errors, collected from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.counts = Counter[str]()
        self.errors: list[str] = []
        self.heads: dict[str, Head] = {}

    def count(self, name: str, number: int = 1) -> None:
        with self._lock:
            self.counts[name] += number

    def error(self, message: str) -> None:
        """Record an error."""
        with self._lock:
            self.errors.append(message)

    def acknowledge(self, path: str, events: list[Any]) -> None:
        """Remember the newest event of a game in a response."""
        with self._lock:
            known = self.heads.get(path)
            for event in events:
                if known is None or event["version"] > known.version:
                    known = self.heads[path] = Head(event["version"], event["digest"])
