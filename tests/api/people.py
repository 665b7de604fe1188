"""A table with players, for tests: each has a token and calls the API like any other program."""

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from time import time_ns
from typing import Any
from unittest.mock import patch

import msgspec
from httpx import ASGITransport, AsyncClient, Client, Response
from litestar import Litestar
from litestar.testing import TestClient

from api.app import create_app
from api.settings import LONGEST_WAIT, Settings
from tests.support.waiting import until

NAMES = ("Ann", "Bob", "Cem", "Dora", "Eve")
NOWHERE = "00000000-0000-4000-8000-000000000000"


def settings(**changed: Any) -> Settings:
    quiet = Settings(database_url="memory:", rate_limit=0, seats_limit=0, log_level="error")
    return msgspec.structs.replace(quiet, **changed)


@contextmanager
def serving(**changed: Any) -> Iterator[Client]:
    """Run the application with these settings."""
    with TestClient(create_app(settings(**changed))) as client:
        yield client


@asynccontextmanager
async def client_at(app: Litestar, address: str = "127.0.0.1") -> AsyncIterator[AsyncClient]:
    """A client at an address, of a running application in this process."""
    transport = ASGITransport(app=app, client=(address, 123))  # type: ignore[arg-type]
    async with AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@contextmanager
def clock_shifted(seconds: float) -> Iterator[None]:
    """Let the clock of all stores in this process run ahead, or behind."""
    with patch("domain.store.commit.time_ns", lambda: time_ns() + int(seconds * 10**9)):
        yield


def until_requests_wait(client: Client, number: int = 1) -> None:
    """Wait until this many requests to an application in this process wait for events."""
    assert isinstance(client, TestClient)
    watchers = client.app.state["service"].watchers
    until(lambda: watchers.waiting >= number)


LIMIT = 60
"""The turn limit of late tables in seconds."""


def late_table(client: Client, late: float = 3600, **options: Any) -> "People":
    """A table whose first player is late by some seconds, of an application in this process."""
    with clock_shifted(-LIMIT - late):
        return People(client, start="introductory", turn_limit=LIMIT, **options)


class People:
    """A table with its players, people first and then bots."""

    def __init__(
        self, client: Client, seats: int = 2, players: int | None = None, bots: Sequence[str] = (), **options: Any
    ) -> None:
        names = [*NAMES[: seats - len(bots) if players is None else players], *({"bot": kind} for kind in bots)]
        options = {"seed": 1, "first_player": 0} | options
        created = client.post("/v1/games", json={"seats": seats, "players": names, "options": options})
        assert created.status_code == 201, created.text
        self.client = client
        self.created = created.json()
        self.id = self.created["game"]["id"]
        self.path = f"/v1/games/{self.id}"
        self.host = self.created["host_token"]
        self.tokens = {seat["seat"]: seat["token"] for seat in self.created["seats"]}

    def get(self, view: str = "", token: str = "", **more: Any) -> Response:
        return self.client.get(self.path + view, headers=bearer(token) | more.pop("headers", {}), **more)

    def post(self, action: str, token: str = "", body: Any = None, **headers: str) -> Response:
        sent = bearer(token) | {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(self.path + action, json=body, headers=sent)

    def seen(self, view: str = "", **more: Any) -> Any:
        """A public view."""
        found = self.get(view, **more)
        assert found.status_code == 200, found.text
        return found.json()

    @property
    def version(self) -> int:
        return int(self.seen()["version"])

    @property
    def to_play(self) -> int:
        return int(self.seen()["to_play"])

    def moves(self) -> list[Any]:
        return [move["action"] for move in self.seen("/legal-moves")["items"]]

    def do(self, action: Any, seat: int | None = None, **headers: str) -> Response:
        """Make a move for a seat, by default for the one to play."""
        return self.post("/moves", self.tokens[self.to_play if seat is None else seat], action, **headers)

    def wait_beyond(self, version: int, token: str = "") -> int:
        """The version once it is beyond this one, or after the longest wait."""
        return int(self.get(f"/events?after={version}&wait={LONGEST_WAIT}", token).json()["version"])

    def play_with_bots(self, seed: int = 1, token: str = "") -> Any:
        """Play random moves for people until the end; return the last summary."""
        rng = random.Random(seed)
        while (seen := self.get(token=token).json())["status"] == "playing":
            if seen["to_play"] not in self.tokens:
                assert self.wait_beyond(seen["version"], token) > seen["version"], "no bot moves"
                continue
            moves = self.get("/legal-moves", token).json()["items"]
            done = self.do(rng.choice(moves)["action"], seen["to_play"])
            assert done.status_code == 200, done.text
        return seen

    def play(self, steps: int = 10_000, seed: int = 1) -> None:
        """Make this many random moves, or play to the end."""
        rng = random.Random(seed)
        for _ in range(steps):
            moves = self.moves()
            if not moves:
                return
            done = self.do(rng.choice(moves))
            assert done.status_code == 200, done.text


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def problem(response: Response, status: int, code: str) -> Any:
    """Return the problem of a refused request after checking its form."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    details = response.json()
    assert details["status"] == status
    assert details["code"] == code, details
    assert details["type"] == f"/problems/{code}"
    assert details["title"]
    assert details["detail"]
    if status == 429:
        assert details["limit"]
        wait = response.headers.get("retry-after")
        assert details["retry_after"] == (None if wait is None else int(wait))
    return details
