"""The seats of those who ask: which games their tokens open, and where it is their turn."""

import msgspec
from litestar import Controller
from litestar.params import JSONBody

from api.http.operation import post
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from projections.game_line import Seatings, seating


class SeatsController(Controller):
    """Seats at any game."""

    path = "/v1/seats"
    tags = ("lobby",)

    @post(
        "/lookup",
        summary="Find my games",
        response_description="For each token the game that it opens, and whether it is its turn.",
    )
    async def look_up_seats(self, request: ApiRequest, data: JSONBody[bodies.Tokens]) -> Encoded[Seatings]:
        """Send the tokens that you keep, and get for each, in order, its game, its role and if it has to move.

        Tokens travel in the body only, so that no log and no history of a browser holds them.
        """
        found = await request.service.find_games(data.tokens)
        seatings = tuple(
            None if each is None else seating(each.game, each.holder.role, each.holder.seat) for each in found
        )
        return Encoded(msgspec.json.encode(Seatings(seatings)), headers={"cache-control": "no-store"})
