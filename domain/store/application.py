"""The eventsourcing application in which all games are stored.

The tables, the order of notifications, the concurrency control and the connections are the library's, so that anything
written for the library can follow the games by ``select_notifications``.
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
    """A domain event of the library: events of one decision, stored in one row under the version of the first."""

    originator_id: UUID
    originator_version: int
    topic: str
    state: bytes

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The facts, each with its version and time; none if the game was removed."""
        rows = split_row(self.originator_version, self.state)
        return () if self.removed_at else tuple(read(*row) for row in rows)

    @property
    def removed_at(self) -> str | None:
        """The time at which an operator removed the game, None if the row tells of anything else."""
        return removed_at(self.state)


class EventRowMapper(Mapper[UUID]):
    """A mapper that stores events as the bytes they are, so that no class of this program is named in the database."""

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> StoredEvent:
        """Return the row of an event."""
        event = cast(EventRow, domain_event)
        return StoredEvent(event.originator_id, event.originator_version, event.topic, event.state)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[UUID]:
        """Return the event of a row."""
        game = stored_event.originator_id
        return EventRow(
            game if isinstance(game, UUID) else UUID(game),
            stored_event.originator_version,
            stored_event.topic,
            stored_event.state,
        )


MAPPER = {"MAPPER_TOPIC": f"{__name__}:EventRowMapper"}
"""The setting by which applications of the library that follow the games read their events."""


class GamesApplication(Application[UUID]):
    """All games that are stored in one database."""

    name = "games"
    env = MAPPER
    recorder: "sqlite.GameRecorder | postgres.GameRecorder"

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Return the settings that were given, without those of the process that may be meant for others."""
        return Environment(name, {**type(self).env, **(env or {})})


def open_application(url: str, timeout: float = 10) -> GamesApplication:
    """Open a database, creating tables that are missing.

    Raise ``StorageUnavailable``, ``UnknownDatabase`` or ``NewerDatabase``. The database ends a statement, and a wait
    for others, after ``timeout`` seconds.
    """
    return GamesApplication(environment(url, timeout))


def open_without_upgrade(url: str) -> GamesApplication:
    """Open a database without creating or upgrading anything; raise as ``open_application``."""
    return GamesApplication({**environment(url), "CREATE_TABLE": "no"})


def environment(url: str, timeout: float = 10) -> dict[str, str]:
    """Return the settings of the library for the database of this URL; only for PostgreSQL load its driver."""
    if url == "memory:":
        return sqlite.environment(sqlite.MEMORY, timeout)
    if (file := sqlite_file(url)) is not None:
        return sqlite.environment(str(file), timeout)
    if url.startswith(("postgresql://", "postgres://")):
        from domain.store import postgres

        return postgres.environment(url, timeout)
    raise UnknownDatabase(
        "The URL of the database, which is not shown because of its password, is of no known kind:"
        " use sqlite:///file, postgresql://user:password@host/name or memory:"
    )


def sqlite_file(url: str) -> Path | None:
    """Return the file of a database in SQLite, None if the URL is that of another one."""
    path = unquote(url.removeprefix("sqlite:///"))
    return Path(path) if url.startswith("sqlite:///") and path else None
