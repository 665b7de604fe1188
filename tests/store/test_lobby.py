"""The lobby: complete, in order, and up to date with the changes of every process."""

from contextlib import suppress
from random import Random
from typing import Any
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import commands
from domain.store.database import LiveDatabase
from domain.store.games import LoadedGames
from domain.store.lobby import GameSearch, find_games, list_games
from domain.store.tokens import SPECTATOR, TokenHolder, holder_of
from domain.table import ForkedFrom
from tests.store.clients import QUICK, Client, CountingDatabase, Run, connected, database_statements, stored_rows
from tests.support.soak import soak_factor
from tests.support.waiting import soon


def all_ids(client: Client, **asked: object) -> list[UUID]:
    """The ids of the games on all pages."""
    ids: list[UUID] = []
    below: int | None = None
    while True:
        page = client.lobby(below=below, **asked)
        ids += [item.id for item in page.items]
        below = page.next
        if below is None:
            return ids


def test_games_are_filtered_by_status(client: Client) -> None:
    waiting = client.open_table(3)
    playing = client.started()
    finished = client.started()
    end = client.play(finished.id, 2000)
    assert all_ids(client) == [finished.id, playing.id, waiting.id]
    assert all_ids(client, statuses=["open"]) == [waiting.id]
    assert all_ids(client, statuses=["playing"]) == [playing.id]
    assert all_ids(client, statuses=["finished"]) == [finished.id]
    assert all_ids(client, statuses=["open", "finished"]) == [finished.id, waiting.id]
    assert all_ids(client, statuses=["open", "playing", "finished"]) == all_ids(client)

    (item,) = client.lobby(statuses=["finished"]).items
    assert (item.version, item.winners, item.players) == (end.version, end.table.winners, ("Ann", "Bob"))
    assert (item.opened, item.options, item.seats) == (end.opened_at, QUICK, 2)

    client.change(finished.id, commands.undo(None))
    assert all_ids(client, statuses=["finished"]) == []
    client.change(finished.id, commands.redo(None))
    assert all_ids(client, statuses=["finished"]) == [finished.id]
    client.change(waiting.id, commands.take_seat("Bob"))
    client.change(waiting.id, commands.start)
    assert set(all_ids(client, statuses=["playing"])) == {waiting.id, playing.id}


def test_an_entry_has_the_version_of_its_game(client: Client) -> None:
    started = client.started()
    all_ids(client)
    loaded = client.play(started.id, 3)
    assert client.lobby().items[0].version == loaded.version


def test_games_are_found_by_the_name_of_a_player(client: Client) -> None:
    first = client.open_table(3, ["Ann", "Zoë"], GameOptions())
    second = client.open_table(3, ["ANN"], GameOptions())
    client.open_table(3, ["Anna"], GameOptions())
    odd = client.open_table(3, ["'; DROP TABLE lobby; --", "\0"], GameOptions())
    assert all_ids(client, player="ann") == [second.id, first.id]
    assert all_ids(client, player="ZOË") == [first.id]
    assert all_ids(client, player="An") == []
    assert all_ids(client, player="'; drop table lobby; --") == [odd.id]
    assert all_ids(client, player="\0") == [odd.id]
    assert all_ids(client, player="ann", statuses=["finished"]) == []


def test_pages_stay_stable_while_games_are_added(client: Client) -> None:
    ids = [client.open_table().id for _ in range(7)]
    first = client.lobby(limit=3)
    client.open_table()
    second = client.lobby(limit=3, below=first.next)
    client.change(ids[6], commands.delete)
    third = client.lobby(limit=3, below=second.next)
    assert [item.id for page in (first, second, third) for item in page.items] == ids[::-1]
    assert third.next is None


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_pages_of_any_size_hold_every_game_once(memory: Client, limit: int) -> None:
    ids = [memory.open_table().id for _ in range(6)]
    assert all_ids(memory, limit=limit) == ids[::-1]
    assert all_ids(memory, limit=limit, player="ann") == ids[::-1]


def test_private_games_are_shown_only_to_their_members(client: Client) -> None:
    public = client.started()
    private = client.started(GameOptions(private=True))
    another = client.started(GameOptions(private=True))
    assert all_ids(client) == [public.id]
    assert all_ids(client, visible=private.id) == [private.id, public.id]
    assert all_ids(client, visible=another.id, player="bob", limit=1) == [another.id, public.id]


