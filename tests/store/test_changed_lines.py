"""The lines of the list as they change: kept for those who keep up, searched for those who are behind."""

import asyncio
from collections.abc import Iterable
from random import Random
from uuid import UUID

import pytest

from domain.store import ChangedLine, ChangedLines, changed_lines, commands, open_service
from tests.store.clients import Client, connected, opened_database
from tests.store.test_feed import in_thread, newest_place, until

GAMES = 6


def play(client: Client, games: list[UUID]) -> None:
    """Moves, undos and redos in games at random, after which one table was opened and another taken away."""
    random = Random(1)
    for seed in range(40):
        game = random.choice(games)
        client.play(game, 1, seed)
        client.change(game, commands.undo(None))
        client.change(game, commands.redo(None))
    client.open_table(3, ["Ann"], client.load(games[0]).table.options)


def newest(changes: Iterable[ChangedLine]) -> dict[UUID, int | None]:
    return {change.game: change.line.progress.version if change.line else None for change in changes}


async def found_after(lines: ChangedLines, place: int) -> list[ChangedLine]:
    """All changes after a place, as one client finds them who reads on and on."""
    found: list[ChangedLine] = []
    while (kept := lines.after(place)) is None:
        changes, place = await lines.search(place, None)
        found += changes
    return found + kept


@pytest.mark.parametrize(("kept", "searched"), [(1000, 5000), (3, 5000), (3, 7), (50, 7)])
def test_whoever_is_behind_finds_the_newest_line_of_every_game(
    shared_url: str, monkeypatch: pytest.MonkeyPatch, kept: int, searched: int
) -> None:
    monkeypatch.setattr(changed_lines, "LINES_KEPT", kept)
    monkeypatch.setattr(changed_lines, "ROWS_SEARCHED", searched)
    with connected(shared_url) as client, opened_database(shared_url) as database:
        games = [client.started().id for _ in range(GAMES)]
        gone = client.open_table(3, ["Ann"], client.load(games[0]).table.options).id

        async def scene() -> list[ChangedLine]:
            async with open_service(shared_url) as service, service.changed_lines.watching() as lines:
                begun = lines.place
                await in_thread(play, client, games)
                await in_thread(client.change, gone, commands.delete)
                await until(lambda: lines.place == newest_place(database))
                found = await found_after(lines, begun)
                ours, _ = await lines.search(begun, games[:1])
                assert {change.game for change in ours} <= {games[0]}
                assert kept > 3 or lines.after(begun) is None
                return found

        found = asyncio.run(scene())
        expected = {UUID(str(line.id)): line.version for line in client.listing().items}
    assert newest(found) == expected | {gone: None}
    assert [change.place for change in found] == sorted({change.place for change in found})


def test_a_line_is_not_kept_again_unless_it_has_changed(shared_url: str) -> None:
    with connected(shared_url) as client, opened_database(shared_url) as database:
        games = [client.started().id for _ in range(GAMES)]

        async def scene() -> list[ChangedLine]:
            async with open_service(shared_url) as service, service.changed_lines.watching() as lines:
                begun = lines.place
                await in_thread(play, client, games)
                await until(lambda: lines.place == newest_place(database))
                return lines.after(begun) or []

        found = asyncio.run(scene())
    for game in games:
        lines = [change.line for change in found if change.game == game and change.line]
        versions = [(line.progress.version, line.changed) for line in lines]  # a table may lag behind its progress
        assert versions == sorted(set(versions))
