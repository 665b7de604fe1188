"""The events of all public games: every row once and in order, and nothing of private or erased games."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.store import EpochChanged, PublicEvents, commands, public_events
from domain.store.database import Database, LiveDatabase, Statement
from domain.store.errors import StorageUnavailable, TooManyWatchers
from domain.store.feed import Feed
from domain.store.public_events import PublicRow, read_epoch, read_page
from domain.store.schema import renew_epoch
from domain.store.streams import ROWS_AFTER
from domain.store.work import ClientLimit
from tests.store.clients import QUICK, Client, CountingDatabase, Run, connected, newest_position
from tests.store.processes import LONG
from tests.support.waiting import soon

PRIVATE = GameOptions(seed=7, undo="free", private=True)

Item = tuple[int, UUID, list[dict[str, Any]]]
"""The position, the game and the events of a row."""


class WatchedDatabase(CountingDatabase):
    """A database that counts reads and may be away."""

    def __init__(self, database: LiveDatabase) -> None:
        super().__init__(database)
        self.commits = database.commits
        self.on_failure = database.on_failure
        self.away = False

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        if self.away:
            raise StorageUnavailable("away")
        return super().select(statement)


class Lobby:
    """Random games of a client, and those of them that are private or gone."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._random = Random(seed)
        self.private: set[UUID] = set()
        self.gone: set[UUID] = set()
        self._open: list[UUID] = []
        self._begun: list[UUID] = []

    def change(self, times: int = 1) -> None:
        for _ in range(times):
            self._change()

    def _change(self) -> None:
        random, client = self._random, self._client
        kind = random.choice(("open", "start", *["play"] * 4, "undo", "delete", "remove"))
        options = random.choice((PRIVATE, QUICK))
        if kind in ("open", "start"):
            commit = client.open_table(2, ["Ann", "Bob"][: 1 + (kind == "start")], options)
            (self._begun if kind == "start" else self._open).append(commit.id)
            if options.private:
                self.private.add(commit.id)
        elif kind in ("play", "undo") and self._begun:
            game = random.choice(self._begun)
            client.play(game, 2, seed=random.randint(0, 99))
            if kind == "undo":
                client.change(game, commands.undo(None))
        elif kind == "delete" and self._open:
            game = self._open.pop(random.randrange(len(self._open)))
            client.change(game, commands.delete)
            self.gone.add(game)
        elif kind == "remove" and len(self._begun) > 2:
            game = self._begun.pop(random.randrange(len(self._begun)))
            client.remove(game)
            self.gone.add(game)

    def expected(self, database: Database) -> list[Item]:
        """Everything that a reader from the beginning gets now, read without the store."""
        sql = "SELECT {number}, originator_id, state FROM stored_events ORDER BY {number}"
        rows = [(position, UUID(str(game)), bytes(text)) for position, game, text in database.select((sql, ()))]
        last = {game: position for position, game, _ in rows}
        return [
            (position, game, [json.loads(line) for line in text.splitlines()][-1 if game in self.gone else 0 :])
            for position, game, text in rows
            if game not in self.private and (game not in self.gone or position == last[game])
        ]


def items(rows: Iterable[PublicRow]) -> list[Item]:
    found = [json.loads(row.text) for row in rows]
    return [(item["position"], UUID(item["game"]), item["events"]) for item in found]


def all_pages(database: Database, limit: int) -> list[Item]:
    found: list[PublicRow] = []
    after = 0
    while (page := read_page(database, after, limit)).next != after:
        assert len(page.rows) <= limit
        assert all(after < row.position <= page.next for row in page.rows)
        found += page.rows
        after = page.next
    return items(found)


@asynccontextmanager
async def watched(database: Any) -> AsyncIterator[PublicEvents]:
    feed = Feed(database, asyncio.to_thread)
    yield PublicEvents(feed, database, asyncio.to_thread, ClientLimit(200, 200, TooManyWatchers), LONG)
    await feed.close()


async def follow(events: PublicEvents, found: list[Item], position: int = 0) -> None:
    """Collect rows until cancelled."""
    async with events.watching():
        while True:
            try:
                page = await events.after(position)
            except StorageUnavailable:
                await asyncio.sleep(0.01)
                continue
            found += items(page.rows)
            if page.next == position:
                await events.notifier.wait()
            position = page.next


