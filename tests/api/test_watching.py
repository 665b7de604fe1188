"""Long polls: the next event arrives when it happens, in this process or in another."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest
from httpx import Client

from api.app import create_app
from tests.api.people import People, bearer, client_at, problem, serving, settings, until_requests_wait
from tests.api.server import client_of, running
from tests.support.waiting import soon, until

LONG = 20


def test_events_are_read_page_by_page(client: Client) -> None:
    table = People(client)
    table.play(10)
    version, seen, query = table.version, [], {"limit": "7"}
    while True:
        page = table.seen("/events", params=query)
        seen += [event["version"] for event in page["items"]]
        assert page["version"] == version
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert seen == list(range(1, version + 1))
    assert table.seen("/events", params={"after": version})["items"] == []
    assert table.seen("/events", params={"after": version + 1000})["items"] == []


def test_a_long_poll_returns_no_events_when_nothing_happens(client: Client) -> None:
    table = People(client)
    waited = table.seen("/events", params={"after": table.version, "wait": 1})
    assert (waited["items"], waited["version"]) == ([], table.version)


def test_a_long_poll_is_limited_by_the_setting() -> None:
    with serving(wait_limit=1) as client:
        table = People(client)
        began = monotonic()
        assert table.seen("/events", params={"after": table.version, "wait": LONG})["items"] == []
        assert monotonic() - began < LONG / 2


def test_a_client_that_is_behind_does_not_wait(client: Client) -> None:
    table = People(client)
    assert table.seen("/events", params={"after": table.version - 1, "wait": LONG})["items"]


def test_a_move_wakes_all_long_polls(client: Client) -> None:
    table = People(client)
    action, seat, version = table.moves()[0], table.to_play, table.version
    with ThreadPoolExecutor(8) as threads:
        waiting = [threads.submit(table.seen, "/events", params={"after": version, "wait": LONG}) for _ in range(8)]
        until_requests_wait(client, 8)
        table.do(action, seat)
        for response in waiting:
            assert response.result()["items"][0]["action"] == action


def test_a_move_in_another_process_wakes_a_long_poll(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other, ThreadPoolExecutor(1) as thread:
        table = People(one)
        action, seat, version = table.moves()[0], table.to_play, table.version
        query = {"after": version, "wait": LONG}
        waiting = thread.submit(other.get, f"{table.path}/events", params=query)
        until_requests_wait(other)
        table.do(action, seat)
        assert waiting.result().json()["items"][0]["action"] == action


def test_an_undo_wakes_a_long_poll_and_shows_in_the_version(client: Client) -> None:
    table = People(client, undo="free")
    table.play(2)
    version = table.version
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(table.seen, "/events", params={"after": version, "wait": LONG})
        until_requests_wait(client)
        table.post("/undo", table.host, {})
        page = waiting.result()
    assert page["items"] == []
    assert page["version"] > version


def test_deleting_a_table_ends_its_long_polls(client: Client) -> None:
    table = People(client, seats=3, players=1)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(table.get, "/events", params={"after": 100, "wait": LONG})
        until_requests_wait(client)
        client.delete(table.path, headers={"authorization": f"Bearer {table.host}"})
        problem(waiting.result(), 404, "game_not_found")


def test_long_polls_are_limited() -> None:
    with serving(watchers=0) as client:
        table = People(client)
        refused = table.get("/events", params={"after": table.version, "wait": LONG})
        problem(refused, 429, "too_many_requests")
        assert refused.headers["retry-after"]


def test_long_polls_are_limited_for_each_client() -> None:
    async def scene() -> list[int]:
        app = create_app(settings(watchers=3, watchers_per_client=2))
        async with app.lifespan(), client_at(app) as one, client_at(app, "2001:db8::1") as other:
            watchers = app.state["service"].watchers
            created = await one.post("/v1/games", json={"seats": 2, "players": ["Ann", "Bob"]})
            game = created.json()["game"]
            path = f"/v1/games/{game['id']}/events?after={game['version']}&wait={LONG}"
            waiting = [asyncio.create_task(client.get(path)) for client in (one, one, other)]
            await soon(lambda: watchers.waiting == 3)
            refused = [await client.get(path) for client in (one, other)]
            waiting.pop().cancel()
            await soon(lambda: watchers.waiting < 3)
            refused.append(await one.get(path))
            waiting.append(asyncio.create_task(other.get(path)))
            await soon(lambda: watchers.waiting == 3)
            watchers.close()
            assert [(await each).status_code for each in waiting] == [200] * 3
        return [response.status_code for response in refused]

    assert asyncio.run(asyncio.wait_for(scene(), LONG)) == [429, 429, 429]


@pytest.mark.parametrize("http", ["1", "auto"])
def test_a_closed_connection_frees_its_permit_at_once(http: str) -> None:
    with running(watchers="40", watchers_per_client="40", http=http) as server, client_of(server.url) as client:
        table = People(client)
        path = f"{table.path}/events?after={table.version}&wait="
        gone = [leave_open(server.url, f"{path}{LONG}") for _ in range(40)]
        while client.get(f"{path}1").status_code == 200:
            gone.append(leave_open(server.url, f"{path}{LONG}"))  # with the permit of this request
        for connection in gone:
            connection.close()
        until(lambda: client.get(f"{path}1").status_code == 200, patience=LONG / 2)


def leave_open(url: str, path: str) -> socket.socket:
    """A connection with a waiting request."""
    address = httpx.URL(url)
    connection = socket.create_connection((address.host, address.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {address.host}\r\n\r\n".encode())
    return connection


def test_a_stopping_server_ends_its_long_polls() -> None:
    async def scene() -> Any:
        app = create_app(settings())
        async with app.lifespan(), client_at(app) as client:
            watchers = app.state["service"].watchers
            created = await client.post("/v1/games", json={"seats": 2, "players": ["Ann", "Bob"]})
            game = created.json()["game"]
            path = f"/v1/games/{game['id']}/events?after={game['version']}&wait={LONG}"
            waiting = asyncio.create_task(client.get(path))
            await soon(lambda: watchers.waiting)
            watchers.close()
            responses = await waiting, await client.get(path)
        return [response.json()["items"] for response in responses]

    assert asyncio.run(asyncio.wait_for(scene(), LONG)) == [[], []]


@pytest.mark.parametrize("query", [{}, {"view": "full"}])
def test_each_event_is_chained_to_the_one_before(client: Client, query: dict[str, str]) -> None:
    table = People(client)
    table.play(4)
    events = table.seen("/events", params=query)["items"]
    assert len({event["digest"] for event in events}) == len(events)
    for event in events:
        assert {"version", "at", "type", "seat", "digest"} <= event.keys()
        assert event["at"].endswith("Z")


# --- tokens that are renewed during a long poll ----------------------------------------------------------------------


def renew_seat(table: People) -> str:
    """Let the host renew the token of a seat, and return the old token."""
    assert table.post("/seats/1/token", table.host).status_code == 201
    old: str = table.tokens[1]
    return old


def renew_host(table: People) -> str:
    """Let the host renew the host's token, and return the old one."""
    old: str = table.host
    table.host = table.post("/host-token", old).json()["host_token"]
    return old


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    url: str = request.getfixturevalue("postgres_database_url")
    return url


