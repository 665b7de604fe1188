"""The limit on seats: one client cannot fill the tables of others."""

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


def join(client: Client, table: People, name: str, key: str = "") -> Response:
    sent = {"idempotency-key": key} if key else {}
    return client.post(f"{table.path}/seats", json={"name": name}, headers=sent)


def names(table: People) -> list[Any]:
    return [seat["name"] for seat in table.seen()["seats"] if seat["name"]]


def test_too_many_joins_get_429_with_retry_after(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=2) as stranger:
        tables = [People(host, seats=4, players=1) for _ in range(3)]
        for table in tables[:2]:
            assert join(stranger, table, "Zoe").status_code == 201
        refused = join(stranger, tables[2], "Zoe")
        problem(refused, 429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) <= 1800
        assert names(tables[2]) == ["Ann"]
        assert join(host, tables[2], "Bob").status_code == 201


def test_clients_can_take_any_number_of_seats_at_their_own_tables(url: str) -> None:
    with serving(database_url=url) as host, serving(database_url=url, seats_limit=1) as client:
        for _ in range(3):
            own = People(client, seats=5, players=1)
            assert [join(client, own, f"Player {n}").status_code for n in range(4)] == [201] * 4
        other = People(host, seats=5, players=1)
        assert [join(client, other, f"Player {n}").status_code for n in range(2)] == [201, 429]


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


def take_seat(limit: SeatLimit, client: str, table: UUID) -> None:
    with limit.seat(client, table):
        pass


def test_each_client_has_an_allowance_that_refills_in_an_hour() -> None:
    now = 0.0
    limit = SeatLimit(6, clock=lambda: now)
    for table in TABLES[:6]:
        take_seat(limit, ANN, table)
    with pytest.raises(ApiProblem, match="10 minutes"):
        take_seat(limit, ANN, TABLES[6])
    take_seat(limit, BOB, TABLES[6])
    now = 601.0
    take_seat(limit, ANN, TABLES[7])
    with pytest.raises(ApiProblem):
        take_seat(limit, ANN, TABLES[8])
    now = 601.0 + 3600
    for table in TABLES[:6]:
        take_seat(limit, ANN, table)


def test_a_seat_is_charged_first_and_returned_after_a_refusal() -> None:
    limit = SeatLimit(1, clock=lambda: 0.0)

    def refuse() -> None:
        with limit.seat(ANN, TABLES[0]):
            with pytest.raises(ApiProblem):
                take_seat(limit, ANN, TABLES[1])
            raise Conflict("overtaken")

    with pytest.raises(Conflict):
        refuse()
    with limit.seat(ANN, TABLES[0]) as give_back:
        give_back()
    take_seat(limit, ANN, TABLES[0])
    with pytest.raises(ApiProblem):
        take_seat(limit, ANN, TABLES[0])


def test_the_memory_of_openers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TABLES", 3)
    limit = SeatLimit(1, clock=lambda: 0.0)
    for table in TABLES[:4]:
        limit.remember_opener(ANN, table)
    for table in TABLES[1:4] * 2:
        take_seat(limit, ANN, table)
    take_seat(limit, ANN, TABLES[0])
    with pytest.raises(ApiProblem):
        take_seat(limit, ANN, TABLES[0])
    take_seat(limit, BOB, TABLES[1])
    with pytest.raises(ApiProblem):
        take_seat(limit, BOB, TABLES[2])
