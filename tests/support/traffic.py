"""The requests of a page, and the bytes of their responses."""

from playwright.sync_api import Page, Request

FIRST_SCREEN_BYTES = 60_000
"""The limit in bytes for the first screen of /play."""

GAME_BYTES = 115_000
"""The limit in bytes for a game, with the picture of its board and its state."""


class Traffic:
    """The requests of a page from now on; an open stream is counted, but without its size."""

    def __init__(self, page: Page) -> None:
        self.requests = 0
        self.size = 0
        self._finished: list[Request] = []
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)

    def _begun(self, _: Request) -> None:
        self.requests += 1

    def _ended(self, request: Request) -> None:
        self._finished.append(request)

    def measure(self) -> None:
        """Add up the bytes of all responses so far."""
        sizes = [request.sizes() for request in self._finished]
        self.size = sum(each["responseHeadersSize"] + each["responseBodySize"] for each in sizes)
