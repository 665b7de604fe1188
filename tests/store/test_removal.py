"""The removal of games by an operator: nothing of a game stays, wherever it is in memory and whatever its state."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import pytest

from domain.actions import Resign
from domain.modules import GameOptions
from domain.store import UnknownGame, commands, open_service
from domain.store.commands import Command
from domain.store.commit import commit_of_decision, store
from domain.store.database import Database, Growth, Row, Statement
from domain.store.errors import Conflict
from domain.store.games import LoadedGames
from domain.store.streams import audit_game, event_page
from domain.store.upkeep import remove
from tests.store.behind import Run, behind
from tests.store.clients import Client, CountingDatabase, connected, opened_database

LONG = 10
TABLES = ("stored_events", "tokens", "lobby", "lobby_players", "heads")


def removed(client: Client, game: UUID) -> str:
    return client.wait(client.service.remove(game))


def check_is_removed(client: Client, game: UUID, at: str) -> None:
    """Whatever is asked of the game, it is unknown, and it is known when it was removed."""
    asked: list[Callable[[], object]] = [
        lambda: client.load(game),
        lambda: client.load(game, 1),
        lambda: client.audit(game),
        lambda: client.fork(game),
        lambda: client.wait(client.service.events(game)),
        lambda: client.change(game, commands.act(0, Resign())),
        lambda: client.change(game, commands.renew_token(0)),
        lambda: client.change(game, commands.take_seat("Zoe")),
    ]
    for ask in asked:
        with pytest.raises(UnknownGame, match=f"{game} was removed at {at}") as unknown:
            ask()
        assert unknown.value.removed_at == at


def opened(client: Client) -> UUID:
    return client.open_table(3, ["Ann"], GameOptions(invite=True)).id


def running(client: Client) -> UUID:
    game = client.started().id
    client.play(game, 5)
    client.change(game, commands.undo(None))
    return game


def finished(client: Client) -> UUID:
    game = client.started().id
    assert client.play(game, 2000).table.status == "finished"
    return game


def private(client: Client) -> UUID:
    game = client.started(GameOptions(private=True)).id
    client.change(game, commands.admit_spectator)
    return game


def deleted(client: Client) -> UUID:
    game = opened(client)
    client.change(game, commands.delete)
    return game


def forked(client: Client) -> UUID:
    return client.fork(running(client)).id


@pytest.mark.parametrize("make", [opened, running, finished, private, deleted, forked])
def test_a_game_is_removed_in_whatever_state_it_is(client: Client, make: Callable[[Client], UUID]) -> None:
    other = client.started()
    client.play(other.id, 3)
    game = make(client)
    at = removed(client, game)
    assert removed(client, game) == at
    check_is_removed(client, game, at)
    assert game not in {line.id for line in client.listing().items}
    assert game in client.wait(client.service.game_ids())
    assert client.audit(other.id).ok
    assert client.play(other.id, 3).version > other.version


def test_nothing_of_a_removed_game_is_left_in_any_table(shared_url: str) -> None:
    with connected(shared_url) as client:
        game, kept = client.started(), client.started()
        client.play(game.id, 3)
        client.listing()
        at = removed(client, game.id)
        tokens = [client.wait(client.service.find_token(token)) for token in (*game.tokens.values(), kept.tokens[0])]
        assert [holder and holder.game for holder in tokens] == [None] * len(game.tokens) + [kept.id]
        looked_up = client.wait(client.service.find_games([game.tokens[0], kept.tokens[0]]))
        assert [found and found.game.id for found in looked_up] == [None, kept.id.hex]
        client.wait(client.service.rebuild_lobby())
        assert [line.id for line in client.listing().items] == [kept.id]
    with behind(shared_url) as run:
        assert numbers(run, game.id) == [1, 0, 0, 1]
        assert [len(run(f"SELECT 1 FROM {table}")) for table in TABLES] == [
            1 + len(run("SELECT 1 FROM stored_events WHERE originator_id = ?", kept.id.hex)),
            len(kept.tokens),
            1,
            2,
            2,
        ]
    with connected(shared_url) as client:
        check_is_removed(client, game.id, at)


def numbers(run: Run, game: UUID) -> list[int]:
    """The numbers of rows of a game: events, tokens, entries of the list, heads."""
    columns = {"stored_events": "originator_id", "tokens": "game", "lobby": "game", "heads": "game"}
    return [len(run(f"SELECT 1 FROM {table} WHERE {column} = ?", game.hex)) for table, column in columns.items()]


def test_a_game_that_never_was_cannot_be_removed(client: Client) -> None:
    with pytest.raises(UnknownGame, match="there is no game") as unknown:
        removed(client, UUID(int=1))
    assert unknown.value.removed_at is None


DAMAGES = {
    "the first event": ["UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = 1"],
    "every event": ["UPDATE stored_events SET state = ? WHERE originator_id = ?"],
    "no event": ["DELETE FROM stored_events WHERE state <> ? AND originator_id = ?"],
    "no end": [
        "DELETE FROM stored_events WHERE state <> ? AND originator_id = ? AND originator_version ="
        " (SELECT MAX(originator_version) FROM stored_events)"
    ],
    "no head": ["DELETE FROM heads WHERE digest <> ? AND game = ?"],
    "no head and no event that can be read": [
        "UPDATE stored_events SET state = ? WHERE originator_id = ?",
        "DELETE FROM heads WHERE digest <> ? AND game = ?",
    ],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_game_is_removed(shared_url: str, damage: Sequence[str]) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        client.play(game, 3)
    with behind(shared_url) as run:
        for statement in damage:
            run(statement, b"broken", game.hex)
    with connected(shared_url) as client:
        at = removed(client, game)
        check_is_removed(client, game, at)
    with behind(shared_url) as run:
        assert numbers(run, game) == [1, 0, 0, 1]


# --- other processes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("behind_by", [0, 4])
def test_a_process_that_has_the_game_in_memory_finds_the_removal_when_it_moves(shared_url: str, behind_by: int) -> None:
    """Also if it knows only an earlier version: then no event is left at the version of its move."""
    with connected(shared_url) as client, connected(shared_url) as other:
        game = client.started().id
        seen = other.play(game, 2)
        client.play(game, behind_by)
        at = removed(client, game)
        assert seen.game is not None
        assert seen.game.to_play is not None
        with pytest.raises(UnknownGame, match=at):
            other.change(game, commands.act(seen.game.to_play, Resign()))
        check_is_removed(other, game, at)
    with behind(shared_url) as run:
        assert numbers(run, game) == [1, 0, 0, 1]


RESIGN = commands.act(0, Resign())


@pytest.mark.parametrize("command", [RESIGN, commands.renew_token(0), commands.admit_spectator])
def test_nothing_that_was_decided_before_a_removal_is_stored_after_it(shared_url: str, command: Command) -> None:
    with connected(shared_url) as client:
        first = client.started(GameOptions(seed=7, first_player=0, start="introductory", private=True)).loaded
        client.change(first.id, RESIGN)
        removed(client, first.id)
    with opened_database(shared_url) as database:
        with pytest.raises(Conflict):
            store(database, [commit_of_decision(first, command(first, ()))])
        with pytest.raises(UnknownGame, match="removed"):
            audit_game(database, first.id)
    with behind(shared_url) as run:
        assert numbers(run, first.id) == [1, 0, 0, 1]


def test_nothing_is_stored_together_with_a_change_of_a_removed_game(shared_url: str) -> None:
    with connected(shared_url) as client:
        games = [client.started().loaded for _ in range(3)]
        commits = [commit_of_decision(game, commands.renew_token(0)(game, ())) for game in games]
        removed(client, games[1].id)
        with opened_database(shared_url) as database:
            with pytest.raises(Conflict):
                store(database, commits)
            store(database, [commits[0], commits[2]])
        assert all(client.audit(game.id).ok for game in (games[0], games[2]))
    with behind(shared_url) as run:
        assert [numbers(run, game.id)[1] for game in games] == [3, 0, 3]


def test_who_waits_is_let_go_at_every_process(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started()

    async def scene() -> None:
        async with AsyncExitStack() as stack:
            one, other = [await stack.enter_async_context(open_service(shared_url)) for _ in range(2)]
            waiting = [
                asyncio.create_task(service.watchers.wait_beyond(game.id, game.version + 100, 3 * LONG))
                for service in (one, other)
            ]
            while not (one.cache_use.games and other.cache_use.games):  # which is when both have found it
                await asyncio.sleep(0)
            await one.remove(game.id)
            await asyncio.wait_for(asyncio.gather(*waiting), LONG)
            with pytest.raises(UnknownGame):
                await other.load(game.id)

    asyncio.run(scene())


class Interrupted(CountingDatabase):
    """A database in which something else happens before an append, or after the first read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.before_append: list[Callable[[], object]] = []
        self.after_select: list[Callable[[], object]] = []

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        found = super().select(statement)
        if self.after_select:
            self.after_select.pop()()
        return found

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        growths: Sequence[Growth] = (),
        *,
        wait: bool = True,
    ) -> float:
        if self.before_append:
            self.before_append.pop()()
        return super().append(rows, statements, growths, wait=wait)


