"""The lines of the list as they change: kept for those who keep up, searched for those who are behind."""

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
    """Moves, undos and redos in games at random, after which one table was opened and another taken away."""
    random = Random(1)
    for seed in range(15):
        game = random.choice(games)
        client.play(game, 1, seed)
        client.change(game, commands.undo(None))
        client.change(game, commands.redo(None))
    client.open_table(3, ["Ann"], client.load(games[0]).table.options)


def newest(changes: Iterable[ChangedEntry]) -> dict[UUID, int | None]:
    return {change.game: change.entry.progress.version if change.entry else None for change in changes}


async def found_after(lines: ChangedEntries, place: int) -> list[ChangedEntry]:
    """All changes after a place, as one client finds them who reads on and on."""
    found: list[ChangedEntry] = []
    while (kept := lines.after(place)) is None:
        changes, place = await lines.search(place, None)
        found += changes
    return found + kept


@pytest.mark.parametrize(("kept", "searched"), [(1000, 5000), (3, 5000), (3, 7), (20, 7)])
def test_whoever_is_behind_finds_the_newest_line_of_every_game(
    database_url: str, client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, kept: int, searched: int
) -> None:
    monkeypatch.setattr(live, "ENTRIES_KEPT", kept)
    monkeypatch.setattr(live, "ROWS_SEARCHED", searched)
    games = [client.started().id for _ in range(GAMES)]
    gone = client.open_table(3, ["Ann"], client.load(games[0]).table.options).id

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.changed_entries.watching() as lines:
            begun = lines.position
            await asyncio.to_thread(play, client, games)
            await asyncio.to_thread(client.change, gone, commands.delete)
            await soon(lambda: lines.position == newest_position(database))
            found = await found_after(lines, begun)
            ours, _ = await lines.search(begun, games[:1])
            assert {change.game for change in ours} <= {games[0]}
            assert kept > 3 or lines.after(begun) is None
            return found

    found = asyncio.run(scene())
    expected = {UUID(str(line.id)): line.version for line in client.listing().items}
    assert newest(found) == expected | {gone: None}
    assert [change.position for change in found] == sorted({change.position for change in found})


def test_a_line_is_not_kept_again_unless_it_has_changed(
    database_url: str, client: Client, database: LiveDatabase
) -> None:
    games = [client.started().id for _ in range(GAMES)]

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.changed_entries.watching() as lines:
            begun = lines.position
            await asyncio.to_thread(play, client, games)
            await soon(lambda: lines.position == newest_position(database))
            return lines.after(begun) or []

    found = asyncio.run(scene())
    for game in games:
        of_game = [change for change in found if change.game == game]
        for before, change in pairwise(of_game):
            assert change.same_at == (before.position if change.entry == before.entry else None)
        lines = [change.entry for change in of_game if change.entry and change.same_at is None]
        versions = [(line.progress.version, line.changed) for line in lines]  # a table may lag behind its progress
        assert versions == sorted(set(versions))


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def test_a_line_that_was_read_late_is_there_for_who_begins_in_between(
    database_url: str, client: Client, database: LiveDatabase, gate: Gate
) -> None:
    table = client.open_table(3, [], QUICK).id

    async def scene() -> tuple[list[int], list[ChangedEntry]]:
        async with open_service(database_url) as service, service.changed_entries.watching() as lines:
            begun = lines.position
            places = await change_while_held(gate, database, client, table)
            await soon(lambda: lines.position == places[-1])
            assert lines.after(places[0]) == (lines.after(begun) or [])[1:]
            return places, lines.after(begun) or []

    places, (late, again) = asyncio.run(scene())
    assert [late.position, again.position] == places
    assert late.entry == again.entry is not None
    assert (late.same_at, again.same_at) == (None, late.position)


async def change_while_held(gate: Gate, database: Database, client: Client, table: UUID) -> list[int]:
    """Let two sit down, the second one while the line after the first is about to be read; return their places."""
    reads, places = gate.reads, list[int]()
    gate.open.clear()
    for name in ("Ann", "Bob"):
        await asyncio.to_thread(client.change, table, commands.take_seat(name))
        places.append(newest_position(database))
        await soon(lambda: gate.reads > reads)
    gate.open.set()
    return places


def test_who_comes_back_gets_no_line_that_was_read_for_others_before(
    database_url: str, client: Client, database: LiveDatabase, gate: Gate
) -> None:
    table = client.open_table(3, [], QUICK).id

    async def scene() -> list[ChangedEntry]:
        async with open_service(database_url) as service, service.watchers.watching(table):
            gate.open.clear()
            async with service.changed_entries.watching():
                await asyncio.to_thread(client.change, table, commands.take_seat("Ann"))
                await soon(lambda: gate.reads > 0)
            async with service.changed_entries.watching() as lines:
                begun = lines.position
                await asyncio.to_thread(client.change, table, commands.take_seat("Bob"))
                gate.open.set()
                await soon(lambda: lines.position == newest_position(database))
                return lines.after(begun) or []

    (change,) = asyncio.run(scene())
    assert change.same_at is None
    assert change.entry is not None
    assert change.entry.progress.version == client.load(table).version


def test_a_service_that_closes_while_lines_are_read_leaves_nothing_behind(
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
