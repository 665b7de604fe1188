"""The list of games: complete, in order, and up to date with the changes of every process."""

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
from domain.store.lobby import find_games, list_games
from domain.store.tokens import SPECTATOR, TokenHolder, holder_of
from domain.table import ForkedFrom
from tests.store.clients import QUICK, Client, CountingDatabase, Run, behind, connected, stored_rows
from tests.support.soak import soak_factor
from tests.support.waiting import soon


def listed(client: Client, **asked: object) -> list[UUID]:
    """The games of all pages."""
    ids: list[UUID] = []
    below: int | None = None
    while True:
        page = client.listing(below=below, **asked)
        ids += [item.id for item in page.items]
        below = page.next
        if below is None:
            return ids


def test_games_are_listed_by_what_has_become_of_them(client: Client) -> None:
    waiting = client.open_table(3)
    playing = client.started()
    finished = client.started()
    end = client.play(finished.id, 2000)
    assert listed(client) == [finished.id, playing.id, waiting.id]
    assert listed(client, statuses=["open"]) == [waiting.id]
    assert listed(client, statuses=["playing"]) == [playing.id]
    assert listed(client, statuses=["finished"]) == [finished.id]
    assert listed(client, statuses=["open", "finished"]) == [finished.id, waiting.id]
    assert listed(client, statuses=["open", "playing", "finished"]) == listed(client)

    (item,) = client.listing(statuses=["finished"]).items
    assert (item.version, item.winners, item.players) == (end.version, end.table.winners, ("Ann", "Bob"))
    assert (item.opened, item.options, item.seats) == (end.opened_at, QUICK, 2)

    client.change(finished.id, commands.undo(None))
    assert listed(client, statuses=["finished"]) == []
    client.change(finished.id, commands.redo(None))
    assert listed(client, statuses=["finished"]) == [finished.id]
    client.change(waiting.id, commands.take_seat("Bob"))
    client.change(waiting.id, commands.start)
    assert set(listed(client, statuses=["playing"])) == {waiting.id, playing.id}


def test_the_version_of_an_item_is_that_of_the_game(client: Client) -> None:
    started = client.started()
    listed(client)
    loaded = client.play(started.id, 3)
    assert client.listing().items[0].version == loaded.version


def test_games_are_found_by_a_players_name(client: Client) -> None:
    first = client.open_table(3, ["Ann", "Zoë"], GameOptions())
    second = client.open_table(3, ["ANN"], GameOptions())
    client.open_table(3, ["Anna"], GameOptions())
    odd = client.open_table(3, ["'; DROP TABLE lobby; --", "\0"], GameOptions())
    assert listed(client, player="ann") == [second.id, first.id]
    assert listed(client, player="ZOË") == [first.id]
    assert listed(client, player="An") == []
    assert listed(client, player="'; drop table lobby; --") == [odd.id]
    assert listed(client, player="\0") == [odd.id]
    assert listed(client, player="ann", statuses=["finished"]) == []


def test_pages_hold_still_while_games_are_added(client: Client) -> None:
    ids = [client.open_table().id for _ in range(7)]
    first = client.listing(limit=3)
    client.open_table()
    second = client.listing(limit=3, below=first.next)
    client.change(ids[6], commands.delete)
    third = client.listing(limit=3, below=second.next)
    assert [item.id for page in (first, second, third) for item in page.items] == ids[::-1]
    assert third.next is None


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_pages_of_any_size_make_the_whole_list(memory: Client, limit: int) -> None:
    ids = [memory.open_table().id for _ in range(6)]
    assert listed(memory, limit=limit) == ids[::-1]
    assert listed(memory, limit=limit, player="ann") == ids[::-1]


def test_private_games_are_listed_only_for_those_who_belong_there(client: Client) -> None:
    public = client.started()
    private = client.started(GameOptions(private=True))
    another = client.started(GameOptions(private=True))
    assert listed(client) == [public.id]
    assert listed(client, visible=private.id) == [private.id, public.id]
    assert listed(client, visible=another.id, player="bob", limit=1) == [another.id, public.id]


def test_a_deleted_table_leaves_the_list(client: Client) -> None:
    opened = client.open_table()
    assert listed(client) == [opened.id]
    client.change(opened.id, commands.delete)
    assert listed(client) == listed(client, player="Ann") == []


def test_every_process_lists_the_same(client: Client, other: Client) -> None:
    for number in range(6):
        (client, other)[number % 2].open_table()
        assert listed(client) == listed(other)
        assert len(listed(client, player="ann")) == number + 1


def test_the_list_can_be_made_anew(client: Client) -> None:
    client.open_table()
    game = client.started()
    client.play(game.id, 2000)
    fork = client.fork(game.id)
    before = client.listing()
    client.wait(client.service.rebuild_lobby())
    assert client.listing() == before
    assert before.items[0].forked_from == ForkedFrom(str(game.id), fork.loaded.version - 1)


