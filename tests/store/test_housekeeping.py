"""Housekeeping deletes expired keys and unused tables, and nothing else."""

import asyncio
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.store import Commit, Limits, StorageUnavailable, UnknownGame, commands, open_service, upkeep
from domain.store.database import LiveDatabase
from domain.stream import UnreadableEvent
from tests.store.clients import (
    FEBRUARY_5,
    JANUARY_1,
    JANUARY_20,
    Client,
    Clock,
    Run,
    call_inline,
    connected,
    housekeeping,
    key,
    run_housekeeping,
)
from tests.support.waiting import soon

LONG_AGO = "2020-01-01T00:00:00Z"


def opened_with_key(client: Client, number: int) -> Commit:
    """Open a table with a key, or get the commit that was stored with it."""
    return client.open_table(key=key(f"{number}" * 22))


def known(client: Client, number: int) -> bool:
    """Return whether a key is stored, even if its game is gone."""
    try:
        return client.repeated(key(f"{number}" * 22)) is not None
    except UnknownGame:
        return True


def opened(client: Client, **options: Any) -> UUID:
    return client.open_table(3, ["Ann"], GameOptions(**options)).id


def exists(client: Client, game: UUID) -> bool:
    try:
        client.load(game)
    except UnknownGame:
        return False
    return True


# --- keys ------------------------------------------------------------------------------------------------------------


def test_keys_are_known_for_the_days_of_the_setting(
    database_url: str, client: Client, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "STEP", 2)
    for number in range(5):
        opened_with_key(client, number)
    clock(JANUARY_20)
    opened_with_key(client, 5)
    run_housekeeping(database_url, client, keys=36, tables=0)
    assert all(known(client, number) for number in range(6))
    run_housekeeping(database_url, client, tables=0)
    assert [known(client, number) for number in range(6)] == [False] * 5 + [True]
    assert len(client.lobby().items) == 6


def test_a_deleted_key_counts_as_new(database_url: str, client: Client, clock: Clock) -> None:
    opened_with_key(client, 1)
    run_housekeeping(database_url, client, tables=0)
    clock(FEBRUARY_5)
    for _ in range(2):
        opened_with_key(client, 1)
        run_housekeeping(database_url, client, tables=0)
    assert len(client.lobby().items) == 2, "the second table was opened once"


# --- tables ----------------------------------------------------------------------------------------------------------


def test_an_unused_table_is_deleted(database_url: str, client: Client, clock: Clock) -> None:
    old, hidden, closed, joined = opened(client), opened(client, private=True), opened(client), opened(client)
    client.change(closed, commands.close)
    playing = client.started().id
    clock(JANUARY_20)
    client.change(joined, commands.take_seat("Bob"))
    new = opened(client)
    run_housekeeping(database_url, client, tables=36)
    assert all(exists(client, game) for game in (old, hidden, closed, joined, playing, new))
    run_housekeeping(database_url, client)
    assert [exists(client, game) for game in (old, hidden, closed)] == [False] * 3
    assert {entry.id for entry in client.lobby().items} == {joined, playing, new}
    audited = client.audit(old)
    assert audited.ok
    assert audited.events == 3, "opened, joined by Ann, deleted"


def test_keys_and_tables_are_kept_without_a_limit(database_url: str, client: Client, clock: Clock) -> None:
    """The commands at the command line have no limits."""
    clock(LONG_AGO)
    opened_with_key(client, 1)
    game = opened(client)
    run_housekeeping(database_url, client, keys=Limits().keys_kept, tables=Limits().open_tables_kept)
    assert known(client, 1)
    assert exists(client, game)


