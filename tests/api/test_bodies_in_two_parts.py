"""Requests whose token is renewed before the body arrives are refused, and store nothing.

The door checks the token when the head has arrived. The body may take another 30 seconds.
"""

import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPResponse
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from httpx import Client

from api.web.documents import DOCUMENT
from tests.api.people import People, bearer, late_table, serving
from tests.api.server import RESPONSE_SECONDS, client_of, running
from tests.support.postgres import empty_database

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
OPERATIONS: dict[str, tuple[str, Any]] = {
    operation["operationId"]: (path, operation)
    for path, methods in CURRENT["paths"].items()
    for operation in methods.values()
    if "{game_id}" in path and "requestBody" in operation
}
"""Every documented operation that names a game and takes a body: its id and path."""

FOR_THE_HOST = {"start_game", "close_table", "renew_token", "renew_host_token", "admit_spectator", "hand_over"}
BEFORE_THE_START = {"start_game", "close_table", "take_seat"}
CALLS = [
    (operation, holder)
    for operation in OPERATIONS
    for holder in ("host", "seat")
    if holder == "host" or operation not in FOR_THE_HOST
]
"""Each operation with each kind of token that it accepts."""

SEAT = 0
"""The seat whose token is renewed."""

KEY = "0d5f4c1e3f0b4f6e9d3c5a1f2b3c4d5e"


class Site(NamedTuple):
    """Two servers on one database, and an application in this process, whose clock a test can shift."""

    url: str
    one: Client
    other: Client
    local: Client

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all stored events, tokens and keys."""
        tables = ("stored_events", "tokens", "keys")
        if self.url.startswith("sqlite"):
            with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"))) as file:
                return {table: sorted(file.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}
        with psycopg.connect(self.url) as database:
            return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Site]:
    with ExitStack() as stack:
        if request.param == "sqlite":
            url = f"sqlite:///{tmp_path_factory.mktemp('parts')}/games.db"
        else:
            url = stack.enter_context(empty_database(postgres_url))
        addresses = [stack.enter_context(running(url, log_level="error", bot_workers="0")).url for _ in range(2)]
        one, other = (stack.enter_context(client_of(address)) for address in addresses)
        yield Site(url, one, other, stack.enter_context(serving(database_url=url, bot_workers=0)))


class RefusedEarly(Exception):
    """The server has sent this head of a response without waiting for the body."""


class HalfSent:
    """A request of which the server has the head and one byte of the body."""

    def __init__(self, client: Client, path: str, token: str, body: bytes, key: str = "") -> None:
        address = urlsplit(str(client.base_url))
        self._rest = body[1:]
        self._connection = socket.create_connection((str(address.hostname), int(address.port or 0)), RESPONSE_SECONDS)
        head = [f"POST {path} HTTP/1.1", "Host: x", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        head += ["Expect: 100-continue", *(f"{name}: {value}" for name, value in bearer(token).items())]
        head += [f"Idempotency-Key: {key}"] if key else []
        try:
            self._connection.sendall("\r\n".join([*head, "", ""]).encode() + body[:1])
            head_received = self._received()  # the server sends 100 when it reads the body
            if head_received != b"HTTP/1.1 100 Continue\r\n\r\n":
                raise RefusedEarly(head_received)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def finish(self) -> httpx.Response:
        """Send the rest of the body, and return the response."""
        self._connection.sendall(self._rest)
        with HTTPResponse(self._connection, method="POST") as received:
            received.begin()
            return httpx.Response(received.status, headers=received.getheaders(), content=received.read())

    def _received(self) -> bytes:
        """Return all bytes up to the first empty line."""
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            byte = self._connection.recv(1)
            assert byte, received
            received += byte
        return received


class Call:
    """A request with a token, for a table in a suitable state."""

    def __init__(self, site: Site, operation: str, holder: str, private: bool) -> None:
        agree = operation == "answer_undo"
        options: dict[str, Any] = {
            "undo": "agree" if agree else "free",
            "hot_seat": True,
            "private": private,
        }
        if operation in ("leave_to_bot", "hand_over"):
            self.table = late_table(site.local, seats=3, **options, first_player=1)
            self.table.client = site.one
        else:
            players = 2 if operation in BEFORE_THE_START else 3
            self.table = People(site.one, seats=3, players=players, start="introductory", **options)
        self.body: Any = self._prepare(operation, holder)
        self.path = OPERATIONS[operation][0].replace("{game_id}", self.table.id).replace("{seat}", "1")
        self.success = min(int(status) for status in OPERATIONS[operation][1]["responses"])
        self.token = self.table.host if holder == "host" else self.table.tokens[SEAT]
        self.renewal = "/host-token" if holder == "host" else f"/seats/{SEAT}/token"

    def _prepare(self, operation: str, holder: str) -> Any:
        """Bring the table to a suitable state, and return a body that fits it."""
        bodies: dict[str, Any] = {
            "play_move": {"type": "end_turn"},
            "preview_moves": {"type": "end_turn"},
            "answer_undo": {"accept": True},
            "leave_to_bot": {"seat": 1},
            "hand_over": {"name": "Zoe"},
            "take_seat": {"bot": "random"} if holder == "host" else {"name": "Zoe"},
        }
        if operation in ("undo", "redo", "answer_undo"):
            self._post("/moves", self.table.tokens[SEAT], {"type": "end_turn"})
        if operation == "hand_over":
            self._post("/absence", self.table.host, {"seat": 1})
        if operation == "ask_for_rematch":
            for seat in (0, 1):
                self._post("/moves", self.table.tokens[seat], {"type": "resign"})
        if operation == "redo":
            self._post("/undo", self.table.tokens[SEAT], {})
        if operation == "answer_undo":
            self._post("/undo", self.table.tokens[1], {})
        return bodies.get(operation, {})

    def _post(self, action: str, token: str, body: Any) -> None:
        done = self.table.post(action, token, body)
        assert done.is_success, done.text

    def half_sent(self, client: Client, key: str) -> HalfSent:
        return HalfSent(client, self.path, self.token, json.dumps(self.body).encode(), key)

    def renew(self, client: Client) -> str:
        """Let the host renew the token of this request, and return the new one."""
        renewed = client.post(self.table.path + self.renewal, json={}, headers=bearer(self.table.host))
        assert renewed.status_code == 201, renewed.text
        return str(renewed.json().get("token") or renewed.json()["host_token"])


def check_refused(response: httpx.Response) -> None:
    """Check that a response refuses the token and holds nothing else."""
    assert response.status_code == 401, response.text
    assert response.json()["code"] == "token_unknown"
    assert response.headers["content-type"] == "application/problem+json"
    fields = response.json().keys()
    assert fields <= {"type", "title", "status", "detail", "code", "instance", "request_id"}, fields


def test_the_operations_with_a_body_are_found() -> None:
    playing = {"play_move", "preview_moves", "undo", "redo", "answer_undo"}
    playing |= {"take_seat", "fork_game", "ask_for_rematch", "leave_to_bot"}
    assert OPERATIONS.keys() == FOR_THE_HOST | playing


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
@pytest.mark.parametrize("key", ["", KEY], ids=["no key", "key"])
@pytest.mark.parametrize(("operation", "holder"), CALLS)
def test_a_token_renewed_before_the_body_arrives_is_refused(
    site: Site, operation: str, holder: str, key: str, private: bool
) -> None:
    call = Call(site, operation, holder, private)
    with call.half_sent(site.one, key) as request:
        new = call.renew(site.one)
        before = site.rows()
        check_refused(request.finish())
    assert site.rows() == before
    assert site.one.get(call.table.path, headers=bearer(new)).is_success


@pytest.mark.parametrize(("operation", "holder"), CALLS)
def test_a_token_renewed_by_another_process_is_refused(site: Site, operation: str, holder: str) -> None:
    call = Call(site, operation, holder, private=True)
    with call.half_sent(site.one, KEY) as request:
        call.renew(site.other)
        before = site.rows()
        check_refused(request.finish())
    assert site.rows() == before


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
@pytest.mark.parametrize(("operation", "holder"), CALLS)
def test_without_a_renewal_the_request_succeeds(site: Site, operation: str, holder: str, private: bool) -> None:
    call = Call(site, operation, holder, private)
    with call.half_sent(site.one, "") as request:
        before = site.rows()
        response = request.finish()
    assert response.status_code == call.success, response.text
    assert (site.rows() == before) == (operation == "preview_moves")


REPEATED = [call for call in CALLS if call[0] not in ("preview_moves", "renew_host_token", "ask_for_rematch")]
"""The calls with an idempotency key; the host repeats a renewal of the host's token with the new token."""