def test_the_list_is_kept_up_to_date_although_nobody_asks(
    database_url: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.store.lobby.CATCH_UP_SECONDS", 0.0)
    with connected(database_url) as client:
        position, seen = "SELECT notification FROM lobby_position", list[Any]()
        for _ in range(2):
            seen.append(run(position))
            client.started()
            client.wait(soon(lambda: run(position) not in seen))


def test_a_list_of_more_rows_than_are_read_in_one_transaction(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.lobby.ROWS_PER_TRANSACTION", 4)
    ids = [client.started().id for _ in range(5)]
    assert listed(client) == ids[::-1]


def test_a_damaged_game_spoils_no_list(database_url: str, run: Run) -> None:
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
        by_id = {line.id: line for line in client.listing().items}
        assert by_id.keys() == {*damaged, sound}
        for game in damaged:
            assert (by_id[game].status, by_id[game].to_play) == ("playing", None)
            assert not client.audit(game).ok
        assert by_id[sound].phase == "towns"
        assert client.audit(sound).ok


# --- progress, and the places that tokens open -------------------------------------------------------------------


def test_the_list_tells_whose_turn_it_is(memory: Client) -> None:
    waiting = memory.open_table(3)
    started = memory.started()
    for actions in range(6):
        loaded = memory.play(started.id, 1, seed=actions)
        line, open_line = memory.listing().items
        assert loaded.game is not None
        assert (line.turn, line.phase, line.to_play) == (
            loaded.game.turn.number,
            loaded.game.phase,
            loaded.game.to_play,
        )
        assert (line.version, line.changed_at) == (loaded.version, loaded.changed_at)
        assert (open_line.turn, open_line.phase, open_line.to_play) == (0, "lobby", None)
        assert open_line.changed_at == waiting.loaded.changed_at
    memory.change(started.id, commands.undo(None))
    back = memory.load(started.id)
    assert back.game is not None
    assert memory.listing().items[0].to_play == back.game.to_play


def test_a_progress_of_another_version_is_not_shown(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started()
        stale = client.listing().items[0]
        loaded = client.play(game.id, 3)
    ((kept,),) = run("SELECT progress FROM heads")
    run("UPDATE heads SET progress = ?", bytes(kept).replace(b"[%d," % loaded.version, b"[%d," % stale.version))
    with connected(database_url) as client:
        for _ in range(2):
            assert client.listing().items[0].version == loaded.version
    ((mended,),) = run("SELECT progress FROM heads")
    assert bytes(mended) == bytes(kept)


def test_a_line_does_not_grow_with_what_was_taken_back(sqlite_url: str) -> None:
    lengths = []
    with connected(sqlite_url) as client, behind(sqlite_url) as run:
        game = client.started()
        for _ in range(3):
            for _ in range(20):
                client.play(game.id, 1)
                client.change(game.id, commands.undo(None))
                client.change(game.id, commands.redo(None))
                client.change(game.id, commands.undo(None))
            client.listing()
            ((length,),) = run("SELECT LENGTH(line) FROM lobby")
            lengths.append(length)
        assert max(lengths) - min(lengths) < 10
        assert client.audit(game.id).ok


@pytest.mark.parametrize("seed", range(4 * soak_factor()))
def test_the_list_knows_what_is_finished_whatever_is_taken_back_and_put_back(memory: Client, seed: int) -> None:
    """Endings are taken back, put back, and played again, the same or another way."""
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
        (line,) = memory.listing().items
        ending = loaded.game.ending
        assert line.winners == (ending.winners if ending else None)
        assert line.status == ("finished" if ending else "playing")
        assert loaded.table.status == line.status
        assert [memory.listing(statuses=[status]).items for status in ("finished", "playing")] == (
            [(line,), ()] if ending else [(), (line,)]
        )


def test_a_list_writes_nothing_for_a_game_whose_end_was_cut_off(
    run: Run, database: LiveDatabase, client: Client
) -> None:
    """Its progress cannot be known: the stream ends before the version that was noted."""
    game = client.started()
    client.play(game.id, 3)
    client.listing()
    run("DELETE FROM stored_events WHERE originator_version = ?", max(stored_rows(run, game.id)))
    run("UPDATE heads SET progress = NULL")
    counting = CountingDatabase(database)
    for _ in range(3):
        (line,) = list_games(counting, LoadedGames(counting, 1)).items
        assert line.id == game.id.hex
    assert counting.writes == 0


def test_the_progress_of_many_games_of_an_earlier_release_is_stored_at_once(
    run: Run, database: LiveDatabase, client: Client
) -> None:
    for _ in range(12):
        client.started()
    lines = client.listing()
    run("UPDATE heads SET progress = NULL")
    counting = CountingDatabase(database)
    for _ in range(3):
        page = list_games(counting, LoadedGames(counting, 100))
        assert [game.progress.version for game in page.items] == [line.version for line in lines.items]
    assert counting.writes == 1


def test_100_tokens_are_looked_up_with_one_query(database: LiveDatabase, client: Client) -> None:
    games = [client.started(players=4) for _ in range(20)]
    tokens = [(game, seat, token) for game in games for seat, token in game.tokens.items()]
    client.listing()
    assert len(tokens) == 100
    counting = CountingDatabase(database)
    places = find_games(counting, LoadedGames(counting, 1), [token for *_, token in tokens])
    assert counting.reads == 1
    for (game, seat, _), place in zip(tokens, places, strict=True):
        assert place is not None
        assert place.game.id == game.id.hex
        assert place.holder == holder_of(game.id.hex, seat)
        assert place.game.progress.version == game.version


def test_a_lookup_knows_what_has_just_been_stored(client: Client) -> None:
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
    assert client.load(game.id).version == game.version, "no event tells of spectators"
