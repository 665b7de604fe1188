"""The event store, on the eventsourcing library: one application, on SQLite or on PostgreSQL.

Its tables, its order of notifications and its concurrency control are the library's. Reading and appending go past
its objects for single events, which cost more than the database does.
"""

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock, local
from time import perf_counter, sleep
from typing import Any, cast
from urllib.parse import unquote
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    InterfaceError,
    InternalError,
    Mapper,
    OperationalError,
    StoredEvent,
)
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor, SQLiteDatastore
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row, tuple_row
from psycopg.sql import SQL

from domain.application.database import TABLES, Line, Statement
from domain.application.errors import Busy, Conflict, StorageAway, UnknownDatabase
from domain.stream import Recorded, read, told_apart

MEMORY = ":memory:"

ROWS_AT_ONCE = 64

CREATING = 0x4672616E
"""The number of the lock that PostgreSQL gives to one process at a time."""

ASK_AGAIN_SECONDS = 0.001

LOCK_SECONDS = 30
"""How long one process waits for the others to finish writing to an SQLite file."""

AWAY_SECONDS = 2
"""How long a request waits for a PostgreSQL server that does not answer."""


class GameEvent(msgspec.Struct, frozen=True):
    """What the library knows as an event: all that came about together, under the version of the first fact."""

    originator_id: UUID
    originator_version: int
    topic: str
    state: bytes

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The facts, each with its place and time."""
        return tuple(read(*row) for row in told_apart(self.originator_version, self.state))


class FactMapper(Mapper[UUID]):
    """Stores events as the bytes they are, so that no class of this program is named in the database."""

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> StoredEvent:
        """What is stored of an event."""
        event = cast(GameEvent, domain_event)
        return StoredEvent(event.originator_id, event.originator_version, event.topic, event.state)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[UUID]:
        """The event that was stored."""
        game = stored_event.originator_id
        return GameEvent(
            game if isinstance(game, UUID) else UUID(game),
            stored_event.originator_version,
            stored_event.topic,
            stored_event.state,
        )


class OpenTransaction:
    """A transaction that is open, on either database."""

    def __init__(self, cursor: Any, translate: Callable[[str], Any]) -> None:
        self._cursor = cursor
        self._translate = translate

    def run(self, statement: Statement) -> list[tuple[Any, ...]]:
        """The rows that a statement gives."""
        sql, values = statement
        self._cursor.execute(self._translate(sql), values)
        rows: list[tuple[Any, ...]] = self._cursor.fetchall() if self._cursor.description else []
        return rows


@contextmanager
def _plain_errors() -> Generator[None]:
    """What the library's errors mean to us."""
    try:
        yield
    except IntegrityError as error:
        raise Conflict(str(error)) from error
    except (InterfaceError, InternalError, OperationalError) as error:
        raise StorageAway(str(error)) from error


# --- SQLite ---------------------------------------------------------------------------------------------------------


Execute = Callable[[str, Sequence[Any]], sqlite3.Cursor]


