"""The list of games: complete, in order, and right whoever changed what."""

import asyncio
from uuid import UUID

import pytest
from domain.options import Options

from domain.application import BrokenCursor, Listing, open_games
from domain.application.lobby import games, rebuild
from tests.domain.application.tables import QUICK, Visitor, visiting


def listed(visitor: Visitor, **asked: object) -> list[UUID]:
    """The games of all pages."""
    ids: list[UUID] = []
    cursor: str | None = None
    while True:
        page: Listing = visitor.wait(visitor.club.games(cursor=cursor, **asked))  # type: ignore[arg-type]
        ids += [item.id for item in page.items]
        cursor = page.next
        if cursor is None:
            return ids


def test_games_are_listed_by_what_has_become_of_them(visitor: Visitor) -> None:
    waiting = visitor.change("open_table", 3, ["Ann"], Options())
    playing = visitor.started()
    finished = visitor.started()
    end = visitor.play(finished.id, 2000)
    assert listed(visitor) == [finished.id, playing.id, waiting.id]
    assert listed(visitor, status="open") == [waiting.id]
    assert listed(visitor, status="playing") == [playing.id]
    assert listed(visitor, status="finished") == [finished.id]

    (item,) = visitor.wait(visitor.club.games(status="finished")).items
    assert (item.version, item.winners, item.players) == (end.version, end.table.winners, ("Ann", "Bob"))
    assert (item.opened, item.options, item.seats) == (end.opened, QUICK, 2)

    visitor.change("undo", finished.id, None)
    assert listed(visitor, status="finished") == []
    visitor.change("redo", finished.id, None)
    assert listed(visitor, status="finished") == [finished.id]
    visitor.change("take_seat", waiting.id, "Bob")
    visitor.change("start", waiting.id)
    assert set(listed(visitor, status="playing")) == {waiting.id, playing.id}


def test_the_version_of_an_item_is_that_of_the_game(visitor: Visitor) -> None:
    started = visitor.started()
    listed(visitor)
    held = visitor.play(started.id, 3)
    assert visitor.wait(visitor.club.games()).items[0].version == held.version


def test_games_are_found_by_a_players_name(visitor: Visitor) -> None:
    first = visitor.change("open_table", 3, ["Ann", "Zoë"], Options())
    second = visitor.change("open_table", 3, ["ANN"], Options())
    visitor.change("open_table", 3, ["Anna"], Options())
    odd = visitor.change("open_table", 3, ["'; DROP TABLE lobby; --", "\0"], Options())
    assert listed(visitor, player="ann") == [second.id, first.id]
    assert listed(visitor, player="ZOË") == [first.id]
    assert listed(visitor, player="An") == []
    assert listed(visitor, player="'; drop table lobby; --") == [odd.id]
    assert listed(visitor, player="\0") == [odd.id]
    assert listed(visitor, player="ann", status="finished") == []


def test_pages_hold_still_while_games_are_added(visitor: Visitor) -> None:
    ids = [visitor.change("open_table", 2, ["Ann"], Options()).id for _ in range(7)]
    first = visitor.wait(visitor.club.games(limit=3))
    visitor.change("open_table", 2, ["Ann"], Options())
    second = visitor.wait(visitor.club.games(limit=3, cursor=first.next))
    visitor.change("delete", ids[6])
    third = visitor.wait(visitor.club.games(limit=3, cursor=second.next))
    assert [item.id for page in (first, second, third) for item in page.items] == ids[::-1]
    assert third.next is None


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_pages_of_any_size_make_the_whole_list(memory: Visitor, limit: int) -> None:
    ids = [memory.change("open_table", 2, ["Ann"], Options()).id for _ in range(6)]
    assert listed(memory, limit=limit) == ids[::-1]
    assert listed(memory, limit=limit, player="ann") == ids[::-1]


def test_private_games_are_listed_only_for_those_who_belong_there(visitor: Visitor) -> None:
    public = visitor.started()
    private = visitor.started(Options(private=True))
    another = visitor.started(Options(private=True))
    assert listed(visitor) == [public.id]
    assert listed(visitor, visible=private.id) == [private.id, public.id]
    assert listed(visitor, visible=another.id, player="bob", limit=1) == [another.id, public.id]


def test_a_deleted_table_leaves_the_list(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 2, ["Ann"], Options())
    assert listed(visitor) == [opened.id]
    visitor.change("delete", opened.id)
    assert listed(visitor) == listed(visitor, player="Ann") == []


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 19, "9" * 400, "٣", "1 "])
def test_what_is_no_cursor_is_refused(memory: Visitor, cursor: str) -> None:
    with pytest.raises(BrokenCursor):
        memory.wait(memory.club.games(cursor=cursor))


def test_every_process_lists_the_same(shared_url: str) -> None:
    with visiting(shared_url) as here, visiting(shared_url) as there:
        for number in range(6):
            visitor = (here, there)[number % 2]
            visitor.change("open_table", 2, ["Ann"], Options())
            assert listed(here) == listed(there)
            assert len(listed(here, player="ann")) == number + 1


def test_the_list_can_be_made_anew(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        visitor.change("open_table", 2, ["Ann"], Options())
        game = visitor.started()
        visitor.play(game.id, 2000)
        fork = visitor.change("fork", game.id)
        before = visitor.wait(visitor.club.games())
        with open_games(shared_url) as synchronous:
            rebuild(synchronous.database)
            assert games(synchronous.database) == before
    assert before.items[0].forked_from == (str(game.id), fork.held.version - 1)


def test_the_list_is_kept_up_to_date_although_nobody_asks(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.application.club.NEWS_SECONDS", 0.0)
    with open_games(shared_url) as synchronous, visiting(shared_url) as visitor:
        position = ("SELECT notification FROM lobby_position", ())
        for _ in range(2):
            before = synchronous.database.select(position)
            visitor.started()
            while synchronous.database.select(position) == before:
                visitor.wait(asyncio.sleep(0.001))


def test_a_list_of_more_news_than_are_read_at_once(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.application.lobby.AT_ONCE", 4)
    with visiting(shared_url) as visitor:
        ids = [visitor.started().id for _ in range(5)]
        assert listed(visitor) == ids[::-1]


@pytest.mark.parametrize("damage", [b"B\xffb", b'Bob","cheats":"x', b"\n"])
def test_a_damaged_game_spoils_no_list(shared_url: str, damage: bytes) -> None:
    with visiting(shared_url) as visitor:
        damaged, sound = visitor.started(), visitor.started()
    with open_games(shared_url) as club:
        for version, text in club.database.select(
            ("SELECT originator_version, state FROM stored_events WHERE originator_id = ?", (damaged.id.hex,))
        ):
            changed = ("UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?",)
            with club.database.session() as session:
                session.run((*changed, (text.replace(b"Bob", damage), damaged.id.hex, version)))
        rebuild(club.database)
        assert {item.id for item in games(club.database).items} == {damaged.id, sound.id}
        assert not club.audit(damaged.id).ok
        assert club.audit(sound.id).ok
