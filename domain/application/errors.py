"""What can go wrong around a game, apart from a refused decision."""

from uuid import UUID


class UnknownGame(LookupError):
    """No such game is stored, or its table was taken away."""

    def __init__(self, game: UUID) -> None:
        super().__init__(f"there is no game {game}")
        self.game = game


class UnknownVersion(LookupError):
    """The game has not come so far."""

    def __init__(self, version: int, newest: int) -> None:
        super().__init__(f"there is no version {version}, the newest is {newest}")
        self.version = version
        self.newest = newest


class StaleVersion(Exception):
    """The game has changed since the caller looked."""

    def __init__(self, seen: int, current: int) -> None:
        super().__init__(f"version {seen} is stale, the game stands at {current}")
        self.seen = seen
        self.current = current


class KeyReused(Exception):
    """The idempotency key was used before, for a request with another body."""


class BrokenCursor(ValueError):
    """No page of a list carries such a cursor."""


class StorageAway(Exception):
    """The database cannot be reached, or does not answer in time. What was being written may or may not be stored."""


class UnknownDatabase(ValueError):
    """A URL of no database that games can be stored in."""


class Conflict(Exception):
    """Somebody else was faster: what was to be stored does not follow what is stored by now."""


class Busy(StorageAway):
    """Another process is writing, and the caller did not want to wait for it."""
