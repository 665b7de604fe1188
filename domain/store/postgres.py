"""Games in PostgreSQL: a recorder of the eventsourcing library."""

import asyncio
import select
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from typing import Any, cast

from eventsourcing.persistence import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    StoredEvent,
)
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg import AsyncConnection, Connection, Cursor, Error
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Identifier
from psycopg_pool import ConnectionPool

from domain.store import heads
from domain.store.database import Growth, Row, Statement
from domain.store.errors import Conflict, StorageUnavailable
from domain.store.postgres_growth import grow_streams
from domain.store.schema import EVENT_COLUMNS, create_or_upgrade, create_tables

CREATE_TABLES_LOCK = 0x4672616E
"""The number of the advisory lock that one process holds while it creates tables."""

LOCK_ALL = (
    "LOCK TABLE stored_events IN EXCLUSIVE MODE",
    "DO $$ BEGIN LOOP BEGIN"
    " LOCK TABLE stored_events, heads, tokens, answers, lobby, lobby_players, lobby_position"
    " IN ACCESS EXCLUSIVE MODE NOWAIT; EXIT;"
    " EXCEPTION WHEN lock_not_available THEN PERFORM pg_sleep(0.001); END; END LOOP; END $$",
)
"""The statements after which nobody reads or writes games: first writers wait, then the moment without readers is used.

To wait for readers while some of the tables are locked would be a deadlock with those who read several.
"""

AWAY_SECONDS = 2
"""The longest wait for a server that does not answer."""

LOOK_SECONDS = 5
"""The time after which those who watch look for commits although no notification has come."""

RECONNECT_SECONDS = 0.5
"""The time between attempts to listen again."""


