"""The option `invite`: only callers with the code can join the table, and see it if it is private."""

from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

from tests.api.people import People, bearer, problem, serving
from tests.api.test_my_games import look_up
from tests.support.logged import logged

KEY = "8gUq0oJ2mXv5sT1yBn7KdQ"
OTHER_VIEWS = ("/state", "/board", "/scores", "/legal-moves", "/history", "/events", "/audit", "/record")
STALE_TO_STRANGERS = {True: (401, "token_missing"), False: (403, "invite_needed")}
"""The responses to an old `If-Match` without the code, by privacy: none reveals the version."""


class Invited(People):
    """A table with an invitation code."""

    def __init__(self, client: Client, seats: int = 3, players: int | None = 1, **options: Any) -> None:
        super().__init__(client, seats, players, invite=True, **options)
        self.code: str = self.created["invite"]

    def join(self, name: str, invite: str | None = None, **headers: str) -> Response:
        body = {"name": name} if invite is None else {"name": name, "invite": invite}
        return self.post("/seats", body=body, **headers)


def test_a_table_is_created_with_a_code_if_requested(client: Client) -> None:
    table, other = Invited(client), Invited(client)
    assert table.code != other.code
    assert len(table.code) >= 22
    assert table.created["game"]["options"]["invite"] is True
    assert "invite" not in People(client, seats=3, players=1).created
    assert "invite" not in People(client, seats=2, players=2, invite=True).created


def test_players_join_with_the_code(client: Client) -> None:
    table = Invited(client)
    bob = table.join("Bob", table.code)
    assert (bob.status_code, bob.json()["seat"]) == (201, 1)
    assert table.join("Cem", table.code).json()["game"]["status"] == "playing"
    assert table.seen("/audit")["ok"]


def test_other_tables_ignore_codes(client: Client) -> None:
    table = People(client, seats=3, players=1)
    assert table.post("/seats", body={"name": "Bob", "invite": "whatever"}).status_code == 201


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("state", ["open", "closed", "begun"])
def test_without_the_code_nothing_is_revealed_about_the_table(client: Client, state: str, private: bool) -> None:
    table, other = Invited(client, seats=4, players=2, private=private), Invited(client)
    if state != "open":
        table.post("/close" if state == "closed" else "/start", table.host)
    before = table.get("/events", table.host, params={"view": "full"}).json()
    for wrong in (None, "", "x", other.code, table.host, table.tokens[0], table.code.swapcase(), table.code + "x"):
        for name in ("Zoe", "Ann"):
            stale = problem(table.join(name, wrong, if_match='"1"'), *STALE_TO_STRANGERS[private])
            for details in (stale, problem(table.join(name, wrong), 403, "invite_needed")):
                assert (name not in str(details), "needed" in details) == (True, False)
    assert table.get("/events", table.host, params={"view": "full"}).json() == before


def test_with_the_code_the_reason_of_a_refusal_is_shown(client: Client) -> None:
    table = Invited(client)
    problem(table.join("ANN", table.code), 409, "name_taken")
    problem(table.post("/seats", body={"name": "Bob", "colour": "blue", "invite": table.code}), 409, "colour_taken")
    table.post("/close", table.host)
    problem(table.join("Bob", table.code), 409, "table_closed")


def test_the_code_shows_only_the_summary_of_a_private_table(fresh: Client) -> None:
    table, public = Invited(fresh, private=True), Invited(fresh)
    code = {"x-invite": table.code}
    shown = table.get(headers=code)
    assert shown.status_code == 200
    assert shown.json() == table.get("", table.host).json()
    assert "private" in shown.headers["cache-control"]
    assert table.get(headers=code, params={"at": 1}).json()["seats"][0]["name"] is None
    assert table.get(headers=code | {"if-none-match": shown.headers["etag"]}).status_code == 304
    for view in OTHER_VIEWS:
        problem(table.get(view, headers=code), 401, "token_missing")
    for action in ("/fork", "/preview"):
        response = table.post(action, body={"type": "end_turn"} if action == "/preview" else {}, x_invite=table.code)
        problem(response, 401, "token_missing")
    assert fresh.get("/v1/games", headers=code).json()["items"][0]["id"] == public.id
    assert len(fresh.get("/v1/games", headers=code).json()["items"]) == 1


