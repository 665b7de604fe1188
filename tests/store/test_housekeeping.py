"""Housekeeping: keys and open tables that were kept for long enough are deleted, and nothing else is."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.store import Commit, commands, open_service, upkeep
from domain.stream import UnreadableEvent
from tests.store.clients import connected, opened_database
from tests.store.keeping import (
    FEBRUARY_5,
    JANUARY_1,
    JANUARY_20,
    Clock,
    exists,
    house,
    known,
    opened,
    opened_under,
    tidy,
)

# --- keys ------------------------------------------------------------------------------------------------------------


def test_a_key_is_known_for_so_many_days(shared_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "STEP", 2)
    with connected(shared_url) as client:
        for number in range(5):
            opened_under(client, number)
        clock(JANUARY_20)
        opened_under(client, 5)
        tidy(shared_url, client, keys=36, tables=0)
        assert all(known(client, number) for number in range(6))
        tidy(shared_url, client, tables=0)
        assert [known(client, number) for number in range(6)] == [False] * 5 + [True]
        assert len(client.listing().items) == 6


def test_a_key_that_was_deleted_is_a_new_one(shared_url: str, clock: Clock) -> None:
    with connected(shared_url) as client:
        opened_under(client, 1)
        tidy(shared_url, client, tables=0)
        clock(FEBRUARY_5)
        for _ in range(2):
            opened_under(client, 1)
            tidy(shared_url, client, tables=0)
        assert len(client.listing().items) == 2, "the second one was made once"


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_that_nobody_starts_ends(shared_url: str, clock: Clock) -> None:
    with connected(shared_url) as client:
        old, hidden, closed, joined = opened(client), opened(client, private=True), opened(client), opened(client)
        client.change(closed, commands.close)
        playing = client.started().id
        clock(JANUARY_20)
        client.change(joined, commands.take_seat("Bob"))
        new = opened(client)
        tidy(shared_url, client, tables=36)
        assert all(exists(client, game) for game in (old, hidden, closed, joined, playing, new))
        tidy(shared_url, client)
        assert [exists(client, game) for game in (old, hidden, closed)] == [False] * 3
        assert {line.id for line in client.listing().items} == {joined, playing, new}
        audited = client.audit(old)
        assert audited.ok
        assert audited.events == 3, "opened, taken by Ann, deleted"


def test_tables_are_kept_for_good_on_wish(shared_url: str, clock: Clock) -> None:
    with connected(shared_url) as client:
        game = opened(client)
        tidy(shared_url, client, tables=0)
        assert exists(client, game)


def test_no_table_is_passed_over_among_others(shared_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among as many that are still in use as are read at once, and behind one that was opened by a wrong clock."""
    monkeypatch.setattr(upkeep, "STEP", 2)
    asked: list[UUID] = []
    with connected(shared_url) as client, opened_database(shared_url) as database:

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
        client.wait(house(database, change).do_round())
        assert asked == [games[0], games[5], games[6]], "the others need not be loaded"
        assert [exists(client, game) for game in games] == [False, True, True, True, True, False, False]
        assert all(exists(client, game) for game in (ahead, *later))


@pytest.mark.parametrize(
    ("late", "time"),
    [(commands.take_seat("Bob"), FEBRUARY_5), (commands.start, FEBRUARY_5), (commands.start, JANUARY_1)],
    ids=["joined", "started", "started by a clock that is slow"],
)
def test_a_table_that_somebody_uses_at_the_last_moment_is_left_alone(
    shared_url: str, clock: Clock, late: commands.Command, time: str
) -> None:
    """The process that deletes it knows nothing of the change."""
    with connected(shared_url) as client, connected(shared_url) as other:
        game = client.open_table(4, ["Ann", "Cleo"], GameOptions()).id

        async def change(*arguments: Any) -> Commit:
            clock(time)
            await asyncio.to_thread(other.change, game, late)
            return await client.service.change(*arguments)

        with opened_database(shared_url) as database:
            client.wait(house(database, change).do_round())
        found = client.load(game)
        assert found.table == other.load(game).table
        assert (len(found.table.players), found.table.started) in ((3, False), (2, True))
        assert client.audit(game).ok


def test_a_damaged_table_keeps_no_other_one(shared_url: str, clock: Clock) -> None:
    with connected(shared_url) as client:
        damaged, old = opened(client), opened(client)
        client.listing()
    with opened_database(shared_url) as database, database.transaction() as transaction:
        transaction.run(("UPDATE stored_events SET state = ? WHERE originator_id = ?", (b"{}", damaged.hex)))
    with connected(shared_url) as client:
        tidy(shared_url, client)
        assert not exists(client, old)
        with pytest.raises(UnreadableEvent):
            client.load(damaged)


def test_two_processes_delete_a_table_once(shared_url: str, clock: Clock) -> None:
    async def run(games: list[UUID]) -> None:
        with opened_database(shared_url) as database:
            async with open_service(shared_url) as here, open_service(shared_url) as there:
                await asyncio.gather(*(house(database, one.change).do_round() for one in (here, there, here)))
                assert not (await here.list_games()).items
                audits = [await there.audit(game) for game in games]
        assert all(found.ok and found.events == 3 for found in audits)

    with connected(shared_url) as client:
        games = [opened(client) for _ in range(20)]
    asyncio.run(run(games))
