"""Applications: keys with a day of overlap, and references that follow the players."""

import asyncio
from uuid import UUID

import pytest

from domain.actions import Resign
from domain.modules import GameOptions
from domain.store import AppExists, GameSearch, UnknownApp, apps, ask_for_rematch, commands, is_app_name
from domain.store.apps import Owner, Ref
from domain.table import NewPlayer
from tests.store.clients import QUICK, Client, Run, key

MEEPLE = Ref("meeple", "user-1")


def refs(client: Client, game: UUID, app: str = "meeple") -> list[tuple[int, str]] | None:
    return client.wait(client.service.apps.refs(game, app))


def found_by(client: Client, ref: Ref) -> list[UUID]:
    return [entry.id for entry in client.lobby(ref=ref).items]


def test_a_key_works_from_its_creation_to_its_revocation(client: Client, other: Client) -> None:
    there = other.service.apps
    first = client.wait(client.service.apps.add("meeple"))
    assert other.wait(there.find(first)) == "meeple"
    assert other.wait(there.find(f"{first}x")) is None
    second = client.wait(client.service.apps.renew("meeple"))
    assert [other.wait(there.find(each)) for each in (first, second)] == ["meeple", "meeple"]
    client.wait(client.service.apps.revoke("meeple"))
    assert [other.wait(there.find(each)) for each in (first, second)] == [None, None]
    third = client.wait(client.service.apps.renew("meeple"))
    assert other.wait(there.find(third)) == "meeple"


def test_an_old_key_works_for_a_day(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = client.wait(client.service.apps.add("meeple"))
    monkeypatch.setattr(apps, "OVERLAP_MILLISECONDS", 0)
    second = client.wait(client.service.apps.renew("meeple"))
    assert client.wait(client.service.apps.find(first)) is None
    assert client.wait(client.service.apps.find(second)) == "meeple"
    monkeypatch.undo()
    client.wait(client.service.apps.renew("meeple"))
    assert client.wait(client.service.apps.find(second)) == "meeple"


def test_only_hashes_of_keys_are_stored(client: Client, run: Run) -> None:
    key = client.wait(client.service.apps.add("meeple"))
    stored = run("SELECT * FROM app_keys")
    assert key not in str(stored)
    assert key.encode() not in bytes(stored[0][0])


def test_names_are_unique_and_known(client: Client) -> None:
    client.wait(client.service.apps.add("meeple"))
    with pytest.raises(AppExists):
        client.wait(client.service.apps.add("meeple"))
    for unknown in (
        client.service.apps.renew("x"),
        client.service.apps.revoke("x"),
        client.service.apps.forget("x", ""),
    ):
        with pytest.raises(UnknownApp):
            client.wait(unknown)
    assert [is_app_name(name) is not None for name in ("a", "a-1", "", "-a", "A", "a/b", "a" * 33)] == [
        *(True, True, False, False, False, False, False)
    ]


def opened(client: Client, options: GameOptions = QUICK, owner: Owner | None = None, players: int = 2) -> UUID:
    names = ["Ann", "Bob", "Cem"][:players]
    owner = owner or Owner("meeple", {seat: f"user-{seat}" for seat in range(players)})
    return client.wait(client.service.open_table(3, names, options, owner=owner)).id


def test_references_are_seen_by_their_application_only(client: Client) -> None:
    game = opened(client, GameOptions(private=True, seed=1))
    assert refs(client, game) == [(0, "user-0"), (1, "user-1")]
    assert refs(client, game, "other") is None
    assert found_by(client, MEEPLE) == [game]
    assert found_by(client, Ref("other", "user-1")) == []
    assert client.lobby().items == ()
    client.change(game, commands.take_seat("Dan", ref=Ref("other", "user-1")))
    assert refs(client, game, "other") == [(2, "user-1")]
    assert refs(client, game) == [(0, "user-0"), (1, "user-1")]


def test_references_follow_the_players(client: Client) -> None:
    game = opened(client, players=2)
    client.change(game, commands.free_seat(0))
    assert refs(client, game) == [(1, "user-1")]
    client.change(game, commands.take_seat("Cem", ref=Ref("meeple", "user-9")))
    assert refs(client, game) == [(0, "user-9"), (1, "user-1")]

    gaps = client.open_table(4, ["Ann"], QUICK).id
    for number in (1, 2):
        client.change(gaps, commands.take_seat(f"P{number}", ref=Ref("meeple", f"user-{number}")))
    client.change(gaps, commands.free_seat(0))
    client.change(gaps, commands.start)
    assert refs(client, gaps) == [(0, "user-1"), (1, "user-2")]


def test_references_end_with_the_table_and_with_the_game(client: Client, run: Run) -> None:
    deleted, removed = opened(client), opened(client, players=3)
    client.change(deleted, commands.delete)
    client.remove(removed)
    assert run("SELECT * FROM refs") == []
    assert refs(client, removed) == []  # it still belongs to the application


def test_a_person_is_forgotten(client: Client) -> None:
    games = [opened(client) for _ in range(3)]
    client.wait(client.service.apps.add("meeple"))
    assert client.wait(client.service.apps.forget("meeple", "user-1")) == 3
    assert [refs(client, game) for game in games] == [[(0, "user-0")]] * 3
    assert found_by(client, MEEPLE) == []


def test_copies_and_rematches_belong_to_the_application_that_made_them(client: Client) -> None:
    options = GameOptions(seed=3, start="introductory")
    game = client.wait(client.service.open_table(2, ["Ann", "Bob"], options, owner=Owner("meeple", {0: "a", 1: "b"})))
    client.change(game.id, commands.act(0, Resign()))
    owner = Owner("other")
    fork = client.wait(client.service.fork(game.id, None, owner=owner)).id
    copy = client.wait(client.service.import_record(client.export_record(game.id), owner=owner)).id
    assert [refs(client, each, "other") for each in (fork, copy)] == [[], []]
    permission = client.permission(game.id, game.tokens[0])
    rematch = client.wait(ask_for_rematch(client.service, client.load(game.id), permission, "meeple"))
    assert refs(client, rematch.commits[0].id) == [(0, "a"), (1, "b")]


def test_a_repeated_request_stores_no_second_reference(client: Client) -> None:
    async def twice() -> list[UUID]:
        owner = Owner("meeple", {0: "user-0"})
        asked = [client.service.open_table(2, [NewPlayer("Ann")], QUICK, key=key(), owner=owner) for _ in range(2)]
        return [commit.id for commit in await asyncio.gather(*asked)]

    first, second = client.wait(twice())
    assert first == second
    assert refs(client, first) == [(0, "user-0")]


def test_pages_of_games_of_a_reference(client: Client) -> None:
    games = [opened(client) for _ in range(5)]
    client.change(games[2], commands.start)
    page = client.wait(client.service.list_games(GameSearch(limit=2, ref=MEEPLE)))
    rest = client.wait(client.service.list_games(GameSearch(limit=9, below=page.next, ref=MEEPLE)))
    assert [UUID(entry.id) for entry in (*page.items, *rest.items)] == games[::-1]
    playing = client.wait(client.service.list_games(GameSearch(statuses=("playing",), ref=MEEPLE)))
    assert [UUID(entry.id) for entry in playing.items] == [games[2]]
