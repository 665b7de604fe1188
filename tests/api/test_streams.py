"""The stream of one game: its events, its beginning and its end."""

import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from httpx import Client

from tests.api.people import NOWHERE, People, problem
from tests.api.server import Server, client_of, running
from tests.api.sse import GUARD, Parser, Stream, ids_and_data, stored
from tests.store.clients import connected, database_statements, store_undos_and_redos


@pytest.fixture(scope="module")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('streams')}/games.db"


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Server]:
    with running(database_url, log_level="warning", heartbeat="1") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with client_of(server.url) as client:
        yield client


def stream(table: People, query: str = "", last_event_id: str = "", token: str = "") -> Stream:
    return Stream(f"{table.client.base_url}{table.path}/stream{query}", last_event_id=last_event_id, token=token)


def test_a_stream_is_parsed_by_the_standard() -> None:
    parser = Parser()
    sent = b"\xef\xbb\xbf: hello\r\n\r\nid: 1\ndata:a\rdata:  b\r\n\r\n\nevent: x\ndata\n\n"
    sent += b"retry: 7\nid\n\nevent: y\n\nid: 9"
    events = [event for byte in sent for event in parser.feed(bytes([byte]))]
    assert events == [("message", "a\n b", "1"), ("x", "", "1")]
    assert (parser.retry, parser.last_event_id) == (7, "")


def test_the_stream_sends_every_stored_event_including_undone_ones(client: Client) -> None:
    table = People(client, undo="free")
    with stream(table) as watched:
        assert watched.status == 200
        assert watched.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert watched.headers["cache-control"] == "no-store"
        assert watched.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in watched.headers
        before = table.version
        table.play(6)
        for act in ("/undo", "/undo", "/redo"):
            assert table.post(act, table.host, {}).is_success
        events = watched.up_to(table.version)
        assert watched.retry == 2000
    assert ids_and_data(events) == stored(client, table.path, after=before)
    assert {event.name for event in events} == {"message"}
    assert {event.json()["type"] for event in events} >= {"undone", "redone"}


def test_a_client_cut_off_before_the_first_event_can_resume(client: Client) -> None:
    table = People(client)
    with stream(table, f"?after={table.version - 1}") as watched:
        watched.next()
    with stream(table) as watched:
        assert watched.position() == str(table.version)


