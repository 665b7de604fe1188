"""Games removed by an operator: nothing of a game is left, in any state and in any process."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.actions import Resign
from domain.audit import Audit
from domain.modules import GameOptions
from domain.records import RecordRefused
from domain.store import StorageUnavailable, UnknownGame, commands, open_service
from domain.store.archive import audit_game, event_page
from domain.store.commit import commit_of_decision, store
from domain.store.database import Database, LiveDatabase, Statement
from domain.store.errors import Conflict
from domain.store.games import LoadedGames
from domain.store.upkeep import remove
from domain.stream import write
from domain.table_facts import GameRemoved
from tests.store.clients import (
    QUICK,
    Client,
    Clock,
    CountingDatabase,
    Run,
    connected,
    stored_rows,
)
from tests.store.processes import LONG
from tests.support.waiting import soon

TABLES = ("stored_events", "tokens", "lobby", "lobby_players", "heads")


def check_is_removed(client: Client, game: UUID, at: str) -> None:
    """Every request fails with the time of the removal."""
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


def test_a_game_is_removed_in_any_state(client: Client) -> None:
    other = client.started()
    client.play(other.id, 3)
    for make in (opened, running, finished, private, deleted, forked):
        game = make(client)
        at = client.remove(game)
        assert client.remove(game) == at
        check_is_removed(client, game, at)
        assert game not in {entry.id for entry in client.lobby().items}
        assert game in client.game_ids()
        assert client.audit(other.id).ok
        assert client.play(other.id, 1).version > other.version


def test_nothing_of_a_removed_game_is_left_in_any_table(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game, kept = client.started(), client.started()
        client.play(game.id, 3)
        client.lobby()
        at = client.remove(game.id)
        tokens = [client.find_token(token) for token in (*game.tokens.values(), kept.tokens[0])]
        assert [holder and holder.game for holder in tokens] == [None] * len(game.tokens) + [kept.id]
        looked_up = client.wait(client.service.find_games([game.tokens[0], kept.tokens[0]]))
        assert [found and found.game.id for found in looked_up] == [None, kept.id.hex]
        client.wait(client.service.rebuild_lobby())
        assert [entry.id for entry in client.lobby().items] == [kept.id]
    assert numbers(run, game.id) == [1, 0, 0, 1]
    assert [len(run(f"SELECT 1 FROM {table}")) for table in TABLES] == [
        1 + len(run("SELECT 1 FROM stored_events WHERE originator_id = ?", kept.id.hex)),
        len(kept.tokens),
        1,
        2,
        2,
    ]
    with connected(database_url) as client:
        check_is_removed(client, game.id, at)


def numbers(run: Run, game: UUID) -> list[int]:
    """The numbers of the rows of a game: events, tokens, lobby entries, heads."""
    columns = {"stored_events": "originator_id", "tokens": "game", "lobby": "game", "heads": "game"}
    return [len(run(f"SELECT 1 FROM {table} WHERE {column} = ?", game.hex)) for table, column in columns.items()]


def test_an_unknown_game_cannot_be_removed(client: Client) -> None:
    with pytest.raises(UnknownGame, match="there is no game") as unknown:
        client.remove(UUID(int=1))
    assert unknown.value.removed_at is None


BREAK = "UPDATE stored_events SET state = ? WHERE originator_id = ?"
DELETE = "DELETE FROM stored_events WHERE state <> ? AND originator_id = ?"
NEWEST = (
    "(SELECT MAX(originator_version) FROM stored_events AS rows WHERE rows.originator_id = stored_events.originator_id)"
)
BEHEAD = "DELETE FROM heads WHERE digest <> ? AND game = ?"
DAMAGES = (
    [f"{BREAK} AND originator_version = 1"],
    [BREAK],
    [DELETE],
    [f"{DELETE} AND originator_version = {NEWEST}"],
    [BEHEAD],
    [BREAK, BEHEAD],
)
"""Damage to the first event or to all; all events, the last event or the head missing; damage without a head."""


def test_a_damaged_game_is_removed(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        games = [client.started().id for _ in DAMAGES]
        for game in games:
            client.play(game, 3)
    with connected(database_url) as client:
        for game, damage in zip(games, DAMAGES, strict=True):
            for statement in damage:
                run(statement, b"broken", game.hex)
            at = client.remove(game)
            check_is_removed(client, game, at)
            assert numbers(run, game) == [1, 0, 0, 1], damage


# --- other processes -------------------------------------------------------------------------------------------------


def test_a_process_with_the_game_in_its_cache_finds_the_removal_when_it_moves(
    run: Run, client: Client, other: Client
) -> None:
    """Also with an earlier version in the cache, when no event is left at the version of its move."""
    for behind_by in (0, 4):
        game = client.started().id
        seen = other.play(game, 2)
        client.play(game, behind_by)
        at = client.remove(game)
        assert seen.game is not None
        assert seen.game.to_play is not None
        with pytest.raises(UnknownGame, match=at):
            other.change(game, commands.act(seen.game.to_play, Resign()))
        check_is_removed(other, game, at)
        assert numbers(run, game) == [1, 0, 0, 1]


RESIGN = commands.act(0, Resign())


def test_a_decision_before_a_removal_is_not_stored_after_it(run: Run, client: Client, database: LiveDatabase) -> None:
    first = client.started(GameOptions(seed=7, first_player=0, start="introductory", private=True)).loaded
    client.change(first.id, RESIGN)
    client.remove(first.id)
    for command in (RESIGN, commands.renew_token(0), commands.admit_spectator):
        with pytest.raises(Conflict):
            store(database, [commit_of_decision(first, command(first, ()))])
        with pytest.raises(UnknownGame, match="removed"):
            audit_game(database, first.id)
    assert numbers(run, first.id) == [1, 0, 0, 1]


def test_nothing_is_stored_together_with_a_change_of_a_removed_game(
    run: Run, client: Client, database: LiveDatabase
) -> None:
    games = [client.started().loaded for _ in range(3)]
    commits = [commit_of_decision(game, commands.renew_token(0)(game, ())) for game in games]
    client.remove(games[1].id)
    with pytest.raises(Conflict):
        store(database, commits)
    store(database, [commits[0], commits[2]])
    assert all(client.audit(game.id).ok for game in (games[0], games[2]))
    assert [numbers(run, game.id)[1] for game in games] == [3, 0, 3]


def test_a_removal_ends_long_polls_in_every_process(database_url: str) -> None:
    with connected(database_url) as client:
        game = client.started()

    async def scene() -> None:
        async with AsyncExitStack() as stack:
            one, other = [await stack.enter_async_context(open_service(database_url)) for _ in range(2)]
            waiting = [
                asyncio.create_task(service.watchers.wait_beyond(game.id, game.version + 100, 3 * LONG))
                for service in (one, other)
            ]
            await soon(lambda: bool(one.cache_use.games and other.cache_use.games))  # both have noticed
            await one.remove(game.id)
            await asyncio.wait_for(asyncio.gather(*waiting), LONG)
            with pytest.raises(UnknownGame):
                await other.load(game.id)

    asyncio.run(scene())


class Interrupted(CountingDatabase):
    """A database that makes another call before an append, or after the first read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.before_append: list[Callable[[], object]] = []
        self.after_select: list[Callable[[], object]] = []

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        found = super().select(statement)
        if self.after_select:
            self.after_select.pop()()
        return found

    def append(self, *asked: Any, **options: Any) -> float:
        if self.before_append:
            self.before_append.pop()()
        return super().append(*asked, **options)


