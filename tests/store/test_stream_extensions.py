"""One PostgreSQL statement extends streams, in order and with the same conflicts as the library's way."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event as Flag
from typing import Any
from uuid import UUID, uuid4

import psycopg
import psycopg.sql
import pytest

from domain.audit import Head
from domain.store.database import Database, LiveDatabase, Row, StreamExtension
from domain.store.errors import Conflict
from domain.store.schema import GAME_TOPIC
from domain.store.streams import find_head, insert_heads
from tests.store.clients import opened_database
from tests.store.processes import LONG
from tests.support.soak import soak_factor
from tests.support.waiting import soon

TEXT = b'{"digest":"%b"}'
WRITERS, APPENDS = 4, 25 * soak_factor()
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


def digest(number: int) -> bytes:
    return bytes([number % 256]) * 32


class Stream:
    """A stream whose events are only digests."""

    def __init__(self, database: Database) -> None:
        self.game = uuid4().hex
        self.version = 1
        new = StreamExtension(self.game, 0, b"", 1, digest(1), b"")
        database.append([self._row(1)], list(insert_heads([new])))

    def _row(self, version: int) -> Row:
        return self.game, version, GAME_TOPIC, TEXT % digest(version).hex().encode()

    def next(self) -> tuple[Row, StreamExtension]:
        before = self.version
        self.version += 1
        extension = StreamExtension(self.game, before, digest(before), self.version, digest(self.version), b"progress")
        return self._row(self.version), extension


@pytest.fixture
def database(postgres_database_url: str) -> Iterator[LiveDatabase]:
    with opened_database(postgres_database_url) as database:
        yield database


def stored(database: Database, stream: Stream) -> list[int]:
    sql = "SELECT originator_version FROM stored_events WHERE originator_id = ? ORDER BY 1"
    return [version for (version,) in database.select((sql, (stream.game,)))]


def test_streams_grow_together(database: LiveDatabase) -> None:
    streams = [Stream(database) for _ in range(5)]
    for _ in range(3):
        rows, extensions = zip(*(stream.next() for stream in streams), strict=True)
        assert 0 <= database.append(rows, (), extensions) < 60
    for stream in streams:
        assert stored(database, stream) == [1, 2, 3, 4]
        assert find_head(database, UUID(stream.game)) == Head(4, digest(4))


@pytest.mark.parametrize("what", ["another end", "an existing row", "a missing head"])
def test_nothing_is_stored_if_one_stream_has_changed(database: LiveDatabase, what: str) -> None:
    streams = [Stream(database) for _ in range(3)]
    rows, extensions = map(list, zip(*(stream.next() for stream in streams), strict=True))
    match what:
        case "another end":
            extensions[1] = extensions[1]._replace(based_on=digest(77))
        case "an existing row":
            database.append([rows[1]])
        case _:
            database.append([], [("DELETE FROM heads WHERE game = ?", (streams[1].game,))])
            database.append([], [("DELETE FROM stored_events WHERE originator_id = ?", (streams[1].game,))])
    before = [stored(database, stream) for stream in streams]
    with pytest.raises(Conflict):
        database.append(rows, (), extensions)
    assert [stored(database, stream) for stream in streams] == before


def test_a_stream_with_a_changed_head_goes_on(database: LiveDatabase) -> None:
    """The head stays as it is, so that the audit finds the change."""
    stream = Stream(database)
    database.append([], [("UPDATE heads SET version = 5 WHERE game = ?", (stream.game,))])
    row, extension = stream.next()
    database.append([row], (), [extension])
    assert stored(database, stream) == [1, 2]
    assert database.select(("SELECT version FROM heads WHERE game = ?", (stream.game,))) == [(5,)]


@pytest.mark.parametrize("statements", [(), [("SELECT 1", ())]])
def test_the_wait_for_a_locked_table_is_measured(
    postgres_database_url: str, database: LiveDatabase, statements: Any
) -> None:
    url, held = postgres_database_url, 0.1
    with ThreadPoolExecutor(1) as threads:
        stream = Stream(database)
        for _ in range(10):  # only waits of a prepared statement count
            row, extension = stream.next()
            database.append([row], statements, [extension])
        row, extension = stream.next()
        with psycopg.connect(url) as other, psycopg.connect(url, autocommit=True) as third:
            other.execute("LOCK TABLE stored_events IN EXCLUSIVE MODE")
            appending = threads.submit(database.append, [row], statements, [extension])
            asyncio.run(soon(lambda: third.execute(WAITING).fetchone() != (0,)))
            third.execute("SELECT pg_sleep(%s)", (held,))
        assert appending.result(LONG) >= held


def test_the_default_isolation_of_the_database_does_not_matter(postgres_database_url: str) -> None:
    """With repeatable read, a writer that waited for another one would fail."""
    with psycopg.connect(postgres_database_url, autocommit=True) as connection:
        name = psycopg.sql.Identifier(connection.info.dbname)
        change = psycopg.sql.SQL("ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'")
        connection.execute(change.format(name))
    with opened_database(postgres_database_url) as database:
        assert database.select(("SHOW transaction_isolation", ())) == [("read committed",)]


def grow(database: Database) -> None:
    stream = Stream(database)
    for _ in range(APPENDS):
        row, extension = stream.next()
        database.append([row], (), [extension])


def insert(database: Database) -> None:
    game = uuid4().hex
    for version in range(1, APPENDS + 1):
        database.append([(game, version, GAME_TOPIC, TEXT)])


def change(database: Database) -> None:
    for _ in range(APPENDS):
        with database.transaction() as transaction:
            transaction.run(("SELECT count(*) FROM stored_events", ()))


def follow_numbers(url: str, done: Flag) -> list[int]:
    sql = "SELECT notification_id FROM stored_events WHERE notification_id > %s ORDER BY notification_id"
    found, ended = [0], False
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        while not ended:
            ended = done.is_set()
            found += [number for (number,) in connection.execute(sql, (found[-1],))]
    return found[1:]


def test_a_reader_in_order_misses_no_row_of_either_way_to_write(
    postgres_database_url: str, database: LiveDatabase
) -> None:
    """No number appears below one that was read already."""
    done = Flag()
    with ThreadPoolExecutor(3 * WRITERS + 1) as threads:
        reading = threads.submit(follow_numbers, postgres_database_url, done)
        writing = [threads.submit(way, database) for way in (grow, insert, change) for _ in range(WRITERS)]
        for each in writing:
            each.result(LONG)
        done.set()
        found = reading.result(LONG)
    numbers = database.select(("SELECT {number} FROM stored_events ORDER BY {number}", ()))
    assert found == [number for (number,) in numbers]
    assert len(found) == WRITERS * (2 * APPENDS + 1)
