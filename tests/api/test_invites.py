"""The option `invite`: only who has the code sits down, and sees a private table that waits."""

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
"""The answers to an old `If-Match` without the code, at private tables and at others: never which version there is."""


class Invited(People):
    """A table to which people are invited."""

    def __init__(self, client: Client, seats: int = 3, players: int | None = 1, **options: Any) -> None:
        super().__init__(client, seats, players, invite=True, **options)
        self.code: str = self.created["invite"]

    def sit(self, name: str, invite: str | None = None, **headers: str) -> Response:
        body = {"name": name} if invite is None else {"name": name, "invite": invite}
        return self.post("/seats", body=body, **headers)


def test_a_code_comes_with_the_creation_of_a_table_that_asks_for_it(client: Client) -> None:
    table, other = Invited(client), Invited(client)
    assert table.code != other.code
    assert len(table.code) >= 22
    assert table.created["game"]["options"]["invite"] is True
    assert "invite" not in People(client, seats=3, players=1).created
    assert "invite" not in People(client, seats=2, players=2, invite=True).created


def test_who_has_the_code_sits_down(client: Client) -> None:
    table = Invited(client)
    bob = table.sit("Bob", table.code)
    assert (bob.status_code, bob.json()["seat"]) == (201, 1)
    assert table.sit("Cem", table.code).json()["game"]["status"] == "playing"
    assert table.seen("/audit")["ok"]


def test_at_other_tables_a_code_is_neither_needed_nor_looked_at(client: Client) -> None:
    table = People(client, seats=3, players=1)
    assert table.post("/seats", body={"name": "Bob", "invite": "whatever"}).status_code == 201


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("state", ["open", "closed", "begun"])
def test_without_the_code_nothing_is_said_about_the_table(client: Client, state: str, private: bool) -> None:
    table, other = Invited(client, seats=4, players=2, private=private), Invited(client)
    if state != "open":
        table.post("/close" if state == "closed" else "/start", table.host)
    before = table.get("/events", table.host, params={"view": "full"}).json()
    for wrong in (None, "", "x", other.code, table.host, table.tokens[0], table.code.swapcase(), table.code + "x"):
        for name in ("Zoe", "Ann"):
            stale = problem(table.sit(name, wrong, if_match='"1"'), *STALE_TO_STRANGERS[private])
            for told in (stale, problem(table.sit(name, wrong), 403, "invite_needed")):
                assert (name not in str(told), "needed" in told) == (True, False)
    assert table.get("/events", table.host, params={"view": "full"}).json() == before


def test_with_the_code_one_is_told_what_is_wrong(client: Client) -> None:
    table = Invited(client)
    problem(table.sit("ANN", table.code), 409, "name_taken")
    problem(table.post("/seats", body={"name": "Bob", "colour": "blue", "invite": table.code}), 409, "colour_taken")
    table.post("/close", table.host)
    problem(table.sit("Bob", table.code), 409, "table_closed")


def test_the_code_opens_the_summary_of_a_private_table_and_nothing_else(fresh: Client) -> None:
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
        answer = table.post(action, body={"type": "end_turn"} if action == "/preview" else {}, x_invite=table.code)
        problem(answer, 401, "token_missing")
    assert fresh.get("/v1/games", headers=code).json()["items"][0]["id"] == public.id
    assert len(fresh.get("/v1/games", headers=code).json()["items"]) == 1


def test_a_wrong_code_is_like_none(client: Client) -> None:
    table, public = Invited(client, private=True), People(client)
    for wrong in ("", "x", table.host, Invited(client).code, "\u00fc" * 300):
        sent = {b"x-invite": wrong.encode()}
        problem(client.get(table.path, headers=sent), 401, "token_missing")
        problem(client.get(table.path, headers=sent | {b"if-none-match": b"*"}), 401, "token_missing")
        problem(client.get(table.path, headers=sent | {b"authorization": b"Bearer x"}), 401, "token_unknown")
        assert client.get(table.path, headers=sent | {b"authorization": f"Bearer {table.host}".encode()}).is_success
        assert client.get(public.path, headers=sent).status_code == 200


@pytest.mark.parametrize("how", ["the host begins", "the last one sits down"])
def test_the_code_ends_when_play_begins(tmp_path: Path, how: str) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table = Invited(one, seats=4, players=3, private=True)
        code = {"x-invite": table.code}
        assert other.get(table.path, headers=code).status_code == 200
        if how == "the host begins":
            assert table.post("/start", table.host).status_code == 200
        else:
            assert other.post(f"{table.path}/seats", json={"name": "Dora", "invite": table.code}).status_code == 201
        for client in (one, other):
            problem(client.get(table.path, headers=code), 401, "token_missing")
            problem(client.get(table.path, headers=code, params={"at": 2}), 401, "token_missing")
            answer = client.post(f"{table.path}/seats", json={"name": "Eve", "invite": table.code})
            problem(answer, 403, "invite_needed")
        assert table.get("", table.host).status_code == 200


def test_a_retry_comes_before_the_code_which_may_have_ended(client: Client) -> None:
    table = Invited(client, seats=2)
    first, again = (table.sit("Bob", table.code, idempotency_key=KEY) for _ in range(2))
    assert first.json()["game"]["status"] == "playing"
    assert first.content == again.content


def test_the_code_is_no_token(client: Client) -> None:
    table = Invited(client, private=True)
    for view in ("", *OTHER_VIEWS):
        problem(table.get(view, table.code), 401, "token_unknown")
    for action in ("/moves", "/start", "/close", "/spectators", "/host-token", "/seats/0/token"):
        problem(table.post(action, table.code, {}), 401, "token_unknown")
    problem(client.delete(table.path, headers=bearer(table.code)), 401, "token_unknown")
    problem(client.get("/v1/games", headers=bearer(table.code)), 401, "token_unknown")
    assert look_up(client, table.code) == [None]


def test_a_deleted_table_invites_nobody(client: Client) -> None:
    table = Invited(client)
    client.delete(table.path, headers=bearer(table.host))
    problem(table.sit("Bob", table.code), 404, "game_not_found")
    problem(table.get(headers={"x-invite": table.code}), 404, "game_not_found")


def test_the_code_is_shown_once_and_nowhere_kept_in_clear(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(database_url=f"sqlite:///{tmp_path}/games.db", log_level="debug") as client:
        table = Invited(client, seats=3, players=2)
        table.get(headers={"x-invite": table.code})
        assert table.sit("Cem", table.code).status_code == 201
        shown = [table.get(view).text for view in ("", *OTHER_VIEWS)] + [client.get("/v1/games").text]
        assert not any(table.code in text for text in shown)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert table.code.encode() not in stored
    log = logged(capfd)
    assert "/seats" in log
    assert table.code not in log


def test_the_creation_is_repeated_with_its_code(client: Client) -> None:
    body = {"seats": 3, "options": {"invite": True}}
    first, again = (client.post("/v1/games", json=body, headers={"idempotency-key": KEY}) for _ in range(2))
    assert first.json()["invite"] == again.json()["invite"]


def test_forks_and_imports_have_begun_and_get_no_code(client: Client) -> None:
    table = Invited(client, seats=2)
    table.sit("Bob", table.code)
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
