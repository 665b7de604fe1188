"""The feed returns every stored row of every process, in order, with whole decisions."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.store import commands, feed, open_service
from domain.store.database import Database, LiveDatabase, Statement
from domain.store.errors import StorageUnavailable, TooManyWatchers
from domain.store.feed import Feed, StoredRow
from domain.store.live import Watchers
from domain.store.work import ClientLimit
from domain.stream import at_of
from tests.store.clients import Client, CountingDatabase, Run, connected, newest_position, opened_database
from tests.store.processes import LONG
from tests.support.waiting import soon


class AwayDatabase(CountingDatabase):
    """A database that may be away, and counts reads all the same."""

    def __init__(self, database: LiveDatabase) -> None:
        super().__init__(database)
        self.away = False
        self.commits = database.commits
        self.on_failure = database.on_failure

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        if self.away:
            self.reads += 1
            raise StorageUnavailable("away")
        return super().select(statement)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await asyncio.to_thread(function, *arguments)


def moves(client: Client, games: Sequence[UUID]) -> None:
    """Moves, undos and redos in every game."""
    for number in range(3):
        for game in games:
            client.play(game, 1, seed=number)
            client.change(game, commands.undo(None))
            client.change(game, commands.redo(None))


def stored_rows(database: Database) -> list[tuple[UUID, int]]:
    sql = "SELECT originator_id, originator_version FROM stored_events ORDER BY {number}"
    return [(UUID(str(game)), version) for game, version in database.select((sql, ()))]


@pytest.mark.parametrize("rows_read", [3, 1000])
def test_rows_of_another_process_arrive_in_order_even_after_an_outage(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, rows_read: int
) -> None:
    monkeypatch.setattr(feed, "ROWS_READ", rows_read)
    monkeypatch.setattr(feed, "RETRY_SECONDS", 0.01)
    games = [client.started().id for _ in range(3)]
    watched, seen, before = AwayDatabase(database), list[StoredRow](), len(stored_rows(database))

    async def scene() -> None:
        followed = Feed(watched, asyncio.to_thread)
        followed.readers.append(seen.extend)
        async with followed.used():
            await asyncio.to_thread(moves, client, games)
            await soon(lambda: len(seen) == len(stored_rows(database)) - before)
            watched.away = True
            await asyncio.to_thread(moves, client, games)
            reads = watched.reads
            await soon(lambda: watched.reads > reads + 1)
            watched.away = False
            await soon(lambda: len(seen) == len(stored_rows(database)) - before)
        await followed.close()

    asyncio.run(scene())
    assert [(row.game, row.version) for row in seen] == stored_rows(database)[before:]
    assert [row.position for row in seen] == sorted({row.position for row in seen})


@pytest.mark.parametrize("rows_read", [2, 3, 5])
def test_no_page_splits_a_decision(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, rows_read: int
) -> None:
    """A start is stored in several rows: the last player joins, and play begins."""
    monkeypatch.setattr(feed, "ROWS_READ", rows_read)
    pages: list[Sequence[StoredRow]] = []

    async def scene() -> None:
        followed = Feed(database, asyncio.to_thread)
        followed.readers.append(pages.append)
        async with followed.used():
            for _ in range(6):
                await asyncio.to_thread(lambda: client.play(client.started().id, 1))
            await soon(lambda: sum(map(len, pages)) == len(stored_rows(database)))
        await followed.close()

    asyncio.run(scene())
    check_whole_decisions(pages)


def test_the_first_page_of_an_empty_database_splits_no_decision(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row was read before with which the next ones could be compared."""
    monkeypatch.setattr(feed, "ROWS_READ", 3)
    monkeypatch.setattr(feed, "RETRY_SECONDS", 0.01)
    pages: list[Sequence[StoredRow]] = []
    watched = AwayDatabase(database)

    async def scene() -> None:
        followed = Feed(watched, asyncio.to_thread)
        followed.readers.append(pages.append)
        async with followed.used():
            watched.away = True
            for _ in range(3):
                await asyncio.to_thread(client.started)
            watched.away = False
            await soon(lambda: sum(map(len, pages)) == len(stored_rows(database)))
        await followed.close()

    asyncio.run(scene())
    check_whole_decisions(pages)


def check_whole_decisions(pages: Sequence[Sequence[StoredRow]]) -> None:
    for page, following in pairwise(filter(None, pages)):
        last, first = page[-1], following[0]
        assert (last.game, at_of(last.version, last.text)) != (first.game, at_of(first.version, first.text))


def test_readers_that_join_during_a_read_get_the_rows_stored_next(client: Client, database: LiveDatabase) -> None:
    """The result of that read is no sign of a restored database, although it began at another position."""
    seen, restored = list[StoredRow](), list[bool]()
    game = client.started().id

    async def scene() -> None:
        reading, go_on = asyncio.Event(), asyncio.Event()

        async def read(function: Callable[..., Any], *arguments: Any) -> Any:
            found = await asyncio.to_thread(function, *arguments)
            (_, values), *_ = arguments
            if values:  # it reads on from a position
                reading.set()
                await go_on.wait()
            return found

        followed = Feed(database, read)
        followed.readers.append(seen.extend)
        followed.restored.append(lambda: restored.append(True))
        async with followed.used():
            await reading.wait()
        await asyncio.to_thread(client.play, game, 3)
        async with AsyncExitStack() as again:
            beginning = asyncio.create_task(again.enter_async_context(followed.used()))
            await asyncio.wait([beginning], timeout=0.2)
            go_on.set()
            await beginning
            before = len(stored_rows(database))
            await asyncio.to_thread(client.play, game, 3)
            await soon(lambda: len(seen) >= len(stored_rows(database)) - before)
            assert [row.version for row in seen] == [version for _, version in stored_rows(database)[before:]]
        await followed.close()

    asyncio.run(scene())
    assert not restored


