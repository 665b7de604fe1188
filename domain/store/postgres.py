"""Games in PostgreSQL: a factory and a recorder of the eventsourcing library."""

import asyncio
import select
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from math import ceil
from typing import Any, cast

from eventsourcing.persistence import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    StoredEvent,
)
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore, PostgresFactory
from eventsourcing.utils import Environment, EnvType
from psycopg import AsyncConnection, Connection, Cursor, Error, ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row, tuple_row
from psycopg.sql import SQL, Identifier
from psycopg_pool import ConnectionPool

from domain.store.database import Row, Statement, StreamExtension, ignore_failure
from domain.store.errors import Conflict, StorageUnavailable, UnknownDatabase
from domain.store.schema import EVENT_COLUMNS, INSERT_EPOCH, create_or_upgrade, create_tables
from domain.store.streams import update_heads

CREATE_TABLES_LOCK = 0x4672616E
"""The advisory lock that a process holds while it creates tables."""

LOCK_ALL = (
    "LOCK TABLE stored_events IN EXCLUSIVE MODE",
    "DO $$ BEGIN LOOP BEGIN"
    " LOCK TABLE stored_events, heads, tokens, keys, lobby, lobby_players, lobby_position"
    " IN ACCESS EXCLUSIVE MODE NOWAIT; EXIT;"
    " EXCEPTION WHEN lock_not_available THEN PERFORM pg_sleep(0.001); END; END LOOP; END $$",
)
"""The statements that stop other readers and writers: first the writers, then readers at a moment without any.

A wait for readers while some tables are locked could deadlock with readers of several tables.
"""

SERVER_TIMEOUT_SECONDS = 2
"""The limit for a wait for a server that does not respond."""

POLL_SECONDS = 5
"""The interval at which the feed looks for commits even without a notification."""

RECONNECT_SECONDS = 0.5
"""The interval between attempts to listen again."""

DATABASE_URL = "DATABASE_URL"
"""The name of the setting with the URL."""

TIMEOUT = "DATABASE_TIMEOUT"
"""The name of the setting with the timeout of statements and of waits for locks, in seconds."""

POOLER = "pooler=transaction"
"""The parameter of a URL to a pooler that may use another connection for each transaction."""

READ_COMMITTED = r"-c default_transaction_isolation=read\ committed"
"""The isolation level at which a writer sees what others stored while it waited."""

PROBES = {"keepalives_idle": SERVER_TIMEOUT_SECONDS, "keepalives_interval": SERVER_TIMEOUT_SECONDS}
"""The seconds after which an idle connection is probed. The default of the operating system is hours."""

RENEW_EPOCH = INSERT_EPOCH.replace("?", "left(md5(random()::text), 12)") + " UPDATE SET id = excluded.id"
"""The statement that begins a new epoch, without values from outside."""

TURN = 0x47726F77
"""The advisory lock that a statement holds while it extends streams, until its transaction ends."""


def environment(url: str, timeout: float) -> dict[str, str]:
    """Return the settings of the library for a server. The URL overrides the defaults of the connection."""
    return {
        DATABASE_URL: url,
        TIMEOUT: str(timeout),
        "PERSISTENCE_MODULE": f"{__name__}:GameFactory",
        "POSTGRES_DBNAME": "",
        "POSTGRES_HOST": "",
        "POSTGRES_USER": "",
        "POSTGRES_PASSWORD": "",
        "POSTGRES_POOL_SIZE": "1",
        "POSTGRES_MAX_OVERFLOW": "9",
        "POSTGRES_CONNECT_TIMEOUT": str(SERVER_TIMEOUT_SECONDS),
        "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": str(ceil(timeout)),
    }


def without_password(url: str) -> str:
    """Return the parameters of a connection for the programs of PostgreSQL, without secrets."""
    left_out = ("password", "sslpassword", "connect_timeout")
    return make_conninfo("", **{name: value for name, value in _parsed(url)[0].items() if name not in left_out})


