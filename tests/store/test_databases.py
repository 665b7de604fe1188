"""Databases: the library's view, waits for other processes, and databases that are away."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from pathlib import Path
from stat import S_IMODE
from threading import Event, Timer
from time import sleep
from typing import cast
from uuid import uuid4

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError
from eventsourcing.postgres import PostgresRecorder
from psycopg.conninfo import conninfo_to_dict

from domain.store import StorageUnavailable, UnknownDatabase, open_service, postgres
from domain.store.application import EventRow, open_application
from domain.store.database import LiveDatabase
from domain.store.errors import Busy, Conflict
from domain.store.postgres import GameFactory, environment, without_password
from domain.stream import fact_of, read
from domain.table import changes_lobby
from tests.store import processes
from tests.store.clients import connected, opened_database

INSERT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, ?, ?)"


@pytest.fixture
def open_mask() -> Iterator[None]:
    """A process whose new files are public unless it restricts them."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_mask")
def test_only_the_owner_can_read_the_database_files(tmp_path: Path) -> None:
    with connected(f"sqlite:///{tmp_path}/games.db") as client:
        client.started()
        modes = {file.name: S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("games.db", "games.db-shm", "games.db-wal"), 0o600)


@pytest.mark.usefixtures("open_mask")
def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    file.touch(mode=0o640)
    with connected(f"sqlite:///{file}") as client:
        client.started()
    assert S_IMODE(file.stat().st_mode) == 0o640


def test_the_library_reads_and_writes_the_same_events(database_url: str) -> None:
    with connected(database_url) as client:
        started = client.started()
        client.play(started.id, 3)
        events = client.events(started.id, full=True)
    with closing(open_application(database_url)) as application:
        stored = list(application.events.get(started.id))
        assert len(stored) == 2 + 3, "the seats, the set-up and three moves, each in one row"
        recorded = [one for event in stored if isinstance(event, EventRow) for one in event.recorded]
        assert recorded == [read(version, event) for version, event in enumerate(events, 1)]
        log = application.recorder.select_notifications(1, 1000)
        assert b"\n".join(notification.state for notification in log) == b"\n".join(events)
        assert [notification.id for notification in log] == sorted(notification.id for notification in log)
        with pytest.raises(IntegrityError):
            application.save(EventRow(started.id, 1, "game", events[0]))
        application.save(EventRow(uuid4(), 1, "game", events[0]))
        assert len(application.recorder.select_notifications(1, 1000)) == len(stored) + 1


def test_events_that_were_stored_one_by_one_are_read_as_well(database_url: str, database: LiveDatabase) -> None:
    with connected(database_url) as client:
        started = client.started()
        client.play(started.id, 3)
        events = client.events(started.id, full=True)
        before = client.load(started.id)
    with database.transaction() as transaction:
        transaction.run(("DELETE FROM stored_events WHERE originator_id = ?", (started.id.hex,)))
        for table in ("lobby", "lobby_players", "lobby_position"):  # which may have read these events already
            transaction.run((f"DELETE FROM {table}", ()))
        for version, event in enumerate(events, 1):
            row = (started.id.hex, version, "table" if changes_lobby(fact_of(version, event)) else "game", event)
            transaction.run((INSERT, row))
    with connected(database_url) as client:
        after = client.load(started.id)
        assert (after.version, after.table, after.game) == (before.version, before.table, before.game)
        assert client.events(started.id, after=7, limit=5) == events[7:12]
        client.play(started.id, 3)
        assert client.audit(started.id).ok
        assert client.lobby().items[0].players == ("Ann", "Bob")


@pytest.mark.parametrize("url", ["", "games.db", "mysql://localhost/games", "sqlite://games.db", ":memory:"])
def test_a_url_of_an_unknown_database_is_refused(url: str) -> None:
    with pytest.raises(UnknownDatabase, match="use sqlite:///file, postgresql://"):
        open_service(url)


@pytest.mark.parametrize("url", ["sqlite:////no/such/folder/games.db", "postgresql://nobody@127.0.0.1:9/games"])
def test_a_missing_database_is_away(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "SERVER_TIMEOUT_SECONDS", 1)
    with pytest.raises(StorageUnavailable):
        open_service(url)


def test_a_file_of_another_format_is_away(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StorageUnavailable, match="not a database"):
        open_service(f"sqlite:///{tmp_path / 'games.db'}")


PREPARED = ("SELECT count(*) FROM pg_prepared_statements", ())


@pytest.mark.parametrize(("parameters", "prepared"), [("", True), ("?pooler=transaction", False)])
def test_no_statement_is_prepared_behind_a_transaction_pooler(
    postgres_database_url: str, parameters: str, prepared: bool
) -> None:
    """The pooler gives each transaction another connection, which lacks the prepared statement."""
    with connected(f"{postgres_database_url}{parameters}") as client:
        started = client.started()
        client.play(started.id, 3)
        assert client.audit(started.id).ok
    with opened_database(f"{postgres_database_url}{parameters}") as database:
        ((found,),) = [database.select(PREPARED) for _ in range(3)][-1]
        assert bool(found) == prepared