@pytest.mark.parametrize(("operation", "holder"), REPEATED)
def test_a_repeated_request_with_a_renewed_token_is_refused(site: Site, operation: str, holder: str) -> None:
    call = Call(site, operation, holder, private=True)
    with call.half_sent(site.one, KEY) as request:
        first = request.finish()
    assert first.status_code == call.success, first.text
    with call.half_sent(site.one, KEY) as request:
        again = request.finish()
    assert (again.status_code, again.content) == (first.status_code, first.content)
    with call.half_sent(site.one, KEY) as request:
        call.renew(site.one)
        check_refused(request.finish())


@pytest.mark.parametrize("operation", ["renew_token", "renew_host_token", "admit_spectator", "fork_game", "hand_over"])
def test_a_former_host_gets_no_new_tokens(site: Site, operation: str) -> None:
    """Several requests wait with the old token, some with keys; after the renewal all of them fail."""
    call = Call(site, operation, "host", private=True)
    with ExitStack() as stack:
        requests = [stack.enter_context(call.half_sent(site.one, key)) for key in ("", KEY, KEY[::-1])]
        new = call.renew(site.one)
        before = site.rows()
        for request in requests:
            check_refused(request.finish())
    assert site.rows() == before
    assert site.one.post(f"{call.table.path}/spectators", headers=bearer(new)).status_code == 201


def test_a_dismissed_spectator_sees_no_preview(site: Site) -> None:
    call = Call(site, "preview_moves", "seat", private=True)
    call.token = call.table.post("/spectators", call.table.host).json()["token"]
    with call.half_sent(site.one, "") as request:
        gone = site.one.delete(f"{call.table.path}/spectators", headers=bearer(call.table.host))
        assert gone.status_code == 204
        check_refused(request.finish())


def test_every_waiting_request_had_permission_before(site: Site) -> None:
    """The server never reads the body of a request that the door refuses."""
    call = Call(site, "play_move", "seat", private=True)
    call.token = "nobody-has-this"
    with pytest.raises(RefusedEarly, match=" 401 Unauthorized"):
        call.half_sent(site.one, "")