class SqliteFile(SQLiteDatastore):
    """The connections to one file, or to a database in memory: one to write with, one for each thread that reads."""

    def __init__(self, path: str) -> None:
        self._all: list[sqlite3.Connection] = []
        super().__init__(path)
        self._lock = Lock()
        self._in_memory = path == MEMORY
        self._threads = local()
        self.writer = self._connect()
        self._run_when_free("PRAGMA journal_mode = WAL", perf_counter() + LOCK_SECONDS)
        self.writer.execute("PRAGMA busy_timeout = 0")
        self.writer.row_factory = sqlite3.Row  # which the library's methods need

    def begin(self, *, wait: bool = True) -> Execute:
        """Begin a transaction, one at a time among all processes; raises ``Busy`` rather than wait, if asked to."""
        if not self._lock.acquire(blocking=wait):
            raise Busy
        try:
            self._run_when_free("BEGIN IMMEDIATE", perf_counter() + (LOCK_SECONDS if wait else 0))
        except BaseException:
            self._lock.release()
            raise
        return self.writer.execute

    def _run_when_free(self, statement: str, deadline: float) -> None:
        """Ask again and again for the turn to write: waiting inside SQLite it comes late, or never under load.

        For the change to WAL, which several processes may make at their first start, SQLite does not wait at all.
        """
        while True:
            try:
                self.writer.execute(statement)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if perf_counter() > deadline:
                    raise Busy("other processes keep writing") from error
                sleep(ASK_AGAIN_SECONDS)
            else:
                return

    def end(self) -> None:
        """End the transaction; what is not committed is as if it had never been."""
        try:
            if self.writer.in_transaction:
                self.writer.rollback()
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self, *, commit: bool) -> Generator[SQLiteCursor]:
        """A transaction of the library's own methods."""
        self.begin()
        try:
            yield SQLiteCursor(self.writer.cursor())
            if commit:
                self.writer.commit()
        except sqlite3.IntegrityError as error:
            raise IntegrityError(error) from error
        except sqlite3.Error as error:
            raise OperationalError(error) from error
        finally:
            self.end()

    def select(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Read without waiting for who writes. In memory there is but one connection, so that this has to wait."""
        if self._in_memory:
            with self._lock:
                return self.writer.execute(sql, values).fetchall()
        mine: sqlite3.Connection | None = getattr(self._threads, "connection", None)
        if mine is None:
            mine = self._threads.connection = self._connect()
        return mine.execute(sql, values).fetchall()

    def close(self) -> None:
        """Close every connection, also those of other threads."""
        while self._all:
            self._all.pop().close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.pool.db_name, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._all.append(connection)
        connection.execute("PRAGMA synchronous = FULL")
        return connection


class SqliteRecorder(SQLiteApplicationRecorder):
    """Games in SQLite."""

    instant = True
    datastore: SqliteFile

    def construct_create_table_statements(self) -> list[str]:
        """The library's table of events, and the tables beside it."""
        ours = [statement.format(bytes="BLOB", news="topic") for statement in TABLES]
        return super().construct_create_table_statements() + ours

    def select(self, statement: Statement) -> list[tuple[Any, ...]]:
        """The rows that a reading statement gives."""
        sql, values = statement
        try:
            return self.datastore.select(_for_sqlite(sql), values)
        except sqlite3.Error as error:
            raise _told(error) from error

    @contextmanager
    def session(self) -> Generator[OpenTransaction]:
        """A transaction, alone among all processes."""
        with _plain_errors(), self.datastore.transaction(commit=True):
            yield OpenTransaction(self.datastore.writer.cursor(), _for_sqlite)

    def append(self, lines: Sequence[Line], statements: Sequence[Statement], *, wait: bool = True) -> None:
        """Store events and what belongs to them, all or nothing; raises ``Busy`` rather than wait, if asked to."""
        run = self.datastore.begin(wait=wait)
        try:
            for start in range(0, len(lines), ROWS_AT_ONCE):
                rows = lines[start : start + ROWS_AT_ONCE]
                run(_insert(len(rows)), [value for row in rows for value in row])
            for sql, values in statements:
                run(sql, values)
            run("COMMIT", ())
        except sqlite3.Error as error:
            raise _told(error) from error
        finally:
            self.datastore.end()


@cache
def _insert(rows: int) -> str:
    """One statement for many rows: a statement for each costs more than the row does."""
    return "INSERT INTO stored_events VALUES " + ",".join(["(?, ?, ?, ?)"] * rows)  # noqa: S608 - nothing from outside


@cache
def _for_sqlite(sql: str) -> str:
    return sql.replace("{number}", "rowid")


def _told(error: sqlite3.Error) -> Exception:
    """What an error of SQLite means to us."""
    return Conflict(str(error)) if isinstance(error, sqlite3.IntegrityError) else StorageAway(str(error))


# --- PostgreSQL -----------------------------------------------------------------------------------------------------


class PostgresPool(PostgresDatastore):
    """Connections to a server, each tried before it is used, since the server may have been away."""

    def __init__(self, url: str) -> None:
        super().__init__(
            *("", "", "", "", ""),
            pool_size=1,
            max_overflow=9,
            pre_ping=True,
            connect_timeout=AWAY_SECONDS,
            idle_in_transaction_session_timeout=LOCK_SECONDS,
        )
        address = conninfo_to_dict(url, connect_timeout=AWAY_SECONDS)
        self.pool.kwargs = {**address, "row_factory": dict_row}
        self.pool.reconnect_timeout = AWAY_SECONDS


class PostgresRecorder(PostgresApplicationRecorder):
    """Games in PostgreSQL."""

    instant = False

    def __init__(self, datastore: PostgresPool) -> None:
        super().__init__(datastore)
        ours = [statement.format(bytes="BYTEA", news="notification_id") for statement in TABLES]
        self.sql_create_statements += [SQL(cast(Any, statement)).format() for statement in ours]

    def create_table(self) -> None:
        """Create all tables that are missing, in one process at a time."""
        with _plain_errors(), self.datastore.get_connection() as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (CREATING,))
            try:
                super().create_table()
            finally:
                connection.execute("SELECT pg_advisory_unlock(%s)", (CREATING,))

    def select(self, statement: Statement) -> list[tuple[Any, ...]]:
        """The rows that a reading statement gives."""
        sql, values = statement
        with _plain_errors(), self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            return cursor.execute(_for_postgres(sql), values, prepare=True).fetchall()

    @contextmanager
    def session(self) -> Generator[OpenTransaction]:
        """A transaction, alone among all processes."""
        with _plain_errors(), self.datastore.get_connection() as connection, connection.transaction():
            self._lock_table(connection.cursor())
            yield OpenTransaction(connection.cursor(row_factory=tuple_row), _for_postgres)

    def append(self, lines: Sequence[Line], statements: Sequence[Statement], *, wait: bool = True) -> None:
        """Store events and what belongs to them, all or nothing; there is always something to wait for."""
        with (
            _plain_errors(),
            self.datastore.get_connection() as connection,
            connection.pipeline() as pipeline,
            connection.transaction(),
        ):
            cursor = connection.cursor()
            self._lock_table(cursor)
            self._notify_channel(cursor)
            if lines:
                cursor.execute(_INSERT, [list(column) for column in zip(*lines, strict=True)], prepare=True)
            for sql, values in statements:
                cursor.execute(_for_postgres(sql), values, prepare=True)
            pipeline.sync()  # so that the first error is the one that is raised


