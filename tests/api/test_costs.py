"""The costs of operations for the rate limit, compared with their work.

Work is counted, not timed: the calls of functions in all threads of the server, and the bytes of the response.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from httpx import Response
from litestar import Litestar
from litestar.testing import TestClient

from api.app import create_app
from api.http.limits import request_limit
from api.http.problems import ApiProblem
from tests.api.app_keys import new_key
from tests.api.people import People, bearer, late_table, serving, settings
from tests.api.sse import following
from tests.api.test_door import operations
from tests.api.test_seat_limit import Costs
from tests.support.waiting import until

CALLS, BYTES = 400, 10_000
"""The calls and the bytes of a response that are as much work as a request for a cached view."""

BUSY = 50
"""The calls in a hundredth of a second that show other work."""

JSON = {"content-type": "application/json"}

STREAMS = {"GET /v1/stream", "POST /v1/stream", "GET /v1/events/stream", "GET /v1/games/{game_id}/stream"}
"""Endless operations."""

ELSEWHERE = {"GET /v1/games/{game_id}/hint", "GET /v1/games/{game_id}/board.png"}
"""Operations with work in another process."""

Request = Callable[[], Response]

_versions = count(480)


class Meter:
    """Counts the calls in the threads of a server, and the costs charged to its clients."""

    def __init__(self) -> None:
        self.calls, self.cost = 0, 0.0
        self.counting = False

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        self.calls += self.counting and event in ("call", "c_call")

    def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
        self.cost += cost

    def measure(self, request: Request) -> tuple[int, float, Response]:
        """Return the calls, the cost and the response of a request, measured when the server is idle."""
        self.calls, self.counting = BUSY, True
        until(self.is_idle)
        self.calls, self.cost = 0, 0
        response = request()
        self.counting = False
        return self.calls, self.cost, response

    def is_idle(self) -> bool:
        """Return whether next to nothing was called since the last check."""
        calls, self.calls = self.calls, 0
        return calls < BUSY

    def least(self, prepare: Callable[[], Request]) -> tuple[int, float, Response]:
        """Measure a request three times and take the least, since other work may run at the same time."""
        return min((self.measure(prepare()) for _ in range(3)), key=lambda measured: measured[0])


@pytest.fixture(scope="module")
def meter() -> Iterator[Meter]:
    """Count in all threads started from now on."""
    meter = Meter()
    threading.setprofile(meter.profile)
    yield meter
    threading.setprofile(None)


class Tables:
    """A long finished game, several new games, and a lobby with 200 tables."""

    def __init__(self, client: TestClient[Litestar]) -> None:
        self.app, self.client = client.app, client
        self.long = People(client, seats=5, undo="free", start="introductory")
        self.long.play(300)
        self.record = self.long.get("/record").content
        self.playing = People(client, seats=5, undo="free", start="introductory")
        self.playing.play(20)
        self.agreeing = People(client, undo="agree", start="introductory")
        self.agreeing.play(4)
        for _ in range(200):
            self.open()

    def open(self) -> People:
        return People(self.client, seats=3, players=2)

    def past(self, view: str) -> Request:
        """Request a view of a version that nobody has requested."""
        return partial(self.long.get, view, params={"at": next(_versions)})

    def fresh(self, view: str) -> Request:
        """Request a view of a game that nobody has requested, when everything shared by games is cached."""
        self.long.get(view)
        game = self.long.post("/fork").json()["game"]["id"]
        return partial(self.client.get, f"/v1/games/{game}{view}")

    def refs(self) -> Request:
        """Request the references of an application."""
        body = {"seats": 2, "players": [{"name": "Ann", "ref": "user-1"}]}
        headers = {"x-app-key": new_key(self.client, f"app-{next(_versions)}")}
        game = self.client.post("/v1/games", json=body, headers=headers).json()["game"]["id"]
        return partial(self.client.get, f"/v1/games/{game}/refs", headers=headers)

    def redo(self) -> Request:
        self.playing.post("/undo", self.playing.host)
        return partial(self.playing.post, "/redo", self.playing.host)

    def move(self, path: str = "/moves") -> Request:
        token = self.playing.tokens[self.playing.to_play]
        return partial(self.playing.post, path, token, self.playing.moves()[0])

    def turn(self, steps: int) -> Request:
        """Play the actions that were taken at a table with the same seed in one request."""
        played = People(self.client, start="introductory", undo="free")
        return partial(played.post, "/moves", played.host, self.actions(steps))

    def rematch(self) -> Request:
        """Ask for a rematch of a finished game, as the second one who asks."""
        over = People(self.client)
        over.do({"type": "resign"}, 0)
        over.post("/rematch", over.tokens[0])
        return partial(over.post, "/rematch", over.tokens[1])

    def absent(self) -> People:
        """A table at which a bot plays for the first player."""
        table = late_table(self.client)
        assert table.post("/absence", table.host, {"seat": 0}).is_success
        return table

    def claim(self) -> Request:
        table = late_table(self.client)
        return partial(table.post, "/absence", table.tokens[1], {"seat": 0})

    def come_back(self) -> Request:
        table = self.absent()
        return partial(self.client.delete, f"{table.path}/absence", headers=bearer(table.tokens[0]))

    def hand_over(self) -> Request:
        table = self.absent()
        return partial(table.post, "/seats/0/handover", table.host, {"name": "Zoe"})

    def host(self, method: str, path: str, body: Any = None) -> Request:
        """Send a request as the host of an open table."""
        table = self.open()
        return partial(self.client.request, method, table.path + path, json=body, headers=bearer(table.host))

    def ready(self, path: str) -> Request:
        """Request something that is already cached."""
        self.client.get(path)
        return partial(self.client.get, path)

    def answer(self) -> Request:
        """Accept an undo that a player has proposed."""
        table = self.agreeing
        asks = next(seat for seat in table.tokens if table.post("/undo", table.tokens[seat]).status_code == 200)
        return partial(table.post, "/undo/answer", table.tokens[1 - asks], {"accept": True})

    def plan(self, steps: int) -> Request:
        """Preview the actions that were taken at a table with the same seed."""
        tried = People(self.client, start="introductory")
        return partial(tried.post, "/preview", body=self.actions(steps))

    def actions(self, steps: int) -> list[Any]:
        """Take actions at a new table, and return them."""
        done, actions = People(self.client, start="introductory"), list[Any]()
        for _ in range(steps):
            actions.append(done.moves()[0])
            done.do(actions[-1])
        return actions


@pytest.fixture(scope="module")
def tables(meter: Meter) -> Iterator[Tables]:
    with pytest.MonkeyPatch.context() as patch, serving(bot_seconds=0.02) as client:
        assert isinstance(client, TestClient)
        patch.setattr(client.app.state["rate_limit"], "take", meter.take)
        yield Tables(client)


GAME = "/v1/games/{game_id}"

TABLE: list[tuple[str, float, Callable[[Tables], Request]]] = [
    ("GET /", 1, lambda t: t.ready("/")),
    ("GET /play/{game}", 2, lambda t: t.ready(f"/play/{t.long.id}")),
    ("GET /v1/boards", 1, lambda t: t.ready("/v1/boards")),
    ("GET /v1/boards/{board}", 1, lambda t: t.ready("/v1/boards/usa-1960s")),
    ("GET /v1/boards/{board}/map.svg", 1, lambda t: t.ready("/v1/boards/usa-1960s/map.svg")),
    ("GET /v1/bots", 1, lambda t: t.ready("/v1/bots")),
    ("GET /v1/games", 9, lambda t: t.ready("/v1/games")),
    ("GET /v1/games limit", 23, lambda t: t.ready("/v1/games?limit=200")),
    ("GET /v1/games player", 9, lambda t: t.ready("/v1/games?player=Ann")),
    ("POST /v1/games", 5, lambda t: partial(t.client.post, "/v1/games", json={"seats": 2, "players": ["A", "B"]})),
    ("GET /v1/events", 60, lambda t: partial(t.client.get, "/v1/events?limit=250")),
    ("GET /v1/records", 36, lambda t: partial(t.client.get, "/v1/records?limit=1")),
    ("POST /v1/records", 260, lambda t: partial(t.client.post, "/v1/records", content=t.record, headers=JSON)),
    ("POST /v1/seats/lookup", 5, lambda t: partial(t.client.post, "/v1/seats/lookup", json={"tokens": [t.long.host]})),
    (f"GET {GAME}", 1, lambda t: t.ready(t.long.path)),
    (f"GET {GAME}/state", 1, lambda t: t.ready(t.long.path + "/state")),
    (f"GET {GAME}/board", 1, lambda t: t.ready(t.long.path + "/board")),
    (f"GET {GAME}/scores", 1, lambda t: t.ready(t.long.path + "/scores")),
    (f"GET {GAME}/legal-moves", 1, lambda t: t.ready(t.long.path + "/legal-moves")),
    (f"GET {GAME}/refusals", 5, lambda t: partial(t.playing.get, "/refusals?target=dallas")),
    (f"GET {GAME}/state at", 85, lambda t: t.past("/state")),
    (f"GET {GAME}/board at", 85, lambda t: t.past("/board")),
    (f"GET {GAME}/board.svg at", 105, lambda t: t.past("/board.svg")),
    (f"GET {GAME}/scores.svg at", 105, lambda t: t.past("/scores.svg")),
    (f"GET {GAME}/history at", 160, lambda t: t.past("/history")),
    (f"GET {GAME}/board.svg", 21, lambda t: t.fresh("/board.svg")),
    (f"GET {GAME}/scores.svg", 21, lambda t: t.fresh("/scores.svg")),
    (f"GET {GAME}/history", 105, lambda t: t.fresh("/history")),
    (f"GET {GAME}/history", 1, lambda t: t.ready(t.long.path + "/history")),
    (f"GET {GAME}/history after", 13, lambda t: partial(t.long.get, "/history?after=700")),
    (f"GET {GAME}/history limit", 8, lambda t: partial(t.long.get, "/history?limit=1")),
    (f"GET {GAME}/history limit", 58, lambda t: partial(t.long.get, "/history?limit=100")),
    (f"GET {GAME}/refs", 2, lambda t: t.refs()),
    (f"GET {GAME}/events", 18, lambda t: t.fresh("/events")),
    (f"GET {GAME}/events", 1, lambda t: t.ready(t.long.path + "/events")),
    (f"GET {GAME}/events limit", 24, lambda t: partial(t.long.get, "/events?limit=1000")),
    (f"GET {GAME}/events limit", 5, lambda t: partial(t.long.get, "/events?limit=1")),
    (f"GET {GAME}/events view", 24, lambda t: partial(t.long.get, "/events?limit=999&view=full")),
    (f"GET {GAME}/audit", 150, lambda t: partial(t.long.get, "/audit")),
    (f"GET {GAME}/record", 20, lambda t: partial(t.long.get, "/record")),
    (f"POST {GAME}/fork", 98, lambda t: partial(t.long.post, "/fork")),
    (f"POST {GAME}/moves", 5, lambda t: t.move()),
    (f"POST {GAME}/moves include", 5, lambda t: t.move("/moves?include=state")),
    (f"POST {GAME}/moves list", 11, lambda t: t.turn(4)),
    (f"POST {GAME}/undo", 5, lambda t: partial(t.playing.post, "/undo", t.playing.host)),
    (f"POST {GAME}/redo", 5, lambda t: t.redo()),
    (f"POST {GAME}/undo/answer", 5, lambda t: t.answer()),
    (f"POST {GAME}/preview", 5, lambda t: t.plan(1)),
    (f"POST {GAME}/preview", 25, lambda t: t.plan(11)),
    (f"DELETE {GAME}", 5, lambda t: t.host("DELETE", "")),
    (f"POST {GAME}/seats", 5, lambda t: t.host("POST", "/seats", {"name": "Cem"})),
    (f"DELETE {GAME}/seats/{{seat}}", 5, lambda t: t.host("DELETE", "/seats/1")),
    (f"POST {GAME}/seats/{{seat}}/token", 5, lambda t: t.host("POST", "/seats/1/token")),
    (f"POST {GAME}/seats/{{seat}}/handover", 5, lambda t: t.hand_over()),
    (f"POST {GAME}/absence", 5, lambda t: t.claim()),
    (f"DELETE {GAME}/absence", 5, lambda t: t.come_back()),
    (f"POST {GAME}/host-token", 5, lambda t: t.host("POST", "/host-token")),
    (f"POST {GAME}/close", 5, lambda t: t.host("POST", "/close")),
    (f"POST {GAME}/start", 5, lambda t: t.host("POST", "/start")),
    (f"POST {GAME}/rematch", 5, lambda t: t.rematch()),
    (f"POST {GAME}/spectators", 5, lambda t: t.host("POST", "/spectators")),
    (f"DELETE {GAME}/spectators", 5, lambda t: t.host("DELETE", "/spectators")),
]
"""The operation with the parameter that matters; its cost; a request."""


@pytest.mark.parametrize(("operation", "cost", "ask"), TABLE)
def test_the_cost_of_an_operation_covers_its_work(
    tables: Tables, meter: Meter, operation: str, cost: float, ask: Callable[[Tables], Request]
) -> None:
    least, _, _ = meter.least(lambda: tables.ready("/v1/boards"))
    calls, charged, response = meter.least(lambda: ask(tables))
    assert response.is_success, response.text
    assert charged == pytest.approx(cost, rel=0.1)
    work = 1 + (calls - least) / CALLS + (len(response.content) / BYTES if cost > 1 else 0)
    assert 0.2 * cost < work < 2 * cost


def test_an_earlier_version_costs_the_same_by_every_operation(tables: Tables, meter: Meter) -> None:
    table = People(tables.client, seats=3, players=1, private=True, invite=True)
    ways = {"x-invite": table.created["invite"]}, bearer(table.host)
    costs = [meter.measure(partial(table.get, params={"at": 1}, headers=sent))[1] for sent in ways]
    assert costs[0] == costs[1] > 5


def test_every_operation_has_a_measured_cost(tables: Tables) -> None:
    found = {f"{min(handler.http_methods)} {path}" for path, handler in operations(tables.app)}
    measured = {" ".join(operation.split()[:2]) for operation, _, _ in TABLE if " /v1/" in operation}
    assert {operation for operation in found if " /v1/" in operation} == measured | STREAMS | ELSEWHERE


def test_work_of_bot_workers_and_drawing_processes_counts_a_tenth(tables: Tables, meter: Meter) -> None:
    for path, costs in (("/board.png", [271, 1]), ("/hint", [501, 1])):
        ask = partial(tables.playing.get, path, tables.playing.host)
        assert [meter.measure(ask)[1] for _ in costs] == costs


def test_a_stream_costs_by_the_events_that_it_reads(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        table = People(client, start="introductory")
        table.play(20)
        version = table.version

    async def scene() -> float:
        app = create_app(settings(database_url=url))
        async with app.lifespan():
            charged = app.state["rate_limit"] = Costs(0)
            async with following(app, f"{table.path}/stream?after=0") as stream:
                while (await stream.next()).id != str(version):
                    pass
            return sum(charged.taken)

    assert asyncio.run(scene()) == 4 + version / 20


@pytest.mark.parametrize(("per_minute", "at_once"), [(60_000, 6_000), (1_001, 100), (500, 100), (3, 3)])
def test_a_tenth_of_a_minutes_allowance_can_be_used_at_once_but_at_least_100(per_minute: int, at_once: int) -> None:
    limit = request_limit(per_minute)
    limit.take("ann", at_once)
    with pytest.raises(ApiProblem):
        limit.take("ann", at_once / 2)
