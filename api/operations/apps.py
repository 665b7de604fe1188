"""The references of applications to the players of a game."""

from typing import Annotated

import msgspec
from litestar import Controller
from msgspec import Meta

from api.http.access import GameIdInPath
from api.http.apps import require_app
from api.http.operation import OWNER, get
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from domain.store import UnknownGame


class SeatRef(msgspec.Struct, frozen=True):
    """A player whom the application knows."""

    seat: Annotated[int, Meta(ge=0, le=4, description="The seat of the player.")]
    ref: Annotated[str, Meta(description="The application's own name of this person.")]


class SeatRefs(msgspec.Struct, frozen=True):
    """The players whom the application knows, by seat."""

    items: tuple[SeatRef, ...]


class RefsController(Controller):
    """The references of applications."""

    path = "/v1/games/{game_id:str}/refs"
    tags = ("lobby",)

    @get(
        summary="List your references to the players of a game",
        response_description="The references of your application.",
        access=OWNER,
        cost=2,
    )
    async def list_refs(self, request: ApiRequest, game_id: GameIdInPath) -> Encoded[SeatRefs]:
        """List the `ref` of each player for whom your application has stored one, as an application (`X-App-Key`).

        References follow the players: they move with them, and disappear with the game or when the seat is freed. No
        other application sees them. A game that your application has nothing to do with is 404.
        """
        game = request.auth.id
        refs = await request.service.apps.refs(game, require_app(request))
        if refs is None:
            raise UnknownGame(game)
        body = msgspec.json.encode(SeatRefs(tuple(SeatRef(*ref) for ref in refs)))
        return Encoded(body, headers={"cache-control": "private, no-store"})
