"""Kicking players and renewing tokens."""

from typing import Annotated

from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, PathParameter
from msgspec.structs import replace

from api.http.access import unknown_token
from api.http.operation import HOST, RENEWING_HOST, delete, post
from api.http.problems import ApiProblem, shortened
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, charge, provide_changes, provide_deletion
from api.operations.renderers import host_renewed, seated
from api.operations.response_bodies import HostToken, Seated
from domain.store import Revoked, commands

SeatInPath = Annotated[
    str,
    PathParameter(
        description="The number of a seat, from 0.", schema_extra={"type": "integer", "minimum": 0, "maximum": 4}
    ),
]


class HostController(Controller):
    """The players and the tokens of one table."""

    path = "/v1/games/{game_id:str}"
    tags = ("lobby",)
    dependencies = {"changes": Provide(provide_changes)}

    @delete(
        "/seats/{seat:str}",
        summary="Kick a player",
        response_description="The seat is free.",
        access=HOST,
        problems=("unknown_seat", "already_started"),
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def free_seat(self, seat: SeatInPath, changes: RequestedChanges) -> None:
        """Kick a player from a table that has not started, as the host.

        The token of the seat is revoked, and the seat, the name and the colour are free again. Send `If-Match` so that
        a repeated request cannot kick another player who has joined since.
        """
        await changes.apply(commands.free_seat(_number(seat)))

    @post(
        "/seats/{seat:str}/token",
        summary="Renew a player's token",
        status_code=201,
        response_description="The seat and its new token.",
        access=HOST,
        problems=("unknown_seat", "bot_seat"),
    )
    async def renew_token(
        self, seat: SeatInPath, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[Seated]:
        """Replace a lost or leaked token, as the host. The old token is revoked at once. Bots have no tokens."""
        return seated(await changes.issue(commands.renew_token(_number(seat))))

    @post(
        "/host-token",
        summary="Renew the host's token",
        status_code=201,
        response_description="The host's new token.",
        access=RENEWING_HOST,
    )
    async def renew_host_token(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[HostToken]:
        """Replace a leaked token of the host. The old token is revoked at once.

        An `Idempotency-Key` must have at least 22 random characters (otherwise 422 `weak_key`). If the response is
        lost, repeat the request with the old token and the same key to get the new token again.
        """
        visit, key = request.auth, changes.key and replace(changes.key, token=None)
        try:
            if visit.former_host:
                raise unknown_token()
            command = commands.renew_host_token(visit.token or "")
            return host_renewed(await replace(changes, key=key).issue(command))
        except (ApiProblem, Revoked):  # another request has renewed it, perhaps with the same key
            commit = await request.service.repeated(key) if key else None
            if commit is None:
                raise
            charge(request, commit)
            return host_renewed(commit)


def _number(seat: str) -> int:
    if len(seat) == 1 and seat in "0123456789":
        return int(seat)
    raise ApiProblem("unknown_seat", f"Seat {shortened(seat)!r} does not exist.")
