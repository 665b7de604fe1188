"""Games in SQLite: a factory, a recorder and a datastore of the eventsourcing library."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Lock, local
from time import perf_counter, sleep
from typing import Any
from uuid import UUID

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor, SQLiteDatastore, SQLiteFactory
from eventsourcing.utils import Environment, EnvType

from domain.store.database import Row, Statement, StreamExtension, ignore_failure
from domain.store.errors import Busy, Conflict, StorageUnavailable
from domain.store.schema import EVENT_COLUMNS, create_or_upgrade, create_tables
from domain.store.streams import advance_heads, update_heads

MEMORY = ":memory:"
ROWS_PER_INSERT = 64
RETRY_SECONDS = 0.001

TIMEOUT = "DATABASE_TIMEOUT"
"""The setting for the seconds to wait for other writing processes."""

POLL_SECONDS = 0.005
"""The interval at which the feed looks for commits of other processes. Each look takes 4 us."""

READ_TEXT = partial(str, encoding="utf-8", errors="replace")
"""The decoder of texts, which accepts invalid ones."""

Execute = Callable[[str, Sequence[Any]], sqlite3.Cursor]


def environment(path: str, timeout: float) -> dict[str, str]:
    """Return the settings of the library for a file or for ``MEMORY``."""
    return {"PERSISTENCE_MODULE": f"{__name__}:GameFactory", "SQLITE_DBNAME": path, TIMEOUT: str(timeout)}


class GameDatastore(SQLiteDatastore):
    """The connections to one file or to a database in memory: one for writing, and one per reading thread."""

    def __init__(self, path: str, timeout: float) -> None:
        """Open a file. ``timeout`` is the limit for a wait for other writing processes."""
        self._connections: list[tuple[Lock, sqlite3.Connection]] = []
        self._files: list[tuple[str, tuple[int, int]]] = []
        super().__init__(path)
        self._timeout = timeout
        self._in_memory = path == MEMORY
        self._threads = local()
        self._closed = False
        self.report: Callable[[StorageUnavailable], None] = ignore_failure
        if not self._in_memory:
            create_for_owner(path)
        try:
            self._lock, self._writer = self._connect()
            self._run_when_free("PRAGMA journal_mode = WAL", perf_counter() + timeout)
            self._writer.execute("PRAGMA busy_timeout = 0")
            self._writer.execute("PRAGMA secure_delete = ON")
            self._writer.execute("SELECT 1 FROM sqlite_master LIMIT 1")  # creates -wal and -shm
        except sqlite3.Error as error:
            raise self.store_error(error) from error
        if not self._in_memory:
            self._files = [
                (file, (found.st_dev, found.st_ino))
                for file in (path, f"{path}-wal", f"{path}-shm")
                for found in [Path(file).stat()]
            ]
        self._writer.row_factory = sqlite3.Row  # required by the library

    @contextmanager
    def transaction(self, *, commit: bool) -> Generator[SQLiteCursor]:
        """Begin a transaction for the library. Only writers wait for each other."""
        if not commit and not self._in_memory:
            with super().transaction(commit=False) as cursor:
                yield cursor
            return
        execute = self.begin()
        try:
            yield SQLiteCursor(self._writer.cursor())
            if commit:
                execute("COMMIT", ())
        except sqlite3.Error as error:
            raise self.store_error(error) from error
        finally:
            self.end()

    def begin(self, *, wait: bool = True) -> Execute:
        """Begin a transaction, one at a time among all processes. Without ``wait``, raise ``Busy`` at once."""
        self._require_files()
        if not self._lock.acquire(blocking=wait):
            raise Busy
        try:
            self._run_when_free("BEGIN IMMEDIATE", perf_counter() + (self._timeout if wait else 0))
        except sqlite3.Error as error:
            self._lock.release()
            raise self.store_error(error) from error
        except BaseException as error:
            self._lock.release()
            if wait and isinstance(error, Busy):
                self.report(error)
            raise
        return self._writer.execute

    def end(self) -> None:
        """End the transaction, and roll it back unless it is committed."""
        try:
            if self._writer.in_transaction:
                self._writer.rollback()
        finally:
            self._lock.release()

    def select(self, statement: Statement) -> list[tuple[Any, ...]]:
        """Read without waiting for writers, except in memory, where there is only one connection."""
        sql, values = statement
        try:
            if not self._in_memory and not hasattr(self._threads, "reader"):
                self._threads.reader = self._connect()
            lock, connection = (self._lock, self._writer) if self._in_memory else self._threads.reader
            with lock:
                if self._closed:
                    raise StorageUnavailable("the database is closed")
                return connection.execute(translate(sql), values).fetchall()
        except sqlite3.Error as error:
            raise self.store_error(error) from error

    async def commits(self) -> AsyncGenerator[None]:
        """Yield after each commit of another connection. A database in memory has no other connection."""
        if self._in_memory:
            await asyncio.Event().wait()
        looking, seen = None, None
        while True:
            try:
                looking = looking or self._connect()[1]
                now = looking.execute("PRAGMA data_version").fetchone()
            except (sqlite3.Error, StorageUnavailable):
                now = None
            if now != seen:
                seen = now
                yield
            await asyncio.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Close all connections, and interrupt reads in other threads.

        Without the locks, the interpreter would crash if a thread was still using a connection.
        """
        super().close()
        self._closed = True
        while self._connections:
            lock, connection = self._connections.pop()
            while not lock.acquire(timeout=RETRY_SECONDS):
                connection.interrupt()
            connection.close()
            lock.release()

    def _require_files(self) -> None:
        """Raise ``StorageUnavailable`` if the files were deleted or replaced since they were opened.

        SQLite does not detect that. All later changes would be lost as soon as the files are closed.
        """
        for file, opened in self._files:
            try:
                found = os.stat(file)  # noqa: PTH116 - half the time of a path's, in every transaction
            except OSError:
                found = None
            if found is None or (found.st_dev, found.st_ino) != opened:
                gone = f"{Path(file).name} was deleted or replaced: put the same file back, or restart the server"
                raise self.store_error(sqlite3.OperationalError(gone))

    def store_error(self, error: sqlite3.Error) -> Conflict | StorageUnavailable:
        """Convert an error, and report it unless it is a conflict."""
        if isinstance(error, sqlite3.IntegrityError):
            return Conflict(str(error))
        unavailable = StorageUnavailable(str(error))
        self.report(unavailable)
        return unavailable

    def _run_when_free(self, statement: str, deadline: float) -> None:
        """Retry until no other process is writing. SQLite's own wait is long, and endless under load.

        SQLite does not wait for the change to WAL, which several processes may make when they first start.
        """
        while True:
            try:
                self._writer.execute(statement)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if perf_counter() > deadline:
                    raise Busy("other processes keep writing") from error
                sleep(RETRY_SECONDS)
            else:
                return

    def _connect(self) -> tuple[Lock, sqlite3.Connection]:
        """Open a connection with a lock. Nobody closes the connection while the lock is held."""
        self._require_files()  # without this SQLite would create a new file
        connection = sqlite3.connect(
            self.pool.db_name, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        connection.text_factory = READ_TEXT
        connection.execute("PRAGMA synchronous = FULL")
        opened = Lock(), connection
        self._connections.append(opened)
        return opened


class GameRecorder(SQLiteApplicationRecorder):
    """The library's recorder with our own tables, and with statements in the same transaction."""

    in_process = True
    datastore: GameDatastore

    def __init__(self, datastore: GameDatastore) -> None:
        super().__init__(datastore)
        self.select = datastore.select
        self.insert_events_statement = f"INSERT INTO stored_events ({EVENT_COLUMNS}) VALUES (?, ?, ?, ?)"  # noqa: S608
        self.select_events_statement = f"SELECT {EVENT_COLUMNS} FROM stored_events WHERE originator_id = ? "  # noqa: S608

    def construct_create_table_statements(self) -> list[str]:
        """Return the statements that create the library's table and our own."""
        return [*super().construct_create_table_statements(), *create_tables("topic")]

    def create_table(self) -> None:
        """Create or upgrade the tables while other processes wait; raise ``NewerDatabase``."""
        with self.transaction() as transaction:

            def create() -> None:
                for statement in self.create_table_statements:
                    transaction.run((statement, ()))

            create_or_upgrade(transaction.run, HAS_COLUMN, create)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Store events of the library's applications, and return their notification ids."""
        with self.transaction() as transaction:
            return [transaction.run((_INSERT_EVENT, _row(event)))[0][0] for event in stored_events]

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        extensions: Sequence[StreamExtension] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows, heads and statements in one transaction; raise ``Conflict``.

        Many rows are stored with one statement. The library uses a statement per row, which costs more than the row.
        """
        began = perf_counter()
        execute = self.datastore.begin(wait=wait)
        waited = perf_counter() - began
        try:
            for start in range(0, len(rows), ROWS_PER_INSERT):
                part = rows[start : start + ROWS_PER_INSERT]
                execute(_insert_statement(len(part)), [value for row in part for value in row])
            if extensions and execute(*advance_heads(extensions)).rowcount != len(extensions):
                statements = [*update_heads(extensions), *statements]
            for sql, values in statements:
                execute(translate(sql), values)
            execute("COMMIT", ())
        except sqlite3.Error as error:
            raise self.datastore.store_error(error) from error
        finally:
            self.datastore.end()
        return waited

    def purge(self) -> None:
        """Empty the write-ahead log. In the file itself, ``secure_delete`` overwrites deleted data."""
        ((busy, *_),) = self.select(("PRAGMA wal_checkpoint(TRUNCATE)", ()))
        if busy:
            raise Busy("other processes keep using the write-ahead log")

    def on_failure(self, report: Callable[[StorageUnavailable], None]) -> None:
        self.datastore.report = report

    def commits(self) -> AsyncIterator[None]:
        return self.datastore.commits()

    @contextmanager
    def transaction(self) -> Generator["_Transaction"]:
        """Begin a transaction. Only one process at a time has one."""
        with self.datastore.transaction(commit=True) as cursor:
            yield _Transaction(cursor)


class _Transaction:
    def __init__(self, cursor: SQLiteCursor) -> None:
        self._cursor = cursor

    def run(self, statement: Statement) -> list[tuple[Any, ...]]:
        sql, values = statement
        self._cursor.execute(translate(sql), values)
        rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        return rows


class GameFactory(SQLiteFactory):
    """The factory for the file in the setting ``SQLITE_DBNAME``."""

    application_recorder_class: type[SQLiteApplicationRecorder] = GameRecorder

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self.datastore = GameDatastore(self.datastore.pool.db_name, float(self.env.get(TIMEOUT, "10")))


def _row(event: StoredEvent) -> Row:
    game = event.originator_id
    return game.hex if isinstance(game, UUID) else game, event.originator_version, event.topic, event.state


_INSERT_EVENT = f"INSERT INTO stored_events ({EVENT_COLUMNS}) VALUES (?, ?, ?, ?) RETURNING rowid"  # noqa: S608


@cache
def _insert_statement(rows: int) -> str:
    """Return one statement for a number of rows."""
    return f"INSERT INTO stored_events ({EVENT_COLUMNS}) VALUES " + ",".join(["(?, ?, ?, ?)"] * rows)  # noqa: S608


HAS_COLUMN = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?"

_MILLISECONDS = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
"""The milliseconds since 1970, by the clock of the machine."""


@cache
def translate(sql: str) -> str:
    """Replace the placeholders in a statement."""
    sql = sql.replace("{number}", "rowid").replace("{milliseconds}", _MILLISECONDS)
    return sql.replace("{id}", "TEXT").replace("{bytes}", "BLOB")


def create_for_owner(path: str) -> None:
    """Create a file that only its owner may read, unless it exists. SQLite copies its mode to -wal and -shm."""
    with suppress(OSError):  # SQLite will report the error
        Path(path).touch(mode=0o600, exist_ok=False)
