"""Rematches of finished games."""

from litestar import Controller
from litestar.params import JSONBody

from api.http.access import GameIdInPath, enter_again
from api.http.apps import app_of
from api.http.operation import HOST_OR_PLAYER, post
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import charge, require_storage
from api.operations.renderers import rematch_seat
from api.operations.response_bodies import RematchSeat
from domain.store import ask_for_rematch


class RematchController(Controller):
    """The rematch of one game."""

    path = "/v1/games/{game_id:str}"
    tags = ("lobby",)

    @post(
        "/rematch",
        summary="Ask for a rematch",
        status_code=201,
        response_description="The new table, and your seat and token there.",
        access=HOST_OR_PLAYER,
        problems=("not_finished",),
    )
    async def ask_for_rematch(
        self, request: ApiRequest, game_id: GameIdInPath, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[RematchSeat]:
        """Ask for a rematch of a finished game, with the token of a seat or of the host.

        The first request opens a table with the same players, bots, seats, colours and options (201). The others get
        the same table (200). The next seat clockwise begins. Play begins when all people have asked, or when the host
        starts it. Until then the host can kick players who have not asked. Repeat the request to get the same token
        again. At a hot seat the host asks for all.
        """
        game = await enter_again(request)
        visit = request.auth
        await require_storage(request, None)
        if visit.member is None:
            raise TypeError("the access check admits members only")
        rematch = await ask_for_rematch(request.service, game, visit.member, app_of(request))
        for commit in rematch.commits:
            charge(request, commit)
        return rematch_seat(rematch)
