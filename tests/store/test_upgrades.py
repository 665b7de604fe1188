"""Upgrades of databases with older and newer schemas."""

import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from domain.store import AnswerUnreadable, Commit, IdempotencyKey, NewerDatabase, open_service
from domain.store.schema import SCHEMA
from tests.store import processes
from tests.store.clients import (
    FEBRUARY_5,
    JANUARY_20,
    Client,
    Clock,
    Run,
    connected,
    database_statements,
    opened_database,
    run_housekeeping,
    stored,
    timestamp,
)

STORED = Path(__file__).parent


def numbers(url: str) -> list[int]:
    with database_statements(url) as run:
        return [number for (number,) in run("SELECT number FROM database_schema")]


@pytest.fixture
def old_url(database_url: str) -> str:
    """A database of the first release: its own file, or for PostgreSQL one without newer tables and columns."""
    if database_url.startswith("sqlite"):
        data = STORED / "first_release" / "games.sqlite3.bin"
        Path(database_url.removeprefix("sqlite:///")).write_bytes(data.read_bytes())
        return database_url
    with connected(database_url) as client:
        client.play(client.started().id, 3)
        client.lobby()
    with database_statements(database_url) as run:
        run("ALTER TABLE heads DROP COLUMN progress")
        run("CREATE TABLE answers (id BYTEA PRIMARY KEY, body BYTEA NOT NULL, sealed BYTEA NOT NULL)")
        run("DROP TABLE database_schema, bot_games, keys")
    return database_url


def test_simultaneous_starts_upgrade_an_old_database_once(old_url: str) -> None:
    started = [processes.start(old_url, number, 1, 2) for number in range(4)]
    acknowledged = [message for _, receiver in started for message in processes.receive_all(receiver)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 4
    assert processes.AWAY not in acknowledged
    assert numbers(old_url) == [SCHEMA]
    with connected(old_url) as client:
        ids = client.game_ids()
        assert {game for game, _ in acknowledged} < set(map(str, ids))


def test_an_upgrade_empties_the_lobby_and_it_is_rebuilt(old_url: str) -> None:
    with database_statements(old_url) as run:
        public, of_players = (
            run(f"SELECT count(*) FROM {rows}") for rows in ("lobby WHERE private = 0", "lobby_players")
        )
        run("UPDATE lobby SET line = ?", b"of another form")
        run("DELETE FROM lobby_players")
    with opened_database(old_url) as database:
        for table in ("lobby", "lobby_players", "lobby_position"):
            assert database.select((f"SELECT * FROM {table}", ())) == []
    for _ in range(2):  # no upgrade at the second start
        with connected(old_url) as client:
            assert [(len(client.lobby(limit=100).items),)] == public
            assert len(client.lobby(limit=100, player="bob").items) > 0
        with database_statements(old_url) as run:
            assert run("SELECT count(*) FROM lobby_players") == of_players


KEY = IdempotencyKey("", "a key of 1.0", sha256(b"body").digest(), "a token")


def store_response(url: str) -> None:
    """Store a response with the key, as the first release did."""
    id_ = sha256(msgspec.json.encode(("id", KEY.caller, KEY.key))).digest()
    with database_statements(url) as run:
        run("INSERT INTO answers (id, body, sealed) VALUES (?, ?, ?)", id_, sha256(b"body").digest(), b"sealed" * 2000)


def asked(client: Client) -> Commit:
    return client.open_table(key=KEY)


def test_a_request_done_by_release_1_0_is_not_repeated_for_30_days(
    old_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.store.schema.time", lambda: timestamp(JANUARY_20))
    store_response(old_url)
    with connected(old_url) as client:
        games = client.game_ids()
        for now in (FEBRUARY_5, "2030-02-18T23:00:00Z"):
            run_housekeeping(old_url, client, now=now, tables=0)
            with pytest.raises(AnswerUnreadable):
                asked(client)
        assert client.game_ids() == games
    monkeypatch.setattr("domain.store.schema.time", lambda: timestamp(FEBRUARY_5))
    with connected(old_url) as client:  # a later start is no upgrade
        run_housekeeping(old_url, client, now="2030-02-19T01:00:00Z", tables=0)
        first, again = asked(client), asked(client)
        assert stored(first) == stored(again)
        assert (first.repeated, again.repeated) == (False, True)


def test_an_upgrade_keeps_only_the_hash_of_a_key_of_1_0(old_url: str) -> None:
    store_response(old_url)
    with connected(old_url):
        pass
    with database_statements(old_url) as run:
        rows = run('SELECT game, first, last, "check", salt FROM keys')
        assert len(rows) == (12 if old_url.startswith("sqlite") else 1)
        assert {tuple(map(as_bytes, row)) for row in rows} == {(b"", 0, 0, b"", b"")}
        with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedTable)):
            run("SELECT * FROM answers")


def as_bytes(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def test_a_backup_of_1_0_restored_over_a_newer_database_is_upgraded_again(old_url: str) -> None:
    """A dump of PostgreSQL brings its tables back and leaves newer ones as they are."""
    store_response(old_url)
    with connected(old_url) as client:
        games = len(client.lobby(limit=100).items)
    with database_statements(old_url) as run:
        run(
            "CREATE TABLE answers (id {0} PRIMARY KEY, body {0} NOT NULL, sealed {0} NOT NULL)".format(
                "BLOB" if old_url.startswith("sqlite") else "BYTEA"
            )
        )
        run("UPDATE lobby SET line = ?", b"of another form")
    store_response(old_url)
    for _ in range(2):
        with connected(old_url) as client:
            assert len(client.lobby(limit=100).items) == games
            with pytest.raises(AnswerUnreadable):
                client.repeated(KEY)


def test_a_database_of_the_next_release_stays_as_it_is(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started().id
    run("UPDATE database_schema SET number = ?", SCHEMA + 1)
    run("DROP INDEX lobby_by_status")
    with connected(database_url) as client:
        client.play(game, 2)
        assert client.audit(game).ok
    assert numbers(database_url) == [SCHEMA + 1]
    run("CREATE INDEX lobby_by_status ON lobby (status, number)")  # fails if the index exists


def test_a_database_that_is_too_new_is_refused_and_stays_as_it_is(database_url: str, run: Run) -> None:
    with connected(database_url):
        pass
    run("UPDATE database_schema SET number = ?", SCHEMA + 2)
    run("DROP TABLE bot_games")
    with pytest.raises(NewerDatabase, match=f"it has schema {SCHEMA + 2}, this release supports up to"):
        open_service(database_url)
    run("CREATE TABLE bot_games (game TEXT)")
