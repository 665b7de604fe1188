"""The events of all public games over HTTP: pages, long polls and the stream."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from httpx import Client

from api.app import create_app
from api.http.limits import HOUR, RateLimit
from api.operations.all_events import ROWS_LEFT_OUT, ROWS_PER_CHUNK
from tests.api.people import People, bearer, client_at, problem, serving, settings, until_requests_wait
from tests.api.server import Server, client_of, running
from tests.api.sse import LocalStream, Stream, following
from tests.api.test_seat_limit import Costs
from tests.store.clients import connected
from tests.store.processes import LONG
from tests.support.waiting import soon

PATH = "/v1/events"


@pytest.fixture(scope="module")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('events')}/games.db"


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Server]:
    with running(database_url, log_level="warning", heartbeat="1") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with client_of(server.url) as client:
        yield client


def read(client: Client, headers: dict[str, str] | None = None, **query: Any) -> Any:
    response = client.get(PATH, params=query, headers=headers)
    assert response.status_code == 200, response.text
    return response.json()


def all_items(client: Client) -> list[Any]:
    """All rows, page by page."""
    found: list[Any] = []
    after, page = 0, read(client, limit=1000)
    while page["next"] != after:
        found += page["items"]
        after, page = page["next"], read(client, after=page["next"], limit=1000)
    return found


def test_pages_have_the_events_of_each_game_as_its_own_stream_has_them(client: Client) -> None:
    tables = [People(client, undo="free"), People(client, seats=3, players=2)]
    tables[0].play(5)
    tables[0].post("/undo", tables[0].host)
    tables[1].post("/seats", "", {"name": "Zoe"})
    items = all_items(client)
    for table in tables:
        events = [event for item in items if item["game"] == table.id for event in item["events"]]
        assert events == table.seen("/events?view=full&limit=1000")["items"]
    positions = [item["position"] for item in items]
    assert positions == sorted(set(positions))
    first = read(client, after=positions[2] - 1, limit=1)
    assert (first["items"], first["next"]) == ([items[2]], positions[2])


@pytest.mark.parametrize("query", [{}, {"limit": 1000}, {"wait": 1}])
def test_no_token_shows_a_private_game(client: Client, query: dict[str, int]) -> None:
    People(client)
    before = all_items(client)[-1]["position"]
    private = People(client, private=True, invite=True, seats=3, players=2)
    assert private.post("/start", private.host).is_success
    public = People(client)
    for token in ("", private.host, *private.tokens.values()):
        headers = bearer(token) | {"x-invite": private.created["invite"]}
        found = read(client, headers, after=before, **query)["items"]
        assert {item["game"] for item in found} == {public.id}
        with Stream(f"{client.base_url}{PATH}/stream?after={before}", token=token) as stream:
            first = stream.until(lambda event: event.name == "message")[-1]
        assert first.json()["game"] == public.id


def test_a_waiting_request_is_answered_by_the_first_public_event(tmp_path: Path) -> None:
    with serving(database_url=f"sqlite:///{tmp_path}/games.db") as client, ThreadPoolExecutor(1) as threads:
        begun = read(client)
        waiting = threads.submit(read, client, after=begun["next"], epoch=begun["epoch"], wait=20)
        until_requests_wait(client)
        People(client, private=True)
        table = People(client)
        page = waiting.result(LONG)
        assert [item["game"] for item in page["items"]] == [table.id] * len(page["items"])
        assert page["items"][0]["events"][0]["type"] == "table_opened"
        quiet = read(client, after=read(client)["next"], wait=1)
        assert (quiet["items"], quiet["next"]) == ([], read(client)["next"])


def test_positions_of_another_epoch_are_gone(client: Client) -> None:
    People(client)
    page = read(client, limit=1000)
    for query in ("epoch=0123456789ab", f"after={2**40}", f"after={2**40}&epoch={page['epoch']}"):
        for path in (f"{PATH}?{query}", f"{PATH}?{query}&wait=1", f"{PATH}/stream?{query}"):
            assert problem(client.get(path), 410, "epoch_changed")["epoch"] == page["epoch"]
    headers = {"Last-Event-ID": "0123456789ab-1"}
    problem(client.get(f"{PATH}/stream", headers=headers), 410, "epoch_changed")


@pytest.mark.parametrize("last_id", ["1", "0123456789ab", "0123456789AB-1", "0123456789ab-x", "0123456789ab--1", "é-1"])
def test_other_ids_are_refused(client: Client, last_id: str) -> None:
    response = client.get(f"{PATH}/stream", headers={b"Last-Event-ID": last_id.encode()})
    assert problem(response, 400, "invalid_header")["errors"][0]["where"] == "Last-Event-ID"


def test_the_stream_sends_the_rows_of_the_pages_with_their_ids(client: Client) -> None:
    table = People(client)
    table.play(4)
    items, epoch = all_items(client), read(client, limit=1)["epoch"]
    expected = [(f"{epoch}-{item['position']}", item) for item in items]
    with Stream(f"{client.base_url}{PATH}/stream?after=0") as stream:
        assert stream.status == 200
        found = stream.until(lambda event: event.id == expected[-1][0])
        assert [(event.id, event.json()) for event in found] == expected
        table.play(1)
        (new,) = stream.until(lambda event: event.name == "message")
        assert new.json()["game"] == table.id
    with Stream(f"{client.base_url}{PATH}/stream?after=0", last_event_id=expected[3][0]) as stream:
        found = stream.until(lambda event: event.id == new.id)
        assert [(event.id, event.json()) for event in found] == [*expected[4:], (new.id, new.json())]


def test_a_heartbeat_passes_over_private_rows(client: Client) -> None:
    with Stream(f"{client.base_url}{PATH}/stream") as stream:
        begun = int(stream.position().partition("-")[2])
        People(client, private=True)
        while (beat := stream.next()).json()["position"] == begun:
            assert beat.name == "heartbeat"
        assert beat.name == "heartbeat"
        assert beat.id.endswith(f"-{beat.json()['position']}")
        table = People(client)
        (opened,) = stream.until(lambda event: event.name == "message")
        assert opened.json()["game"] == table.id


def test_deleted_and_erased_games_are_announced(client: Client, database_url: str) -> None:
    deleted, erased = People(client, seats=3, players=1), People(client)
    with Stream(f"{client.base_url}{PATH}/stream") as stream:
        stream.position()
        assert client.delete(deleted.path, headers=bearer(deleted.host)).is_success
        with connected(database_url) as operator:
            operator.wait(operator.service.remove(UUID(erased.id)))
        found = [stream.until(lambda event: event.name == "message")[-1].json() for _ in range(2)]
    assert [(item["game"], [event["type"] for event in item["events"]]) for item in found] == [
        (deleted.id, ["table_deleted"]),
        (erased.id, ["game_removed"]),
    ]
    gone = [item for item in all_items(client) if item["game"] in (deleted.id, erased.id)]
    assert gone == found


def test_streams_count_as_watchers(database_url: str) -> None:
    with (
        running(database_url, log_level="error", watchers_per_client="2") as server,
        client_of(server.url) as client,
        Stream(f"{server.url}{PATH}/stream"),
        Stream(f"{server.url}{PATH}/stream"),
    ):
        for refused in (f"{PATH}/stream", f"{PATH}?wait=5"):
            assert problem(client.get(refused), 429, "too_many_requests")["limit"] == "streams"
        assert client.get(PATH).is_success


def test_the_stream_ends_when_the_server_stops(tmp_path: Path) -> None:
    with running(f"sqlite:///{tmp_path}/games.db", log_level="error") as server:
        with Stream(f"{server.url}{PATH}/stream?after=0") as stream:
            stream.position()
            status, logged = server.stop()
            assert stream.rest() == []
        assert (status, logged) == (0, "")


def test_a_stream_of_history_is_paced_by_the_allowance(tmp_path: Path) -> None:
    """A page that is not in memory costs as much as by a request."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        People(client, start="introductory").play(20)
        page = client.get(PATH)
        cost = 4 + len(page.json()["items"]) / 10 + len(page.content) / 8000

    async def charged(after: str) -> float:
        app = create_app(settings(database_url=url))
        async with app.lifespan(), client_at(app) as client:
            costs = app.state["rate_limit"] = Costs(0)
            newest = (await client.get(PATH)).json()["next"]
            before = sum(costs.taken)
            async with following(app, f"{PATH}/stream?after={newest if after == 'newest' else after}") as stream:
                if after == "0":
                    assert json.loads((await stream.next()).data)["position"] == 1
                else:
                    await stream.position()
            return sum(costs.taken) - before

    assert asyncio.run(charged("newest")) == 0
    assert asyncio.run(charged("0")) == pytest.approx(cost, rel=0.05)


