"""The limit on stored bytes: a client above it gets 429 with `Retry-After`, and others go on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from httpx import Client, Response
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.http.access import cost_of_past
from api.http.limits import HOUR, RateLimit
from api.http.problems import ApiProblem
from domain.modules import GameOptions
from domain.store import IdempotencyKey, new_games, stored_bytes
from domain.store.commands import open_table
from domain.store.commit import BOT_GAME_BYTES
from tests.api.people import People, bearer, client_at, problem, serving, settings
from tests.api.test_seat_limit import Costs

KEY = "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e"
TABLE = {"seats": 2, "players": ["Ann", "Bob"]}
LIMIT = 20_000


def move(table: People) -> Response:
    return table.do(table.moves()[0])


def test_a_flood_of_one_client_does_not_affect_another() -> None:
    async def scene() -> None:
        app = create_app(settings(storage_limit=LIMIT))
        async with app.lifespan(), client_at(app, "192.0.2.1") as one, client_at(app, "192.0.2.2") as other:
            responses = [await one.post("/v1/games", json=TABLE) for _ in range(LIMIT // 1000)]
            problem(responses[-1], 429, "too_many_requests")
            assert 1 <= int(responses[-1].headers["retry-after"]) <= HOUR
            made = [response.json()["game"]["id"] for response in responses if response.status_code == 201]
            stored = [len((await one.get(f"/v1/games/{game}/events")).content) for game in made]
            assert LIMIT / 2 < sum(stored) < LIMIT * 1.1
            assert len((await one.get("/v1/games")).json()["items"]) == len(made)
            for _ in range(2):
                assert (await other.post("/v1/games", json=TABLE)).status_code == 201

    asyncio.run(scene())


Operation = Callable[[People], Response]

OPERATIONS: dict[str, Operation] = {
    "create": lambda table: table.client.post("/v1/games", json=TABLE),
    "fork": lambda table: table.post("/fork", table.host, {}),
    "import": lambda table: table.client.post("/v1/records", json=table.seen("/record")),
    "move": move,
    "move with state": lambda table: table.post("/moves?include=state", table.host, table.moves()[0]),
    "undo": lambda table: table.post("/undo", table.host, {}),
    "redo": lambda table: table.post("/redo", table.host, {}),
    "renew token": lambda table: table.post("/seats/0/token", table.host, {}),
    "renew host token": lambda table: table.post("/host-token", table.host, {}),
    "admit spectator": lambda table: table.post("/spectators", table.host, {}),
}
AT_OPEN_TABLES: dict[str, Operation] = {
    "join": lambda table: table.post("/seats", body={"name": "Eve"}),
    "close": lambda table: table.post("/close", table.host, {}),
    "start": lambda table: table.post("/start", table.host, {}),
    "kick": lambda table: table.client.delete(f"{table.path}/seats/1", headers=bearer(table.host)),
    "delete": lambda table: table.client.delete(table.path, headers=bearer(table.host)),
}


@pytest.mark.parametrize("name", [*OPERATIONS, *AT_OPEN_TABLES])
def test_every_operation_that_stores_is_refused(name: str, tmp_path: Path) -> None:
    """A server with a used-up allowance refuses a request that succeeds on another server with the same database."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as free, serving(database_url=url, storage_limit=1) as limited:
        table = People(free, seats=4 if name in AT_OPEN_TABLES else 2, players=2, undo="free")
        if name not in AT_OPEN_TABLES:
            move(table)
        if name == "redo":
            table.post("/undo", table.host, {})
        for _ in range(2):  # the second table makes the allowance negative
            assert limited.post("/v1/games", json=TABLE).status_code == 201
        before, games = table.seen(), len(free.get("/v1/games").json()["items"])
        operation = (OPERATIONS | AT_OPEN_TABLES)[name]
        table.client = limited
        problem(operation(table), 429, "too_many_requests")
        table.client = free
        assert (table.seen(), len(free.get("/v1/games").json()["items"])) == (before, games)
        assert operation(table).status_code < 300


def test_a_repeated_request_costs_nothing() -> None:
    with serving(storage_limit=LIMIT) as client:
        created = [client.post("/v1/games", json=TABLE, headers={"idempotency-key": KEY}) for _ in range(50)]
        assert {response.content for response in created} == {created[0].content}
        table = People(client)
        action, seat = table.moves()[0], table.to_play
        moved = [table.do(action, seat, idempotency_key=KEY) for _ in range(50)]
        assert {(response.status_code, response.content) for response in moved} == {(200, moved[0].content)}