async def ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("seed", range(3))
def test_pages_have_every_row_of_public_games_in_order(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    lobby = Lobby(client, seed)
    lobby.change(80)
    expected = lobby.expected(database)
    assert {event["type"] for _, _, events in expected for event in events} & {"table_deleted", "game_removed"}
    assert lobby.private
    for rows_at_once, rows_per_page, size in ((250, 5000, 1 << 20), (3, 7, 1 << 20), (4, 5000, 1500)):
        monkeypatch.setattr(public_events, "ROWS_AT_ONCE", rows_at_once)
        monkeypatch.setattr(public_events, "ROWS_PER_PAGE", rows_per_page)
        monkeypatch.setattr(public_events, "BYTES_PER_PAGE", size)
        for limit in (1, 7, 1000):
            assert all_pages(database, limit) == expected


def test_a_page_ends_after_many_private_rows(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_events, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(public_events, "ROWS_PER_PAGE", 30)
    for _ in range(35):
        client.open_table(2, ["Ann"], PRIVATE)
    public = client.open_table(2, ["Ann"]).id
    first = read_page(database, 0, 10)
    assert (list(first.rows), first.next) == ([], 30)
    assert [row.game for row in read_page(database, first.next, 10).rows] == [public]


def test_followers_get_the_rows_after_a_page_of_private_games(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_events, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(public_events, "ROWS_PER_PAGE", 30)
    for _ in range(35):
        client.open_table(2, ["Ann"], PRIVATE)
    public = client.open_table(2, ["Ann"]).id
    client.open_table(2, ["Ann"], PRIVATE)

    async def scene() -> None:
        async with watched(database) as events:
            page = await events.next_page(0, 10, None, LONG)
            assert (list(page.rows), page.next, page.left_out) == ([], 30, 30)
            page = await events.next_page(page.next, 10, None, LONG)
            assert [row.game for row in page.rows] == [public]

    asyncio.run(scene())


@pytest.mark.parametrize("change", ["'private\":true' -> false", "no JSON", "not UTF-8"])
def test_damaged_rows(client: Client, database: LiveDatabase, run: Run, change: str) -> None:
    """A game whose first event was changed may have been private. Other damaged rows have no events."""
    games = [client.started(PRIVATE if change.startswith("'private") else QUICK).id for _ in range(2)]
    game = games[0]
    position = newest_position(database)
    client.play(game, 1)
    if change.startswith("'private"):
        ((text,),) = run("SELECT state FROM stored_events WHERE originator_id = ? AND originator_version = 1", game.hex)
        changed = bytes(text).replace(b'"private":true', b'"private":false')
        assert changed != bytes(text)
        run("UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = 1", changed, game.hex)
        assert all_pages(database, 10) == []
        return
    text = b'{"version":' if change == "no JSON" else b'{"version":1,"name":"\xff"}'
    last = "originator_version = (SELECT MAX(originator_version) FROM stored_events WHERE originator_id = ?)"
    run(f"UPDATE stored_events SET state = ? WHERE originator_id = ? AND {last}", text, game.hex, game.hex)
    assert [(found, events) for at, found, events in all_pages(database, 10) if at > position] == [(game, [])]


@pytest.mark.parametrize("kept_bytes", [1000, 1 << 20])
def test_followers_get_every_row_once_during_outages_and_removals(
    database_url: str, client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, kept_bytes: int
) -> None:
    """Two processes write. A follower who was there before a removal has the events before it, too."""
    monkeypatch.setattr(public_events, "KEPT_BYTES", kept_bytes)
    away = WatchedDatabase(database)
    with connected(database_url) as second:
        lobbies = [Lobby(client, 5), Lobby(second, 6)]
        found: list[list[Item]] = [[] for _ in range(5)]

        async def scene() -> None:
            async with watched(away) as events:
                following = [asyncio.create_task(follow(events, seen)) for seen in found]
                for outage in (False, True, False):
                    away.away = outage
                    for lobby in lobbies:
                        await asyncio.to_thread(lobby.change, 25)
                away.away = False
                newest = max(position for position, *_ in lobbies[0].expected(database))
                await soon(lambda: all(seen and seen[-1][0] == newest for seen in found))
                await ended(following)

        lobbies[1].private, lobbies[1].gone = lobbies[0].private, lobbies[0].gone
        asyncio.run(scene())
        for seen in found:
            check_followed(seen, lobbies[0], database)


def check_followed(seen: list[Item], lobby: Lobby, database: Database) -> None:
    expected, gone = lobby.expected(database), lobby.gone
    assert [item for item in seen if item[1] not in gone] == [item for item in expected if item[1] not in gone]
    assert [position for position, *_ in seen] == sorted({position for position, *_ in seen})
    assert not lobby.private & {game for _, game, _ in seen}
    for game in gone - lobby.private:
        assert [item for item in seen if item[1] == game][-1:] == [item for item in expected if item[1] == game]


def test_a_hundred_followers_read_the_database_as_often_as_one(client: Client, database: LiveDatabase) -> None:
    games = [client.started().id for _ in range(3)]
    for game in games:
        client.play(game, 30)

    async def reads(followers: int) -> tuple[int, int]:
        counting = WatchedDatabase(database)
        found: list[list[Item]] = [[] for _ in range(followers)]
        async with watched(counting) as events, AsyncExitStack() as stack:
            await stack.enter_async_context(events.watching())
            begun = counting.reads
            following = [asyncio.create_task(follow(events, seen)) for seen in found]
            newest = newest_position(database)
            await soon(lambda: all(seen and seen[-1][0] == newest for seen in found))
            history = counting.reads - begun
            for command in (commands.undo(None), commands.redo(None)) * 3:
                await asyncio.to_thread(client.change, games[0], command)
                newest = newest_position(database)
                await soon(lambda: all(seen[-1][0] == newest for seen in found))  # noqa: B023 - awaited here
            live = counting.reads - begun - history
            await ended(following)
        return history, live

    (history, live), (history_of_all, live_of_all) = asyncio.run(reads(1)), asyncio.run(reads(100))
    extra = 5  # the feed reads once more for a wake-up that comes twice
    assert history_of_all <= history + extra
    assert live_of_all <= live + extra


@pytest.mark.parametrize("end", ["delete", "remove"])
def test_what_is_kept_of_a_game_disappears_with_it(client: Client, database: LiveDatabase, end: str) -> None:
    """Both the newest rows and the pages that followers share."""
    other = client.started().id
    early = client.open_table(2, ["Ann"]).id

    async def scene() -> None:
        async with watched(database) as events, events.watching(), events.watching():
            before = await events.after(0)
            assert early in {row.game for row in before.rows}
            start = events.position
            late = (await asyncio.to_thread(client.open_table, 2, ["Bob"])).id
            await soon(lambda: events.position > start)
            assert late in {row.game for row in (await events.after(start)).rows}
            for game in (early, late):
                position = events.position
                if end == "delete":
                    await asyncio.to_thread(client.change, game, commands.delete)
                else:
                    await asyncio.to_thread(client.remove, game)
                await soon(lambda: events.position > position)  # noqa: B023 - awaited here
            announced = [["table_deleted" if end == "delete" else "game_removed"]] * 2
            for at in (0, start):
                found = items((await events.after(at)).rows)
                shown = [[event["type"] for event in of_row] for _, game, of_row in found if game in (early, late)]
                assert shown == announced
            assert other in {row.game for row in (await events.after(0)).rows}

    asyncio.run(scene())


def test_a_long_poll_returns_the_first_row_of_a_public_game(client: Client, database: LiveDatabase) -> None:
    async def scene() -> None:
        async with watched(database) as events:
            newest = newest_position(database)
            waiting = asyncio.create_task(events.next_page(newest, 10, None, LONG))
            await asyncio.to_thread(client.open_table, 2, ["Ann"], PRIVATE)
            await asyncio.sleep(0.2)
            assert not waiting.done()
            public = (await asyncio.to_thread(client.open_table, 2, ["Ann"])).id
            page = await asyncio.wait_for(waiting, LONG)
            assert [row.game for row in page.rows] == [public]
            assert page.next == page.rows[-1].position
            empty = await events.next_page(page.next, 10, page.epoch, 0.05)
            assert (list(empty.rows), empty.next) == ([], page.next)
            assert len((await events.next_page(0, 1, page.epoch, 5)).rows) == 1

    client.started()
    asyncio.run(scene())


def test_an_epoch_lasts_until_a_restore(database_url: str, client: Client, database: LiveDatabase) -> None:
    client.started()
    epoch, newest = read_epoch(database), newest_position(database)
    with connected(database_url):
        assert read_epoch(database) == epoch

    async def scene() -> None:
        async with watched(database) as events:
            assert (await events.page(newest, 10, epoch)).next == newest
            with pytest.raises(EpochChanged):
                await events.page(newest + 1, 10, epoch)
            for wait in (0.01, LONG):
                with pytest.raises(EpochChanged):
                    await events.next_page(newest + 1, 10, epoch, wait)
            database.append((), [renew_epoch()])
            for asked in (events.page(0, 10, epoch), events.next_page(0, 10, epoch, LONG)):
                with pytest.raises(EpochChanged) as changed:
                    await asked
                assert changed.value.epoch == read_epoch(database) != epoch

    asyncio.run(scene())


def test_followers_see_a_new_epoch_although_no_row_changed(client: Client, database: LiveDatabase) -> None:
    """A backup is restored before anything else was stored, or an operator begins a new epoch."""
    client.started()

    async def scene() -> None:
        async with watched(database) as events, events.watching():
            newest, restored = events.position, events.restored
            before = [(await events.after(at)).epoch for at in (0, newest)]
            database.append((), [renew_epoch()])
            await soon(lambda: events.is_over(restored))
            epoch = read_epoch(database)
            assert epoch not in before
            for at in (0, newest):
                assert (await events.next_page(at, 10, epoch, 0.01)).epoch == epoch

    asyncio.run(scene())


def test_a_position_in_many_rows_is_found_by_an_index(client: Client, database: LiveDatabase) -> None:
    """A page in the middle reads as many rows as a page at the start."""
    for _ in range(3):
        client.play(client.started().id, 40)
    rows: list[int] = []
    for after in (0, newest_position(database) // 2, newest_position(database) - 40):
        counting = CountingDatabase(database)
        assert read_page(counting, after, 20).rows
        rows.append(counting.reads)
    assert len(set(rows)) == 1
    plan = database.select((f"EXPLAIN {'' if not database.in_process else 'QUERY PLAN '}{ROWS_AFTER}", (5, 10)))
    assert "rowid>" in str(plan) or "Index Scan" in str(plan)
