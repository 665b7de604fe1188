"""Kicking players and renewing tokens."""

from typing import Annotated

from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, PathParameter
from msgspec.structs import replace

from api.http.access import Visit, unknown_token
from api.http.apps import ref_of
from api.http.operation import HOST, HOST_OR_PLAYER, RENEWING, RENEWING_HOST, delete, post
from api.http.problems import ApiProblem, shortened
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import GameChanges, RequestedChanges, charge, provide_changes, provide_deletion
from api.operations.renderers import host_renewed, seated
from api.operations.response_bodies import HostToken, Seated
from domain.player_names import clean_player_name
from domain.store import Command, Commit, Revoked, commands

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
        summary="Kick a player, or leave the table",
        response_description="The seat is free.",
        access=HOST_OR_PLAYER,
        problems=("unknown_seat", "already_started"),
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def free_seat(self, request: ApiRequest, seat: SeatInPath, changes: RequestedChanges) -> None:
        """Kick a player from a table that has not started, as the host, or leave it with the token of the seat.

        The token of the seat is revoked, and the seat, the name and the colour are free again. Send `If-Match` so that
        a repeated request cannot kick another player who has joined since.
        """
        number = _number(seat)
        _require_own(request.auth, number)
        await changes.apply(commands.free_seat(number))

    @post(
        "/seats/{seat:str}/token",
        summary="Renew a player's token",
        status_code=201,
        response_description="The seat and its new token.",
        access=RENEWING,
        problems=("unknown_seat", "bot_seat"),
    )
    async def renew_token(
        self,
        request: ApiRequest,
        seat: SeatInPath,
        changes: RequestedChanges,
        data: JSONBody[bodies.NoBody] = bodies.NO_BODY,
    ) -> Encoded[Seated]:
        """Replace a lost or leaked token, as the host or with the old token. The old one is revoked at once.

        Bots have no tokens. The renewal is an event: everybody at the table sees it in `notes` of the history. With the
        old token, send an `Idempotency-Key` as for `renew_host_token`.
        """
        number, visit = _number(seat), request.auth
        if visit.seat is None and not visit.former:
            return seated(await changes.issue(commands.renew_token(number)))
        _require_own(visit, number)
        return seated(await _renew_own(request, changes, commands.renew_token(number, "holder", visit.token)))

    @post(
        "/seats/{seat:str}/handover",
        summary="Hand over a seat",
        status_code=201,
        response_description="The seat and its new token.",
        access=HOST,
        problems=("not_absent", "unknown_seat", "bot_seat", "name_taken", "app_key_missing"),
    )
    async def hand_over(
        self, seat: SeatInPath, changes: RequestedChanges, data: JSONBody[bodies.Successor]
    ) -> Encoded[Seated]:
        """Give the seat of an absent player, for whom a bot plays, to somebody else (R14.5).

        The old token is revoked at once. Pass the new one to the new player.
        """
        name, ref = clean_player_name(data.name), ref_of(changes.request, data.ref)
        return seated(await changes.issue(commands.hand_over(_number(seat), name, ref)))

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
        command = commands.renew_token(None, "host", request.auth.token)
        return host_renewed(await _renew_own(request, changes, command))


async def _renew_own(request: ApiRequest, changes: GameChanges, command: Command) -> Commit:
    """Renew the token of the caller, or return the renewal that was stored under the same key."""
    visit = request.auth
    caller = f"{visit.id}:None {request.scope['path'].lower()}"  # the same before and after the renewal
    key = changes.key and replace(changes.key, token=None, caller=caller)
    try:
        if visit.former:
            raise unknown_token()
        return await replace(changes, key=key).issue(command)
    except (ApiProblem, Revoked):  # renewed by another request, perhaps by a copy of this one
        commit = await request.service.repeated(key) if key else None
        if commit is None:
            raise
        charge(request, commit)
        return commit


def _require_own(visit: Visit, seat: int) -> None:
    """Raise the problem of a player who names another seat."""
    if visit.seat not in (None, seat):
        raise ApiProblem("host_only", "Send the host's token, or the token of this seat.")


def _number(seat: str) -> int:
    if len(seat) == 1 and seat in "0123456789":
        return int(seat)
    raise ApiProblem("unknown_seat", f"Seat {shortened(seat)!r} does not exist.")
