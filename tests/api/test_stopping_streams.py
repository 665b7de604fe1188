"""A stream ends with its server, even in the middle of sending."""

import asyncio
from collections.abc import Sequence
from typing import Any

from httpx import ASGITransport, AsyncClient
from litestar import Litestar

from api.app import create_app
from tests.api.people import settings

LONG = 20
SILENT = 3600


async def stream_until_stopped(app: Litestar, path: str) -> Sequence[dict[str, Any]]:
    """Return the messages of a stream from the beginning of a game; the server stops at the first event."""
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)
        if message.get("body", b"").startswith(b"id: 1\n"):
            app.state["service"].watchers.close()

    scope: Any = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": ""}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"after=0", "headers": []}
    scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}
    await app(scope, receive, send)
    return sent


def test_a_stream_ends_when_the_server_stops_while_it_is_sending() -> None:
    async def scene() -> Sequence[dict[str, Any]]:
        app = create_app(settings(heartbeat=SILENT))
        transport = ASGITransport(app)  # type: ignore[arg-type]
        async with app.lifespan(), AsyncClient(transport=transport, base_url="http://x") as client:
            created = await client.post("/v1/games", json={"seats": 2, "players": ["Ann", "Bob"]})
            return await stream_until_stopped(app, f"/v1/games/{created.json()['game']['id']}/stream")

    first, *bodies = asyncio.run(asyncio.wait_for(scene(), LONG))
    assert first["status"] == 200
    assert bodies[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
