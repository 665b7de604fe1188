"""The limit on seats: one client cannot fill every open table."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response
from litestar.testing import TestClient

from api.app import create_app
from api.http.limits import RateLimit, SeatLimit
from api.http.problems import ApiProblem
from domain.store.commit import store
from domain.store.errors import Conflict
from tests.api.people import People, bearer, client_at, problem, serving, settings

ANN, BOB = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/games.db"


def join(client: Client, table: People, name: str, key: str = "", token: str = "") -> Response:
    sent = bearer(token) | ({"idempotency-key": key} if key else {})
    return client.post(f"{table.path}/seats", json={"name": name}, headers=sent)


def names(table: People) -> list[Any]:
    return [seat["name"] for seat in table.seen()["seats"] if seat["name"]]


def test_too_many_joins_get_429_with_retry_after(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=2) as stranger:
        tables = [People(host, seats=4, players=1) for _ in range(3)]
        for table in tables[:2]:
            assert join(stranger, table, "Zoe").status_code == 201
        refused = join(stranger, tables[2], "Zoe")
        told = problem(refused, 429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) == told["retry_after"] <= 1800
        assert told["limit"] == "seats"
        assert names(tables[2]) == ["Ann"]
        assert join(host, tables[2], "Bob").status_code == 201


def test_seats_are_free_with_the_token_of_the_host_even_after_a_restart(url: str) -> None:
    with serving(database_url=url) as opener:
        own, other = (People(opener, seats=5, players=1) for _ in range(2))
    for first in (0, 2):
        with serving(database_url=url, seats_limit=1) as client:
            seats = [join(client, own, f"Player {n}", token=own.host) for n in range(first, first + 2)]
            assert [seat.status_code for seat in seats] == [201] * 2
            tries = [join(client, other, f"Player {n}") for n in range(first, first + 2)]
            assert [each.status_code for each in tries] == [201, 429]
            problem(join(client, other, "Eve", token=own.host), 429, "too_many_requests")


def test_only_successful_joins_count(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=1) as client:
        table = People(host, seats=4, players=1)
        for _ in range(5):
            problem(join(client, table, "Ann"), 409, "name_taken")
        first = join(client, table, "Bob", key="k" * 22)
        for _ in range(3):
            assert join(client, table, "Bob", key="k" * 22).content == first.content
        problem(join(client, table, "Cem"), 429, "too_many_requests")


def test_a_retried_conflict_costs_one_seat_and_no_more_bytes(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    conflicts: list[Conflict] = []

    def conflicting(*arguments: Any, **options: Any) -> None:
        if conflicts:
            raise conflicts.pop()
        store(*arguments, **options)

    monkeypatch.setattr("domain.store.service.store", conflicting)
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=2) as stranger:
        assert isinstance(stranger, TestClient)
        stored = stranger.app.state["storage_limit"] = Costs(10**6)
        tables, bytes_stored = [People(host, seats=4, players=1) for _ in range(3)], list[float]()
        for table, times in zip(tables, (0, 3), strict=False):
            conflicts += [Conflict("overtaken")] * times
            assert join(stranger, table, "Zoe").status_code == 201
            bytes_stored.append(sum(stored.taken))
            stored.taken.clear()
        assert not conflicts
        assert bytes_stored[0] == bytes_stored[1] > 0
        problem(join(stranger, tables[2], "Zoe"), 429, "too_many_requests")


class Costs(RateLimit):
    """A limit that records all costs."""

    def __init__(self, per_period: int) -> None:
        super().__init__(per_period)
        self.taken: list[float] = []

    def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
        self.taken.append(cost)
        super().take(client, cost, afterwards=afterwards)


def test_zero_means_no_limit(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=0) as client:
        tables = [People(host, seats=5, players=1) for _ in range(30)]
        assert {join(client, table, f"Z{n}").status_code for table in tables for n in range(4)} == {201}


def test_simultaneous_joins_share_one_allowance() -> None:
    async def scene() -> list[int]:
        app = create_app(settings(seats_limit=2))
        async with app.lifespan(), client_at(app, ANN) as host, client_at(app, BOB) as stranger:
            opened = [await host.post("/v1/games", json={"seats": 4, "players": ["Ann"]}) for _ in range(6)]
            paths = [f"/v1/games/{response.json()['game']['id']}/seats" for response in opened]
            joins = [stranger.post(path, json={"name": "Zoe"}) for path in paths]
            return sorted(response.status_code for response in await asyncio.gather(*joins))

    assert asyncio.run(scene()) == [201, 201, 429, 429, 429, 429]


def take_seat(limit: SeatLimit, client: str) -> None:
    with limit.seat(client, by_host=False):
        pass


def test_each_client_has_an_allowance_that_refills_in_an_hour() -> None:
    now = 0.0
    limit = SeatLimit(6, clock=lambda: now)
    for _ in range(6):
        take_seat(limit, ANN)
    with pytest.raises(ApiProblem, match="10 minutes"):
        take_seat(limit, ANN)
    take_seat(limit, BOB)
    now = 601.0
    take_seat(limit, ANN)
    with pytest.raises(ApiProblem):
        take_seat(limit, ANN)
    now = 601.0 + 3600
    for _ in range(6):
        take_seat(limit, ANN)


def test_a_seat_is_charged_first_and_returned_after_a_refusal() -> None:
    limit = SeatLimit(1, clock=lambda: 0.0)

    def refuse() -> None:
        with limit.seat(ANN, by_host=False):
            with pytest.raises(ApiProblem):
                take_seat(limit, ANN)
            raise Conflict("overtaken")

    with pytest.raises(Conflict):
        refuse()
    with limit.seat(ANN, by_host=False) as give_back:
        give_back()
    take_seat(limit, ANN)
    with pytest.raises(ApiProblem):
        take_seat(limit, ANN)