def test_readers_that_join_later_get_no_earlier_rows(client: Client, database: LiveDatabase) -> None:
    seen: list[StoredRow] = []
    game = client.started().id

    async def scene() -> None:
        followed = Feed(database, asyncio.to_thread)
        followed.readers.append(seen.extend)
        for number in range(3):
            async with followed.used():
                seen.clear()  # rows of a read that began before the others left
                before = len(stored_rows(database))
                await asyncio.to_thread(lambda seed: client.play(game, 2, seed), number)
                await soon(lambda: len(seen) >= len(stored_rows(database)) - before)  # noqa: B023 - awaited here
                assert [row.version for row in seen] == [version for _, version in stored_rows(database)[before:]]
            await asyncio.to_thread(lambda seed: client.play(game, 2, seed), number + 10)
        await followed.close()

    asyncio.run(scene())


def test_a_move_in_one_game_causes_no_read_for_each_watched_game(
    database_url: str, client: Client, database: LiveDatabase
) -> None:
    games, other = [client.started().id for _ in range(30)], client.started().id
    watched = AwayDatabase(database)

    async def scene() -> None:
        followed, limit = Feed(watched, asyncio.to_thread), ClientLimit(30, 30, TooManyWatchers)
        async with open_service(database_url) as service, AsyncExitStack() as stack:
            watchers = Watchers(followed, service.load, limit, LONG)
            for game in games:
                await stack.enter_async_context(watchers.watching(game))
            before = watched.reads
            await asyncio.to_thread(client.play, other, 1)
            await soon(lambda: followed.position == newest_position(database))
            assert 0 < watched.reads - before < len(games) / 2
        await followed.close()

    asyncio.run(scene())


INSERT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'table', ?)"


@pytest.mark.parametrize("rows_read", [2, 1000])
def test_invalid_rows_do_not_hide_later_ones(
    database_url: str, run: Run, monkeypatch: pytest.MonkeyPatch, rows_read: int
) -> None:
    monkeypatch.setattr(feed, "ROWS_READ", rows_read)
    bad: list[tuple[str, object]] = [(UUID(int=number).hex, 1) for number in range(3)]
    if database_url.startswith("sqlite"):  # its columns store any type
        bad += [("not-a-uuid", 1), ("", 1), ("not-a-uuid", "abc"), (bad[0][0], "abc"), (bad[0][0], None)]
    with connected(database_url) as client:
        game = client.started()

        async def scene() -> None:
            async with (
                open_service(database_url) as service,
                service.watchers.watching(game.id) as channel,
                service.changed_entries.watching() as entries,
            ):
                begun = entries.position
                polled = asyncio.create_task(service.watchers.wait_beyond(game.id, game.version, 3 * LONG))
                for originator, version in bad:
                    run(INSERT, originator, version, b"{}")
                played = await asyncio.to_thread(client.play, game.id, 1)
                await soon(lambda: channel.version == played.version)
                await asyncio.wait_for(polled, LONG)
                await soon(lambda: game.id in {change.game for change in entries.after(begun) or ()})

        asyncio.run(scene())


def test_sqlite_is_followed_when_the_first_connection_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url, connect, failed = f"sqlite:///{tmp_path}/games.db", sqlite3.connect, list[str]()

    def connect_later(path: str, **options: Any) -> sqlite3.Connection:
        if not failed:
            failed.append(path)
            raise sqlite3.OperationalError("unable to open database file")
        connection: sqlite3.Connection = connect(path, **options)
        return connection

    async def scene(database: LiveDatabase) -> None:
        monkeypatch.setattr(sqlite3, "connect", connect_later)
        async with asyncio.timeout(LONG):
            await anext(aiter(database.commits()))

    with opened_database(url) as database:
        asyncio.run(scene(database))
    assert failed


class FailingListener(AwayDatabase):
    """A database that fails when it is listened to for the first time."""

    def __init__(self, database: LiveDatabase, error: Exception) -> None:
        super().__init__(database)
        self.errors = [error]
        self.listen = database.commits
        self.commits = self.listen_later

    async def listen_later(self) -> AsyncIterator[None]:
        if self.errors:
            raise self.errors.pop()
        async for commit in self.listen():
            yield commit


@pytest.mark.parametrize("error", [StorageUnavailable("away"), ValueError("unheard of")])
def test_listening_is_retried_after_an_error(
    client: Client,
    database: LiveDatabase,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    monkeypatch.setattr(feed, "RETRY_SECONDS", 0.01)
    seen: list[StoredRow] = []
    game = client.started().id

    async def scene() -> None:
        watched = FailingListener(database, error)
        followed = Feed(watched, asyncio.to_thread)
        followed.readers.append(seen.extend)
        async with followed.used():
            await soon(lambda: not watched.errors)
            await asyncio.to_thread(client.play, game, 1)
            await soon(lambda: bool(seen))
        await followed.close()

    asyncio.run(scene())
    assert bool(caplog.records) == isinstance(error, ValueError)
