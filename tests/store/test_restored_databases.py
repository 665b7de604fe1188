"""Databases that go back to a backup while processes run that know what came later."""

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
from domain.store.errors import Conflict
from domain.store.postgres import LOCK_ALL
from domain.store.sqlite_copies import copied_beside, put_in_place, write_into
from tests.store import processes
from tests.store.behind import behind
from tests.store.clients import Client, connected, opened_database
from tests.support.postgres import run_programs
from tests.support.soak import soak_factor

LONG = 20
FOR_EVER = 10**9
RESTORES = 3 * soak_factor()

GoBack = Callable[[], None]
"""Brings the state of a database back in which it was when this was made."""


def backed_up(url: str, folder: Path) -> GoBack:
    """Back up a database, and return what restores it as an operator does, while others use it."""
    live, backup = sqlite_file(url), folder / "backup"
    if live is None:
        run_programs([f"pg_dump --format=custom --file={backup} --dbname={url}"], url)
        return lambda: run_programs(restore_commands(url, backup, LOCK_ALL), url)
    with copied_beside(live, backup) as part:
        put_in_place(part, backup)
    return lambda: write_into(backup, live, None)


def check(client: Client, game: UUID, version: int) -> None:
    audit = client.audit(game)
    assert audit.ok, audit
    assert audit.events == client.load(game).version == version


def test_what_came_after_the_backup_is_gone_and_nothing_is_appended_to_it(shared_url: str, tmp_path: Path) -> None:
    with connected(shared_url) as client:
        kept = client.started().id
        before = client.play(kept, 4)
        shown = client.load(kept, before.version - 1).game
        go_back = backed_up(shared_url, tmp_path)
        lost = client.started().id
        after = client.play(kept, 4, seed=1)
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
        assert [line.id for line in client.listing().items] == [kept]
        check(client, kept, client.play(kept, 3, seed=2).version)


def test_a_read_shows_the_restored_state_at_once(shared_url: str, tmp_path: Path) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        before = client.play(game, 2)
        go_back = backed_up(shared_url, tmp_path)
        client.play(game, 4)
        go_back()
        now = client.load(game)
        assert (now.version, now.game) == (before.version, before.game)


def test_a_move_without_a_version_is_decided_on_the_restored_state(shared_url: str, tmp_path: Path) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        before = client.play(game, 2)
        go_back = backed_up(shared_url, tmp_path)
        client.play(game, 2)
        go_back()
        after = client.change(game, commands.undo(None))
        assert after.before == before.version
        check(client, game, after.version)


def test_a_game_that_has_gone_on_differently_since_is_another_one(shared_url: str, tmp_path: Path) -> None:
    """One process has the lost versions in memory, the other one has stored others under the same numbers."""
    with connected(shared_url) as client, connected(shared_url) as other:
        game = client.started().id
        before = client.play(game, 2)
        go_back = backed_up(shared_url, tmp_path)
        lost = client.play(game, 1, seed=1)
        for version in range(before.version, lost.version):
            client.load(game, version)
        go_back()
        new = other.play(game, 3, seed=2)
        assert new.version > lost.version
        commit = commit_of_decision(lost, commands.undo(None)(lost, ()))
        with opened_database(shared_url) as database, pytest.raises(Conflict):
            store(database, [commit])
        assert client.load(game).game == new.game
        for version in range(before.version, lost.version + 1):
            assert client.load(game, version).digest == other.load(game, version).digest
        check(client, game, client.play(game, 2, seed=3).version)
        check(other, game, client.load(game).version)


def test_nothing_is_stored_together_with_a_change_of_a_lost_version(shared_url: str, tmp_path: Path) -> None:
    """Neither moves nor tokens, and not of the other games in the same transaction either."""
    with connected(shared_url) as client:
        games = [client.started().id for _ in range(3)]
        kept = [client.play(game, 1) for game in games]
        go_back = backed_up(shared_url, tmp_path)
        lost = client.play(games[1], 1, seed=1)
        go_back()
        for command in (commands.undo(None), commands.renew_token(0)):
            commits = [commit_of_decision(game, command(game, ())) for game in (kept[0], lost, kept[2])]
            with opened_database(shared_url) as database, pytest.raises(Conflict):
                store(database, commits)
    with behind(shared_url) as run:
        assert run("SELECT COUNT(*) FROM tokens") == [(9,)]
    with connected(shared_url) as client:
        for game in kept:
            check(client, game.id, game.version)


def test_who_watches_is_let_go_and_follows_the_restored_game_then(shared_url: str, tmp_path: Path) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        go_back = backed_up(shared_url, tmp_path)
        lost = client.play(game, 3).version

    async def wait_until_let_go(service: GameService) -> None:
        async with service.watchers.watching(game) as channel:
            assert channel.version == lost
            await asyncio.to_thread(go_back)
            while not service.watchers.is_over(channel):
                await channel.notifier.wait()

    async def wait_for_news(service: GameService, lines: ChangedEntries) -> int:
        async with service.watchers.watching(game) as channel:
            restored, place = channel.version, lines.position
            await asyncio.to_thread(play_elsewhere, shared_url, game)
            while not channel.after(restored):
                await channel.notifier.wait()
            while not lines.after(place):
                await lines.notifier.wait()
        return restored

    async def scene() -> int:
        async with AsyncExitStack() as stack:
            one, other = [await stack.enter_async_context(open_service(shared_url)) for _ in range(2)]
            lines = await stack.enter_async_context(other.changed_entries.watching())
            async with asyncio.timeout(LONG):
                await wait_until_let_go(one)
                while not lines.restored:
                    await lines.notifier.wait()
                return await wait_for_news(one, lines)

    assert asyncio.run(scene()) < lost


def test_four_processes_play_on_in_a_database_that_is_restored_again_and_again(shared_url: str, tmp_path: Path) -> None:
    with connected(shared_url) as client:
        games = [client.started(players=4).id for _ in range(6)]
    go_back = backed_up(shared_url, tmp_path)
    started = [processes.start(shared_url, number, 0, FOR_EVER, games) for number in range(4)]
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
    with connected(shared_url) as client:
        assert client.wait(client.service.game_ids()) == sorted(games)
        for game in games:
            check(client, game, client.load(game).version)


def play_elsewhere(url: str, game: UUID) -> None:
    with connected(url) as client:
        client.play(game, 1, seed=1)