class GameRecorder(PostgresApplicationRecorder):
    """The library's recorder with our own tables, and with statements in the same transaction."""

    in_process = False

    def __init__(self, datastore: PostgresDatastore, connection: Mapping[str, Any] | None) -> None:
        """Listen with a separate connection that has these parameters, if any."""
        super().__init__(datastore)
        self._report: Callable[[StorageUnavailable], None] = ignore_failure
        self._connection = connection
        self._listen = SQL("LISTEN {}").format(Identifier(self.channel_name))
        self.sql_create_statements += [
            SQL(cast(Any, _translate(statement).decode())).format() for statement in create_tables("notification_id")
        ]
        self._notify = SQL("NOTIFY {}").format(Identifier(self.channel_name))

    def create_table(self) -> None:
        """Create or upgrade the tables while other processes wait; raise ``NewerDatabase``.

        A column is added only if it is missing, with a short timeout for the lock: while it waits, all others wait too.
        The transaction is idle, for a minute at most, while the library creates its table with another connection.
        """
        with self._connection_in_use() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATE_TABLES_LOCK,))
            connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{SERVER_TIMEOUT_SECONDS}s",))
            connection.execute("SELECT set_config('statement_timeout', '0', true)")
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
        extensions: Sequence[StreamExtension] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows, heads and statements in one transaction. ``wait`` has no effect.

        If each stream is extended by one row, a single statement does it. If that statement fails, and in all other
        cases, the library's table lock is held, and reads under it decide whether there is a conflict.
        """
        with _store_errors(self._report):
            if rows and [(game, first - 1) for game, first, *_ in rows] == [
                (end.game, end.before) for end in extensions
            ]:
                with suppress(IntegrityError):
                    return self._extend(rows, extensions, statements)
            _numbers, waited = self._insert(rows, [*update_heads(extensions), *statements])
            return waited

    def _extend(
        self, rows: Sequence[Row], extensions: Sequence[StreamExtension], statements: Sequence[Statement]
    ) -> float:
        """Add a row to each stream; raise ``IntegrityError`` if a stream does not end as expected."""
        values = [
            value for (_, _, topic, text), end in zip(rows, extensions, strict=True) for value in (topic, text, *end)
        ]
        with self._connection_in_use() as connection:
            extending = partial(
                connection.cursor(row_factory=tuple_row).execute, _extend_streams(len(rows)), values, prepare=True
            )
            if not statements:
                return _waited(extending())
            with connection.pipeline() as pipeline, connection.transaction():
                extended = extending()
                _run(connection.cursor(), statements)
                pipeline.sync()  # so that the first error is raised
                return _waited(extended)

    def _insert(self, rows: Sequence[Row], statements: Sequence[Statement] = ()) -> tuple[Sequence[int] | None, float]:
        """Store rows in the order of commits and notify listeners, as the library does.

        Return the notification ids, and the seconds until the table was locked. Unlike the library, do not retry up to
        ten times: the caller is waiting.
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
        sql, values = statement
        with _store_errors(self._report), self._connection_in_use() as connection:
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            return cursor.execute(_translate(sql), values, prepare=True).fetchall()

    def on_failure(self, report: Callable[[StorageUnavailable], None]) -> None:
        self._report = report

    def purge(self) -> None:
        """Do nothing: VACUUM purges deleted rows."""

    async def commits(self) -> AsyncIterator[None]:
        """Yield at each notification, which the library sends with every commit, and regularly without one.

        The first yield comes after the connection listens, also after a reconnect, so that no commit is missed. With a
        pooler of transactions nobody listens, because others would receive the notifications.
        """
        while self._connection is None:
            yield
            await asyncio.sleep(POLL_SECONDS)
        while True:
            with suppress(Error):
                async with await AsyncConnection.connect(**self._connection, autocommit=True) as connection:
                    await connection.execute(self._listen)
                    while True:
                        yield
                        async for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                            pass
            await asyncio.sleep(RECONNECT_SECONDS)

    @contextmanager
    def transaction(self) -> Generator["_Transaction"]:
        """Begin a transaction. Only one process at a time has one."""
        with _store_errors(self._report), self._connection_in_use() as connection, connection.transaction():
            cursor = connection.cursor(row_factory=tuple_row)
            self._lock_events(cursor)
            yield _Transaction(cursor)

    @contextmanager
    def _connection_in_use(self) -> Generator[Connection[Any]]:
        """Take a connection from the pool, preferably one that the server has not closed."""
        with ExitStack() as stack:
            connection = stack.enter_context(self.datastore.get_connection())
            for _ in range(self.datastore.pool.max_size):
                if _is_open(connection):
                    break
                stack.close()
                connection = stack.enter_context(self.datastore.get_connection())
            yield connection

    def _lock_events(self, cursor: Cursor[Any]) -> None:
        """Lock the table like the library, so that notification ids are in the order of commits."""
        for statement in self.lock_table_statements:
            cursor.execute(statement, prepare=True)


