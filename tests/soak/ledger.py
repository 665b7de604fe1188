"""The book of a soak: what was tried, what was survived, and what went wrong."""

from collections import Counter
from threading import Lock
from typing import Any

import msgspec


class Head(msgspec.Struct, frozen=True):
    """The end of a game that was acknowledged: its digest stands for every event before it."""

    version: int
    digest: str


class Ledger:
    """Counts of everything, kept by many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.counts = Counter[str]()
        self.wrong: list[str] = []
        self.heads: dict[str, Head] = {}

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.counts[what] += number

    def fault(self, what: str) -> None:
        """Note what should never happen."""
        with self._lock:
            self.wrong.append(what)

    def acknowledge(self, path: str, events: list[Any]) -> None:
        """Remember the newest event of a game that the server has answered with."""
        with self._lock:
            known = self.heads.get(path)
            for event in events:
                if known is None or event["version"] > known.version:
                    known = self.heads[path] = Head(event["version"], event["digest"])
