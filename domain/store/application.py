"""The eventsourcing application that stores all games.

The tables, the order of notifications, the concurrency control and the connections belong to the library. So programs
written for the library can follow the games with ``select_notifications``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, StoredEvent
from eventsourcing.utils import Environment, EnvType

from domain.store import sqlite
from domain.store.errors import UnknownDatabase
from domain.stream import Recorded, read, removed_at, split_row

if TYPE_CHECKING:
    from domain.store import postgres


class EventRow(msgspec.Struct, frozen=True):
    """A domain event of the library: the events of one decision, stored in one row under the first version."""

    originator_id: UUID
    originator_version: int
    topic: str
    state: bytes

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The facts with their versions and times; empty if the game was removed."""
        rows = split_row(self.originator_version, self.state)
        return () if self.removed_at else tuple(read(*row) for row in rows)

    @property
    def removed_at(self) -> str | None:
        """The time at which an operator removed the game, None if the row is not a removal."""
        return removed_at(self.state)


class EventRowMapper(Mapper[UUID]):
    """A mapper that stores events as plain bytes, so that the database does not name any class of this program."""

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> StoredEvent:
        event = cast(EventRow, domain_event)
        return StoredEvent(event.originator_id, event.originator_version, event.topic, event.state)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[UUID]:
        game = stored_event.originator_id
        return EventRow(
            game if isinstance(game, UUID) else UUID(game),
            stored_event.originator_version,
            stored_event.topic,
            stored_event.state,
        )


MAPPER = {"MAPPER_TOPIC": f"{__name__}:EventRowMapper"}
"""The setting for other applications of the library, so that they can read the events of games."""


class GamesApplication(Application[UUID]):
    """The application of the library that stores the games of one database."""

    name = "games"
    env = MAPPER
    recorder: "sqlite.GameRecorder | postgres.GameRecorder"

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Ignore the settings of the process, which may be meant for other applications."""
        return Environment(name, {**type(self).env, **(env or {})})


def open_application(url: str, timeout: float = 10) -> GamesApplication:
    """Open a database and create missing tables.

    Raise ``StorageUnavailable``, ``UnknownDatabase`` or ``NewerDatabase``. The database aborts a statement or a wait
    for a lock after ``timeout`` seconds.
    """
    return GamesApplication(environment(url, timeout))


def open_without_upgrade(url: str) -> GamesApplication:
    """Open a database without creating or upgrading anything; raise the errors of ``open_application``."""
    return GamesApplication({**environment(url), "CREATE_TABLE": "no"})


def environment(url: str, timeout: float = 10) -> dict[str, str]:
    """Return the settings of the library for a URL. The driver of PostgreSQL is loaded only when needed."""
    if url == "memory:":
        return sqlite.environment(sqlite.MEMORY, timeout)
    if (file := sqlite_file(url)) is not None:
        return sqlite.environment(str(file), timeout)
    if url.startswith(("postgresql://", "postgres://")):
        from domain.store import postgres

        return postgres.environment(url, timeout)
    raise UnknownDatabase(
        "The URL of the database (not shown, as it may contain a password) is of an unknown kind:"
        " use sqlite:///file, postgresql://user:password@host/name or memory:"
    )


def sqlite_file(url: str) -> Path | None:
    """Return the file of an SQLite database, None for other URLs."""
    path = unquote(url.removeprefix("sqlite:///"))
    return Path(path) if url.startswith("sqlite:///") and path else None