def test_a_removal_begins_again_if_somebody_moves_meanwhile(shared_url: str) -> None:
    with connected(shared_url) as client, opened_database(shared_url) as database:
        game = client.started().id
        interrupted = Interrupted(database)
        interrupted.before_append = [lambda: client.play(game, 1)] * 2
        before = client.load(game).version
        remove(interrupted, game)
        assert interrupted.writes == 3
        with behind(shared_url) as run:
            ((end,),) = run("SELECT version FROM heads WHERE game = ?", game.hex)
            assert end > before + 2
            assert numbers(run, game) == [1, 0, 0, 1]


def test_of_two_removals_at_once_the_first_one_counts(shared_url: str) -> None:
    with connected(shared_url) as client, opened_database(shared_url) as database:
        game, times = client.started().id, list[str]()
        interrupted = Interrupted(database)
        interrupted.before_append = [lambda: times.append(removed(client, game))]
        assert [remove(interrupted, game)] == times


@pytest.mark.parametrize("checkpoint", [4, 500])
def test_a_removal_in_the_middle_of_a_read_leaves_nothing_half_read(
    shared_url: str, monkeypatch: pytest.MonkeyPatch, checkpoint: int
) -> None:
    monkeypatch.setattr("domain.store.games.CHECKPOINT_EVENTS", checkpoint)
    with connected(shared_url) as client, opened_database(shared_url) as database:
        game = client.started().id
        loaded = client.play(game, 3)
        interrupted = Interrupted(database)
        games = LoadedGames(interrupted, 10**6)
        assert games.load_at(game, loaded.version - 3).version == loaded.version - 3
        interrupted.after_select = [lambda: removed(client, game)]
        reads: list[Callable[[], object]] = [
            lambda: games.load_at(game, loaded.version - 2),
            lambda: event_page(database, loaded, 0, 100, full=False),
            lambda: client.wait(client.service.recorded(game, [range(1, 3)])),
            lambda: client.wait(client.service.export_record(loaded)),
        ]
        for read in reads:
            with pytest.raises(UnknownGame, match="removed"):
                read()