def test_every_unused_table_is_found_among_others(
    database: LiveDatabase, client: Client, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages full of tables in use, and a table opened by a wrong clock, hide none."""
    monkeypatch.setattr(upkeep, "STEP", 2)
    asked: list[UUID] = []

    async def change(game: UUID, *more: Any) -> Commit:
        asked.append(game)
        return await client.service.change(game, *more)

    clock("2031-01-01T00:00:00Z")
    ahead = opened(client)
    clock(JANUARY_1)
    games = [opened(client) for _ in range(7)]
    clock(JANUARY_20)
    for game in games[1:5]:
        client.change(game, commands.take_seat("Bob"))
    later = [opened(client) for _ in range(3)]
    client.wait(housekeeping(database, change).do_round())
    assert asked == [games[0], games[5], games[6]], "the others need not be loaded"
    assert [exists(client, game) for game in games] == [False, True, True, True, True, False, False]
    assert all(exists(client, game) for game in (ahead, *later))


@pytest.mark.parametrize(
    ("late", "time"),
    [(commands.take_seat("Bob"), FEBRUARY_5), (commands.start, FEBRUARY_5), (commands.start, JANUARY_1)],
    ids=["joined", "started", "started by a clock that is slow"],
)
def test_a_table_used_at_the_last_moment_stays(
    database: LiveDatabase, client: Client, other: Client, clock: Clock, late: commands.Command, time: str
) -> None:
    """The process that deletes unused tables does not know the change."""
    game = client.open_table(4, ["Ann", "Cleo"]).id

    async def change(*arguments: Any) -> Commit:
        clock(time)
        await asyncio.to_thread(other.change, game, late)
        return await client.service.change(*arguments)

    client.wait(housekeeping(database, change).do_round())
    found = client.load(game)
    assert found.table == other.load(game).table
    assert (len(found.table.players), found.table.started) in ((3, False), (2, True))
    assert client.audit(game).ok


def test_a_damaged_table_does_not_stop_the_round(database_url: str, run: Run, clock: Clock) -> None:
    with connected(database_url) as client:
        damaged, old = opened(client), opened(client)
        client.lobby()
    run("UPDATE stored_events SET state = ? WHERE originator_id = ?", b"{}", damaged.hex)
    with connected(database_url) as client:
        run_housekeeping(database_url, client)
        assert not exists(client, old)
        with pytest.raises(UnreadableEvent):
            client.load(damaged)


def test_two_processes_delete_a_table_once(
    database_url: str, database: LiveDatabase, client: Client, clock: Clock
) -> None:
    async def run(games: list[UUID]) -> None:
        async with open_service(database_url) as here, open_service(database_url) as there:
            await asyncio.gather(*(housekeeping(database, one.change).do_round() for one in (here, there, here)))
            assert not (await here.list_games()).items
            audits = [await there.archive.audit(game) for game in games]
        assert all(found.ok and found.events == 3 for found in audits)

    asyncio.run(run([opened(client) for _ in range(20)]))


# --- rounds from the start of a service to its end, also through an outage -------------------------------------------


def test_a_service_runs_rounds_from_its_start_and_repeatedly(
    database_url: str, run: Run, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "HOUSEKEEPING_SECONDS", 0.01)
    clock(LONG_AGO)
    with connected(database_url) as client:
        opened_with_key(client, 1)
        game = opened(client)
    with connected(database_url, keys_kept=30, open_tables_kept=30) as client:
        client.wait(soon(partial(is_done, run, game)))
        opened_with_key(client, 2)
        client.wait(soon(partial(is_done, run, opened(client))))


def is_done(run: Run, game: UUID) -> bool:
    """Return whether no key is left, and the table was opened, joined by Ann, and deleted."""
    end = run("SELECT version FROM heads WHERE game = ?", game.hex)
    return end == [(3,)] and not run("SELECT id FROM keys")


def test_an_outage_is_retried_in_the_next_round(
    database: LiveDatabase, client: Client, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "HOUSEKEEPING_SECONDS", 0.0)
    away, deleted = [True] * 3, list[UUID]()

    async def change(game: UUID, *asked: Any) -> Commit:
        deleted.append(game)
        return await client.service.change(game, *asked)

    async def load(*asked: Any) -> Any:
        if away:
            away.pop()
            raise StorageUnavailable
        return await call_inline(*asked)

    async def run() -> None:
        keeper = housekeeping(database, change, load=load)
        keeper.start()
        await soon(lambda: bool(deleted))
        await keeper.close()

    game = opened(client)
    client.wait(run())
    assert not away
    assert deleted == [game]
    assert not exists(client, game)


def test_closing_a_service_ends_a_round_between_two_steps(database: LiveDatabase, client: Client, clock: Clock) -> None:
    deleted: list[UUID] = []
    games = [opened(client) for _ in range(3)]

    async def run() -> None:
        async def change(game: UUID, *asked: Any) -> Commit:
            closing.append(asyncio.create_task(keeper.close()))
            await asyncio.sleep(0)
            commit = await client.service.change(game, *asked)
            deleted.append(game)
            return commit

        closing: list[asyncio.Task[None]] = []
        keeper = housekeeping(database, change)
        keeper.start()
        await soon(lambda: bool(deleted))
        await asyncio.gather(*closing)

    client.wait(run())
    assert deleted == games[:1], "the running step is finished, no other one starts"
    assert [exists(client, game) for game in games] == [False, True, True]


def test_a_closed_service_starts_no_round(database: LiveDatabase, client: Client, clock: Clock) -> None:
    asked: list[Any] = []

    async def load(*more: Any) -> Any:
        asked.append(more)
        return await call_inline(*more)

    async def run() -> None:
        keeper = housekeeping(database, client.service.change, load=load)
        await keeper.do_round()
        assert len(asked) == 2, "one search for keys and one for tables"
        await keeper.close()
        await keeper.do_round()
        assert len(asked) == 2

    client.wait(run())
