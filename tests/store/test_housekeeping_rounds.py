"""The rounds of housekeeping: from the start of a service to its end, also if the storage is away for a while."""

import asyncio
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest

from domain.store import Commit, Limits, StorageUnavailable, UnknownGame, upkeep
from tests.store.clients import Client, connected, opened_database
from tests.store.keeping import Clock, at_once, exists, house, is_known, known, opened, opened_under, tidy

NEVER = 30
"""Seconds after which a test gives up."""

LONG_AGO = "2020-01-01T00:00:00Z"


def test_a_service_keeps_house_from_its_start_and_again_and_again(
    shared_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "HOUSEKEEPING_SECONDS", 0.01)
    clock(LONG_AGO)
    with connected(shared_url) as client:
        opened_under(client, 1)
        games = [opened(client)]
    with connected(shared_url, keys_kept=30, open_tables_kept=30) as client:
        for number in (1, 2):
            client.wait(until_gone(client, number, games[-1]))
            opened_under(client, number + 1)
            games.append(opened(client))


async def until_gone(client: Client, number: int, game: UUID) -> None:
    async with asyncio.timeout(NEVER):
        while await is_known(client, number):
            await asyncio.sleep(0)
        with suppress(UnknownGame):
            while (await client.service.load(game)).version:
                await asyncio.sleep(0)


def test_a_service_without_limits_keeps_all(shared_url: str, clock: Clock) -> None:
    """As the commands at the command line, which know nothing of a server's settings."""
    clock(LONG_AGO)
    with connected(shared_url) as client:
        opened_under(client, 1)
        game = opened(client)
        tidy(shared_url, client, keys=Limits().keys_kept, tables=Limits().open_tables_kept)
        assert known(client, 1)
        assert exists(client, game)


def test_a_storage_that_is_away_is_asked_again_in_the_next_round(
    shared_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "HOUSEKEEPING_SECONDS", 0.0)
    away = [True] * 3

    async def load(*asked: Any) -> Any:
        if away:
            away.pop()
            raise StorageUnavailable
        return await at_once(*asked)

    async def run(client: Client, game: UUID) -> None:
        with opened_database(shared_url) as database:
            keeper = house(database, client.service.change, load=load)
            keeper.start()
            async with asyncio.timeout(NEVER):
                while (await client.service.list_games()).items:
                    await asyncio.sleep(0)
            await keeper.close()

    with connected(shared_url) as client:
        client.wait(run(client, opened(client)))
    assert not away


def test_the_end_of_a_service_ends_a_round_between_two_steps(shared_url: str, clock: Clock) -> None:
    deleted: list[UUID] = []

    async def run(client: Client) -> None:
        async def change(game: UUID, *asked: Any) -> Commit:
            closing.append(asyncio.create_task(keeper.close()))
            await asyncio.sleep(0)
            commit = await client.service.change(game, *asked)
            deleted.append(game)
            return commit

        closing: list[asyncio.Task[None]] = []
        with opened_database(shared_url) as database:
            keeper = house(database, change)
            keeper.start()
            while not deleted:
                await asyncio.sleep(0)
            await asyncio.gather(*closing)

    with connected(shared_url) as client:
        games = [opened(client) for _ in range(3)]
        client.wait(run(client))
        assert deleted == games[:1], "what was under way is done, nothing else is begun"
        assert [exists(client, game) for game in games] == [False, True, True]


def test_a_service_that_ends_begins_nothing_more(shared_url: str, clock: Clock) -> None:
    asked: list[Any] = []

    async def load(*more: Any) -> Any:
        asked.append(more)
        return await at_once(*more)

    async def run(client: Client) -> None:
        with opened_database(shared_url) as database:
            keeper = house(database, client.service.change, load=load)
            await keeper.do_round()
            assert len(asked) == 2, "it has looked for keys and for tables"
            await keeper.close()
            await keeper.do_round()
            assert len(asked) == 2

    with connected(shared_url) as client:
        client.wait(run(client))
