"""The stream of many games: lines once at the beginning and whenever they change, also for who was away."""

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
    sqlite = f"sqlite:///{tmp_path_factory.mktemp('lines')}/games.db"
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


def line(client: Client, table: People) -> Any:
    """The line of a game, as the list has it."""
    return next(item for item in client.get("/v1/games?limit=100").json()["items"] if item["id"] == table.id)


def up_to(stream: Stream, name: str, version: int, table: People) -> list[Event]:
    """The events up to that of a game at a version."""
    return stream.until(
        lambda event: event.name == name and event.json()["id"] == table.id and event.json()["version"] == version
    )


def check_nothing_comes_twice(events: list[Event]) -> None:
    seen: dict[tuple[str, str], tuple[int, str]] = {}
    for event in events:
        if event.name in ("game", "listing"):
            told = event.json()
            key, version = (event.name, told["id"]), (told["version"], told["changed"])
            assert version > seen.get(key, (0, ""))
            seen[key] = version
    places = [int(event.id) for event in events if event.id]
    assert places == sorted(places)


def test_named_games_come_at_the_beginning_and_when_they_change(server: Server, client: Client) -> None:
    named, other = [People(client) for _ in range(3)], People(client)
    with follow(server, "&".join(f"game={table.id}" for table in named)) as stream:
        first = [stream.next() for _ in named]
        assert [event.json() for event in first] == [line(client, table) for table in named]
        assert {event.name for event in first} == {"game"}
        assert stream.retry == 2000
        other.play(1)
        named[1].play(2)
        changes = up_to(stream, "game", named[1].version, named[1])
    assert changes[-1].json() == line(client, named[1])
    assert {event.json()["id"] for event in changes} == {named[1].id}
    check_nothing_comes_twice(first + changes)


def test_who_is_cut_off_among_the_first_lines_begins_again(server: Server, client: Client) -> None:
    """No position comes before all of them: with one, the others would never come."""
    tables = [People(client) for _ in range(20)]
    with follow(server, "&".join(f"game={table.id}" for table in tables)) as stream:
        first = [stream.next() for _ in tables]
        assert {event.id for event in first} == {""}
        assert stream.position().isdecimal()


def test_the_list_tells_of_new_games_and_of_those_that_are_gone(server: Server, client: Client) -> None:
    with follow(server, "list=true") as stream:
        stream.position()
        table = People(client, seats=3, players=1)
        opened = up_to(stream, "listing", table.version, table)[-1]
        assert opened.json() == line(client, table)
        client.delete(table.path, headers={"authorization": f"Bearer {table.host}"})
        gone = stream.until(lambda event: event.name == "gone")[-1]
    assert gone.json() == {"id": table.id}
    with follow(server, "list=true", opened.id) as stream:
        assert stream.until(lambda event: event.name == "gone")[-1] == gone


def test_a_game_that_an_operator_removes_is_told_as_gone_unless_it_is_private(
    server: Server, database_url: str, client: Client
) -> None:
    private, public = People(client, private=True), People(client)
    with follow(server, "list=true") as listed, follow(server, f"game={public.id}") as named:
        place = listed.position()
        named.position()
        with connected(database_url) as operator:
            for table in (private, public):
                operator.wait(operator.service.remove(UUID(table.id)))
        for stream in (listed, named):
            assert stream.until(lambda event: event.name == "gone")[-1].json() == {"id": public.id}
    with follow(server, "list=true", place) as resumed:
        last = People(client)
        events = up_to(resumed, "listing", last.version, last)
    assert [event.json()["id"] for event in events if event.name == "gone"] == [public.id]


def test_a_private_game_that_is_removed_is_told_as_gone_to_who_has_named_it(
    server: Server, database_url: str, client: Client
) -> None:
    private, public = People(client, private=True), People(client)
    with follow(server, f"game={private.id}&game={public.id}", token=private.host) as stream:
        stream.position()
        with connected(database_url) as operator:
            operator.wait(operator.service.remove(UUID(private.id)))
        assert stream.until(lambda event: event.name == "gone")[-1].json() == {"id": private.id}
        for _ in range(2):  # after which the token has been looked up again
            assert stream.next().name == "heartbeat"
        public.play(1)
        assert up_to(stream, "game", public.version, public)[-1].json() == line(client, public)


def test_quick_changes_may_be_told_once_but_the_last_one_is(server: Server, client: Client) -> None:
    table = People(client, undo="free")
    with follow(server, f"game={table.id}&list=true") as stream:
        stream.position()
        table.play(2)
        for _ in range(50):
            for act in ("/undo", "/redo"):
                assert table.post(act, table.host, {}).is_success
        expected = line(client, table)
        events = stream.until(lambda event: event.name == "listing" and event.json() == expected)
    check_nothing_comes_twice(events)


def test_who_was_away_gets_what_has_changed_since_and_nothing_else(server: Server, client: Client) -> None:
    kept, changed, gone = People(client), People(client), People(client, seats=3, players=1)
    with follow(server, f"game={kept.id}&list=true") as stream:
        place = stream.position()
    changed.play(3)
    client.delete(gone.path, headers={"authorization": f"Bearer {gone.host}"})
    for _ in range(2):  # the same for everybody who was there, whoever else has asked since
        last = People(client)
        with follow(server, f"game={kept.id}&list=true", place) as stream:
            events = up_to(stream, "listing", last.version, last)
        assert [event.json()["id"] for event in events[:2]] == [changed.id, gone.id]
        assert [event.name for event in events[:2]] == ["listing", "gone"]
        assert kept.id not in {event.json()["id"] for event in events}
        check_nothing_comes_twice(events)


def test_heartbeats_have_the_position_also_while_other_games_go_on(server: Server, client: Client) -> None:
    quiet, busy = People(client), People(client, undo="free")
    busy.play(1)
    with ThreadPoolExecutor(1) as threads, follow(server, f"game={quiet.id}") as stream:
        stream.next()
        place = int(stream.position())
        heard = threads.submit(heartbeat_beyond, stream, place)
        while not heard.done():
            for act in ("/undo", "/redo"):
                assert busy.post(act, busy.host, {}).is_success
        beat = heard.result()
    assert beat.name == "heartbeat"
    assert beat.json() == {"position": int(beat.id)}


def heartbeat_beyond(stream: Stream, place: int) -> Event:
    """Wait for a heartbeat that has a later position."""
    until = monotonic() + GUARD
    while int((beat := stream.next()).id) <= place:
        assert monotonic() < until
    return beat


def test_no_more_than_a_hundred_games_may_be_named(client: Client) -> None:
    table = People(client)
    problem(client.get("/v1/stream?" + f"game={table.id}&" * 101), 400, "invalid_parameter")
    problem(client.get("/v1/stream"), 400, "invalid_parameter")


def test_a_position_that_is_none_is_refused(client: Client) -> None:
    problem(client.get("/v1/stream?list=true", headers={"last-event-id": "x"}), 400, "invalid_header")
