"""Lookup of games and seats by their tokens."""

import msgspec
from litestar import Controller
from litestar.params import JSONBody

from api.http.operation import post
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from projections.game_entry import SeatLookup, find_seat


class SeatsController(Controller):
    """Seats in all games."""

    path = "/v1/seats"
    tags = ("lobby",)

    @post(
        "/lookup",
        summary="Find my games",
        response_description="For each token: the game, the role, and whether it is your turn.",
    )
    async def look_up_seats(self, request: ApiRequest, data: JSONBody[bodies.Tokens]) -> Encoded[SeatLookup]:
        """Find the game and the role of each of your tokens. The response has them in the same order.

        The tokens are sent in the body, so that they appear in no log and no browser history.
        """
        found = await request.service.find_games(data.tokens)
        found_seats = tuple(
            None if each is None else find_seat(each.game, each.holder.role, each.holder.seat) for each in found
        )
        return Encoded(msgspec.json.encode(SeatLookup(found_seats)), headers={"cache-control": "no-store"})
