"""Deciding: what would happen, doing it, taking it back."""

from typing import Any

from litestar import Controller, post

from api.conventions.access import caller, member, player
from api.conventions.answers import Answer, encode
from api.conventions.conditions import etag, seen_version
from api.conventions.desk import club_of, game_of, look
from api.conventions.operation import Operation
from api.conventions.problems import Failure
from api.conventions.requests import Call, read_body
from api.resources import bodies
from api.resources.replies import Moved
from api.resources.writing import answer_with, key_of, moved
from domain.actions import Action
from domain.application import StaleVersion
from projections.preview import Preview, preview

_RULES = ("not_started", "game_over", "not_your_turn", "resigned", "illegal_action", "unknown_seat")
_UNDO = ("not_started", "game_over", "not_your_turn", "resigned", "undo_off", "undo_proposed", "players_only")


def _decision(answer: str, takes: Any = None, *, optional: bool = False, problems: tuple[str, ...]) -> dict[str, Any]:
    operation = Operation(
        answer=answer,
        gives=Moved,
        takes=takes,
        body_optional=optional,
        caller="player",
        problems=problems,
        versioned=True,
    )
    return {"operation": operation}


class Play(Controller):
    """What players do."""

    path = "/v1/games/{game_id:str}"
    tags = ("play",)

    @post(
        "/moves",
        operation_id="play_move",
        summary="Do one action",
        status_code=200,
        opt=_decision("What it brought.", Action, problems=_RULES),
    )
    async def play_move(self, request: Call) -> Answer:
        """Send one of the actions that `list_legal_moves` offers.

        The answer has everything that followed from it by itself, up to the next decision. A player may resign at any
        time, everything else is for `to_play`.
        """
        club, game = club_of(request), game_of(request)
        who, seat = await player(request, club, game)
        action = await read_body(request, bodies.action)
        key, seen = await key_of(request, who), seen_version(request)
        return answer_with(request, await club.act(game, seat, action, key=key, seen=seen, answer=moved), game)

    @post(
        "/preview",
        operation_id="preview_moves",
        summary="See what an action or a whole turn would bring",
        status_code=200,
        opt={
            "operation": Operation(
                answer="What would happen, step by step.",
                gives=Preview,
                takes=bodies.Plan,
                caller="reader",
                problems=("not_started",),
                versioned=True,
            )
        },
    )
    async def preview_moves(self, request: Call) -> Answer:
        """Try one action or a list of them, without changing the game.

        With the token of a seat, that seat takes them all; without one each is taken by whoever would have to decide.
        One that the rules refuse ends the preview and stands in `refused`; what came before it is shown.
        """
        club = club_of(request)
        held = await look(request)
        who = await caller(request, club)
        plan = await read_body(request, bodies.plan)
        key, seen = await key_of(request, who), seen_version(request)
        known = await club.replay(key) if key else None
        if known is None and seen not in (None, held.version):
            raise StaleVersion(seen or 0, held.version)
        if held.game is None:
            raise Failure("not_started", "Play has not begun.", rule="table", needed={}, had={})
        seat = who.seat if who and who.game == held.id else None
        body = known or encode(preview(held.table, held.game, plan if isinstance(plan, tuple) else (plan,), seat))
        if key and known is None:
            await club.remember(key, body)
        return Answer(body, headers=[(b"etag", etag(held.version))])

    @post(
        "/undo",
        operation_id="undo",
        summary="Take back",
        status_code=200,
        opt=_decision(
            "What was taken back, or the proposal to.",
            bodies.Undo,
            optional=True,
            problems=(*_UNDO, "nothing_to_undo", "not_a_boundary", "undo_past_turn_start"),
        ),
    )
    async def undo(self, request: Call) -> Answer:
        """Take back the last action, or everything after the version `to`, which has to be one right before an action.

        What is allowed says the option `undo`: with `turn` the active player takes back what they did in this turn;
        with `agree` this is a proposal that every other player has to accept; with `free` anybody takes back anything;
        with `off` nobody anything. Nothing is deleted: the version grows, and `redo` puts back what was taken back.
        """
        club, game = club_of(request), game_of(request)
        who = await member(request, club, game)
        wish = await read_body(request, bodies.undo)
        key, seen = await key_of(request, who), seen_version(request)
        return answer_with(request, await club.undo(game, who.seat, wish.to, key=key, seen=seen, answer=moved), game)

    @post(
        "/redo",
        operation_id="redo",
        summary="Put back what was taken back",
        status_code=200,
        opt=_decision("What was put back, or the proposal to.", problems=(*_UNDO, "nothing_to_redo")),
    )
    async def redo(self, request: Call) -> Answer:
        """Undo the last undo, as long as nothing else was done since. Under `agree` this too is a proposal."""
        club, game = club_of(request), game_of(request)
        who = await member(request, club, game)
        await read_body(request, bodies.nothing)
        key, seen = await key_of(request, who), seen_version(request)
        return answer_with(request, await club.redo(game, who.seat, key=key, seen=seen, answer=moved), game)

    @post(
        "/undo/answer",
        operation_id="answer_undo",
        summary="Accept or refuse a proposed undo",
        status_code=200,
        opt=_decision(
            "The answer, and the undo if everybody has accepted.",
            bodies.UndoAnswer,
            problems=("no_proposal", "own_proposal", "already_answered", "players_only"),
        ),
    )
    async def answer_undo(self, request: Call) -> Answer:
        """Under `undo: agree` every player but the one who asks has to accept.

        The first refusal ends the proposal, and so does the next action. Who has asked may withdraw it by refusing.
        `proposal` of the summary shows it.
        """
        club, game = club_of(request), game_of(request)
        who = await member(request, club, game)
        if who.seat is None:
            raise Failure("players_only", "The players answer, not the host.")
        given = await read_body(request, bodies.undo_answer)
        key, seen = await key_of(request, who), seen_version(request)
        done = await club.answer_undo(game, who.seat, given.accept, key=key, seen=seen, answer=moved)
        return answer_with(request, done, game)
