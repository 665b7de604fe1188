"""Games in memory: everything that a database does, in one process and until it ends."""

import asyncio

import pytest

from domain.actions import Resign
from domain.store import GameSearch, TokenHolder, UnknownGame, commands
from tests.store.clients import QUICK, Client, connected, key, stored
from tests.support.waiting import soon


def test_a_game_is_opened_played_undone_shown_and_removed(memory: Client) -> None:
    opened = memory.open_table(3, ["Ann"], QUICK)
    joined = memory.change(opened.id, commands.take_seat("Bob"))
    memory.change(opened.id, commands.start)
    loaded = memory.play(opened.id, 5)
    assert memory.change(opened.id, commands.undo(None)).loaded.game != loaded.game
    assert memory.change(opened.id, commands.redo(None)).loaded.game == loaded.game
    assert memory.load(opened.id, joined.version).table == joined.table
    assert memory.find_token(joined.tokens[1]) == TokenHolder(opened.id, 1)
    assert memory.audit(opened.id).ok
    fork = memory.fork(opened.id)
    assert [entry.id for entry in memory.lobby().items] == [fork.id, opened.id]
    memory.remove(opened.id)
    with pytest.raises(UnknownGame, match="removed"):
        memory.load(opened.id)


def test_a_repeated_request_is_done_once(memory: Client) -> None:
    assert stored(memory.open_table(key=key())) == stored(memory.open_table(key=key()))
    assert len(memory.game_ids()) == 1


def test_games_and_the_lobby_are_followed(memory: Client) -> None:
    game, service = memory.started(), memory.service

    async def scene() -> None:
        async with service.watchers.watching(game.id) as channel, service.changed_entries.watching() as entries:
            begun = entries.position
            await service.change(game.id, commands.act(0, Resign()))
            await soon(lambda: channel.after(game.version) != [])
            await soon(lambda: game.id in {change.game for change in entries.after(begun) or ()})

    memory.wait(scene())


def test_many_write_and_read_at_once(memory: Client) -> None:
    async def play(number: int) -> bool:
        game = await memory.service.open_table(2, ["Ann", f"Bob {number}"], QUICK)
        end = await memory.service.change(game.id, commands.act(0, Resign()))
        page, events = await asyncio.gather(
            memory.service.list_games(GameSearch(limit=100)), memory.service.events(game.id)
        )
        return game.id.hex in {entry.id for entry in page.items} and len(events.items) == end.version

    async def scene() -> list[bool]:
        return await asyncio.gather(*map(play, range(32)))

    assert all(memory.wait(scene()))


def test_services_share_nothing_and_keep_nothing_after_their_end(memory: Client) -> None:
    game = memory.started().id
    with connected("memory:") as other:
        assert other.game_ids() == []
        there = other.started().id
    with connected("memory:") as again, pytest.raises(UnknownGame):
        again.load(there)
    assert memory.game_ids() == [game]
