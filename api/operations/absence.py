"""Absent players: let a bot play for one, and come back."""

from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody

from api.http.operation import MEMBER, delete, post
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, provide_changes, provide_deletion
from api.operations.renderers import moved
from api.operations.response_bodies import Moved
from domain.field_types import LeftBy
from domain.store import commands, now


class AbsenceController(Controller):
    """The absent players of one game."""

    path = "/v1/games/{game_id:str}/absence"
    tags = ("play",)

    @post(
        summary="Let a bot play for an absent player",
        response_description="The event, and the summary after it.",
        access=MEMBER,
        problems=("not_absent", "bot_seat", "unknown_seat"),
        dependencies={"changes": Provide(provide_changes)},
    )
    async def leave_to_bot(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.AbsentSeat]
    ) -> Encoded[Moved]:
        """Let a bot play for a player who has not decided by `deadline`, as the host or as another player (R14.2).

        The bot plays until the player comes back. With the option `absent` set to `bot` the server does this itself.
        """
        seat = request.auth.seat
        if seat == data.seat:
            raise ApiProblem("not_absent", "Only the host or another player can say that you are absent.", rule="R14.2")
        by: LeftBy = "host" if seat is None else "seat"
        return moved(request, await changes.apply(commands.leave_to_bot(data.seat, by, now())))

    @delete(
        summary="Come back",
        status_code=200,
        response_description="The event, and the summary after it.",
        access=MEMBER,
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def come_back(self, request: ApiRequest, changes: RequestedChanges) -> Encoded[Moved]:
        """Play again instead of the bot, with the token of your seat (R14.3). Any action of yours does the same.

        Nothing is stored if no bot plays for you.
        """
        if request.auth.seat is None:
            raise ApiProblem("players_only", "Send the token of the seat.")
        return moved(request, await changes.apply(commands.take_back(request.auth.seat)))
