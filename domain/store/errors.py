"""The errors of the store, apart from refused decisions, and its limits."""

from uuid import UUID

import msgspec
from eventsourcing.persistence import IntegrityError, OperationalError


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The memory, time and company that a service has; by the names of the settings, which explain them.

    Without a number of days a service keeps keys and open tables for good.
    """

    cache_bytes: int = 256 * 1024 * 1024
    database_timeout: float = 10
    watchers: int = 1000
    watchers_per_client: int = 1000
    wait_limit: float = 30
    heavy_requests: int = 100
    heavy_requests_per_client: int = 25
    keys_kept: int = 0
    open_tables_kept: int = 0


class UnknownGame(LookupError):
    """No such game is stored: it never was, its table was deleted, or an operator removed it."""

    def __init__(self, game: UUID, removed_at: str | None = None) -> None:
        super().__init__(f"game {game} was removed at {removed_at}" if removed_at else f"there is no game {game}")
        self.game = game
        self.removed_at = removed_at


class UnknownVersion(LookupError):
    """The game has no such version."""

    def __init__(self, version: int, newest: int) -> None:
        super().__init__(f"there is no version {version}, the newest is {newest}")
        self.version = version
        self.newest = newest


class StaleVersion(Exception):
    """The game has changed since the version that the caller expected."""

    def __init__(self, expected: int, current: int) -> None:
        super().__init__(f"version {expected} is stale, the game is at {current}")
        self.expected = expected
        self.current = current


def require_version(expected: int | None, current: int) -> None:
    """Raise ``StaleVersion`` if a caller expects another version than the current one."""
    if expected is not None and expected != current:
        raise StaleVersion(expected, current)


class Revoked(Exception):
    """The token with which a caller was let in has been renewed since, or its seat is gone."""


class KeyReused(Exception):
    """The idempotency key was used before, for another request."""


class WeakKey(Exception):
    """The response would hold tokens, and the caller has no secret for it: neither a long key nor the same token."""


class AnswerUnreadable(Exception):
    """The idempotency key was used under release 1.0, which stored responses in a form that is not kept."""


class StorageUnavailable(OperationalError):
    """The database cannot be reached, or does not answer in time. What was being written may or may not be stored."""


class LimitReached(Exception):
    """As much goes on at once as may, in all or of one client."""

    def __init__(self, of_client: bool) -> None:
        super().__init__("the limit of one client" if of_client else "the limit of all clients")
        self.of_client = of_client


class TooManyWatchers(LimitReached):
    """Too many requests wait for events."""


class TooMuchWork(LimitReached):
    """Too much heavy work waits for its turn."""


class UnknownDatabase(ValueError):
    """A URL of no database that games can be stored in."""


class NewerDatabase(Exception):
    """A database that a newer release has made or upgraded, and with which this one must not work."""

    def __init__(self, schema: int, newest: int) -> None:
        super().__init__(
            f"The database is too new: it has schema {schema}, and this release works with those up to {newest}. "
            "Start the release that made it, or a later one."
        )


class WrongClock(Exception):
    """The clock of the machine shows a time that no event can have."""


class Conflict(IntegrityError):
    """Another writer has meanwhile stored something that the new rows do not follow."""


class Busy(StorageUnavailable):
    """Another process is writing, and the caller did not want to wait for it."""
