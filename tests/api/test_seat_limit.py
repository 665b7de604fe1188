"""The limit on seats at tables of others: one client cannot fill every open table."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from httpx import Client, Response
from litestar.testing import TestClient

from api.app import create_app
from api.http import limits
from api.http.limits import RateLimit, SeatLimit
from api.http.problems import ApiProblem
from domain.store.commit import store
from domain.store.errors import Conflict
from tests.api.people import People, client_at, problem, serving, settings

ANN, BOB = "192.0.2.1", "192.0.2.2"
TABLES = [UUID(int=number) for number in range(10)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/games.db"


def sit(client: Client, table: People, name: str, key: str = "") -> Response:
    sent = {"idempotency-key": key} if key else {}
    return client.post(f"{table.path}/seats", json={"name": name}, headers=sent)


def names(table: People) -> list[Any]:
    return [seat["name"] for seat in table.seen()["seats"] if seat["name"]]


def test_who_takes_too_many_seats_is_told_when_to_come_back_and_takes_none(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=2) as stranger:
        tables = [People(host, seats=4, players=1) for _ in range(3)]
        for table in tables[:2]:
            assert sit(stranger, table, "Zoe").status_code == 201
        refused = sit(stranger, tables[2], "Zoe")
        problem(refused, 429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) <= 1800
        assert names(tables[2]) == ["Ann"]
        assert sit(host, tables[2], "Bob").status_code == 201


def test_at_tables_of_their_own_clients_take_any_number_of_seats(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=1) as client:
        for _ in range(3):
            own = People(client, seats=5, players=1)
            assert [sit(client, own, f"Player {n}").status_code for n in range(4)] == [201] * 4
        other = People(host, seats=5, players=1)
        assert [sit(client, other, f"Player {n}").status_code for n in range(2)] == [201, 429]


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


def take(limit: SeatLimit, client: str, table: UUID) -> None:
    """Take a seat for good."""
    with limit.seat(client, table):
        pass


def test_an_hour_fills_the_allowance_again_and_each_client_has_one() -> None:
    now = 0.0
    limit = SeatLimit(6, clock=lambda: now)
    for table in TABLES[:6]:
        take(limit, ANN, table)
    with pytest.raises(ApiProblem, match="10 minutes"):
        take(limit, ANN, TABLES[6])
    take(limit, BOB, TABLES[6])
    now = 601.0
    take(limit, ANN, TABLES[7])
    with pytest.raises(ApiProblem):
        take(limit, ANN, TABLES[8])
    now = 601.0 + 3600
    for table in TABLES[:6]:
        take(limit, ANN, table)


def test_a_seat_is_taken_before_the_table_is_asked_and_given_back_if_it_refuses() -> None:
    limit = SeatLimit(1, clock=lambda: 0.0)

    def refuse() -> None:
        with limit.seat(ANN, TABLES[0]):
            with pytest.raises(ApiProblem):
                take(limit, ANN, TABLES[1])
            raise Conflict("somebody was faster")

    with pytest.raises(Conflict):
        refuse()
    with limit.seat(ANN, TABLES[0]) as give_back:
        give_back()
    take(limit, ANN, TABLES[0])
    with pytest.raises(ApiProblem):
        take(limit, ANN, TABLES[0])


def test_the_memory_of_who_opened_a_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TABLES", 3)
    limit = SeatLimit(1, clock=lambda: 0.0)
    for table in TABLES[:4]:
        limit.remember_opener(ANN, table)
    for table in TABLES[1:4] * 2:
        take(limit, ANN, table)
    take(limit, ANN, TABLES[0])
    with pytest.raises(ApiProblem):
        take(limit, ANN, TABLES[0])
    take(limit, BOB, TABLES[1])
    with pytest.raises(ApiProblem):
        take(limit, BOB, TABLES[2])
