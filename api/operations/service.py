"""The server itself: links and health."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.openapi import ResponseSpec
from msgspec import Meta

from api.http.operation import get
from api.http.requests import ApiRequest
from api.http.responses import BY_ACCEPT, Encoded
from api.settings import VERSION


class Links(msgspec.Struct, frozen=True):
    """Links to the parts of the API. Replace `{...}` in a path."""

    games: str = "/v1/games"
    game: str = "/v1/games/{game_id}"
    boards: str = "/v1/boards"
    bots: str = "/v1/bots"
    records: str = "/v1/records"
    play: Annotated[str, Meta(description="The page for players.")] = "/play"
    reference: str = "/schema"
    rules: str = "/rules"
    openapi: str = "/schema/openapi.json"
    problems: str = "/problems"
    live: str = "/health/live"
    ready: str = "/health/ready"


class Welcome(msgspec.Struct, frozen=True):
    """The name and version of the server, and its links."""

    name: str
    links: Links
    version: str = VERSION


class Health(msgspec.Struct, frozen=True):
    """The status of the server."""

    status: str
    version: str = VERSION


_WELCOME = Encoded[Welcome](msgspec.json.encode(Welcome("Franchise engine", Links())), headers=BY_ACCEPT)
_TO_PLAY = Encoded[Welcome](b"", status_code=303, headers={"location": Links().play, **BY_ACCEPT})


class ServiceController(Controller):
    """The server itself."""

    tags = ("service",)

    @get(
        ["/", "/v1"],
        summary="Get links to everything",
        response_description="Links.",
        responses={303: ResponseSpec(None, description="Redirect from `/` to `/play`, for browsers.")},
        any_query=True,
    )
    async def welcome(self, request: ApiRequest) -> Encoded[Welcome]:
        """Start here and follow the links. `/` redirects clients that prefer `text/html` to `/play`."""
        return _TO_PLAY if request.scope["path"] == "/" and request.prefers_html else _WELCOME

    @get("/health/live", summary="Is the server running?", response_description="The server is running.", cost=0)
    async def check_live(self) -> Health:
        """Check that the process responds. The database is not checked. If this fails, restart the process."""
        return Health("live")

    @get(
        "/health/ready",
        summary="Is the server ready?",
        response_description="The server is ready.",
        cost=0,
    )
    async def check_ready(self, request: ApiRequest) -> Health:
        """Check that the database can be read and written. The result of the write check may be a few seconds old.

        If this fails, send requests to another process, and try again later.
        """
        await request.service.ready()
        return Health("ready")
