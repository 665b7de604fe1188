"""Games that an operator removed: not found, for everybody, with the time at which they were removed."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from tests.api.people import People, bearer, problem, serving, until_somebody_waits
from tests.store.clients import connected

Remove = Callable[[People], str]
"""Removes a game in another process, and returns when."""

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
            answer = table.post(change, token, body, idempotency_key="0123456789abcdef0123456789abcdef")
            assert problem(answer, 404, "game_not_found")["detail"] == detail, change
        for path in ("", "/seats/0", "/spectators"):
            answer = table.client.delete(table.path + path, headers=bearer(token))
            assert problem(answer, 404, "game_not_found")["detail"] == detail


@pytest.mark.parametrize("private", [False, True])
def test_a_removed_game_is_not_found_by_anybody(url: str, remove: Remove, private: bool) -> None:
    """At a server that has it in memory, and at one that was started since."""
    with serving(database_url=url) as client:
        tables = [People(client, private=private), People(client, seats=3, players=1, private=private)]
        times = [remove(table) for table in tables]
        for table, at in zip(tables, times, strict=True):
            check_is_removed(table, at)
    with serving(database_url=url) as client:
        for table, at in zip(tables, times, strict=True):
            table.client = client
            check_is_removed(table, at)


def test_a_removed_game_is_in_no_list(url: str, remove: Remove) -> None:
    with serving(database_url=url) as client:
        table, other = People(client), People(client)
        remove(table)
        assert [game["id"] for game in client.get("/v1/games").json()["items"]] == [other.id]
        body = {"tokens": [table.tokens[0], table.host, other.tokens[0]]}
        places = client.post("/v1/seats/lookup", json=body).json()["items"]
        assert [place and place["game"]["id"] for place in places] == [None, None, other.id]


def test_who_waits_for_events_is_told_of_the_removal(url: str, remove: Remove) -> None:
    with serving(database_url=url) as client, ThreadPoolExecutor(1) as thread:
        table = People(client)
        waiting = thread.submit(table.get, "/events", params={"after": table.version, "wait": 20})
        until_somebody_waits(client)
        at = remove(table)
        assert at in problem(waiting.result(), 404, "game_not_found")["detail"]
