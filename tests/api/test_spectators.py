"""Spectators: a token that can only read a private game."""

from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, problem, serving

VIEWS = ("", "/state", "/board", "/scores", "/hint", "/legal-moves", "/history", "/events", "/audit", "/record")
PICTURES = ("/board.svg", "/board.png", "/scores.svg")
READS = (*VIEWS, *PICTURES, "/refusals?target=denver")
REFUSED = {
    ("POST", "/moves"): ({"type": "resign"}, "players_only"),
    ("POST", "/undo"): ({}, "players_only"),
    ("POST", "/redo"): ({}, "players_only"),
    ("POST", "/undo/answer"): ({"accept": True}, "players_only"),
    ("POST", "/fork"): ({}, "players_only"),
    ("POST", "/absence"): ({"seat": 0}, "players_only"),
    ("DELETE", "/absence"): (None, "players_only"),
    ("POST", "/seats/{seat}/handover"): ({"name": "Zoe"}, "host_only"),
    ("POST", "/start"): ({}, "host_only"),
    ("POST", "/close"): ({}, "host_only"),
    ("POST", "/rematch"): ({}, "host_only"),
    ("POST", "/seats/{seat}/token"): ({}, "host_only"),
    ("DELETE", "/seats/{seat}"): (None, "host_only"),
    ("POST", "/host-token"): ({}, "host_only"),
    ("POST", "/spectators"): ({}, "host_only"),
    ("DELETE", "/spectators"): (None, "host_only"),
    ("DELETE", ""): (None, "host_only"),
}
ENDLESS = {("GET", "/stream")}
"""Endless operations; `test_private_streams.py` tests them with spectators' tokens."""
FOR_ANYBODY = {("POST", "/seats"), ("POST", "/preview"), ("GET", "/refs")}
"""Joining needs no token, a preview only reads, and references are for applications."""


def watched(client: Client, **options: Any) -> tuple[People, str]:
    """Return a private game and the token of a spectator."""
    table = People(client, private=True, **options)
    response = table.post("/spectators", table.host)
    assert response.status_code == 201, response.text
    return table, response.json()["token"]


@pytest.mark.parametrize("view", READS)
def test_a_spectator_reads_a_private_game_until_the_token_is_revoked(client: Client, view: str) -> None:
    table, token = watched(client)
    problem(table.get(view), 401, "token_missing")
    assert table.get(view, token).status_code == 200
    assert table.post("/preview", token, table.get("/legal-moves", token).json()["items"][0]["action"]).is_success
    gone = client.request("DELETE", f"{table.path}/spectators", headers={"authorization": f"Bearer {table.host}"})
    assert (gone.status_code, gone.content) == (204, b"")
    problem(table.get(view, token), 401, "token_unknown")
    for kept in (table.host, *table.tokens.values()):
        assert table.get(view, kept).status_code == 200


@pytest.mark.parametrize(("method", "path"), REFUSED)
@pytest.mark.parametrize("started", [True, False])
def test_a_spectator_can_do_nothing_else(client: Client, method: str, path: str, started: bool) -> None:
    table, token = watched(client, seats=3, players=3 if started else 2)
    body, code = REFUSED[method, path]
    before, lobby = table.get("/events", table.host, params={"view": "full"}).json(), client.get("/v1/games").content
    response = client.request(
        method, table.path + path.format(seat=0), json=body, headers={"authorization": f"Bearer {token}"}
    )
    problem(response, 403, code)
    assert table.get("/events", table.host, params={"view": "full"}).json() == before
    assert client.get("/v1/games").content == lobby


def test_every_operation_of_a_game_was_tried(client: Client) -> None:
    """Add new operations to one of the lists above."""
    prefix = "/v1/games/{game_id}"
    operations = {
        (method.upper(), path.removeprefix(prefix))
        for path, methods in client.get("/schema/openapi.json").json()["paths"].items()
        for method in methods
        if path.startswith(prefix)
    }
    assert operations == {("GET", view.partition("?")[0]) for view in READS} | set(REFUSED) | FOR_ANYBODY | ENDLESS


def test_each_spectator_has_a_token_and_all_are_dismissed_together(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table, first = watched(one)
        second = table.post("/spectators", table.host).json()["token"]
        assert first != second
        tokens = [{"authorization": f"Bearer {token}"} for token in (first, second)]
        assert [other.get(table.path, headers=token).status_code for token in tokens] == [200, 200]
        one.request("DELETE", f"{table.path}/spectators", headers={"authorization": f"Bearer {table.host}"})
        assert [other.get(table.path, headers=token).status_code for token in tokens] == [401, 401]
        assert table.get("", table.post("/spectators", table.host).json()["token"]).status_code == 200


def test_a_repeated_key_admits_one_spectator(client: Client) -> None:
    table, _ = watched(client)
    first, again = (table.post("/spectators", table.host, idempotency_key="once") for _ in range(2))
    assert first.json() == again.json()
    assert again.headers["cache-control"] == "no-store"


def test_a_key_repeated_after_the_dismissal_returns_the_revoked_token(client: Client) -> None:
    table, _ = watched(client)
    first = table.post("/spectators", table.host, idempotency_key="once").json()["token"]
    client.request("DELETE", f"{table.path}/spectators", headers={"authorization": f"Bearer {table.host}"})
    assert table.post("/spectators", table.host, idempotency_key="once").json()["token"] == first
    problem(table.get("", first), 401, "token_unknown")


def test_a_public_game_is_forked_with_any_valid_token(client: Client) -> None:
    table, token = watched(client)
    assert People(client).post("/fork", token).status_code == 201
    assert client.delete(f"{table.path}/spectators", headers={"authorization": f"Bearer {table.host}"}).is_success
    problem(People(client).post("/fork", token), 401, "token_unknown")


def test_a_spectator_does_not_get_the_response_to_the_hosts_request_with_the_same_key(client: Client) -> None:
    """Anybody can fork a public game, and the response has tokens."""
    table = People(client)
    token = table.post("/spectators", table.host).json()["token"]
    host, spectator = (table.post("/fork", caller, {}, idempotency_key="once") for caller in (table.host, token))
    assert (host.status_code, spectator.status_code) == (201, 201)
    assert host.json()["game"]["id"] != spectator.json()["game"]["id"]


def test_only_the_host_admits_and_dismisses(client: Client) -> None:
    table, _ = watched(client)
    problem(table.post("/spectators", table.tokens[0]), 403, "host_only")
    problem(table.post("/spectators"), 401, "token_missing")
    for token, status, code in ((table.tokens[0], 403, "host_only"), (People(client).host, 403, "foreign_token")):
        response = client.request("DELETE", f"{table.path}/spectators", headers={"authorization": f"Bearer {token}"})
        problem(response, status, code)


def test_the_lobby_shows_the_private_game_to_its_spectators(fresh: Client) -> None:
    table, token = watched(fresh)
    lobby = fresh.get("/v1/games", headers={"authorization": f"Bearer {token}"})
    assert [entry["id"] for entry in lobby.json()["items"]] == [table.id]
    assert "private" in lobby.headers["cache-control"]
