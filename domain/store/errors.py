"""The errors of the store, except refused decisions, and its limits."""

from uuid import UUID

import msgspec
from eventsourcing.persistence import IntegrityError, OperationalError


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a service. They have the names of the settings, which explain them.

    With 0 days, keys and open tables are never deleted.
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
    app_factor: int = 100


class UnknownGame(LookupError):
    """The game never existed, its table was deleted, or an operator removed it."""

    def __init__(self, game: UUID, removed_at: str | None = None) -> None:
        super().__init__(f"game {game} was removed at {removed_at}" if removed_at else f"there is no game {game}")
        self.game = game
        self.removed_at = removed_at


class UnknownVersion(LookupError):
    """The game does not have this version."""

    def __init__(self, version: int, newest: int) -> None:
        super().__init__(f"there is no version {version}, the newest is {newest}")
        self.version = version
        self.newest = newest


class StaleVersion(Exception):
    """The game is not at the version that the caller expects."""

    def __init__(self, expected: int, current: int) -> None:
        super().__init__(f"version {expected} is stale, the game is at {current}")
        self.expected = expected
        self.current = current


def require_version(expected: int | None, current: int) -> None:
    if expected is not None and expected != current:
        raise StaleVersion(expected, current)


class Revoked(Exception):
    """The token of the caller was renewed after the permission was checked, or its seat was freed."""


class KeyReused(Exception):
    """The idempotency key was used before for another request."""


class WeakKey(Exception):
    """The response would contain tokens, and the caller has no secret to derive them: the key is too short."""


class AnswerUnreadable(Exception):
    """The idempotency key was used under release 1.0. Its stored response cannot be read any more."""


class StorageUnavailable(OperationalError):
    """The database cannot be reached or does not respond in time. A change may or may not be stored."""


class LimitReached(Exception):
    """A limit on what runs at once is reached, in total or for one client."""

    def __init__(self, of_client: bool) -> None:
        super().__init__("the limit of one client" if of_client else "the limit of all clients")
        self.of_client = of_client


class TooManyWatchers(LimitReached):
    """The limit of watchers is reached."""


class TooMuchWork(LimitReached):
    """The queue for heavy work is full."""


class GameExists(Exception):
    """A game has this id already, or had it before it was deleted or erased."""


class AppExists(Exception):
    """An application has this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is an application {name} already.")


class UnknownApp(Exception):
    """No application has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no application {name}.")


class UnknownEndpoint(Exception):
    """No endpoint of a webhook has this id."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(f"There is no webhook {endpoint}.")


class UnknownDatabase(ValueError):
    """The URL does not lead to a database that can store games."""


class NewerDatabase(Exception):
    """The database was created or upgraded by a newer release. This release must not use it."""

    def __init__(self, schema: int, newest: int) -> None:
        super().__init__(
            f"The database is too new: it has schema {schema}, this release supports up to {newest}. "
            "Use the release that created it, or a later one."
        )


class WrongClock(Exception):
    """The clock of the machine shows a time that an event cannot have."""


class Conflict(IntegrityError):
    """Another writer has stored something that contradicts the new rows."""


class Busy(StorageUnavailable):
    """Another process is writing, and the caller did not want to wait."""
