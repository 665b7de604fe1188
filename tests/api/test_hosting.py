"""Acts of hosts: kicking players, starting with empty seats, and renewing the host's token."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx import Client, Response

from api.app import create_app
from tests.api.people import NAMES, NOWHERE, People, bearer, problem, serving, settings
from tests.api.test_my_games import look_up


def kick(table: People, seat: Any, token: str | None = None, **headers: str) -> Response:
    """Kick the player at a seat, as the host by default."""
    sent = bearer(table.host if token is None else token) | {k.replace("_", "-"): v for k, v in headers.items()}
    return table.client.delete(f"{table.path}/seats/{seat}", headers=sent)


def names(table: People) -> list[str | None]:
    return [seat["name"] for seat in table.seen()["seats"]]


def test_a_player_is_kicked_and_the_seat_is_free_again(fresh: Client) -> None:
    table = People(fresh, seats=4, players=3)
    gone = kick(table, 1)
    assert (gone.status_code, gone.content) == (204, b"")
    seats = table.seen()["seats"]
    assert [(seat["name"], seat["open"]) for seat in seats] == [
        ("Ann", False),
        (None, True),
        ("Cem", False),
        (None, True),
    ]
    assert [seat["colour"] for seat in seats] == ["blue", "red", "orange", "black"]
    assert [player["name"] for player in table.seen("/scores")["players"]] == ["Ann", None, "Cem", None]
    assert [player["colour"] for player in table.seen("/scores")["players"]] == ["blue", "red", "orange", "black"]
    assert fresh.get("/v1/games").json()["items"][0]["players"] == ["Ann", "Cem"]
    assert fresh.get("/v1/games", params={"player": "Bob"}).json()["items"] == []
    assert look_up(fresh, table.tokens[1]) == [None]
    problem(table.post("/moves", table.tokens[1], {"type": "resign"}), 401, "token_unknown")
    dora = table.post("/seats", body={"name": "bob", "colour": "red"}).json()
    assert (dora["seat"], dora["name"]) == (1, "bob")
    assert table.seen("/audit")["ok"]


def test_only_the_host_kicks_players_and_only_before_the_start(client: Client) -> None:
    table = People(client, seats=3, players=2)
    problem(kick(table, 1, table.tokens[0]), 403, "host_only")
    problem(kick(table, 1, ""), 401, "token_missing")
    problem(kick(table, 1, People(client).host), 403, "foreign_token")
    for seat in (2, 3, 9, 10, "x", "-1"):
        problem(kick(table, seat), 404, "unknown_seat")
    problem(client.delete(f"/v1/games/{NOWHERE}/seats/0", headers=bearer(table.host)), 404, "game_not_found")
    assert names(table) == ["Ann", "Bob", None]
    table.post("/start", table.host)
    problem(kick(table, 1), 409, "already_started")
    assert names(table) == ["Ann", "Bob"]


def test_a_player_leaves_an_open_table(client: Client) -> None:
    table = People(client, seats=3, players=2)
    assert kick(table, 1, table.tokens[1]).status_code == 204
    assert names(table) == ["Ann", None, None]
    problem(kick(table, 1, table.tokens[1]), 401, "token_unknown")
    table.tokens[1] = table.post("/seats", body={"name": "Bea"}).json()["token"]
    table.post("/start", table.host)
    problem(kick(table, 1, table.tokens[1]), 409, "already_started")
    assert table.seen("/audit")["ok"]


def test_players_renew_their_own_tokens_and_everybody_sees_it(client: Client) -> None:
    table = People(client)
    problem(table.post("/seats/0/token", table.tokens[1]), 403, "host_only")
    renewed = table.post("/seats/1/token", table.tokens[1])
    assert renewed.status_code == 201
    problem(table.post("/moves", table.tokens[1], {"type": "resign"}), 401, "token_unknown")
    problem(table.post("/seats/1/token", table.tokens[1]), 401, "token_unknown")
    assert table.post("/moves", renewed.json()["token"], {"type": "resign"}).status_code == 200
    assert [note["text"] for note in table.seen("/history")["notes"]] == ["Bob renewed the token of their seat."]
    assert table.seen("/audit")["ok"]


def test_a_lost_response_to_a_renewal_can_be_fetched_with_the_old_token(client: Client) -> None:
    table, key = People(client), {"idempotency-key": "0123456789012345678901"}
    path, sent = f"{table.path}/seats/1/token", bearer(table.tokens[1])
    problem(client.post(path, headers=sent | {"idempotency-key": "short"}), 422, "weak_key")
    first, again = (client.post(path, headers=sent | key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    problem(client.post(path, headers=sent | {"idempotency-key": "another-key-of-22-chars"}), 401, "token_unknown")


def test_a_player_who_has_joined_since_is_not_kicked(client: Client) -> None:
    table = People(client, seats=4, players=3)
    seen = f'"{table.version}"'
    assert kick(table, 1, if_match=seen).status_code == 204
    table.post("/seats", body={"name": "Dora"})
    problem(kick(table, 1, if_match=seen), 412, "stale_version")
    assert names(table) == ["Ann", "Dora", "Cem", None]


def test_the_last_free_seat_starts_the_game_wherever_it_is(client: Client) -> None:
    table = People(client, seats=3, players=2)
    kick(table, 0)
    table.post("/seats", body={"name": "Cem"})
    assert table.seen()["status"] == "open"
    eve = table.post("/seats", body={"name": "Eve"}).json()
    assert (eve["seat"], eve["game"]["status"]) == (2, "playing")
    assert names(table) == ["Cem", "Bob", "Eve"]
    assert table.seen("/audit")["ok"]


def test_players_move_down_at_the_start_with_their_tokens(client: Client) -> None:
    table = People(client, seats=5, players=4, start="introductory")
    kick(table, 0)
    kick(table, 2)
    started = table.post("/start", table.host).json()
    assert [(event["type"], event["seat"], event.get("to")) for event in started["events"][:3]] == [
        ("seat_moved", 1, 0),
        ("seat_moved", 3, 1),
        ("game_started", None, None),
    ]
    assert [(seat["seat"], seat["name"], seat["colour"]) for seat in started["summary"]["seats"]] == [
        (0, "Bob", "red"),
        (1, "Dora", "black"),
    ]
    bob, dora = look_up(client, table.tokens[1], table.tokens[3])
    assert (bob["seat"], dora["seat"]) == (0, 1)
    assert [player["name"] for player in table.seen("/scores")["players"]] == ["Bob", "Dora"]
    problem(table.post("/moves", table.tokens[3], table.moves()[0]), 409, "not_your_turn")
    assert table.post("/moves", table.tokens[1], table.moves()[0]).status_code == 200
    assert table.seen("/history")["items"][0]["name"] == "Bob"
    table.tokens = {0: table.tokens[1], 1: table.tokens[3]}
    table.play(20)
    assert table.seen("/audit")["ok"]
    record = table.get("/record").content
    copy = client.post("/v1/records", content=record, headers={"content-type": "application/json"}).json()
    fork = table.post("/fork").json()
    for other in (copy, fork):
        assert [(seat["seat"], seat["name"]) for seat in other["seats"]] == [(0, "Bob"), (1, "Dora")]
        assert client.get(f"/v1/games/{other['game']['id']}/audit").json()["ok"]


class Late:
    """A table whose host sends another request before the body of a request arrives."""

    def __init__(self, client: httpx.AsyncClient, created: Any) -> None:
        self.client, self.created = client, created
        self.path = f"/v1/games/{created['game']['id']}"
        self.host = bearer(created["host_token"])

    async def post(self, action: str, token: str, body: bytes, meanwhile: str, **headers: str) -> Response:
        """Send a request whose body follows after the host's request."""

        async def late() -> AsyncIterator[bytes]:
            done = await self.client.post(self.path + meanwhile, headers=self.host)
            assert done.is_success, done.text
            yield body

        sent = bearer(token) | {"content-type": "application/json"} | headers
        return await self.client.post(self.path + action, content=late(), headers=sent)