def test_a_removal_is_retried_after_a_simultaneous_move(run: Run, client: Client, database: LiveDatabase) -> None:
    game = client.started().id
    before = client.load(game).version
    interrupted = Interrupted(database)
    interrupted.before_append = [lambda: client.play(game, 1)] * 2
    remove(interrupted, game)
    assert interrupted.writes == 3
    ((end,),) = run("SELECT version FROM heads WHERE game = ?", game.hex)
    assert end > before + 2
    assert numbers(run, game) == [1, 0, 0, 1]


def test_the_first_of_two_simultaneous_removals_counts(client: Client, database: LiveDatabase) -> None:
    game, times = client.started().id, list[str]()
    interrupted = Interrupted(database)
    interrupted.before_append = [lambda: times.append(client.remove(game))]
    assert [remove(interrupted, game)] == times


@pytest.mark.parametrize("checkpoint", [4, 500])
def test_a_read_during_a_removal_is_never_partial(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, checkpoint: int
) -> None:
    monkeypatch.setattr("domain.store.games.CHECKPOINT_EVENTS", checkpoint)
    game = client.started().id
    loaded = client.play(game, 3)
    interrupted = Interrupted(database)
    games = LoadedGames(interrupted, 10**6)
    assert games.load_at(game, loaded.version - 3).version == loaded.version - 3
    interrupted.after_select = [lambda: client.remove(game)]
    reads: list[Callable[[], object]] = [
        lambda: games.load_at(game, loaded.version - 2),
        lambda: event_page(database, loaded, 0, 100, full=False),
        lambda: client.wait(client.service.recorded(game, [range(1, 3)])),
        lambda: client.wait(client.service.archive.record(loaded)),
    ]
    for read in reads:
        with pytest.raises(UnknownGame, match="removed"):
            read()


