"""A reader that follows the stream of a game through all disruptions."""

from collections.abc import Callable
from http.client import HTTPException
from random import Random
from time import sleep

from tests.api.site import SERVERS, Site
from tests.api.sse import Stream, ids_and_data
from tests.soak.ledger import Ledger

LONGEST = 30_000
"""The most bytes to read from one connection."""


class Watcher:
    """A reader of a stream that resumes with `Last-Event-ID` after each end, and sometimes disconnects."""

    def __init__(self, site: Site, ledger: Ledger, path: str, seed: int) -> None:
        self._site = site
        self._ledger = ledger
        self._path = f"{path}/stream"
        self._random = Random(seed)
        self._last_event_id = "0"
        self.seen: list[tuple[str, str]] = []

    def read(self, is_over: Callable[[str], bool]) -> None:
        """Read until the last id is the one to stop at."""
        while not is_over(self._last_event_id):
            try:
                self._read_once(is_over, self._random.randint(1, LONGEST))
            except (HTTPException, OSError, EOFError):
                sleep(0.05)

    def _read_once(self, is_over: Callable[[str], bool], most: int) -> None:
        url = self._site.address(self._random.randrange(SERVERS)) + self._path
        with Stream(url, last_event_id=self._last_event_id) as stream:
            if stream.status != 200:
                raise HTTPException(stream.status)
            self._ledger.count("streams opened")
            while most > 0 and not is_over(self._last_event_id):
                part = min(most, self._random.randint(1, 2000))
                found = ids_and_data(event for event in stream.read(part) if event.name == "message")
                self.seen += found
                self._ledger.count("events read from streams", len(found))
                self._last_event_id = stream.last_event_id
                most -= part