@asynccontextmanager
async def late_table() -> AsyncIterator[Late]:
    app: Any = create_app(settings())
    async with app.lifespan(), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
        yield Late(client, (await client.post("/v1/games", json={"seats": 4, "players": NAMES[:3]})).json())


def test_a_token_checked_before_players_moved_acts_for_no_other_player() -> None:
    """The token is checked before the body arrives; meanwhile the game starts, and Cem gets the seat of Bob."""

    async def run() -> tuple[Response, Any]:
        async with late_table() as table:
            await table.client.delete(f"{table.path}/seats/0", headers=table.host)
            bob = table.created["seats"][1]["token"]
            response = await table.post("/moves", bob, b'{"type": "resign"}', meanwhile="/start")
            return response, (await table.client.get(table.path)).json()

    response, game = asyncio.run(run())
    problem(response, 409, "not_started")
    assert not any(seat["resigned"] for seat in game["seats"])


# --- the host's token ------------------------------------------------------------------------------------------------

KEY = "c2Ig-9tqPzQyXw0aVb7LrE"


def renew(table: People, token: str | None = None, key: str = KEY, client: Client | None = None) -> Response:
    sent = bearer(table.host if token is None else token) | ({"idempotency-key": key} if key else {})
    return (client or table.client).post(f"{table.path}/host-token", json={}, headers=sent)


