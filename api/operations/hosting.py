"""Hosting: what a host can do about the players of a table and about tokens that are lost or in other hands."""

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
    """The players and the tokens of one table, in the hands of its host."""

    path = "/v1/games/{game_id:str}"
    tags = ("lobby",)
    dependencies = {"changes": Provide(provide_changes)}

    @delete(
        "/seats/{seat:str}",
        summary="Take a player away",
        response_description="The seat is free.",
        access=HOST,
        problems=("unknown_seat", "already_started"),
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def free_seat(self, seat: SeatInPath, changes: RequestedChanges) -> None:
        """Take a player away from a table at which play has not begun, as its host.

        The token of the seat stops working; seat, name and colour are free again, and who sits down next gets the
        lowest free seat. Send `If-Match`: then a call that is repeated takes nobody away who sat down since.
        """
        await changes.apply(commands.free_seat(_number(seat)))

    @post(
        "/seats/{seat:str}/token",
        summary="Give a player a new token",
        status_code=201,
        response_description="The seat with its new token.",
        access=HOST,
        problems=("unknown_seat", "bot_seat"),
    )
    async def renew_token(
        self, seat: SeatInPath, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[Seated]:
        """Replace a token that was lost or got into other hands: the old one stops working. A bot has no token."""
        return seated(await changes.issue(commands.renew_token(_number(seat))))

    @post(
        "/host-token",
        summary="Get a new host's token",
        status_code=201,
        response_description="The host's new token.",
        access=RENEWING_HOST,
    )
    async def renew_host_token(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[HostToken]:
        """Replace the host's token, as the host, if others may have it: the old one stops working at once.

        Send an `Idempotency-Key`: if the response is lost, nobody else can give you the new token. The same request
        gets it again, although the old token opens nothing else any more. Since others may have the old token, the key
        has to be a secret of 22 or more characters (`weak_key`).
        """
        visit, key = request.auth, changes.key and replace(changes.key, token=None)
        try:
            if visit.former_host:
                raise unknown_token()
            command = commands.renew_host_token(visit.token or "")
            return host_renewed(await replace(changes, key=key).issue(command))
        except (ApiProblem, Revoked):  # renewed by another request, perhaps by a copy of this one
            commit = await request.service.repeated(key) if key else None
            if commit is None:
                raise
            charge(request, commit)
            return host_renewed(commit)


def _number(seat: str) -> int:
    if len(seat) == 1 and seat in "0123456789":
        return int(seat)
    raise ApiProblem("unknown_seat", f"There is no seat {shortened(seat)!r}.")
