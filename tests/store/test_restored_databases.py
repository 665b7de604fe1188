"""Databases restored from a backup while processes run that know later versions."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import pytest

from api.backup_command import restore_commands
from domain.store import ChangedEntries, GameService, StaleVersion, UnknownGame, UnknownVersion, commands, open_service
from domain.store.application import sqlite_file
from domain.store.commit import commit_of_decision, store
from domain.store.database import LiveDatabase
from domain.store.errors import Conflict
from domain.store.postgres import LOCK_ALL
from domain.store.sqlite_copies import rename_durably, temporary_copy, write_into
from tests.store import processes
from tests.store.clients import Client, Run, connected
from tests.store.processes import LONG, UNTIL_KILLED
from tests.support.postgres import run_programs
from tests.support.soak import soak_factor

RESTORES = 2 * soak_factor()

GoBack = Callable[[], None]
"""Restores the state of a database at the time of this function's creation."""


def backed_up(url: str, folder: Path) -> GoBack:
    """Back up a database, and return a function that restores it like an operator, while others use it."""
    live, backup = sqlite_file(url), folder / "backup"
    if live is None:
        run_programs([f"pg_dump --format=custom --file={backup} --dbname={url}"], url)
        return lambda: run_programs(restore_commands(url, backup, LOCK_ALL), url)
    with temporary_copy(live, backup) as part:
        rename_durably(part, backup)
    return lambda: write_into(backup, live, None)


def check(client: Client, game: UUID, version: int) -> None:
    audit = client.audit(game)
    assert audit.ok, audit
    assert audit.events == client.load(game).version == version


def test_changes_after_the_backup_are_lost_and_nothing_is_appended_to_them(
    database_url: str, client: Client, tmp_path: Path
) -> None:
    kept, read, moved = (client.started().id for _ in range(3))
    before, before_read, before_move = (client.play(game, 4) for game in (kept, read, moved))
    shown = client.load(kept, before.version - 1).game
    go_back = backed_up(database_url, tmp_path)
    lost = client.started().id
    after, *_ = (client.play(game, 4, seed=1) for game in (kept, read, moved))
    client.load(kept, before.version + 1)
    go_back()
    with pytest.raises(StaleVersion) as stale:
        client.change(kept, commands.undo(None), expected_version=after.version)
    assert stale.value.current == before.version
    check(client, kept, before.version)
    assert client.load(kept).game == before.game
    assert client.load(kept, before.version - 1).game == shown
    with pytest.raises(UnknownVersion):
        client.load(kept, before.version + 1)
    with pytest.raises(UnknownGame):
        client.change(lost, commands.undo(None))
    assert [entry.id for entry in client.lobby().items] == [moved, read, kept]
    check(client, kept, client.play(kept, 3, seed=2).version)
    now = client.load(read)
    assert (now.version, now.game) == (before_read.version, before_read.game)
    undone = client.change(moved, commands.undo(None))
    assert undone.before == before_move.version, "decided on the restored state"
    check(client, moved, undone.version)


def test_a_game_that_continued_differently_replaces_the_cached_one(
    database_url: str, database: LiveDatabase, client: Client, other: Client, tmp_path: Path
) -> None:
    """One process has the lost versions in its cache, the other has stored new ones with the same numbers."""
    game = client.started().id
    before = client.play(game, 2)
    go_back = backed_up(database_url, tmp_path)
    lost = client.play(game, 1, seed=1)
    for version in range(before.version, lost.version):
        client.load(game, version)
    go_back()
    new = other.play(game, 3, seed=2)
    assert new.version > lost.version
    commit = commit_of_decision(lost, commands.undo(None)(lost, ()))
    with pytest.raises(Conflict):
        store(database, [commit])
    assert client.load(game).game == new.game
    for version in range(before.version, lost.version + 1):
        assert client.load(game, version).digest == other.load(game, version).digest
    check(client, game, client.play(game, 2, seed=3).version)
    check(other, game, client.load(game).version)


def test_nothing_is_stored_together_with_a_change_of_a_lost_version(
    database_url: str, run: Run, database: LiveDatabase, client: Client, tmp_path: Path
) -> None:
    """Neither moves nor tokens, not even those of other games in the same transaction."""
    games = [client.started().id for _ in range(3)]
    kept = [client.play(game, 1) for game in games]
    go_back = backed_up(database_url, tmp_path)
    lost = client.play(games[1], 1, seed=1)
    go_back()
    for command in (commands.undo(None), commands.renew_token(0)):
        commits = [commit_of_decision(game, command(game, ())) for game in (kept[0], lost, kept[2])]
        with pytest.raises(Conflict):
            store(database, commits)
    assert run("SELECT COUNT(*) FROM tokens") == [(9,)]
    for game in kept:
        check(client, game.id, game.version)


def test_watchers_are_disconnected_and_follow_the_restored_game_again(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.store.postgres.POLL_SECONDS", 0.1)
    with connected(database_url) as client:
        game = client.started().id
        go_back = backed_up(database_url, tmp_path)
        lost = client.play(game, 3).version

    async def wait_until_disconnected(service: GameService) -> None:
        async with service.watchers.watching(game) as channel:
            assert channel.version == lost
            await asyncio.to_thread(go_back)
            while not service.watchers.is_over(channel):
                await channel.notifier.wait()

    async def wait_for_news(service: GameService, entries: ChangedEntries) -> int:
        async with service.watchers.watching(game) as channel:
            restored, position = channel.version, entries.position
            await asyncio.to_thread(play_elsewhere, database_url, game)
            while not channel.after(restored):
                await channel.notifier.wait()
            while not entries.after(position):
                await entries.notifier.wait()
        return restored

    async def scene() -> int:
        async with AsyncExitStack() as stack:
            one, other = [await stack.enter_async_context(open_service(database_url)) for _ in range(2)]
            entries = await stack.enter_async_context(other.changed_entries.watching())
            async with asyncio.timeout(LONG):
                await wait_until_disconnected(one)
                while not entries.restored:
                    await entries.notifier.wait()
                return await wait_for_news(one, entries)

    assert asyncio.run(scene()) < lost


def test_four_processes_play_on_in_a_database_that_is_restored_repeatedly(database_url: str, tmp_path: Path) -> None:
    with connected(database_url) as client:
        games = [client.started(players=4).id for _ in range(6)]
    go_back = backed_up(database_url, tmp_path)
    started = [processes.start(database_url, number, 0, UNTIL_KILLED, games) for number in range(4)]
    for _ in range(RESTORES):
        for _, receiver in started:
            for _ in range(10):
                receiver.recv()
            while receiver.poll():
                receiver.recv()
        go_back()
    for process, receiver in started:
        for _ in range(10):
            receiver.recv()
        process.kill()
        process.join()
    with connected(database_url) as client:
        assert client.game_ids() == sorted(games)
        for game in games:
            check(client, game, client.load(game).version)


def play_elsewhere(url: str, game: UUID) -> None:
    with connected(url) as client:
        client.play(game, 1, seed=1)
