"""Moves: what would happen, doing it, taking it back."""

from typing import Annotated, Literal

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, QueryParameter

from api.http.access import GameIdInPath, enter_again
from api.http.conditions import IfMatch, check_expected_version, etag
from api.http.operation import MEMBER, PLAYER, READER, post
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import RequestedChanges, provide_changes
from api.operations.renderers import moved
from api.operations.response_bodies import Moved
from domain.modules import Action
from domain.store import commands
from projections.preview import Preview, preview

_TURN_PROBLEMS = ("game_over", "not_your_turn", "resigned")
_UNDO_PROBLEMS = (*_TURN_PROBLEMS, "undo_off", "undo_proposed")


STEP_COST = 2
"""The cost of a step of a preview after the first."""

Include = Annotated[
    Literal["state"] | None,
    QueryParameter(name="include", description="`state`: answer also with the state after it, as `read_state` gives."),
]


class MovesController(Controller):
    """The decisions of players."""

    path = "/v1/games/{game_id:str}"
    tags = ("play",)
    dependencies = {"changes": Provide(provide_changes)}

    @post(
        "/moves",
        summary="Do one action",
        response_description="What it brought.",
        access=PLAYER,
        problems=(*_TURN_PROBLEMS, "illegal_action", "unknown_seat"),
    )
    async def play_move(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[Action], include: Include = None
    ) -> Encoded[Moved]:
        """Send one of the actions that `list_legal_moves` offers.

        The answer has everything that followed from it by itself, up to the next decision. A player may resign at any
        time, everything else is for `to_play`.
        """
        commit = await changes.apply(commands.act(request.auth.seat, data))
        return moved(request, commit, include)

    @post(
        "/preview",
        summary="See what an action or a whole turn would bring",
        response_description="What would happen, step by step.",
        access=READER,
        problems=("not_started",),
    )
    async def preview_moves(
        self, request: ApiRequest, game_id: GameIdInPath, data: JSONBody[bodies.Plan], if_match: IfMatch = None
    ) -> Encoded[Preview]:
        """Try one action or a list of them, without changing the game.

        With the token of a seat, that seat takes them all; without one each is taken by whoever would have to decide.
        One that the rules refuse ends the preview and stands in `refused`; what came before it is shown.
        """
        game = await enter_again(request)
        check_expected_version(game, if_match)
        if game.game is None:
            raise ApiProblem("not_started", "Play has not begun.", rule="table", needed={}, had={})
        plan = data if isinstance(data, tuple) else (data,)
        request.charge(STEP_COST * (len(plan) - 1))
        body = msgspec.json.encode(preview(game.timeline, game.game, plan, request.auth.seat))
        return Encoded(body, headers={"etag": etag(game.version)})

    @post(
        "/undo",
        summary="Take back",
        response_description="What was taken back, or the proposal to.",
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
        """Take back the last action, or everything after the version `to`, which has to be one right before an action.

        What is allowed says the option `undo`: with `turn` the active player takes back what they did in this turn;
        with `agree` this is a proposal that every other player has to accept; with `free` anybody takes back anything;
        with `off` nobody anything. Nothing is deleted: the version grows, and `redo` puts back what was taken back.
        """
        commit = await changes.apply(commands.undo(request.auth.seat, data.to))
        return moved(request, commit, include)

    @post(
        "/redo",
        summary="Put back what was taken back",
        response_description="What was put back, or the proposal to.",
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
        """Undo the last undo, as long as nothing else was done since. Under `agree` this too is a proposal."""
        commit = await changes.apply(commands.redo(request.auth.seat))
        return moved(request, commit, include)

    @post(
        "/undo/answer",
        summary="Accept or refuse a proposed undo",
        response_description="The answer, and the undo if everybody has accepted.",
        access=MEMBER,
        problems=("no_proposal", "own_proposal", "already_answered"),
    )
    async def answer_undo(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.UndoAnswer], include: Include = None
    ) -> Encoded[Moved]:
        """Accept or refuse an undo; under `undo: agree` every player but the one who asks has to accept.

        The first refusal ends the proposal, and so does the next action. Who has asked may withdraw it by refusing.
        `proposal` of the summary shows it.
        """
        commit = await changes.apply(commands.answer_undo(request.auth.seat, data.accept))
        return moved(request, commit, include)