def test_each_decision_is_sent_whole(client: Client) -> None:
    table = People(client)
    address = urlsplit(str(client.base_url))
    with socket.create_connection((str(address.hostname), int(address.port or 0)), GUARD) as connection:
        connection.sendall(f"GET {table.path}/stream?after=0 HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        table.play(8)
        received = b""
        while b"id: %d\n" % table.version not in received:
            received += connection.recv(65536)
        while not received.endswith(b"\r\n"):
            received += connection.recv(65536)
    chunks = re.split(rb"\r\n[0-9A-Fa-f]+\r\n", received.partition(b"\r\n\r\n")[2])
    received_at_once = [[event for event in Parser().feed(chunk) if event.name != "heartbeat"] for chunk in chunks]
    times = [{event.json()["at"] for event in events} for events in received_at_once]
    decisions = [time for each in times for time in each]
    assert all(len(each) <= 1 for each in times)
    assert len(decisions) == len(set(decisions)) == len({at["at"] for at in table.seen("/events")["items"]})


def test_an_idle_stream_sends_heartbeats_with_the_version(client: Client) -> None:
    table = People(client)
    with stream(table) as watched:
        beats = [watched.next(), watched.next()]
    assert [(beat.name, beat.data) for beat in beats] == [("heartbeat", f'{{"version":{table.version}}}')] * 2
    assert watched.last_event_id == str(table.version)


def test_heartbeats_are_sent_even_while_other_games_go_on(client: Client) -> None:
    """Every commit wakes the watchers of private games, since it may revoke their tokens."""
    quiet, busy = People(client, private=True), People(client, undo="free")
    busy.play(1)
    with ThreadPoolExecutor(1) as threads, stream(quiet, token=quiet.host) as watched:
        heard = threads.submit(watched.next)
        while not heard.done():
            assert busy.post("/undo", busy.host, {}).is_success
            assert busy.post("/redo", busy.host, {}).is_success
        assert heard.result().name == "heartbeat"


def test_a_stream_begins_at_the_requested_version(client: Client) -> None:
    table = People(client)
    table.play(8)
    whole, version = stored(client, table.path), table.version
    for query, last_event_id, after in (
        ("?after=0", "", 0),
        ("?after=3", "", 3),
        ("?after=0", "5", 5),
        ("", "0", 0),
        ("", str(version - 2), version - 2),
    ):
        with stream(table, query, last_event_id) as watched:
            assert ids_and_data(watched.up_to(version)) == whole[after:], (query, last_event_id)


def test_a_stream_resumes_after_any_version_even_within_a_decision(client: Client) -> None:
    table = People(client)
    table.play(3)
    whole, version = stored(client, table.path), table.version
    with stream(table):  # new events are kept in memory from here on
        table.play(3, seed=2)
        whole, before = stored(client, table.path), version
        for after in range(before - 3, table.version):
            with stream(table, last_event_id=str(after)) as watched:
                assert ids_and_data(watched.up_to(table.version)) == whole[after:], after


@pytest.mark.parametrize(
    ("query", "last_event_id"), [("", "100"), ("", str(10**15)), ("?after=100", ""), (f"?after={2**31 - 1}", "")]
)
def test_a_position_beyond_the_end_means_the_end(client: Client, query: str, last_event_id: str) -> None:
    table = People(client, undo="free")
    table.play(1)
    version = table.version
    with stream(table, query, last_event_id) as watched:
        assert watched.next().name == "heartbeat"
        assert watched.position() == str(version)
        for act in ("/undo", "/redo", "/undo"):
            assert table.post(act, table.host, {}).is_success
        assert [event.id for event in watched.up_to(version + 3)] == [str(version + n) for n in (1, 2, 3)]


def test_a_long_game_is_sent_completely(client: Client, database_url: str) -> None:
    table = People(client, undo="free")
    table.play(4)
    newest = store_undos_and_redos(database_url, UUID(table.id), decisions=60, events=70)
    with stream(table, "?after=0") as watched:
        assert ids_and_data(watched.up_to(newest)) == stored(client, table.path)


@pytest.mark.parametrize("malformed", ["-1", "x", "1.5", "1 2", "٣", "9" * 19, "0x10", "1,2"])
def test_a_malformed_last_event_id_is_refused(client: Client, malformed: str) -> None:
    table = People(client)
    response = table.get("/stream", headers={"last-event-id": malformed.encode()})
    assert "Last-Event-ID" in str(problem(response, 400, "invalid_header")["errors"])


@pytest.mark.parametrize("after", ["-1", "x", "1.5", str(2**31), ""])
def test_a_malformed_beginning_is_refused(client: Client, after: str) -> None:
    problem(People(client).get("/stream", params={"after": after}), 400, "invalid_parameter")


@pytest.mark.parametrize("path", [f"/v1/games/{NOWHERE}/stream", "/v1/games/7/stream", f"/v1/stream?game={NOWHERE}"])
def test_an_unknown_game_has_no_stream(client: Client, path: str) -> None:
    problem(client.get(path), 404, "game_not_found")


def test_head_returns_at_once(client: Client) -> None:
    table = People(client)
    for path in (f"{table.path}/stream", f"{table.path}/stream?after=0", "/v1/stream?list=true"):
        response = client.head(path)
        assert (response.status_code, response.content) == (200, b"")
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
    problem(client.get(f"/v1/games/{NOWHERE}/stream"), 404, "game_not_found")


def test_a_deleted_table_ends_its_streams(client: Client) -> None:
    table = People(client, seats=3, players=1)
    with stream(table) as watched:
        assert client.delete(table.path, headers={"authorization": f"Bearer {table.host}"}).is_success
        assert {event.name for event in watched.rest()} <= {"heartbeat"}
    problem(table.get("/stream"), 404, "game_not_found")


@pytest.mark.parametrize("private", [False, True])
def test_a_removed_game_ends_its_streams(client: Client, database_url: str, private: bool) -> None:
    table = People(client, private=private)
    with stream(table, token=table.host) as watched, connected(database_url) as operator:
        operator.wait(operator.service.remove(UUID(table.id)))
        assert {event.name for event in watched.rest()} <= {"heartbeat"}
    problem(table.get("/stream"), 404, "game_not_found")


def test_a_damaged_game_has_no_stream(client: Client, database_url: str) -> None:
    with connected(database_url) as other:
        game = other.started().id
    with database_statements(database_url) as run:
        run(
            "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version > 1", b"broken", game.hex
        )
    problem(client.get(f"/v1/games/{game}/stream"), 503, "game_unreadable")
    problem(client.get(f"/v1/stream?game={game}"), 503, "game_unreadable")
