"""Changed entries of the lobby: kept for clients that keep up, searched for clients that fall behind."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest

from domain.store import ChangedEntries, ChangedEntry, commands, live, open_service
from domain.store.database import Database, LiveDatabase
from tests.store.clients import QUICK, Client, connected, newest_position
from tests.store.processes import Gate
from tests.support.waiting import soon

GAMES = 6


def play(client: Client, games: list[UUID]) -> None:
    """Random moves, undos and redos in the games; then a table is opened."""
    random = Random(1)
    for seed in range(15):
        game = random.choice(games)
        client.play(game, 1, seed)
        client.change(game, commands.undo(None))
        client.change(game, commands.redo(None))
    client.open_table(3, ["Ann"], client.load(games[0]).table.options)


def newest(changes: Iterable[ChangedEntry]) -> dict[UUID, int | None]:
    return {change.game: change.entry.progress.version if change.entry else None for change in changes}


async def changes_after(entries: ChangedEntries, position: int) -> list[ChangedEntry]:
    """All changes after a position, as a client finds them that reads page by page."""
    found: list[ChangedEntry] = []
    while (kept := entries.after(position)) is None:
        changes, position = await entries.search(position, None)
        found += changes
    return found + kept


@pytest.mark.parametrize(("kept", "searched"), [(1000, 5000), (3, 5000), (3, 7), (20, 7)])
def test_clients_that_fall_behind_find_the_newest_entry_of_every_game(
    database_url: str, client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, kept: int, searched: int
) -> None:
    monkeypatch.setattr(live, "ENTRIES_KEPT", kept)
    monkeypatch.setattr(live, "ROWS_SEARCHED", searched)
    games = [client.started().id for _ in range(GAMES)]
    gone = client.open_table(3, ["Ann"], client.load(games[0]).table.options).id

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.changed_entries.watching() as entries:
            begun = entries.position
            await asyncio.to_thread(play, client, games)
            await asyncio.to_thread(client.change, gone, commands.delete)
            await soon(lambda: entries.position == newest_position(database))
            found = await changes_after(entries, begun)
            ours, _ = await entries.search(begun, games[:1])
            assert {change.game for change in ours} <= {games[0]}
            assert kept > 3 or entries.after(begun) is None
            return found

    found = asyncio.run(scene())
    expected = {UUID(str(entry.id)): entry.version for entry in client.lobby().items}
    assert newest(found) == expected | {gone: None}
    assert [change.position for change in found] == sorted({change.position for change in found})


def test_an_entry_is_not_kept_again_unless_it_has_changed(
    database_url: str, client: Client, database: LiveDatabase
) -> None:
    games = [client.started().id for _ in range(GAMES)]

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.changed_entries.watching() as entries:
            begun = entries.position
            await asyncio.to_thread(play, client, games)
            await soon(lambda: entries.position == newest_position(database))
            return entries.after(begun) or []

    found = asyncio.run(scene())
    for game in games:
        of_game = [change for change in found if change.game == game]
        for before, change in pairwise(of_game):
            assert change.same_at == (before.position if change.entry == before.entry else None)
        entries = [change.entry for change in of_game if change.entry and change.same_at is None]
        versions = [(entry.progress.version, entry.changed) for entry in entries]  # a table may lag behind its progress
        assert versions == sorted(set(versions))


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def test_an_entry_that_was_read_late_reaches_clients_that_connect_meanwhile(
    database_url: str, client: Client, database: LiveDatabase, gate: Gate
) -> None:
    table = client.open_table(3, [], QUICK).id

    async def scene() -> tuple[list[int], list[ChangedEntry]]:
        async with open_service(database_url) as service, service.changed_entries.watching() as entries:
            begun = entries.position
            positions = await change_while_held(gate, database, client, table)
            await soon(lambda: entries.position == positions[-1])
            assert entries.after(positions[0]) == (entries.after(begun) or [])[1:]
            return positions, entries.after(begun) or []

    positions, (late, again) = asyncio.run(scene())
    assert [late.position, again.position] == positions
    assert late.entry == again.entry is not None
    assert (late.same_at, again.same_at) == (None, late.position)


async def change_while_held(gate: Gate, database: Database, client: Client, table: UUID) -> list[int]:
    """Let two players join, the second while the entry after the first is being read; return the positions."""
    reads, positions = gate.reads, list[int]()
    gate.open.clear()
    for name in ("Ann", "Bob"):
        await asyncio.to_thread(client.change, table, commands.take_seat(name))
        positions.append(newest_position(database))
        await soon(lambda: gate.reads > reads)
    gate.open.set()
    return positions


def test_returning_clients_get_no_entry_that_was_read_for_others_before(
    database_url: str, client: Client, database: LiveDatabase, gate: Gate
) -> None:
    table = client.open_table(3, [], QUICK).id

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.watchers.watching(table):
            gate.open.clear()
            async with service.changed_entries.watching():
                await asyncio.to_thread(client.change, table, commands.take_seat("Ann"))
                await soon(lambda: gate.reads > 0)
            async with service.changed_entries.watching() as entries:
                begun = entries.position
                await asyncio.to_thread(client.change, table, commands.take_seat("Bob"))
                gate.open.set()
                await soon(lambda: entries.position == newest_position(database))
                return entries.after(begun) or []

    (change,) = asyncio.run(scene())
    assert change.same_at is None
    assert change.entry is not None
    assert change.entry.progress.version == client.load(table).version


def test_a_service_that_closes_while_entries_are_read_leaves_no_task(
    database_url: str, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene(client: Client, table: UUID) -> None:
        async with open_service(database_url) as service, service.changed_entries.watching():
            gate.open.clear()
            await asyncio.to_thread(client.change, table, commands.take_seat("Ann"))
            await soon(lambda: gate.reads > 0)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        gate.open.set()

    with connected(database_url) as client:
        asyncio.run(scene(client, client.open_table(3, [], QUICK).id))
    assert caplog.records == []
