"""Spectators of private games."""

from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody
from msgspec.structs import replace

from api.http.operation import HOST, delete, post
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, provide_changes, provide_deletion
from api.operations.renderers import admitted
from api.operations.response_bodies import SpectatorToken
from domain.store import commands


class SpectatorsController(Controller):
    """The tokens of spectators."""

    path = "/v1/games/{game_id:str}/spectators"
    tags = ("lobby",)

    @post(
        summary="Invite a spectator",
        status_code=201,
        response_description="The token of a spectator.",
        access=HOST,
        dependencies={"changes": Provide(provide_changes)},
    )
    async def admit_spectator(
        self, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[SpectatorToken]:
        """Create a token that can read a private game and do nothing else, as the host.

        Each request creates another token. A request repeated with its `Idempotency-Key` returns the first token, even
        if it was revoked in the meantime.
        """
        return admitted(await changes.issue(commands.admit_spectator))

    @delete(
        summary="Dismiss all spectators",
        response_description="The tokens of all spectators are revoked.",
        access=HOST,
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def dismiss_spectators(self, changes: RequestedChanges) -> None:
        """Revoke the tokens of all spectators, as the host."""
        await replace(changes, stores=False).apply(commands.dismiss_spectators)
