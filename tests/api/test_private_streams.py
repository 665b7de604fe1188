"""Streams of private games: only holders of a valid token receive events."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import NamedTuple
from uuid import UUID

import pytest
from httpx import Client

from tests.api.people import People, problem
from tests.api.server import client_of, running
from tests.api.sse import Event, Stream, ids_and_data, stored
from tests.store.clients import connected


class Served(NamedTuple):
    """Two servers on one database."""

    url: str
    one: Client
    other: Client


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres_url: str
) -> Iterator[Served]:
    sqlite = f"sqlite:///{tmp_path_factory.mktemp('private')}/games.db"
    url = sqlite if request.param == "sqlite" else postgres_url
    with ExitStack() as stack:
        servers = [stack.enter_context(running(url, log_level="warning", heartbeat="60")) for _ in range(2)]
        clients = [stack.enter_context(client_of(server.url)) for server in servers]
        yield Served(url, *clients)


@pytest.fixture(params=["the same process", "another process"])
def watching(request: pytest.FixtureRequest, served: Served) -> str:
    """The address of the server with the streams; changes are made at the first server."""
    return str((served.one if request.param == "the same process" else served.other).base_url)


def of_game(table: People) -> str:
    return f"{table.path}/stream"


def of_page(table: People) -> str:
    return f"/v1/stream?game={table.id}"


PATHS = pytest.mark.parametrize("path", [of_game, of_page])
Path = Callable[[People], str]


def spectator(table: People) -> str:
    return str(table.post("/spectators", table.host).json()["token"])


@PATHS
def test_a_stream_needs_a_token_of_its_game(served: Served, path: Path) -> None:
    table, foreign = (People(served.one, private=True) for _ in range(2))
    for token, status, code in (
        ("", 401, "token_missing"),
        ("nobody-has-this-one", 401, "token_unknown"),
        (foreign.host, 403, "foreign_token"),
    ):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        problem(served.one.get(path(table), headers=headers), status, code)
        assert served.one.head(path(table), headers=headers).status_code == status
    for token in (table.host, table.tokens[1], spectator(table)):
        with Stream(f"{served.one.base_url}{path(table)}", token=token) as watched:
            assert watched.status == 200
            assert watched.position()


def test_a_token_is_for_one_private_game_among_public_ones(served: Served) -> None:
    table, foreign, public = People(served.one, private=True), People(served.one, private=True), People(served.one)
    page = f"/v1/stream?game={public.id}&game={table.id}"
    with Stream(f"{served.one.base_url}{page}", token=table.host) as watched:
        assert {watched.next().json()["id"] for _ in range(2)} == {public.id, table.id}
    headers = {"authorization": f"Bearer {table.host}"}
    problem(served.one.get(f"{page}&game={foreign.id}", headers=headers), 403, "foreign_token")


def test_members_get_every_event(served: Served, watching: str) -> None:
    table = People(served.one, private=True, undo="free")
    seat = table.tokens[0]
    with Stream(f"{watching}{of_game(table)}?after=0", token=seat) as watched:
        for _ in range(6):
            moves = table.get("/legal-moves", seat).json()
            assert table.post("/moves", table.host, moves["items"][0]["action"]).is_success
        version = int(table.get("", seat).json()["version"])
        assert ids_and_data(watched.up_to(version)) == stored(served.one, table.path, seat)


def renew(table: People) -> None:
    assert table.post("/host-token", table.host).is_success


def revoke_spectators(table: People) -> None:
    assert table.client.delete(f"{table.path}/spectators", headers={"authorization": f"Bearer {table.host}"}).is_success


@PATHS
@pytest.mark.parametrize("revoke", [renew, revoke_spectators])
def test_a_stream_ends_when_its_token_is_revoked(
    served: Served, watching: str, path: Path, revoke: Callable[[People], None]
) -> None:
    """Without further events: a renewal is the last one, and dismissing spectators stores none."""
    table = People(served.one, private=True)
    token = table.host if revoke is renew else spectator(table)
    with (
        Stream(f"{watching}{path(table)}", token=token) as watched,
        Stream(f"{watching}{path(table)}", token=table.tokens[0]) as kept,
    ):
        watched.position()
        kept.position()
        revoke(table)
        assert {event.name for event in watched.rest()} <= {"game"}
        assert table.post("/moves", table.tokens[0], {"type": "resign"}).is_success
        kept.until(lambda event: "resigned" in event.data or "finished" in event.data)
    problem(table.get("/stream", token), 401, "token_unknown")


@PATHS
@pytest.mark.parametrize("how", ["deleted", "removed"])
def test_a_deleted_private_game_ends_its_streams_and_is_not_named_to_others(
    served: Served, watching: str, path: Path, how: str
) -> None:
    table, public = People(served.one, seats=3, players=1, private=True), People(served.one, seats=3, players=1)
    with (
        Stream(f"{watching}{path(table)}", token=table.host) as watched,
        Stream(f"{watching}/v1/stream?list=true") as lobby,
    ):
        watched.position()
        if how == "removed":
            with connected(served.url) as operator:
                operator.wait(operator.service.remove(UUID(table.id)))
        else:
            assert table.client.delete(table.path, headers={"authorization": f"Bearer {table.host}"}).is_success
        assert table.client.delete(public.path, headers={"authorization": f"Bearer {public.host}"}).is_success
        if path is of_page:
            assert watched.until(lambda event: event.name == "gone")[-1].json() == {"id": table.id}
        else:
            assert {event.name for event in watched.rest()} <= {"game"}
        sent = lobby.until(lambda event: event.name == "gone" and event.json()["id"] == public.id)
    check_is_not_named(table, sent)


def check_is_not_named(table: People, events: list[Event]) -> None:
    assert all(table.id not in event.data for event in events)


def test_the_lobby_never_shows_a_private_game(served: Served, watching: str) -> None:
    before = People(served.one)
    with Stream(f"{watching}/v1/stream?list=true&game={before.id}") as lobby:
        lobby.next()
        position = lobby.position()
        private, last = People(served.one, private=True), People(served.one)
        private.post("/moves", private.host, {"type": "resign"})
        last.do({"type": "resign"})
        over = lobby.until(lambda event: event.json()["id"] == last.id and event.json()["status"] == "finished")
    with Stream(f"{watching}/v1/stream?list=true", last_event_id=position) as resumed:
        again = resumed.until(lambda event: event.json()["id"] == last.id and event.json()["status"] == "finished")
    check_is_not_named(private, over + again)
