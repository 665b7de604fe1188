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


def sit(client: Client, table: People, name: str, key: str = "", token: str = "") -> Response:
    sent = bearer(token) | ({"idempotency-key": key} if key else {})
    return client.post(f"{table.path}/seats", json={"name": name}, headers=sent)


def names(table: People) -> list[Any]:
    return [seat["name"] for seat in table.seen()["seats"] if seat["name"]]


def test_who_takes_too_many_seats_is_told_when_to_come_back_and_takes_none(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=2) as stranger:
        tables = [People(host, seats=4, players=1) for _ in range(3)]
        for table in tables[:2]:
            assert sit(stranger, table, "Zoe").status_code == 201
        refused = sit(stranger, tables[2], "Zoe")
        told = problem(refused, 429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) == told["retry_after"] <= 1800
        assert told["limit"] == "seats"
        assert names(tables[2]) == ["Ann"]
        assert sit(host, tables[2], "Bob").status_code == 201


def test_the_token_of_the_host_takes_any_number_of_seats_also_after_a_restart(url: str) -> None:
    with serving(database_url=url) as opener:
        own, other = (People(opener, seats=5, players=1) for _ in range(2))
    for first in (0, 2):
        with serving(database_url=url, seats_limit=1) as client:
            seats = [sit(client, own, f"Player {n}", token=own.host) for n in range(first, first + 2)]
            assert [seat.status_code for seat in seats] == [201] * 2
            tries = [sit(client, other, f"Player {n}") for n in range(first, first + 2)]
            assert [each.status_code for each in tries] == [201, 429]
            problem(sit(client, other, "Eve", token=own.host), 429, "too_many_requests")


def test_only_seats_that_are_taken_count(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=1) as client:
        table = People(host, seats=4, players=1)
        for _ in range(5):
            problem(sit(client, table, "Ann"), 409, "name_taken")
        first = sit(client, table, "Bob", key="k" * 22)
        for _ in range(3):
            assert sit(client, table, "Bob", key="k" * 22).content == first.content
        problem(sit(client, table, "Cem"), 429, "too_many_requests")


def test_a_conflict_takes_neither_a_second_seat_nor_more_bytes(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
            conflicts += [Conflict("somebody was faster")] * times
            assert sit(stranger, table, "Zoe").status_code == 201
            bytes_stored.append(sum(stored.taken))
            stored.taken.clear()
        assert not conflicts
        assert bytes_stored[0] == bytes_stored[1] > 0
        problem(sit(stranger, tables[2], "Zoe"), 429, "too_many_requests")


class Costs(RateLimit):
    """A limit that keeps what was taken from it or spent."""

    def __init__(self, per_period: int) -> None:
        super().__init__(per_period)
        self.taken: list[float] = []

    def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
        self.taken.append(cost)
        super().take(client, cost, afterwards=afterwards)


def test_without_a_limit_there_is_none(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=0) as client:
        tables = [People(host, seats=5, players=1) for _ in range(30)]
        assert {sit(client, table, f"Z{n}").status_code for table in tables for n in range(4)} == {201}


def test_joins_at_the_same_time_share_one_allowance() -> None:
    async def scene() -> list[int]:
        app = create_app(settings(seats_limit=2))
        async with app.lifespan(), client_at(app, ANN) as host, client_at(app, BOB) as stranger:
            opened = [await host.post("/v1/games", json={"seats": 4, "players": ["Ann"]}) for _ in range(6)]
            paths = [f"/v1/games/{answer.json()['game']['id']}/seats" for answer in opened]
            joins = [stranger.post(path, json={"name": "Zoe"}) for path in paths]
            return sorted(answer.status_code for answer in await asyncio.gather(*joins))

    assert asyncio.run(scene()) == [201, 201, 429, 429, 429, 429]


def take(limit: SeatLimit, client: str) -> None:
    """Take a seat for good."""
    with limit.seat(client, by_host=False):
        pass


def test_an_hour_fills_the_allowance_again_and_each_client_has_one() -> None:
    now = 0.0
    limit = SeatLimit(6, clock=lambda: now)
    for _ in range(6):
        take(limit, ANN)
    with pytest.raises(ApiProblem, match="10 minutes"):
        take(limit, ANN)
    take(limit, BOB)
    now = 601.0
    take(limit, ANN)
    with pytest.raises(ApiProblem):
        take(limit, ANN)
    now = 601.0 + 3600
    for _ in range(6):
        take(limit, ANN)


def test_a_seat_is_taken_before_the_table_is_asked_and_given_back_if_it_refuses() -> None:
    limit = SeatLimit(1, clock=lambda: 0.0)

    def refuse() -> None:
        with limit.seat(ANN, by_host=False):
            with pytest.raises(ApiProblem):
                take(limit, ANN)
            raise Conflict("somebody was faster")

    with pytest.raises(Conflict):
        refuse()
    with limit.seat(ANN, by_host=False) as give_back:
        give_back()
    take(limit, ANN)
    with pytest.raises(ApiProblem):
        take(limit, ANN)
