"""One stream for many private games: by their tokens, or as the application that opened them."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from litestar import Litestar

from api.app import create_app
from tests.api.people import bearer, client_at, settings
from tests.api.sse import Event, LocalStream, following


@asynccontextmanager
async def posting(app: Litestar, body: Any, **headers: str) -> AsyncIterator[LocalStream]:
    """Follow the stream that a POST opens."""
    async with following(app, "/v1/stream", body=json.dumps(body).encode(), **headers) as stream:
        yield stream


async def news(stream: LocalStream) -> Event:
    """Return the next event that is no heartbeat."""
    while (event := await stream.next()).name == "heartbeat":
        pass
    return event


class Site:
    """A server with an application, and a client that opens tables with its key or without."""

    def __init__(self, app: Litestar, client: Any, key: str) -> None:
        self.app, self.client, self.key = app, client, key

    async def open(self, *, own: bool, **options: Any) -> Any:
        headers = {"x-app-key": self.key} if own else {}
        body = {"seats": 3, "players": ["Ann"], "options": options}
        return (await self.client.post("/v1/games", json=body, headers=headers)).json()

    async def join(self, table: Any, name: str = "Bob") -> Any:
        path = f"/v1/games/{table['game']['id']}/seats"
        return await self.client.post(path, json={"name": name})


@asynccontextmanager
async def served() -> AsyncIterator[Site]:
    app = create_app(settings(heartbeat=1))
    async with app.lifespan(), client_at(app) as client:
        yield Site(app, client, await app.state["service"].apps.add("meeple"))


def id_of(table: Any) -> str:
    return str(table["game"]["id"])


def test_one_stream_follows_the_private_games_of_many_tokens() -> None:
    async def scene() -> None:
        async with served() as site:
            tables = [await site.open(own=False, private=True) for _ in range(60)]
            tokens = [table["seats"][0]["token"] for table in tables[:50]] + [
                table["host_token"] for table in tables[50:]
            ]
            other = await site.open(own=False, private=True)
            async with posting(site.app, {"tokens": tokens}) as stream:
                first = [await news(stream) for _ in tables]
                assert {json.loads(event.data)["id"] for event in first} == {id_of(table) for table in tables}
                await stream.position()
                await site.join(other)
                await site.join(tables[7])
                changed = await news(stream)
                assert (changed.name, json.loads(changed.data)["id"]) == ("game", id_of(tables[7]))
                assert json.loads(changed.data)["players"] == ["Ann", "Bob"]

    asyncio.run(scene())


def test_a_token_that_opens_nothing_is_named_and_the_others_go_on() -> None:
    async def scene() -> None:
        async with served() as site:
            tables = [await site.open(own=False, private=True) for _ in range(3)]
            tokens = [table["seats"][0]["token"] for table in tables]
            async with posting(site.app, {"tokens": ["nobody-has-this", *tokens]}) as stream:
                seen = [await news(stream) for _ in range(4)]
                assert sorted(event.name for event in seen) == ["game", "game", "game", "revoked"]
                assert [json.loads(event.data) for event in seen if event.name == "revoked"] == [{"index": 0}]
                path = f"/v1/games/{id_of(tables[1])}/seats/0/token"
                await site.client.post(path, json={}, headers=bearer(tables[1]["host_token"]))
                revoked = await news(stream)
                assert (revoked.name, json.loads(revoked.data)) == ("revoked", {"index": 2})
                await site.join(tables[1])
                await site.join(tables[2])
                changed = await news(stream)
                assert (changed.name, json.loads(changed.data)["id"]) == ("game", id_of(tables[2]))

    asyncio.run(scene())


def test_deleted_games_are_gone_and_public_ones_are_listed_on_request() -> None:
    async def scene() -> None:
        async with served() as site:
            table, public = await site.open(own=False, private=True), await site.open(own=False)
            async with posting(site.app, {"tokens": [table["host_token"]], "list": True}) as stream:
                assert (await news(stream)).name == "game"
                await stream.position()
                await site.join(public)
                assert (await news(stream)).name == "listing"
                await site.client.delete(f"/v1/games/{id_of(table)}", headers=bearer(table["host_token"]))
                seen = {(await news(stream)).name for _ in range(2)}
                assert seen == {"gone", "revoked"}

    asyncio.run(scene())


def test_an_application_follows_all_its_games() -> None:
    async def scene() -> None:
        async with served() as site:
            own, foreign = await site.open(own=True, private=True), await site.open(own=False, private=True)
            async with following(site.app, "/v1/stream?app=true", x_app_key=site.key) as stream:
                await stream.position()
                await site.join(foreign)
                await site.open(own=False)
                await site.join(own)
                changed = await news(stream)
                assert (changed.name, json.loads(changed.data)["id"]) == ("listing", id_of(own))
                opened = await site.open(own=True, private=True)
                assert json.loads((await news(stream)).data)["id"] == id_of(opened)
                position = stream.last_event_id
                await site.app.state["service"].apps.revoke("meeple")
                await asyncio.wait_for(stream.ended.wait(), 30)
            key = await site.app.state["service"].apps.renew("meeple")
            await site.join(opened, "Cem")
            async with following(site.app, "/v1/stream?app=true", x_app_key=key, last_event_id=position) as stream:
                assert json.loads((await news(stream)).data)["id"] == id_of(opened)

    asyncio.run(scene())


def test_an_application_reads_the_events_of_its_private_games() -> None:
    async def scene() -> None:
        async with served() as site:
            other = await site.app.state["service"].apps.add("other")
            own, foreign = await site.open(own=True, private=True), await site.open(own=False, private=True)
            public = await site.open(own=False)

            async def games(path: str, key: str) -> set[str]:
                headers = {"x-app-key": key} if key else {}
                return {item["game"] for item in (await site.client.get(path, headers=headers)).json()["items"]}

            for path in ("/v1/events", "/v1/events?wait=1"):
                assert await games(path, site.key) == {id_of(own), id_of(public)}
                assert await games(path, other) == await games(path, "") == {id_of(public)}
            newest = (await site.client.get("/v1/events")).json()["next"]
            waiting = asyncio.create_task(games(f"/v1/events?after={newest}&wait=20", site.key))
            async with following(site.app, "/v1/events/stream", x_app_key=site.key) as stream:
                await stream.position()
                await site.join(foreign)
                await site.join(own)
                assert json.loads((await news(stream)).data)["game"] == id_of(own)
                assert await waiting == {id_of(own)}
                await site.app.state["service"].remove(UUID(id_of(own)))
                removed = json.loads((await news(stream)).data)
                assert [event["type"] for event in removed["events"]] == ["game_removed"]
                await site.app.state["service"].apps.revoke("meeple")
                await site.join(public)
                await asyncio.wait_for(stream.ended.wait(), 30)

    asyncio.run(scene())