_INSERT = (
    b"INSERT INTO stored_events (originator_id, originator_version, topic, state)"
    b" SELECT * FROM unnest(%s::uuid[], %s::bigint[], %s::text[], %s::bytea[])"
)


@cache
def _for_postgres(sql: str) -> bytes:
    return sql.replace("{number}", "notification_id").replace("?", "%s").encode()


# --- the application ------------------------------------------------------------------------------------------------


class Franchise(Application[UUID]):
    """All games that are stored in one database."""

    recorder: SqliteRecorder | PostgresRecorder

    def __init__(self, url: str) -> None:
        """Open the database of this URL: ``sqlite:///file``, ``postgresql://...`` or ``memory:``."""
        self._url = url
        super().__init__({"PERSISTENCE_MODULE": "eventsourcing.popo"})

    def construct_recorder(self) -> ApplicationRecorder:
        """Where events are stored; tables that are missing are made."""
        recorder = _recorder(self._url)
        recorder.create_table()
        return recorder

    def construct_mapper(self) -> Mapper[UUID]:
        """How events are stored."""
        return FactMapper(self.construct_transcoder())

    def close(self) -> None:
        """Let go of the database."""
        super().close()
        self.recorder.datastore.close()


def _recorder(url: str) -> SqliteRecorder | PostgresRecorder:
    if url == "memory:":
        return SqliteRecorder(SqliteFile(MEMORY))
    if url.startswith("sqlite:///"):
        try:
            return SqliteRecorder(SqliteFile(unquote(url.removeprefix("sqlite:///"))))
        except sqlite3.Error as error:
            raise _told(error) from error
    if url.startswith(("postgresql://", "postgres://")):
        pool = PostgresPool(url)
        try:
            with _plain_errors():
                return PostgresRecorder(pool)
        except StorageAway:
            pool.close()
            raise
    raise UnknownDatabase(f"no database is known by {url!r}: use sqlite:///file, postgresql://... or memory:")
