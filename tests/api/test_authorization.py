"""Every operation of a game, by every caller, with and without the key of the application that opened it.

The document says which tokens an operation admits; this compares what the server does, in public and private games of
each status. The key of an application changes nothing.
"""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest
from httpx import Client, Response

from api.web.documents import DOCUMENT
from tests.api.app_keys import new_key
from tests.api.people import People, bearer, serving

PREFIX = "/v1/games/{game_id}"

ROLES = ("nobody", "unknown", "foreign", "seat", "host", "spectator")
STATUSES = ("open", "playing", "finished")

BODIES: dict[str, Any] = {
    "play_move": {"type": "end_turn"},
    "preview_moves": {"type": "end_turn"},
    "answer_undo": {"accept": True},
    "leave_to_bot": {"seat": 1},
    "hand_over": {"name": "Zoe"},
    "take_seat": {"name": "Zoe"},
}
QUERIES = {"list_refusals": "?target=denver"}
ENDLESS = ("stream_events",)

AT_SOME_TABLES = {("answer_undo", "host"), ("come_back", "host")}
"""Operations that admit the host at hot seats, and for proposals, only."""


class Operation(NamedTuple):
    name: str
    method: str
    path: str
    admitted: frozenset[str]
    """The roles with tokens that the document names, and `anybody`."""


OPERATIONS = [
    Operation(
        operation["operationId"],
        method.upper(),
        path.removeprefix(PREFIX),
        frozenset(next(iter(one), "anybody") for one in operation["security"]),
    )
    for path, methods in json.loads(DOCUMENT.read_bytes())["paths"].items()
    if path.startswith(PREFIX)
    for method, operation in methods.items()
    if operation["operationId"] != "list_refs"
]


def is_admitted(operation: Operation, role: str, private: bool, status: str) -> bool:
    if role == "unknown":
        return False
    if role in operation.admitted:
        return True
    if operation.name == "read_hint":
        return not private and status != "playing"
    return "anybody" in operation.admitted and not private


class House:
    """Tables of an application, each with the tokens of all roles."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.key = new_key(client)
        self.foreign = People(client).tokens[0]
        self._tables: dict[tuple[bool, str], tuple[People, dict[str, str]]] = {}

    def table(self, private: bool, status: str, fresh: bool) -> tuple[People, dict[str, str]]:
        """Return a table and its tokens by role; requests that change it need a fresh one."""
        if fresh or (private, status) not in self._tables:
            self._tables[private, status] = self._open(private, status)
        return self._tables[private, status]

    def _open(self, private: bool, status: str) -> tuple[People, dict[str, str]]:
        self.client.headers["x-app-key"] = self.key
        table = People(self.client, seats=3, players=2 if status == "open" else 3, private=private, undo="free")
        if status == "finished":
            for seat in (1, 2):
                assert table.post("/moves", table.tokens[seat], {"type": "resign"}).is_success
        spectator = table.post("/spectators", table.host).json()["token"]
        del self.client.headers["x-app-key"]
        tokens = {"nobody": "", "unknown": "nobody-has-this", "foreign": self.foreign}
        return table, {**tokens, "seat": table.tokens[0], "host": table.host, "spectator": spectator}

    def ask(self, operation: Operation, role: str, private: bool, status: str, key: str = "") -> Response:
        table, tokens = self.table(private, status, fresh=operation.method != "GET")
        headers = bearer(tokens[role]) | ({"x-app-key": key, "x-app-user": "user-1"} if key else {})
        body = BODIES.get(operation.name, {}) if operation.method == "POST" else None
        path = table.path + operation.path.replace("{seat}", "0") + QUERIES.get(operation.name, "")
        method = "HEAD" if operation.name in ENDLESS else operation.method
        return self.client.request(method, path, json=body, headers=headers)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with serving(bot_workers=0) as client:
        yield House(client)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_admits_whom_the_document_names_with_and_without_a_key(house: House, operation: Operation) -> None:
    for role, private, status in product(ROLES, (False, True), STATUSES):
        case = role, private, status
        alone, with_key = (house.ask(operation, *case, key) for key in ("", house.key))
        if operation.name != "take_seat" and (operation.name, role) not in AT_SOME_TABLES:  # the table decides
            assert (alone.status_code not in (401, 403)) == is_admitted(operation, *case), (case, alone.text)
        assert with_key.status_code == alone.status_code, (case, with_key.text)
        if alone.status_code >= 400 and alone.content:
            assert with_key.json()["code"] == alone.json()["code"], case
