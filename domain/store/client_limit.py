"""A limit to what is under way at once, in all and for each client."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class ClientLimit:
    """So many at once in all, and so many of each client, so that one client leaves something for the others."""

    def __init__(self, most: int, most_of_client: int, error: type[Exception]) -> None:
        """Raise the error for whatever would be too many."""
        self._most = most
        self._most_of_client = most_of_client
        self._error = error
        self._of_client: Counter[str] = Counter()
        self.total = 0

    @contextmanager
    def counted(self, client: str) -> Generator[None]:
        """Count something of a client as long as it is under way."""
        if self.total >= self._most or self._of_client[client] >= self._most_of_client:
            raise self._error
        self.total += 1
        self._of_client[client] += 1
        try:
            yield
        finally:
            self.total -= 1
            self._of_client[client] -= 1
            if not self._of_client[client]:
                del self._of_client[client]
