"""Moves: preview, play, undo and redo."""

from typing import Annotated, Literal

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, QueryParameter

from api.http.access import GameIdInPath, enter_again
from api.http.conditions import IfMatch, check_expected_version, etag
from api.http.operation import MEMBER, PLAYER, READER, post
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, provide_changes
from api.operations.renderers import moved
from api.operations.response_bodies import Moved
from domain.refused import Refused
from domain.store import commands
from projections.preview import Preview, preview

_TURN_PROBLEMS = ("game_over", "not_your_turn", "resigned")
_UNDO_PROBLEMS = (*_TURN_PROBLEMS, "undo_off", "undo_proposed")


STEP_COST = 2
"""The cost of each further action of a list."""

Include = Annotated[
    Literal["state"] | None,
    QueryParameter(
        name="include", description="`state`: add the new state to the response, as `read_state` returns it."
    ),
]


class MovesController(Controller):
    """The decisions of players."""

    path = "/v1/games/{game_id:str}"
    tags = ("play",)
    dependencies = {"changes": Provide(provide_changes)}

    @post(
        "/moves",
        summary="Play an action or a whole turn",
        response_description="The events of the action.",
        access=PLAYER,
        problems=(*_TURN_PROBLEMS, "illegal_action", "unknown_seat"),
    )
    async def play_move(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.Moves], include: Include = None
    ) -> Encoded[Moved]:
        """Play one of the actions of `list_legal_moves`, or a list of up to 40, of which all are played or none.

        The response has all events up to the next decision. Only `to_play` can act, except that any player can resign
        at any time. If an action of a list is refused, nothing is played, and `index` in the problem is its position
        from 0. An undo takes back the last action of a list.
        """
        if isinstance(data, tuple):
            request.charge(STEP_COST * (len(data) - 1))
            return moved(request, await changes.apply(commands.act_all(request.auth.seat, data)), include)
        commit = await changes.apply(commands.act(request.auth.seat, data))
        return moved(request, commit, include)

    @post(
        "/preview",
        summary="Preview an action or a whole turn",
        response_description="The result of each step.",
        access=READER,
        problems=("not_started",),
    )
    async def preview_moves(
        self, request: ApiRequest, game_id: GameIdInPath, data: JSONBody[bodies.Plan], if_match: IfMatch = None
    ) -> Encoded[Preview]:
        """Try an action or a list of actions without changing the game.

        With the token of a seat, its player takes all actions. Otherwise the player who has to decide takes each of
        them. If the rules refuse an action, the preview ends there: `steps` has the steps before it, and `refused` has
        the reason.
        """
        game = await enter_again(request)
        check_expected_version(game, if_match)
        if game.game is None:
            raise Refused("not_started", "table")
        plan = data if isinstance(data, tuple) else (data,)
        request.charge(STEP_COST * (len(plan) - 1))
        body = msgspec.json.encode(preview(game.timeline, game.game, plan, request.auth.seat))
        return Encoded(body, headers={"etag": etag(game.version)})

    @post(
        "/undo",
        summary="Undo",
        response_description="The undo, or the proposal.",
        access=MEMBER,
        problems=(*_UNDO_PROBLEMS, "nothing_to_undo", "not_a_boundary", "undo_past_turn_start"),
    )
    async def undo(
        self,
        request: ApiRequest,
        changes: RequestedChanges,
        data: JSONBody[bodies.Undo] = bodies.LAST_ACTION,
        include: Include = None,
    ) -> Encoded[Moved]:
        """Undo the last action, or everything after version `to`, which must be a version right before an action.

        The option `undo` sets the policy:

        - `turn`: players can undo actions of their own current turn.
        - `agree`: an undo is a proposal that every other player must accept.
        - `free`: anyone can undo anything.
        - `off`: no undo.

        No events are deleted: the version grows, and `redo` reverses the undo.
        """
        commit = await changes.apply(commands.undo(request.auth.seat, data.to))
        return moved(request, commit, include)

    @post(
        "/redo",
        summary="Redo",
        response_description="The redo, or the proposal.",
        access=MEMBER,
        problems=(*_UNDO_PROBLEMS, "nothing_to_redo"),
    )
    async def redo(
        self,
        request: ApiRequest,
        changes: RequestedChanges,
        data: JSONBody[bodies.NoBody] = bodies.NO_BODY,
        include: Include = None,
    ) -> Encoded[Moved]:
        """Reverse the last undo, if no action followed it. With the option `undo: agree` it is a proposal."""
        commit = await changes.apply(commands.redo(request.auth.seat))
        return moved(request, commit, include)

    @post(
        "/undo/answer",
        summary="Answer a proposed undo",
        response_description="The answer, and the undo once everybody has accepted.",
        access=MEMBER,
        problems=("no_proposal", "own_proposal", "already_answered"),
    )
    async def answer_undo(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.UndoAnswer], include: Include = None
    ) -> Encoded[Moved]:
        """Accept or refuse a proposed undo. With the option `undo: agree`, all other players have to accept.

        A refusal or an action ends the proposal. The player who proposed it can withdraw it by refusing. `proposal` in
        the summary shows the open proposal.
        """
        commit = await changes.apply(commands.answer_undo(request.auth.seat, data.accept))
        return moved(request, commit, include)