# --- audits and records ----------------------------------------------------------------------------------------------


def test_the_audit_finds_every_change_after_a_removal(run: Run, client: Client) -> None:
    game = client.started().id
    rows = stored_rows(run, game)
    length = client.load(game).version
    client.remove(game)

    def found(statement: str, *values: object) -> Audit:
        """Return the audit after a change, and revert the change."""
        before = run("SELECT version, digest FROM heads"), run("SELECT state FROM stored_events")
        run(statement, *values)
        audited = client.audit(game)
        run("DELETE FROM stored_events WHERE originator_version <> ?", length + 1)
        run("UPDATE stored_events SET state = ?", before[1][0][0])
        run("DELETE FROM heads")
        run("INSERT INTO heads (game, prior, version, digest) VALUES (?, -1, ?, ?)", game.hex, *before[0][0])
        assert not audited.ok
        assert not audited.chain_ok
        with pytest.raises(UnknownGame, match="removed"):
            client.audit(game)
        return audited

    insert = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'game', ?)"
    for version, state in rows.items():
        assert difference(found(insert, game.hex, version, state)) == (version, "version")
    assert difference(found(insert, game.hex, length + 2, b"more")) == (length + 2, "version")
    assert difference(found("UPDATE heads SET version = version + 1")) == (length + 2, "end")
    assert difference(found("UPDATE heads SET version = version - 1")) == (length + 1, "end")
    assert difference(found("DELETE FROM heads")) == (length + 1, "head")
    assert difference(found("UPDATE heads SET digest = ?", bytes(32))) == (length + 1, "digest")


def difference(audited: Audit) -> tuple[int, str]:
    assert audited.first_difference is not None
    return audited.first_difference.version, audited.first_difference.what


def test_a_changed_byte_in_the_event_of_a_removal_shows(client: Client, run: Run) -> None:
    game = client.started().id
    client.remove(game)
    ((state,),) = run("SELECT state FROM stored_events")
    event = bytes(state)
    for index in range(len(event)):
        run("UPDATE stored_events SET state = ?", event[:index] + bytes([event[index] ^ 1]) + event[index + 1 :])
        assert not client.audit(game).ok, event[index:]
    run("UPDATE stored_events SET state = ?", event)
    with pytest.raises(UnknownGame, match="removed"):
        client.audit(game)


def test_the_record_of_a_removed_game_gets_another_id(client: Client) -> None:
    game = client.started().id
    document = client.export_record(game)
    client.remove(game)
    imported = client.import_record(document)
    assert imported.id != game
    assert client.audit(imported.id).ok


def test_no_record_holds_a_removal(memory: Client) -> None:
    game = memory.started()
    record = msgspec.json.decode(memory.export_record(game.id))
    loaded = memory.load(game.id)
    (event,), _ = write(
        loaded.version, loaded.digest, loaded.changed_at, [GameRemoved(prior=loaded.digest.hex(), private=False)]
    )
    record["events"].append(msgspec.json.decode(event))
    with pytest.raises(RecordRefused, match="game_removed"):
        memory.import_record(msgspec.json.encode(record))


def test_a_removal_is_not_earlier_than_the_last_event(client: Client, clock: Clock) -> None:
    last = client.started().loaded
    clock("2020-01-01T00:00:00Z")
    assert client.remove(last.id) == last.changed_at


# --- the disk --------------------------------------------------------------------------------------------------------

NAME = "Wilhelmina Featherstonehaugh"


def on_disk(tmp_path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(tmp_path.glob("games.db*")))


def test_no_name_is_left_in_the_file(tmp_path: Path) -> None:
    with connected(f"sqlite:///{tmp_path / 'games.db'}") as client:
        game = client.open_table(2, [NAME, "Ann"], QUICK).id
        client.play(game, 50)
        client.lobby()
        assert NAME.encode() in on_disk(tmp_path)
        kept = client.started().id
        client.remove(game)
        assert NAME.encode() not in on_disk(tmp_path)
        assert game.hex.encode() in on_disk(tmp_path)
        assert client.audit(kept).ok


def test_a_removal_reports_that_a_reader_still_holds_the_old_rows(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with connected(f"sqlite:///{file}", database_timeout=0.2) as client:
        game = client.open_table(2, [NAME, "Ann"], QUICK).id
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM stored_events").fetchone()
            with pytest.raises(StorageUnavailable, match="write-ahead log"):
                client.remove(game)
            assert NAME.encode() in on_disk(tmp_path)
        at = client.remove(game)
        assert NAME.encode() not in on_disk(tmp_path)
        with pytest.raises(UnknownGame, match=at):
            client.load(game)