class GameRecorder(PostgresApplicationRecorder):
    """The recorder of the library, with the tables beside the events and with statements in the same transaction."""

    in_process = False

    def __init__(self, datastore: PostgresDatastore, connection: Mapping[str, Any] | None) -> None:
        """Store by a datastore, and listen by a connection of its own with these parameters, if any."""
        super().__init__(datastore)
        self._connection = connection
        self._listen = SQL("LISTEN {}").format(Identifier(self.channel_name))
        self.sql_create_statements += [
            SQL(cast(Any, _translate(statement).decode())).format() for statement in create_tables("notification_id")
        ]
        self._notify = SQL("NOTIFY {}").format(Identifier(self.channel_name))

    def create_table(self) -> None:
        """Create what is missing, and so upgrade, while other processes wait; raise ``NewerDatabase``.

        A column is added only where it is missing, and not waited for: until its lock is had, all others would wait.
        The transaction is idle while the library creates its table by another connection, for a minute at most.
        """
        with self._connection_in_use() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATE_TABLES_LOCK,))
            connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{AWAY_SECONDS}s",))
            connection.execute("SELECT set_config('idle_in_transaction_session_timeout', '60s', true)")
            upgrading = _Transaction(connection.cursor(row_factory=tuple_row))
            create_or_upgrade(upgrading.run, HAS_COLUMN, super().create_table)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Store events of the library's applications, and return their notification ids."""
        numbers, _waited = self._insert(
            [(str(event.originator_id), event.originator_version, event.topic, event.state) for event in stored_events]
        )
        return numbers

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        growths: Sequence[Growth] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows, new ends of streams and statements in one transaction; there is always something to wait for.

        If each stream has grown by one row, one statement does it, unless something is not as expected: then, and
        for anything else, the library's table lock is held, and what is read under it tells whether to refuse.
        """
        with store_errors():
            if rows and [(game, first - 1) for game, first, *_ in rows] == [(end.game, end.before) for end in growths]:
                with suppress(IntegrityError):
                    return self._grow(rows, growths, statements)
            _numbers, waited = self._insert(rows, [*heads.grow(growths), *statements])
            return waited

    def _grow(self, rows: Sequence[Row], growths: Sequence[Growth], statements: Sequence[Statement]) -> float:
        """Add a row to each of many streams that end as they are known to; raise ``IntegrityError`` if one does not."""
        values = [
            value for (_, _, topic, text), end in zip(rows, growths, strict=True) for value in (topic, text, *end)
        ]
        with self._connection_in_use() as connection:
            growing = partial(
                connection.cursor(row_factory=tuple_row).execute, grow_streams(len(rows)), values, prepare=True
            )
            if not statements:
                return _waited(growing())
            with connection.pipeline() as pipeline, connection.transaction():
                grown = growing()
                _run(connection.cursor(), statements)
                pipeline.sync()  # so that the first error is the one that is raised
                return _waited(grown)

    def _insert(self, rows: Sequence[Row], statements: Sequence[Statement] = ()) -> tuple[Sequence[int] | None, float]:
        """Store rows in the order of commits and notify listeners, as the library does.

        Return the notification ids, and the seconds until the table was locked.

        It is not tried again up to ten times, as there: the caller waits for an answer.
        """
        with (
            self._connection_in_use() as connection,
            connection.pipeline() as pipeline,
            connection.transaction(),
        ):
            cursor, inserting, clock = (connection.cursor(row_factory=tuple_row) for _ in range(3))
            self._lock_events(cursor)
            clock.execute(_SECONDS_IN_TRANSACTION, prepare=True)
            cursor.execute(self._notify)
            if rows:
                inserting.execute(_INSERT, [list(column) for column in zip(*rows, strict=True)], prepare=True)
            _run(cursor, statements)
            pipeline.sync()
            ((waited,),) = clock.fetchall()
            return [number for (number,) in inserting] if rows else None, waited

    def select(self, statement: Statement) -> list[tuple[Any, ...]]:
        """Return the rows of a reading statement."""
        sql, values = statement
        with store_errors(), self._connection_in_use() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            return cursor.execute(_translate(sql), values, prepare=True).fetchall()

    def purge(self) -> None:
        """Leave it to VACUUM, which the server runs when its operator wants it."""

    async def commits(self) -> AsyncIterator[None]:
        """Yield at each notification, which the library sends with every append, and now and then without one.

        The first is yielded after the connection listens, and after each loss again: nothing falls in between. Through
        a pooler of transactions nobody listens: others would get the notifications.
        """
        while self._connection is None:
            yield
            await asyncio.sleep(LOOK_SECONDS)
        while True:
            with suppress(Error):
                async with await AsyncConnection.connect(**self._connection, autocommit=True) as connection:
                    await connection.execute(self._listen)
                    while True:
                        yield
                        async for _ in connection.notifies(timeout=LOOK_SECONDS, stop_after=1):
                            pass
            await asyncio.sleep(RECONNECT_SECONDS)

    @contextmanager
    def transaction(self) -> Generator["_Transaction"]:
        """Begin a transaction for reading and writing, one at a time among all processes."""
        with store_errors(), self._connection_in_use() as connection, connection.transaction():
            cursor = connection.cursor(row_factory=tuple_row)
            self._lock_events(cursor)
            yield _Transaction(cursor)

    @contextmanager
    def _connection_in_use(self) -> Generator[Connection[Any]]:
        """Take a connection from the pool, one that the server has not closed meanwhile if there is one."""
        with ExitStack() as stack:
            connection = stack.enter_context(self.datastore.get_connection())
            for _ in range(self.datastore.pool.max_size):
                if _is_open(connection):
                    break
                stack.close()
                connection = stack.enter_context(self.datastore.get_connection())
            yield connection

    def _lock_events(self, cursor: Cursor[Any]) -> None:
        """Lock the table as the library does, so that notification ids are in the order of commits."""
        for statement in self.lock_table_statements:
            cursor.execute(statement, prepare=True)


def _is_open(connection: Connection[Any]) -> bool:
    """Return whether a connection that was not in use is still open; ask the server only if that has sent something."""
    arrived = select.poll()
    arrived.register(connection, select.POLLIN)
    if not arrived.poll(0):
        return True
    try:
        ConnectionPool.check_connection(connection)
    except Error:
        return False
    return True


def _waited(grown: Cursor[tuple[Any, ...]]) -> float:
    """Return the seconds after which streams could grow."""
    ((_, seconds), *_) = grown.fetchall()
    return float(seconds)


def _run(cursor: Cursor[Any], statements: Sequence[Statement]) -> None:
    for sql, values in statements:
        cursor.execute(_translate(sql), values, prepare=True)


@contextmanager
def store_errors() -> Generator[None]:
    """Raise the errors of the eventsourcing library as those of the store."""
    try:
        yield
    except IntegrityError as error:
        raise Conflict(str(error)) from error
    except (InterfaceError, InternalError, OperationalError) as error:
        raise StorageUnavailable(str(error)) from error


class _Transaction:
    def __init__(self, cursor: Cursor[tuple[Any, ...]]) -> None:
        self._cursor = cursor

    def run(self, statement: Statement) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        sql, values = statement
        self._cursor.execute(_translate(sql), values)
        return self._cursor.fetchall() if self._cursor.description else []


HAS_COLUMN = (
    "SELECT 1 FROM information_schema.columns"
    " WHERE table_schema = ANY (current_schemas(false)) AND table_name = ? AND column_name = ?"
)

_INSERT = (
    f"INSERT INTO stored_events ({EVENT_COLUMNS})"  # noqa: S608
    " SELECT * FROM unnest(%s::uuid[], %s::bigint[], %s::text[], %s::bytea[]) RETURNING notification_id"
).encode()


_SECONDS_IN_TRANSACTION = b"SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - transaction_timestamp()) AS float8)"

_MILLISECONDS = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
"""The milliseconds since 1970, by the clock of the server."""


@cache
def _translate(sql: str) -> bytes:
    translated = sql.replace("{number}", "notification_id").replace("{milliseconds}", _MILLISECONDS)
    return translated.replace("{id}", "UUID").replace("{bytes}", "BYTEA").replace("?", "%s").encode()
