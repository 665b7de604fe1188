"""Spectators: who may look on at a private game."""

from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody
from msgspec.structs import replace

from api.http.operation import HOST, delete, post
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, provide_changes, provide_deletion
from api.operations.renderers import admitted
from api.operations.response_bodies import Admitted
from domain.store import commands


class SpectatorsController(Controller):
    """The tokens that read a game and do nothing else."""

    path = "/v1/games/{game_id:str}/spectators"
    tags = ("lobby",)

    @post(
        summary="Let somebody look on",
        status_code=201,
        response_description="A token that reads the game.",
        access=HOST,
        dependencies={"changes": Provide(provide_changes)},
    )
    async def admit_spectator(
        self, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[Admitted]:
        """Get a token that reads a private game and does nothing else, as the host. Every call gives another one.

        A call that is repeated with its key gives the token of the first one, also if it was revoked since.
        """
        return admitted(await changes.issue(commands.admit_spectator))

    @delete(
        summary="Let spectators look on no more",
        response_description="No spectator's token works any more.",
        access=HOST,
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def dismiss_spectators(self, changes: RequestedChanges) -> None:
        """Revoke the tokens of all spectators of the game, as the host."""
        await replace(changes, stores=False).apply(commands.dismiss_spectators)
