"""Streams while the server is delayed in reading lobby entries or looking up tokens."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from httpx import AsyncClient
from litestar import Litestar

from api.app import create_app
from api.operations import lobby_stream
from domain.store import BoundedCache, StorageUnavailable, live
from tests.api.people import client_at, settings
from tests.api.sse import GUARD, following
from tests.api.test_seat_limit import Costs
from tests.store.clients import connected
from tests.store.processes import Gate
from tests.support.waiting import soon

TABLE = {"seats": 3, "players": ["Ann"]}


class Served(NamedTuple):
    app: Litestar
    client: AsyncClient

    async def open(self, **options: Any) -> Any:
        created = await self.client.post("/v1/games", json=TABLE | {"options": options})
        return created.json()

    async def join(self, game: str, name: str) -> None:
        assert (await self.client.post(f"/v1/games/{game}/seats", json={"name": name})).status_code == 201


@asynccontextmanager
async def served(**changed: Any) -> AsyncIterator[Served]:
    app = create_app(settings(**changed))
    async with app.lifespan(), client_at(app) as client:
        yield Served(app, client)


class NoCache(BoundedCache[Any, Any]):
    """A cache that keeps nothing."""

    def get(self, key: Any) -> None:
        return None


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def test_an_entry_that_was_read_late_is_sent_once_to_each_client(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cache of sent entries, an entry that was kept twice must say so itself."""
    monkeypatch.setattr(lobby_stream, "BoundedCache", NoCache)

    async def scene() -> None:
        async with served() as there:
            entries = there.app.state["service"].changed_entries
            game = (await there.open())["game"]["id"]
            async with following(there.app, "/v1/stream?list=true") as early:
                await early.position()
                gate.open.clear()
                reads = gate.reads
                await there.join(game, "Bob")
                await soon(lambda: gate.reads > reads)
                between = str(int(await early.position()) + 1)
                await there.join(game, "Cleo")
                gate.open.set()
                event = await early.next()
                assert event.id == between
                await soon(lambda: entries.position > int(between))
                async with following(there.app, "/v1/stream?list=true", last_event_id=between) as late:
                    assert (await late.next()).data == event.data
                other = (await there.open())["game"]["id"]
                assert (await early.next()).json()["id"] == other

    asyncio.run(scene())


@pytest.mark.parametrize("path", ["/v1/games/{}/stream", "/v1/stream?game={}"])
def test_heartbeats_of_a_private_game_go_on_while_tokens_cannot_be_looked_up(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []

    async def away(token: str) -> None:
        failed.append(token)
        raise StorageUnavailable("away")

    async def scene() -> None:
        async with served(heartbeat=1) as there:
            created = await there.open(private=True)
            game, bearer = created["game"]["id"], f"Bearer {created['host_token']}"
            async with following(there.app, path.format(game), authorization=bearer) as stream:
                await stream.position()
                with monkeypatch.context() as patched:
                    patched.setattr(there.app.state["service"], "find_token", away)
                    await there.join(game, "Bob")
                    await soon(lambda: bool(failed))
                    while (await stream.next()).name != "heartbeat":
                        pass
                    assert (await stream.next()).name == "heartbeat"
                event = await stream.next()
                while event.name == "heartbeat":
                    event = await stream.next()
                assert "Bob" in event.data

    asyncio.run(scene())


def test_clients_far_behind_do_not_block_others(gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(live, "ROWS_SEARCHED", 5)
    url = f"sqlite:///{tmp_path}/games.db"
    with connected(url) as before:
        games = [str(before.started().id) for _ in range(8)]

    async def scene() -> list[float]:
        async with served(database_url=url) as there, AsyncExitStack() as stack:
            charged = there.app.state["rate_limit"] = Costs(0)
            gate.open.clear()
            addresses = [f"192.0.2.{number}" for number in range(1, 9)]
            streams = [
                await stack.enter_async_context(
                    following(there.app, "/v1/stream?list=true", address, last_event_id="0")
                )
                for address in addresses
            ]
            await soon(lambda: gate.reads > 1)
            async with asyncio.timeout(GUARD):
                assert (await there.client.get(f"/v1/games/{games[0]}")).status_code == 200
            gate.open.set()
            for stream in streams:
                missing = set(games)
                while missing:
                    missing.discard((await stream.next()).json()["id"])
            return charged.taken

    costs = asyncio.run(scene())
    assert costs.count(lobby_stream.SEARCH_COST) >= 8 * 8 * 2 / 5
