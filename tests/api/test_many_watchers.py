"""Many watchers at once: all see every change, closed streams free their permits, and slow readers are bounded."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, problem
from tests.api.server import Server, client_of, running
from tests.api.sse import GUARD, Stream, ids_and_data, stored
from tests.api.test_watching import leave_open
from tests.store.clients import connected, store_undos_and_redos
from tests.support.waiting import until

MANY = 1000
GAMES = 100
PLENTY = {
    "log_level": "warning",
    "watchers": str(2 * MANY),
    "watchers_per_client": str(2 * MANY),
}
MEGABYTE = 1024


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def served(stack: ExitStack, url: str = "memory:", **settings: Any) -> tuple[Server, Client]:
    server = stack.enter_context(running(url, **{**PLENTY, **settings}))
    return server, stack.enter_context(client_of(server.url))


def test_a_thousand_watchers_of_a_game_see_every_move_until_the_server_stops(stack: ExitStack) -> None:
    server, client = served(stack)
    table = People(client, undo="free")
    before = table.version
    watching = [stack.enter_context(Stream(f"{server.url}{table.path}/stream")) for _ in range(MANY)]
    table.play(7)
    assert table.post("/undo", table.host, {}).is_success
    version, expected = table.version, stored(client, table.path, after=before)
    for watched in watching:
        assert ids_and_data(watched.up_to(version)) == expected
    server.process.send_signal(signal.SIGTERM)
    for watched in watching:
        assert {event.name for event in watched.rest()} <= {"heartbeat"}
    assert server.process.wait(GUARD) == 0


def test_a_hundred_pages_with_a_hundred_games_see_every_change(stack: ExitStack) -> None:
    server, client = served(stack)
    tables = [People(client) for _ in range(GAMES)]
    query = "&".join(f"game={table.id}" for table in tables)
    pages = [stack.enter_context(Stream(f"{server.url}/v1/stream?{query}&list=true")) for _ in range(GAMES)]
    for page in pages:
        assert {page.next().json()["id"] for _ in tables} == {table.id for table in tables}
    for table in tables:
        table.play(2)
    entries = {entry["id"]: entry for entry in client.get("/v1/games?limit=100").json()["items"]}
    assert len(entries) == GAMES
    for page in pages:
        waiting = {(name, game) for name in ("game", "listing") for game in entries}
        versions: dict[tuple[str, str], tuple[int, str]] = {}
        while waiting:
            event = page.next()
            if event.name == "heartbeat":
                continue
            entry = event.json()
            key = event.name, entry["id"]
            assert versions.get(key, (0, "")) < (entry["version"], entry["changed"])
            versions[key] = entry["version"], entry["changed"]
            if entry == entries[entry["id"]]:
                waiting.remove(key)


def memory(server: Server) -> int:
    """The resident memory of the server's processes in kilobytes."""
    found = subprocess.run(
        ["ps", "-o", "rss=", "--ppid", str(server.process.pid)], capture_output=True, text=True, check=True
    )
    return sum(map(int, found.stdout.split()))


def test_slow_readers_are_not_buffered_and_miss_nothing(stack: ExitStack, tmp_path: Path) -> None:
    """The server holds less than 150 MB for 60 clients that do not read megabytes of events."""
    url = f"sqlite:///{tmp_path}/games.db"
    with connected(url) as store:
        game = store.started().id
        store.play(game, 4)
    server, client = served(stack, url)
    path = f"/v1/games/{game}"
    early = stack.enter_context(Stream(f"{server.url}{path}/stream?after=0", buffer=4096))
    version = store_undos_and_redos(url, game, decisions=400, events=100)
    expected = stored(client, path)
    before = memory(server)
    late = [stack.enter_context(Stream(f"{server.url}{path}/stream?after=0", buffer=4096)) for _ in range(60)]
    last = stack.enter_context(Stream(f"{server.url}{path}/stream?after=0"))
    assert ids_and_data(last.up_to(version)) == expected
    assert memory(server) - before < 150 * MEGABYTE < len(late) * sum(len(data) for _, data in expected) / 1024
    for watched in (early, late[0]):
        assert ids_and_data(watched.up_to(version)) == expected


def test_closed_streams_free_their_permits_even_before_the_first_byte(stack: ExitStack) -> None:
    server, client = served(stack, watchers=str(MANY), watchers_per_client=str(MANY))
    table = People(client)
    paths = [f"{table.path}/stream", f"/v1/stream?game={table.id}", "/v1/stream?list=true"]
    for path in paths:
        with ExitStack() as leaving:
            for _ in range(MANY):
                leaving.enter_context(leave_open(server.url, path))
    for number in range(MANY):
        stay(stack, f"{server.url}{paths[number % 3]}")
    problem(client.get(paths[0]), 429, "too_many_requests")


def stay(stack: ExitStack, url: str) -> None:
    """Open a stream as soon as a permit is free."""

    def opened() -> Stream | None:
        stream = Stream(url)
        if stream.status == 200:
            return stream
        stream.close()
        return None

    stack.enter_context(until(opened))


def test_streams_are_limited_for_each_client_and_in_all(stack: ExitStack) -> None:
    settings = {"watchers": "3", "watchers_per_client": "2", "trusted_proxies": "127.0.0.1"}
    server, client = served(stack, **settings)
    table = People(client)
    one, other = {"x-forwarded-for": "192.0.2.1"}, {"x-forwarded-for": "192.0.2.2"}
    paths = [f"{table.path}/stream", "/v1/stream?list=true"]
    for path in paths:
        assert stack.enter_context(Stream(server.url + path, headers=one)).status == 200
    for path in (*paths, f"{table.path}/events?wait=20&after={table.version}"):
        refused = client.get(path, headers=one)
        told = problem(refused, 429, "too_many_requests")
        assert (told["limit"], told["retry_after"]) == ("streams", None), "waiting does not close a stream"
    assert stack.enter_context(Stream(server.url + paths[0], headers=other)).status == 200
    told = problem(client.get(paths[1], headers=other), 429, "too_many_requests")
    assert (told["limit"], told["retry_after"]) == ("streams", 2)
