"""A database that does not respond: every request fails in time, and everything works again afterwards."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

import psycopg

from domain.decide import legal_actions
from domain.refused import Refused
from domain.store import LoadedGame, StorageUnavailable, commands
from tests.games.facts import FILES, record_document, recorded
from tests.store.clients import QUICK, Client, connected
from tests.store.processes import LONG
from tests.support.postgres import stoppable_server, thaw
from tests.support.waiting import soon

RECORD = record_document(recorded(FILES[0]))

T = TypeVar("T")


def move(client: Client, loaded: LoadedGame) -> Coroutine[Any, Any, Any]:
    assert loaded.game is not None
    assert loaded.game.to_play is not None
    action = legal_actions(loaded.game)[0].action
    return client.service.change(loaded.id, commands.act(loaded.game.to_play, action))


def all_requests(client: Client, loaded: LoadedGame) -> list[Coroutine[Any, Any, Any]]:
    service = client.service
    return [
        service.ready(),
        service.find_token("anything"),
        service.load(loaded.id),
        service.load(loaded.id, 2),
        service.events(loaded.id),
        service.list_games(),
        service.find_games(["anything"]),
        service.open_table(2, ["Ann", "Bob"], QUICK),
        service.fork(loaded.id, None),
        service.import_record(RECORD),
        move(client, loaded),
    ]


def all_unavailable(client: Client, asked: list[Coroutine[Any, Any, Any]]) -> bool:
    async def ask() -> list[Any]:
        async with asyncio.timeout(LONG):
            return await asyncio.gather(*asked, return_exceptions=True)

    found = client.wait(ask())
    assert not [each for each in found if not isinstance(each, StorageUnavailable)], found
    return True


@contextmanager
def with_timeout(url: str, seconds: float) -> Iterator[tuple[Client, LoadedGame]]:
    """A client with a short timeout, and a game that another client has started."""
    with connected(url) as patient:
        game = patient.play(patient.started().id, 3).id
    with connected(url, database_timeout=seconds) as client:
        yield client, load(client, game)


def load(client: Client, game: UUID) -> LoadedGame:
    return retry(client, lambda: client.service.load(game))


def test_a_frozen_server_blocks_no_request() -> None:
    """Ten times as many requests as there are threads and connections."""
    with stoppable_server() as server, with_timeout(server.url, 0.2) as (client, loaded):
        frozen = server.freeze()
        try:
            assert all_unavailable(client, [client.service.open_table(2, ["Ann", "Bob"], QUICK)])
            assert all_unavailable(client, [each for _ in range(10) for each in all_requests(client, loaded)])
        finally:
            thaw(frozen)
        retry(client, client.service.ready)
        assert plays_on(client, loaded.id)


def plays_on(client: Client, game: UUID) -> bool:
    """Play on; a move with an unknown outcome may be stored meanwhile.

    A slow disk may need longer for a move than the short timeout of these tests.
    """
    version = load(client, game).version
    given_up = monotonic() + LONG
    while load(client, game).version < version + 3:
        assert monotonic() < given_up
        with suppress(Refused, StorageUnavailable):
            client.play(game, 1)
    return client.audit(game).ok


def retry(client: Client, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Retry until the storage responds."""

    async def respond() -> T:
        async with asyncio.timeout(LONG):
            while True:
                try:
                    return await ask()
                except StorageUnavailable:
                    await asyncio.sleep(0.05)

    return client.wait(respond())


def test_a_locked_table_blocks_no_request(postgres_database_url: str) -> None:
    with with_timeout(postgres_database_url, 0.2) as (client, loaded):
        game = loaded.id
        with psycopg.connect(postgres_database_url) as other:
            other.execute("LOCK TABLE stored_events, heads IN ACCESS EXCLUSIVE MODE")
            service = client.service
            asked = [service.load(game), service.load(game, 2), service.events(game), move(client, loaded)]
            assert all_unavailable(client, asked)
        retry(client, client.service.ready)
        assert plays_on(client, game)


def test_the_server_cancels_abandoned_statements(postgres_database_url: str) -> None:
    """So the connections are free again although the lock is still held."""
    with (
        with_timeout(postgres_database_url, 0.2) as (client, loaded),
        psycopg.connect(postgres_database_url) as other,
        psycopg.connect(postgres_database_url, autocommit=True) as third,
    ):
        other.execute("LOCK TABLE heads IN ACCESS EXCLUSIVE MODE")
        assert all_unavailable(client, [client.service.load(loaded.id) for _ in range(20)])
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        client.wait(soon(lambda: third.execute(waiting).fetchone() == (0,)))
        retry(client, lambda: client.service.find_token("anything"))


def test_a_busy_file_blocks_no_request(tmp_path: Path) -> None:
    """Requests that wait for others at the same game fail in time, too."""
    file = tmp_path / "games.db"
    with with_timeout(f"sqlite:///{file}", 0.1) as (client, loaded):
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert all_unavailable(client, [move(client, loaded) for _ in range(30)])
        assert plays_on(client, loaded.id)