@pytest.mark.parametrize("renew", [renew_seat, renew_host])
@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["the same process", "another process"])
@pytest.mark.parametrize("view", ["effective", "full"])
def test_a_token_renewed_during_a_long_poll_gets_no_events(
    shared_url: str, renew: Callable[[People], str], private: bool, elsewhere: bool, view: str
) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(serving(database_url=shared_url))
        watched = stack.enter_context(serving(database_url=shared_url)) if elsewhere else one
        threads = stack.enter_context(ThreadPoolExecutor(2))
        table = People(one, private=private, undo="free")
        before = {"old": table.tokens[1] if renew is renew_seat else table.host, "kept": table.tokens[0]}
        version = table.get("", before["kept"]).json()["version"]
        query = {"after": version, "wait": LONG, "view": view}
        waiting = {
            name: threads.submit(watched.get, f"{table.path}/events", params=query, headers=bearer(token))
            for name, token in before.items()
        }
        until_requests_wait(watched, 2)
        assert renew(table) == before["old"]
        assert table.post("/moves", table.host, {"type": "resign"}).status_code == 200
        problem(waiting["old"].result(), 401, "token_unknown")
        (renewed, *_) = waiting["kept"].result().json()["items"]
        assert renewed["type"] == "token_renewed"


def test_a_spectator_dismissed_during_a_long_poll_gets_no_events(client: Client) -> None:
    """No event wakes the request: dismissing spectators stores none."""
    table = People(client, private=True, undo="free")
    version = table.get("", table.host).json()["version"]
    spectator = table.post("/spectators", table.host).json()["token"]
    for wait in (1, LONG):
        with ThreadPoolExecutor(1) as thread:
            query = {"after": version, "wait": wait}
            waiting = thread.submit(table.get, "/events", spectator, params=query)
            until_requests_wait(client)
            assert client.delete(f"{table.path}/spectators", headers=bearer(table.host)).status_code == 204
            if wait == LONG:
                assert table.post("/moves", table.host, {"type": "resign"}).status_code == 200
            problem(waiting.result(), 401, "token_unknown")
        spectator = table.post("/spectators", table.host).json()["token"]