def test_rows_of_private_games_are_paid(tmp_path: Path) -> None:
    """Reading them takes time, although nothing of them is sent."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        for _ in range(40):
            People(client, private=True)

    async def charged(path: str) -> float:
        app = create_app(settings(database_url=url))
        async with app.lifespan(), client_at(app) as client:
            costs = app.state["rate_limit"] = Costs(0)
            if path.startswith(f"{PATH}/stream"):
                async with following(app, path) as stream:
                    await stream.position()
            else:
                await client.get(path)
            return sum(costs.taken)

    for path in (PATH, f"{PATH}?wait=1", f"{PATH}/stream?after=0"):
        assert asyncio.run(charged(path)) >= 4 + 40 / ROWS_LEFT_OUT


def test_streams_without_an_allowance_read_nothing(tmp_path: Path) -> None:
    """Streams that wait for the allowance would otherwise read their pages again and again."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        People(client).play(5)

    async def scene() -> None:
        app = create_app(settings(database_url=url))
        async with app.lifespan(), client_at(app) as client:
            app.state["rate_limit"] = RateLimit(1, HOUR)
            assert (await client.get(PATH)).is_success
            assert (await client.get(f"{PATH}/stream?after=0")).json()["code"] == "too_many_requests"

    asyncio.run(scene())


def test_a_stream_sends_history_in_small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        People(client).play(2 * ROWS_PER_CHUNK)
        rows = len(all_items(client))
    sent: list[int] = []

    async def count(_: LocalStream, message: Any) -> None:
        sent.append(message.get("body", b"").count(b"data: "))

    monkeypatch.setattr(LocalStream, "send", count)

    async def scene() -> None:
        app = create_app(settings(database_url=url))
        async with app.lifespan(), following(app, f"{PATH}/stream?after=0"):
            await soon(lambda: sum(sent) == rows)

    asyncio.run(scene())
    assert max(sent) == ROWS_PER_CHUNK