def test_the_host_gets_a_new_token_and_the_old_one_is_revoked(client: Client) -> None:
    table = People(client, seats=3, players=2, private=True)
    version = table.get("", table.host).json()["version"]
    response = renew(table, key="")
    assert (response.status_code, response.headers["cache-control"]) == (201, "no-store")
    old, new = table.host, response.json()["host_token"]
    assert list(response.json()) == ["host_token"]
    assert old != new
    for action in ("/start", "/close", "/spectators", "/seats/0/token", "/host-token", "/fork", "/moves"):
        problem(table.post(action, old, {}), 401, "token_unknown")
    for view in ("", "/board", "/events"):
        problem(table.get(view, old), 401, "token_unknown")
    for path in ("", "/seats/0", "/spectators"):
        problem(client.delete(table.path + path, headers=bearer(old)), 401, "token_unknown")
    problem(client.get("/v1/games", headers=bearer(old)), 401, "token_unknown")
    found = look_up(client, old, new, table.tokens[0])
    assert [holder and holder["role"] for holder in found] == [None, "host", "seat"]
    assert table.get("", new).json()["version"] == version + 1
    (renewed,) = table.get(f"/events?after={version}", new).json()["items"]
    assert (renewed["type"], renewed["seat"], renewed["by"]) == ("token_renewed", None, "host")
    assert table.post("/start", new).status_code == 200
    assert new not in table.get("/events", new).text


def test_only_the_host_renews_the_hosts_token(client: Client) -> None:
    table = People(client)
    problem(renew(table, table.tokens[0]), 403, "host_only")
    problem(renew(table, People(client).host), 403, "foreign_token")
    problem(renew(table, ""), 401, "token_missing")
    problem(renew(table, "nobody-has-this"), 401, "token_unknown")
    problem(client.post(f"/v1/games/{NOWHERE}/host-token", headers=bearer(table.host)), 404, "game_not_found")
    assert table.post("/spectators", table.host).status_code == 201


def test_a_renewal_with_a_lost_response_is_repeated_with_the_old_token(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table = People(one)
        first = renew(table)
        for client in (one, other):
            assert renew(table, client=client).content == first.content
        new = first.json()["host_token"]
        assert renew(table, new).content == first.content
        newest = renew(table, new, key="another-key-of-22-or-more").json()["host_token"]
        assert newest not in (new, table.host)
        problem(table.post("/spectators", new), 401, "token_unknown")
        assert table.post("/spectators", newest).status_code == 201
    with serving(database_url=url) as restarted:
        assert renew(table, client=restarted).content == first.content
        problem(renew(table, key="a-third-key-of-22-or-more", client=restarted), 401, "token_unknown")
        problem(renew(table, key="", client=restarted), 401, "token_unknown")


def test_a_renewal_needs_a_strong_key_although_it_has_a_token(client: Client) -> None:
    table = People(client)
    version = table.version
    for key in ("1", KEY[:21]):
        problem(renew(table, key=key), 422, "weak_key")
    assert table.version == version
    assert table.post("/spectators", table.host).status_code == 201
    assert renew(table, key=KEY[:22]).status_code == 201


def test_callers_with_the_old_token_and_a_guessed_key_do_not_get_the_new_one(client: Client) -> None:
    table = People(client)
    new = renew(table).json()["host_token"]
    version = table.version
    for guess in ("1", "a-key-of-22-characters-or-more"):
        problem(renew(table, key=guess), 401, "token_unknown")
    problem(renew(table, new, key="1"), 422, "weak_key")
    assert table.version == version
    assert table.post("/spectators", new).status_code == 201


def test_a_renewed_token_cannot_be_renewed_by_a_late_body() -> None:
    """The token is checked before the body arrives, and again after the renewal."""

    async def run() -> Response:
        async with late_table() as table:
            token = table.created["host_token"]
            return await table.post("/host-token", token, b"{}", meanwhile="/host-token")

    problem(asyncio.run(run()), 401, "token_unknown")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_of_two_processes_renews_the_hosts_token(tmp_path: Path, request: pytest.FixtureRequest, kind: str) -> None:
    url = f"sqlite:///{tmp_path}/games.db" if kind == "sqlite" else request.getfixturevalue("postgres_database_url")
    with serving(database_url=url) as one, serving(database_url=url) as other:
        for _ in range(8):
            table = People(one)
            with ThreadPoolExecutor(2) as threads:
                keys = ("first-key-of-22-or-more", "second-key-of-22-or-more")
                responses = list(threads.map(partial(renew, table, None), keys, (one, other)))
            won, lost = sorted(responses, key=lambda response: response.status_code)
            assert won.status_code == 201
            problem(lost, 401, "token_unknown")
            assert table.post("/spectators", won.json()["host_token"]).status_code == 201