class GameFactory(PostgresFactory):
    """The factory for the server in the setting ``DATABASE_URL``."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        given, pooled = _parsed(self.env.get(DATABASE_URL, ""))
        milliseconds = round(float(self.env.get(TIMEOUT, "10")) * 1000)
        given = {**PROBES, "tcp_user_timeout": milliseconds, **given}
        self._listening = None if pooled else given
        limits = f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds} {READ_COMMITTED}"
        self.datastore.pool.kwargs = {
            **given,
            **({"prepare_threshold": None} if pooled else {}),
            "options": f"{limits} {given.get('options', '')}",
            "row_factory": dict_row,
        }
        self.datastore.pool.reconnect_timeout = SERVER_TIMEOUT_SECONDS

    def application_recorder(self) -> GameRecorder:
        """Return the recorder. Its table has the same name in all databases."""
        try:
            with _store_errors(ignore_failure):
                recorder = GameRecorder(self.datastore, self._listening)
                if self.env_create_table():
                    recorder.create_table()
        except BaseException:
            self.close()
            raise
        return recorder


class _Transaction:
    def __init__(self, cursor: Cursor[tuple[Any, ...]]) -> None:
        self._cursor = cursor

    def run(self, statement: Statement) -> list[tuple[Any, ...]]:
        sql, values = statement
        self._cursor.execute(_translate(sql), values)
        return self._cursor.fetchall() if self._cursor.description else []


def _parsed(url: str) -> tuple[dict[str, Any], bool]:
    """Return the parameters of a URL, and whether it leads to a pooler of transactions; raise ``UnknownDatabase``.

    The library's own error is hidden, because it may contain the password.
    """
    address, _, query = url.rpartition("?") if "?" in url else (url, "", "")
    parameters = query.split("&")
    others = "&".join(parameter for parameter in parameters if parameter != POOLER)
    try:
        return conninfo_to_dict(f"{address}?{others}", connect_timeout=SERVER_TIMEOUT_SECONDS), POOLER in parameters
    except ProgrammingError:
        raise UnknownDatabase(
            "The URL of the database (not shown, as it may contain a password) cannot be parsed:"
            " escape special characters in names and passwords with % and two hexadecimal digits, such as %40 for @"
        ) from None


def _is_open(connection: Connection[Any]) -> bool:
    """Return whether an idle connection is still open. Only if the server has sent something, ask it."""
    arrived = select.poll()
    arrived.register(connection, select.POLLIN)
    if not arrived.poll(0):
        return True
    try:
        ConnectionPool.check_connection(connection)
    except Error:
        return False
    return True


def _waited(extended: Cursor[tuple[Any, ...]]) -> float:
    """Return the seconds that a statement waited for its turn."""
    ((_, seconds), *_) = extended.fetchall()
    return float(seconds)


def _run(cursor: Cursor[Any], statements: Sequence[Statement]) -> None:
    for sql, values in statements:
        cursor.execute(_translate(sql), values, prepare=True)


@contextmanager
def _store_errors(report: Callable[[StorageUnavailable], None]) -> Generator[None]:
    """Convert the errors of the library, and report all except conflicts."""
    try:
        yield
    except IntegrityError as error:
        raise Conflict(str(error)) from error
    except (InterfaceError, InternalError, OperationalError) as error:
        unavailable = StorageUnavailable(str(error))
        report(unavailable)
        raise unavailable from error


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


_COLUMNS = "topic, state, game, before, based_on, version, digest, progress"
_FIRST = "(%s::text, %s::bytea, %s::text, %s::bigint, %s::bytea, %s::bigint, %s::bytea, %s::bytea)"
_OTHERS = "(%s, %s, %s, %s, %s, %s, %s, %s)"


@cache
def _extend_streams(streams: int) -> bytes:
    """Return the statement that adds a row to each of some different streams and updates their heads.

    It returns the notification ids, each with the seconds that the statement waited for its turn. It fails unless all
    streams end as expected, because ``prior`` cannot be null.

    The library's ``LOCK TABLE``, which keeps notification ids in the order of commits, takes longer than all the rest.
    Among these statements the advisory lock does the same, because it is taken before an id is drawn. A ``LOCK TABLE``
    and these statements wait for each other, because each statement holds an insert lock from its beginning.
    """
    rows = ", ".join([_FIRST, *[_OTHERS] * (streams - 1)])
    return (
        f"WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock({TURN}), pg_notify('stored_events', ''),"  # noqa: S608 - no value from outside
        " CAST(EXTRACT(EPOCH FROM clock_timestamp() - transaction_timestamp()) AS float8) AS waited),"
        f" given AS MATERIALIZED (SELECT extended.* FROM turn, (VALUES {rows}) AS extended ({_COLUMNS})),"
        " added AS (INSERT INTO stored_events (originator_id, originator_version, topic, state)"
        " SELECT CAST(game AS uuid), before + 1, topic, state FROM given RETURNING notification_id),"
        " moved AS (UPDATE heads SET prior = before, version = given.version, digest = given.digest,"
        " progress = given.progress FROM given"
        " WHERE heads.game = given.game AND heads.version = before AND heads.digest = based_on RETURNING heads.game),"
        " refused AS (INSERT INTO heads (game, prior, version, digest)"
        " SELECT game, NULL, version, digest FROM given WHERE game NOT IN (SELECT game FROM moved))"
        " SELECT notification_id, waited FROM added, turn"
    ).encode()