def test_a_wrong_code_is_ignored(client: Client) -> None:
    table, public = Invited(client, private=True), People(client)
    for wrong in ("", "x", table.host, Invited(client).code, "\u00fc" * 300):
        sent = {b"x-invite": wrong.encode()}
        problem(client.get(table.path, headers=sent), 401, "token_missing")
        problem(client.get(table.path, headers=sent | {b"if-none-match": b"*"}), 401, "token_missing")
        problem(client.get(table.path, headers=sent | {b"authorization": b"Bearer x"}), 401, "token_unknown")
        assert client.get(table.path, headers=sent | {b"authorization": f"Bearer {table.host}".encode()}).is_success
        assert client.get(public.path, headers=sent).status_code == 200


@pytest.mark.parametrize("how", ["the host starts", "the last player joins"])
def test_the_code_ends_when_play_begins(tmp_path: Path, how: str) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table = Invited(one, seats=4, players=3, private=True)
        code = {"x-invite": table.code}
        assert other.get(table.path, headers=code).status_code == 200
        if how == "the host starts":
            assert table.post("/start", table.host).status_code == 200
        else:
            assert other.post(f"{table.path}/seats", json={"name": "Dora", "invite": table.code}).status_code == 201
        for client in (one, other):
            problem(client.get(table.path, headers=code), 401, "token_missing")
            problem(client.get(table.path, headers=code, params={"at": 2}), 401, "token_missing")
            response = client.post(f"{table.path}/seats", json={"name": "Eve", "invite": table.code})
            problem(response, 403, "invite_needed")
        assert table.get("", table.host).status_code == 200


def test_a_repeated_request_works_after_the_code_has_expired(client: Client) -> None:
    table = Invited(client, seats=2)
    first, again = (table.join("Bob", table.code, idempotency_key=KEY) for _ in range(2))
    assert first.json()["game"]["status"] == "playing"
    assert first.content == again.content


def test_the_code_is_not_a_token(client: Client) -> None:
    table = Invited(client, private=True)
    for view in ("", *OTHER_VIEWS):
        problem(table.get(view, table.code), 401, "token_unknown")
    for action in ("/moves", "/start", "/close", "/spectators", "/host-token", "/seats/0/token"):
        problem(table.post(action, table.code, {}), 401, "token_unknown")
    problem(client.delete(table.path, headers=bearer(table.code)), 401, "token_unknown")
    problem(client.get("/v1/games", headers=bearer(table.code)), 401, "token_unknown")
    assert look_up(client, table.code) == [None]


def test_the_code_of_a_deleted_table_is_useless(client: Client) -> None:
    table = Invited(client)
    client.delete(table.path, headers=bearer(table.host))
    problem(table.join("Bob", table.code), 404, "game_not_found")
    problem(table.get(headers={"x-invite": table.code}), 404, "game_not_found")


def test_the_code_is_shown_once_and_not_stored_in_clear(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(database_url=f"sqlite:///{tmp_path}/games.db", log_level="debug") as client:
        table = Invited(client, seats=3, players=2)
        table.get(headers={"x-invite": table.code})
        assert table.join("Cem", table.code).status_code == 201
        shown = [table.get(view).text for view in ("", *OTHER_VIEWS)] + [client.get("/v1/games").text]
        assert not any(table.code in text for text in shown)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert table.code.encode() not in stored
    log = logged(capfd)
    assert "/seats" in log
    assert table.code not in log


def test_a_repeated_creation_returns_the_same_code(client: Client) -> None:
    body = {"seats": 3, "options": {"invite": True}}
    first, again = (client.post("/v1/games", json=body, headers={"idempotency-key": KEY}) for _ in range(2))
    assert first.json()["invite"] == again.json()["invite"]


def test_forks_and_imports_have_no_code(client: Client) -> None:
    table = Invited(client, seats=2)
    table.join("Bob", table.code)
    record = table.get("/record").content
    copy = client.post("/v1/records", content=record, headers={"content-type": "application/json"})
    for other in (copy, table.post("/fork")):
        assert other.status_code == 201
        body = other.json()
        assert "invite" not in body
        assert body["game"]["options"]["invite"] is True
        path = f"/v1/games/{body['game']['id']}"
        problem(client.post(f"{path}/seats", json={"name": "Cem", "invite": table.code}), 403, "invite_needed")
        assert client.get(f"{path}/audit").json()["ok"]


def test_pages_of_other_origins_may_send_the_code(client: Client) -> None:
    asked = {"origin": "https://play.example", "access-control-request-method": "GET"}
    preflight = client.options("/v1/games/x", headers=asked | {"access-control-request-headers": "x-invite"})
    assert preflight.status_code == 204
    assert "x-invite" in preflight.headers["access-control-allow-headers"].lower()