def test_a_deleted_table_leaves_the_lobby(client: Client) -> None:
    opened = client.open_table()
    assert all_ids(client) == [opened.id]
    client.change(opened.id, commands.delete)
    assert all_ids(client) == all_ids(client, player="Ann") == []


def test_every_process_shows_the_same_lobby(client: Client, other: Client) -> None:
    for number in range(6):
        (client, other)[number % 2].open_table()
        assert all_ids(client) == all_ids(other)
        assert len(all_ids(client, player="ann")) == number + 1


def test_a_rebuilt_lobby_is_the_same(client: Client) -> None:
    client.open_table()
    game = client.started()
    client.play(game.id, 2000)
    fork = client.fork(game.id)
    before = client.lobby()
    client.wait(client.service.rebuild_lobby())
    assert client.lobby() == before
    assert before.items[0].forked_from == ForkedFrom(str(game.id), fork.loaded.version - 1)


def test_the_lobby_is_updated_in_the_background(database_url: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.lobby.CATCH_UP_SECONDS", 0.0)
    with connected(database_url) as client:
        position, seen = "SELECT notification FROM lobby_position", list[Any]()
        for _ in range(2):
            seen.append(run(position))
            client.started()
            client.wait(soon(lambda: run(position) not in seen))


def test_a_lobby_with_more_rows_than_one_transaction_reads(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.lobby.ROWS_PER_TRANSACTION", 4)
    ids = [client.started().id for _ in range(5)]
    assert all_ids(client) == ids[::-1]


def test_a_damaged_game_does_not_spoil_the_lobby(database_url: str, run: Run) -> None:
    damages = (b"B\xffb", b'Bob","cheats":"x', b"\n")
    with connected(database_url) as client:
        damaged, sound = [client.started().id for _ in damages], client.started().id
    for game, damage in zip(damaged, damages, strict=True):
        for version, text in stored_rows(run, game).items():
            run(
                "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?",
                *(text.replace(b"Bob", damage), game.hex, version),
            )
    with connected(database_url) as client:
        client.wait(client.service.rebuild_lobby())
        by_id = {entry.id: entry for entry in client.lobby().items}
        assert by_id.keys() == {*damaged, sound}
        for game in damaged:
            assert (by_id[game].status, by_id[game].to_play) == ("playing", None)
            assert not client.audit(game).ok
        assert by_id[sound].phase == "towns"
        assert client.audit(sound).ok


# --- progress, and the holders of tokens -------------------------------------------------------------------------


def test_the_lobby_shows_the_turn(memory: Client) -> None:
    waiting = memory.open_table(3)
    started = memory.started()
    for actions in range(6):
        loaded = memory.play(started.id, 1, seed=actions)
        entry, open_entry = memory.lobby().items
        assert loaded.game is not None
        assert (entry.turn, entry.phase, entry.to_play) == (
            loaded.game.turn.number,
            loaded.game.phase,
            loaded.game.to_play,
        )
        assert (entry.version, entry.changed_at) == (loaded.version, loaded.changed_at)
        assert (open_entry.turn, open_entry.phase, open_entry.to_play) == (0, "lobby", None)
        assert open_entry.changed_at == waiting.loaded.changed_at
    memory.change(started.id, commands.undo(None))
    back = memory.load(started.id)
    assert back.game is not None
    assert memory.lobby().items[0].to_play == back.game.to_play


def test_progress_of_another_version_is_not_shown(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started()
        stale = client.lobby().items[0]
        loaded = client.play(game.id, 3)
    ((kept,),) = run("SELECT progress FROM heads")
    run("UPDATE heads SET progress = ?", bytes(kept).replace(b"[%d," % loaded.version, b"[%d," % stale.version))
    with connected(database_url) as client:
        for _ in range(2):
            assert client.lobby().items[0].version == loaded.version
    ((repaired,),) = run("SELECT progress FROM heads")
    assert bytes(repaired) == bytes(kept)


def test_undone_moves_do_not_make_an_entry_longer(sqlite_url: str) -> None:
    lengths = []
    with connected(sqlite_url) as client, database_statements(sqlite_url) as run:
        game = client.started()
        for _ in range(3):
            for _ in range(20):
                client.play(game.id, 1)
                client.change(game.id, commands.undo(None))
                client.change(game.id, commands.redo(None))
                client.change(game.id, commands.undo(None))
            client.lobby()
            ((length,),) = run("SELECT LENGTH(line) FROM lobby")
            lengths.append(length)
        assert max(lengths) - min(lengths) < 10
        assert client.audit(game.id).ok


@pytest.mark.parametrize("seed", range(4 * soak_factor()))
def test_the_lobby_shows_the_right_status_after_any_undo_and_redo(memory: Client, seed: int) -> None:
    """Endings are undone, redone, and reached again in the same or another way."""
    luck = Random(seed)
    game = memory.started().id
    for _ in range(60):
        loaded = memory.load(game)
        assert loaded.game is not None
        if loaded.game.ending is None and luck.random() < 0.6:
            memory.play(game, luck.choice((1, 2, 400)), seed=luck.randrange(10**6))
        with suppress(Refused):
            memory.change(game, luck.choice((commands.undo(None), commands.redo(None), commands.undo(None))))
        loaded = memory.load(game)
        assert loaded.game is not None
        (entry,) = memory.lobby().items
        ending = loaded.game.ending
        assert entry.winners == (ending.winners if ending else None)
        assert entry.status == ("finished" if ending else "playing")
        assert loaded.table.status == entry.status
        assert [memory.lobby(statuses=[status]).items for status in ("finished", "playing")] == (
            [(entry,), ()] if ending else [(), (entry,)]
        )


def test_the_lobby_writes_nothing_for_a_game_with_a_cut_end(run: Run, database: LiveDatabase, client: Client) -> None:
    """Its progress is unknown: the stream ends before the version of its head."""
    game = client.started()
    client.play(game.id, 3)
    client.lobby()
    run("DELETE FROM stored_events WHERE originator_version = ?", max(stored_rows(run, game.id)))
    run("UPDATE heads SET progress = NULL")
    counting = CountingDatabase(database)
    for _ in range(3):
        (entry,) = list_games(counting, LoadedGames(counting, 1), GameSearch()).items
        assert entry.id == game.id.hex
    assert counting.writes == 0


def test_missing_progress_of_many_games_is_stored_in_one_write(
    run: Run, database: LiveDatabase, client: Client
) -> None:
    for _ in range(12):
        client.started()
    entries = client.lobby()
    run("UPDATE heads SET progress = NULL")
    counting = CountingDatabase(database)
    for _ in range(3):
        page = list_games(counting, LoadedGames(counting, 100), GameSearch())
        assert [game.progress.version for game in page.items] == [entry.version for entry in entries.items]
    assert counting.writes == 1


def test_100_tokens_are_looked_up_by_one_query(database: LiveDatabase, client: Client) -> None:
    games = [client.started(players=4) for _ in range(20)]
    tokens = [(game, seat, token) for game in games for seat, token in game.tokens.items()]
    client.lobby()
    assert len(tokens) == 100
    counting = CountingDatabase(database)
    found_games = find_games(counting, LoadedGames(counting, 1), [token for *_, token in tokens])
    assert counting.reads == 1
    for (game, seat, _), found in zip(tokens, found_games, strict=True):
        assert found is not None
        assert found.game.id == game.id.hex
        assert found.holder == holder_of(game.id.hex, seat)
        assert found.game.progress.version == game.version


def test_a_lookup_knows_the_latest_changes(client: Client) -> None:
    opened = client.open_table()
    joined = client.change(opened.id, commands.take_seat("Bob"))
    gone = client.open_table()
    client.change(gone.id, commands.delete)
    tokens = [opened.tokens[0], "nobody's", joined.tokens[1], gone.tokens[0], opened.tokens[0]]
    ann, nobody, bob, deleted, again = client.wait(client.service.find_games(tokens))
    assert (nobody, deleted) == (None, None)
    assert ann is not None
    assert bob is not None
    assert ann == again
    assert (ann.holder.seat, bob.holder.seat) == (0, 1)
    assert ann.game == bob.game
    assert ann.game.table.status == "playing"
    assert ann.game.progress.to_play is not None


def test_spectators_come_and_go(client: Client) -> None:
    game = client.started(GameOptions(private=True))
    first, second = (client.change(game.id, commands.admit_spectator).tokens[SPECTATOR] for _ in range(2))
    for token in (first, second):
        assert client.find_token(token) == TokenHolder(game.id, None, "spectator")
    client.change(game.id, commands.dismiss_spectators)
    assert client.find_token(first) is None
    assert client.wait(client.service.find_games([first, second])) == [None, None]
    assert client.find_token(game.tokens[0]) == TokenHolder(game.id, 0)
    third = client.change(game.id, commands.admit_spectator).tokens[SPECTATOR]
    assert client.find_token(third) is not None
    assert client.load(game.id).version == game.version, "spectators store no event"