@pytest.mark.parametrize(("parameters", "listening"), [("", 1), ("?pooler=transaction", 0)])
def test_no_connection_listens_behind_a_transaction_pooler(
    postgres_database_url: str, parameters: str, listening: int
) -> None:
    """The next client of the connection would get the notifications."""

    async def first_commit(database: LiveDatabase) -> None:
        async with aclosing(cast("AsyncGenerator[None]", database.commits())) as commits:
            await anext(commits)
            with psycopg.connect(postgres_database_url) as connection:
                query = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                found = connection.execute(query).fetchone()
        assert found == (listening,)

    with opened_database(f"{postgres_database_url}{parameters}") as database:
        asyncio.run(first_commit(database))


def test_a_connection_detects_a_server_that_vanished() -> None:
    """The URL may set other values."""
    url = "postgresql://ann@127.0.0.1/games?keepalives_interval=9"
    with closing(GameFactory(environment(url, timeout=5))) as factory:
        given = factory.datastore.pool.kwargs
    assert isinstance(given, dict)
    names = ("tcp_user_timeout", "keepalives_idle", "keepalives_interval")
    assert [str(given[name]) for name in names] == ["5000", "2", "9"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s%40e@db:5433/games?sslmode=require&pooler=transaction",
        "postgresql://ann:s?e@db:5433/games?pooler=transaction&sslmode=require",
        "postgresql://ann:s&e@db:5433/games?sslmode=require",
    ],
)
def test_postgresql_programs_get_neither_the_password_nor_the_pooler(url: str) -> None:
    assert conninfo_to_dict(without_password(url)) == {
        "user": "ann",
        "host": "db",
        "port": "5433",
        "dbname": "games",
        "sslmode": "require",
    }


def test_a_path_may_contain_any_letters(tmp_path: Path) -> None:
    with connected(f"sqlite:///{tmp_path}/Spiele%20für%20Zoë.db") as client:
        client.started()
    assert (tmp_path / "Spiele für Zoë.db").exists()


def test_an_append_that_does_not_wait_finds_another_process_busy(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    row = ("INSERT INTO tokens (digest, game, seat) VALUES (?, ?, ?)", (b"1", "2", 3))
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    with opened_database(f"sqlite:///{file}") as database, closing(other):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            database.append([], [row], wait=False)
        done = Timer(0.05, other.rollback)
        done.start()
        database.append([], [row])
        done.join()
        with pytest.raises(Conflict):
            database.append([], [row], wait=False)


def test_waiting_for_another_process_ends(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with (
        opened_database(f"sqlite:///{file}", timeout=0.01) as database,
        closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable, match="keep writing"):
            database.append([], [("SELECT 1", ())])


def test_processes_that_start_together_create_one_database(database_url: str) -> None:
    started = [processes.start(database_url, number, 1, 2) for number in range(4)]
    for process, receiver in started:
        processes.receive_all(receiver)
        process.join()
        assert process.exitcode == 0
    with connected(database_url) as client:
        assert len(client.game_ids()) == 4


def test_a_service_with_a_database_is_ready(database_url: str) -> None:
    async def ready() -> None:
        async with open_service(database_url) as service:
            await service.ready()

    asyncio.run(ready())


# --- columns added since the first release ------------------------------------------------------------------------


def test_missing_columns_are_added(database_url: str, database: LiveDatabase) -> None:
    with connected(database_url) as client:
        game = client.started()
        client.play(game.id, 3)
        entry = client.lobby().items[0]
    with database.transaction() as transaction:
        transaction.run(("ALTER TABLE heads DROP COLUMN progress", ()))
    with connected(database_url) as client:
        assert client.lobby().items[0] == entry
        client.play(game.id, 3, seed=1)
        assert client.audit(game.id).ok


def test_a_start_neither_waits_for_readers_nor_blocks_others(postgres_database_url: str) -> None:
    with connected(postgres_database_url) as client, psycopg.connect(postgres_database_url) as reader:
        game = client.started()
        reader.execute("SELECT 1 FROM heads")
        with connected(postgres_database_url) as other:
            other.play(game.id, 1)
            client.play(game.id, 1, seed=1)


def test_a_start_may_take_longer_than_a_request(postgres_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends idle transactions after the timeout, except during a start."""
    create_table = PostgresRecorder.create_table

    def create_slowly(recorder: PostgresRecorder) -> None:
        sleep(1.2)
        create_table(recorder)

    monkeypatch.setattr(PostgresRecorder, "create_table", create_slowly)
    open_application(postgres_database_url, timeout=1).close()


def test_a_start_that_must_wait_for_a_reader_gives_up_in_time(
    postgres_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "SERVER_TIMEOUT_SECONDS", 1)
    with opened_database(postgres_database_url) as database, database.transaction() as transaction:
        transaction.run(("ALTER TABLE heads DROP COLUMN progress", ()))
    with psycopg.connect(postgres_database_url) as reader:
        reader.execute("SELECT 1 FROM heads")
        with pytest.raises(StorageUnavailable, match="lock timeout"), connected(postgres_database_url):
            pass
    with connected(postgres_database_url) as client:
        assert client.lobby().items == ()


# --- the end ---------------------------------------------------------------------------------------------------------

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", ()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///{}/games.db"])
def test_closing_the_database_cancels_running_reads(url: str, tmp_path: Path) -> None:
    application = open_application(url.format(tmp_path))
    started = Event()

    def read() -> None:
        started.set()
        application.recorder.select(ENDLESS)

    with ThreadPoolExecutor() as threads:
        reading = [threads.submit(read) for _ in range(2)]
        started.wait()
        application.close()
        for each in reading:
            with pytest.raises(StorageUnavailable):
                each.result()
