"""The stream of the lobby: each entry once at the beginning and after each change, also for clients that reconnect."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any
from uuid import UUID

import pytest
from httpx import Client

from tests.api.people import People, problem
from tests.api.server import Server, client_of, running
from tests.api.sse import GUARD, Event, Stream
from tests.store.clients import connected


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> str:
    sqlite = f"sqlite:///{tmp_path_factory.mktemp('lobby')}/games.db"
    return sqlite if request.param == "sqlite" else postgres_url


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Server]:
    with running(database_url, log_level="warning", heartbeat="1") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with client_of(server.url) as client:
        yield client


def follow(server: Server, query: str, last_event_id: str = "", token: str = "") -> Stream:
    return Stream(f"{server.url}/v1/stream?{query}", last_event_id=last_event_id, token=token)


def entry(client: Client, table: People) -> Any:
    """The entry of a game in the lobby."""
    return next(item for item in client.get("/v1/games?limit=100").json()["items"] if item["id"] == table.id)


def up_to(stream: Stream, name: str, version: int, table: People) -> list[Event]:
    """The events up to the one of a game at a version."""
    return stream.until(
        lambda event: event.name == name and event.json()["id"] == table.id and event.json()["version"] == version
    )


def check_no_repetition(events: list[Event]) -> None:
    seen: dict[tuple[str, str], tuple[int, str]] = {}
    for event in events:
        if event.name in ("game", "listing"):
            shown = event.json()
            key, version = (event.name, shown["id"]), (shown["version"], shown["changed"])
            assert version > seen.get(key, (0, ""))
            seen[key] = version
    positions = [int(event.id) for event in events if event.id]
    assert positions == sorted(positions)


def test_named_games_are_sent_at_the_beginning_and_after_changes(server: Server, client: Client) -> None:
    named, other = [People(client) for _ in range(3)], People(client)
    with follow(server, "&".join(f"game={table.id}" for table in named)) as stream:
        first = [stream.next() for _ in named]
        assert [event.json() for event in first] == [entry(client, table) for table in named]
        assert {event.name for event in first} == {"game"}
        assert stream.retry == 2000
        other.play(1)
        named[1].play(2)
        changes = up_to(stream, "game", named[1].version, named[1])
    assert changes[-1].json() == entry(client, named[1])
    assert {event.json()["id"] for event in changes} == {named[1].id}
    check_no_repetition(first + changes)


def test_clients_cut_off_among_the_first_entries_start_again(server: Server, client: Client) -> None:
    """The first entries have no position: with one, the rest would never be sent."""
    tables = [People(client) for _ in range(20)]
    with follow(server, "&".join(f"game={table.id}" for table in tables)) as stream:
        first = [stream.next() for _ in tables]
        assert {event.id for event in first} == {""}
        assert stream.position().isdecimal()


def test_the_stream_sends_new_and_deleted_games(server: Server, client: Client) -> None:
    with follow(server, "list=true") as stream:
        stream.position()
        table = People(client, seats=3, players=1)
        opened = up_to(stream, "listing", table.version, table)[-1]
        assert opened.json() == entry(client, table)
        client.delete(table.path, headers={"authorization": f"Bearer {table.host}"})
        gone = stream.until(lambda event: event.name == "gone")[-1]
    assert gone.json() == {"id": table.id}
    with follow(server, "list=true", opened.id) as stream:
        assert stream.until(lambda event: event.name == "gone")[-1] == gone


def test_a_removed_game_is_sent_as_gone_unless_it_is_private(server: Server, database_url: str, client: Client) -> None:
    private, public = People(client, private=True), People(client)
    with follow(server, "list=true") as lobby, follow(server, f"game={public.id}") as named:
        position = lobby.position()
        named.position()
        with connected(database_url) as operator:
            for table in (private, public):
                operator.wait(operator.service.remove(UUID(table.id)))
        for stream in (lobby, named):
            assert stream.until(lambda event: event.name == "gone")[-1].json() == {"id": public.id}
    with follow(server, "list=true", position) as resumed:
        last = People(client)
        events = up_to(resumed, "listing", last.version, last)
    assert [event.json()["id"] for event in events if event.name == "gone"] == [public.id]


def test_a_removed_private_game_is_sent_as_gone_to_clients_that_named_it(
    server: Server, database_url: str, client: Client
) -> None:
    private, public = People(client, private=True), People(client)
    with follow(server, f"game={private.id}&game={public.id}", token=private.host) as stream:
        stream.position()
        with connected(database_url) as operator:
            operator.wait(operator.service.remove(UUID(private.id)))
        assert stream.until(lambda event: event.name == "gone")[-1].json() == {"id": private.id}
        for _ in range(2):  # by then the token has been looked up again
            assert stream.next().name == "heartbeat"
        public.play(1)
        assert up_to(stream, "game", public.version, public)[-1].json() == entry(client, public)


def test_quick_changes_may_be_skipped_except_the_last_one(server: Server, client: Client) -> None:
    table = People(client, undo="free")
    with follow(server, f"game={table.id}&list=true") as stream:
        stream.position()
        table.play(2)
        for _ in range(50):
            for act in ("/undo", "/redo"):
                assert table.post(act, table.host, {}).is_success
        expected = entry(client, table)
        events = stream.until(lambda event: event.name == "listing" and event.json() == expected)
    check_no_repetition(events)


def test_reconnecting_clients_get_only_later_changes(server: Server, client: Client) -> None:
    kept, changed, gone = People(client), People(client), People(client, seats=3, players=1)
    with follow(server, f"game={kept.id}&list=true") as stream:
        position = stream.position()
    changed.play(3)
    client.delete(gone.path, headers={"authorization": f"Bearer {gone.host}"})
    for _ in range(2):  # the same for every client with this position
        last = People(client)
        with follow(server, f"game={kept.id}&list=true", position) as stream:
            events = up_to(stream, "listing", last.version, last)
        assert [event.json()["id"] for event in events[:2]] == [changed.id, gone.id]
        assert [event.name for event in events[:2]] == ["listing", "gone"]
        assert kept.id not in {event.json()["id"] for event in events}
        check_no_repetition(events)


def test_heartbeats_have_the_position_even_while_other_games_go_on(server: Server, client: Client) -> None:
    quiet, busy = People(client), People(client, undo="free")
    busy.play(1)
    with ThreadPoolExecutor(1) as threads, follow(server, f"game={quiet.id}") as stream:
        stream.next()
        position = int(stream.position())
        heard = threads.submit(heartbeat_beyond, stream, position)
        while not heard.done():
            for act in ("/undo", "/redo"):
                assert busy.post(act, busy.host, {}).is_success
        beat = heard.result()
    assert beat.name == "heartbeat"
    assert beat.json() == {"position": int(beat.id)}


def heartbeat_beyond(stream: Stream, position: int) -> Event:
    """Wait for a heartbeat with a later position."""
    until = monotonic() + GUARD
    while int((beat := stream.next()).id) <= position:
        assert monotonic() < until
    return beat


def test_at_most_a_hundred_games_can_be_named(client: Client) -> None:
    table = People(client)
    problem(client.get("/v1/stream?" + f"game={table.id}&" * 101), 400, "invalid_parameter")
    problem(client.get("/v1/stream"), 400, "invalid_parameter")


def test_an_invalid_position_is_refused(client: Client) -> None:
    problem(client.get("/v1/stream?list=true", headers={"last-event-id": "x"}), 400, "invalid_header")
