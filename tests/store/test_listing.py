"""The list of games: complete, in order, and up to date with the changes of every process."""

import asyncio
from uuid import UUID

import pytest

from domain.modules import Options
from domain.store import BrokenCursor, GameList, commands
from domain.store.listing import list_games, rebuild
from domain.table import ForkedFrom
from tests.store.clients import QUICK, Client, connected, opened_database


def listed(client: Client, **asked: object) -> list[UUID]:
    """The games of all pages."""
    ids: list[UUID] = []
    cursor: str | None = None
    while True:
        page: GameList = client.wait(client.service.list_games(cursor=cursor, **asked))  # type: ignore[arg-type]
        ids += [item.id for item in page.items]
        cursor = page.next
        if cursor is None:
            return ids


def test_games_are_listed_by_what_has_become_of_them(client: Client) -> None:
    waiting = client.open_table(3, ["Ann"], Options())
    playing = client.started()
    finished = client.started()
    end = client.play(finished.id, 2000)
    assert listed(client) == [finished.id, playing.id, waiting.id]
    assert listed(client, status="open") == [waiting.id]
    assert listed(client, status="playing") == [playing.id]
    assert listed(client, status="finished") == [finished.id]

    (item,) = client.wait(client.service.list_games(status="finished")).items
    assert (item.version, item.winners, item.players) == (end.version, end.table.winners, ("Ann", "Bob"))
    assert (item.opened, item.options, item.seats) == (end.opened_at, QUICK, 2)

    client.change(finished.id, commands.undo(None))
    assert listed(client, status="finished") == []
    client.change(finished.id, commands.redo(None))
    assert listed(client, status="finished") == [finished.id]
    client.change(waiting.id, commands.take_seat("Bob"))
    client.change(waiting.id, commands.start)
    assert set(listed(client, status="playing")) == {waiting.id, playing.id}


def test_the_version_of_an_item_is_that_of_the_game(client: Client) -> None:
    started = client.started()
    listed(client)
    loaded = client.play(started.id, 3)
    assert client.listing().items[0].version == loaded.version


def test_games_are_found_by_a_players_name(client: Client) -> None:
    first = client.open_table(3, ["Ann", "Zoë"], Options())
    second = client.open_table(3, ["ANN"], Options())
    client.open_table(3, ["Anna"], Options())
    odd = client.open_table(3, ["'; DROP TABLE lobby; --", "\0"], Options())
    assert listed(client, player="ann") == [second.id, first.id]
    assert listed(client, player="ZOË") == [first.id]
    assert listed(client, player="An") == []
    assert listed(client, player="'; drop table lobby; --") == [odd.id]
    assert listed(client, player="\0") == [odd.id]
    assert listed(client, player="ann", status="finished") == []


def test_pages_hold_still_while_games_are_added(client: Client) -> None:
    ids = [client.open_table(2, ["Ann"], Options()).id for _ in range(7)]
    first = client.wait(client.service.list_games(limit=3))
    client.open_table(2, ["Ann"], Options())
    second = client.wait(client.service.list_games(limit=3, cursor=first.next))
    client.change(ids[6], commands.delete)
    third = client.wait(client.service.list_games(limit=3, cursor=second.next))
    assert [item.id for page in (first, second, third) for item in page.items] == ids[::-1]
    assert third.next is None


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_pages_of_any_size_make_the_whole_list(memory: Client, limit: int) -> None:
    ids = [memory.open_table(2, ["Ann"], Options()).id for _ in range(6)]
    assert listed(memory, limit=limit) == ids[::-1]
    assert listed(memory, limit=limit, player="ann") == ids[::-1]


def test_private_games_are_listed_only_for_those_who_belong_there(client: Client) -> None:
    public = client.started()
    private = client.started(Options(private=True))
    another = client.started(Options(private=True))
    assert listed(client) == [public.id]
    assert listed(client, visible=private.id) == [private.id, public.id]
    assert listed(client, visible=another.id, player="bob", limit=1) == [another.id, public.id]


def test_a_deleted_table_leaves_the_list(client: Client) -> None:
    opened = client.open_table(2, ["Ann"], Options())
    assert listed(client) == [opened.id]
    client.change(opened.id, commands.delete)
    assert listed(client) == listed(client, player="Ann") == []


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 19, "9" * 400, "٣", "1 "])
def test_what_is_no_cursor_is_refused(memory: Client, cursor: str) -> None:
    with pytest.raises(BrokenCursor):
        memory.wait(memory.service.list_games(cursor=cursor))


def test_every_process_lists_the_same(shared_url: str) -> None:
    with connected(shared_url) as here, connected(shared_url) as there:
        for number in range(6):
            client = (here, there)[number % 2]
            client.open_table(2, ["Ann"], Options())
            assert listed(here) == listed(there)
            assert len(listed(here, player="ann")) == number + 1


def test_the_list_can_be_made_anew(shared_url: str) -> None:
    with connected(shared_url) as client:
        client.open_table(2, ["Ann"], Options())
        game = client.started()
        client.play(game.id, 2000)
        fork = client.fork(game.id)
        before = client.listing()
        client.wait(client.service.rebuild_listing())
        assert client.listing() == before
    assert before.items[0].forked_from == ForkedFrom(str(game.id), fork.loaded.version - 1)


def test_the_list_is_kept_up_to_date_although_nobody_asks(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.listing_timer.LISTING_SECONDS", 0.0)
    with opened_database(shared_url) as database, connected(shared_url) as client:
        position = ("SELECT notification FROM lobby_position", ())
        for _ in range(2):
            before = database.select(position)
            client.started()
            while database.select(position) == before:
                client.wait(asyncio.sleep(0.001))


def test_a_list_of_more_rows_than_are_read_in_one_transaction(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.listing.ROWS_PER_TRANSACTION", 4)
    with connected(shared_url) as client:
        ids = [client.started().id for _ in range(5)]
        assert listed(client) == ids[::-1]


@pytest.mark.parametrize("damage", [b"B\xffb", b'Bob","cheats":"x', b"\n"])
def test_a_damaged_game_spoils_no_list(shared_url: str, damage: bytes) -> None:
    with connected(shared_url) as client:
        damaged, sound = client.started(), client.started()
    with opened_database(shared_url) as database:
        for version, text in database.select(
            ("SELECT originator_version, state FROM stored_events WHERE originator_id = ?", (damaged.id.hex,))
        ):
            changed = ("UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?",)
            with database.transaction() as transaction:
                transaction.run((*changed, (text.replace(b"Bob", damage), damaged.id.hex, version)))
        rebuild(database)
        assert {item.id for item in list_games(database).items} == {damaged.id, sound.id}
    with connected(shared_url) as client:
        assert not client.audit(damaged.id).ok
        assert client.audit(sound.id).ok
