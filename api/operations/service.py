"""The server itself: where to begin, is it well."""

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
    """Links to go on from here; in braces what to fill in."""

    games: str = "/v1/games"
    game: str = "/v1/games/{game_id}"
    boards: str = "/v1/boards"
    bots: str = "/v1/bots"
    records: str = "/v1/records"
    play: Annotated[str, Meta(description="The page to play, for people.")] = "/play"
    reference: str = "/schema"
    rules: str = "/rules"
    openapi: str = "/schema/openapi.json"
    problems: str = "/problems"
    live: str = "/health/live"
    ready: str = "/health/ready"


class Welcome(msgspec.Struct, frozen=True):
    """The name and version of this program, and its links."""

    name: str
    links: Links
    version: str = VERSION


class Health(msgspec.Struct, frozen=True):
    """The server is well."""

    status: str
    version: str = VERSION


_WELCOME = Encoded[Welcome](msgspec.json.encode(Welcome("Franchise engine", Links())), headers=BY_ACCEPT)
_TO_PLAY = Encoded[Welcome](b"", status_code=303, headers={"location": Links().play, **BY_ACCEPT})


class ServiceController(Controller):
    """The server itself."""

    tags = ("service",)

    @get(
        ["/", "/v1"],
        summary="Where everything is",
        response_description="Links.",
        responses={303: ResponseSpec(None, description="A browser that asks for `/` is sent to the page to play.")},
    )
    async def welcome(self, request: ApiRequest) -> Encoded[Welcome]:
        """Start here: for programs that follow links, and for whoever typed in the address.

        Who asks `/` for `text/html` rather than JSON, as browsers do, is sent to `/play`.
        """
        return _TO_PLAY if request.scope["path"] == "/" and request.prefers_html else _WELCOME

    @get("/health/live", summary="Is the server running?", response_description="It is.", cost=0)
    async def check_live(self) -> Health:
        """Ask if the process answers at all; it says nothing about the storage. If this fails, start it again."""
        return Health("live")

    @get(
        "/health/ready",
        summary="Can the server do its work?",
        response_description="It can.",
        cost=0,
    )
    async def check_ready(self, request: ApiRequest) -> Health:
        """Ask if the storage reads now, and wrote when that was last tried, some seconds ago at most.

        If this fails, send requests to another process, and wait.
        """
        await request.service.ready()
        return Health("ready")
