"""Games removed by an operator: 404 for everyone, with the time of the removal."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from tests.api.people import People, bearer, problem, serving, until_requests_wait
from tests.store.clients import connected

Remove = Callable[[People], str]
"""Removes a game in another process, and returns the time."""

VIEWS = ("", "/state", "/board", "/scores", "/legal-moves", "/history", "/events", "/record", "/audit")
CHANGES = {
    "/moves": {"type": "end_turn"},
    "/moves?include=state": {"type": "end_turn"},
    "/undo": {},
    "/redo": {},
    "/fork": {},
    "/seats": {"name": "Zoe"},
    "/seats/0/token": {},
    "/host-token": {},
    "/spectators": {},
    "/close": {},
    "/start": {},
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


@pytest.fixture
def remove(url: str) -> Iterator[Remove]:
    with connected(url) as operator:
        yield lambda table: operator.wait(operator.service.remove(UUID(table.id)))


def check_is_removed(table: People, at: str) -> None:
    detail = f"An operator erased this game at {at}."
    for token in ("", table.tokens[0], table.host, "nobody-has-this"):
        for view in VIEWS:
            assert problem(table.get(view, token), 404, "game_not_found")["detail"] == detail
        for view in ("", "/board", "/history"):
            assert problem(table.get(view, token, params={"at": 1}), 404, "game_not_found")["detail"] == detail
        for change, body in CHANGES.items():
            response = table.post(change, token, body, idempotency_key="0123456789abcdef0123456789abcdef")
            assert problem(response, 404, "game_not_found")["detail"] == detail, change
        for path in ("", "/seats/0", "/spectators"):
            response = table.client.delete(table.path + path, headers=bearer(token))
            assert problem(response, 404, "game_not_found")["detail"] == detail


@pytest.mark.parametrize("private", [False, True])
def test_a_removed_game_is_not_found(url: str, remove: Remove, private: bool) -> None:
    """On a server with the game in its cache, and on one that has just started."""
    with serving(database_url=url) as client:
        tables = [People(client, private=private), People(client, seats=3, players=1, private=private)]
        times = [remove(table) for table in tables]
        for table, at in zip(tables, times, strict=True):
            check_is_removed(table, at)
    with serving(database_url=url) as client:
        for table, at in zip(tables, times, strict=True):
            table.client = client
            check_is_removed(table, at)


def test_a_removed_game_is_not_in_the_lobby(url: str, remove: Remove) -> None:
    with serving(database_url=url) as client:
        table, other = People(client), People(client)
        remove(table)
        assert [game["id"] for game in client.get("/v1/games").json()["items"]] == [other.id]
        body = {"tokens": [table.tokens[0], table.host, other.tokens[0]]}
        found = client.post("/v1/seats/lookup", json=body).json()["items"]
        assert [holder and holder["game"]["id"] for holder in found] == [None, None, other.id]


def test_a_removal_ends_long_polls(url: str, remove: Remove) -> None:
    with serving(database_url=url) as client, ThreadPoolExecutor(1) as thread:
        table = People(client)
        waiting = thread.submit(table.get, "/events", params={"after": table.version, "wait": 20})
        until_requests_wait(client)
        at = remove(table)
        assert at in problem(waiting.result(), 404, "game_not_found")["detail"]