def test_a_repeated_request_is_charged_like_an_earlier_version() -> None:
    with serving() as client:
        assert isinstance(client, TestClient)
        table = People(client)
        action, seat = table.moves()[0], table.to_play
        costs = []
        for _ in range(2):
            client.app.state["rate_limit"] = charged = Costs(0)
            assert table.do(action, seat, idempotency_key=KEY).status_code == 200
            costs.append(sum(charged.taken))
        assert costs[1] - costs[0] == cost_of_past(table.version)


def test_keys_count() -> None:
    made = []
    plain: list[dict[str, str]] = [{}] * 60
    for headers in (plain, [{"idempotency-key": f"{number:02}" * 11} for number in range(60)]):
        with serving(storage_limit=8 * LIMIT) as client:
            responses = [client.post("/v1/games", json=TABLE, headers=sent) for sent in headers]
            made.append([response.status_code for response in responses].count(201))
    assert 0 < made[1] < made[0] < 60


def test_the_later_moves_of_bots_are_charged_at_the_start() -> None:
    def made(client: Client, seats: int) -> int:
        body = {"seats": seats, "players": [{"bot": "random"}] * 2}
        return [client.post("/v1/games", json=body).status_code for _ in range(10)].count(201)

    with serving(storage_limit=BOT_GAME_BYTES * 5, bot_workers=0) as client:
        assert made(client, 3) == 10
        assert made(client, 2) in (4, 5)


def test_requests_that_store_nothing_cost_nothing() -> None:
    with serving(storage_limit=1) as client:
        table = People(client)
        assert table.post("/preview", body=table.moves()[0]).status_code == 200
        problem(table.do({"type": "end_turn"}), 409, "illegal_action")
        assert client.delete(f"{table.path}/spectators", headers=bearer(table.host)).status_code == 204


def test_zero_means_no_limit() -> None:
    with serving(storage_limit=0) as client:
        assert {client.post("/v1/games", json=TABLE).status_code for _ in range(100)} == {201}


def test_a_request_can_overdraw_the_allowance_and_the_next_one_waits() -> None:
    now = 0.0
    limit = RateLimit(60, 60, clock=lambda: now)
    limit.take("ann", 50, afterwards=True)
    limit.take("ann", 0)
    limit.take("ann", 50, afterwards=True)
    with pytest.raises(ApiProblem, match="40 s"):
        limit.take("ann", 0)
    limit.take("bob", 60)
    now = 39.0
    with pytest.raises(ApiProblem, match="1 s"):
        limit.take("ann", 0)
    now = 40.0
    limit.take("ann", 0)
    limit.take("ann", 10**9, afterwards=True)  # charged at most a whole period
    with pytest.raises(ApiProblem, match="60 s"):
        limit.take("ann", 0)
    limit.take("ann", -60, afterwards=True)
    limit.take("ann", 0)


def test_events_tokens_and_keys_count() -> None:
    facts = open_table(3, ["Ann"], GameOptions(), ())
    commit = new_games.commit_of_new_game(facts)
    events = sum(map(len, commit.events))
    assert stored_bytes(commit) - events >= sum(map(len, commit.tokens.values()))
    keyed = new_games.commit_of_new_game(facts, IdempotencyKey("", KEY, b"{}"))
    assert stored_bytes(keyed) - sum(map(len, keyed.events)) - (stored_bytes(commit) - events) >= 16 * 3
    assert stored_bytes(replace(commit, events=(), tokens={})) == 0


def test_a_repeated_request_succeeds_with_a_used_up_allowance() -> None:
    key = {"idempotency-key": "0d5f4c1e3f0b4f6e9d3c5a1f2b3c4d5e"}
    with serving(storage_limit=1) as client:
        opened = [client.post("/v1/games", json=TABLE, headers=key) for _ in range(3)]
        assert client.post("/v1/games", json=TABLE).status_code == 201  # the allowance is zero
        problem(client.post("/v1/games", json=TABLE), 429, "too_many_requests")
        opened.append(client.post("/v1/games", json=TABLE, headers=key))
        assert {response.content for response in opened} == {opened[0].content}


def test_hosts_can_revoke_tokens_with_a_used_up_allowance() -> None:
    with serving(storage_limit=1) as client:
        table = People(client, seats=3, players=2)
        assert client.post("/v1/games", json=TABLE).status_code == 201
        problem(table.post("/spectators", table.host), 429, "too_many_requests")
        assert client.delete(f"{table.path}/spectators", headers=bearer(table.host)).status_code == 204
