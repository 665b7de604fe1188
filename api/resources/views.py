"""Looking at a game, as it is or as it was."""

from typing import Any

import msgspec
from litestar import Controller, get

from api.conventions.answers import Answer, Empty, encode
from api.conventions.conditions import is_known
from api.conventions.desk import club_of, headers_of, look, show
from api.conventions.operation import At, Operation
from api.conventions.requests import Call
from domain.application import Held
from projections.board import BoardView, board
from projections.history import History, history
from projections.legal_moves import LegalMoves, legal_moves
from projections.scores import Scores, scores
from projections.summary import Summary, summary


def summary_of(held: Held) -> Summary:
    """Who plays, how far the game is, and whose turn it is."""
    return summary(held.id, held.version, held.table, held.game)


def _view(answer: str, gives: type[msgspec.Struct]) -> dict[str, Any]:
    operation = Operation(answer=answer, gives=gives, query=At, caller="reader", versioned=True)
    return {"operation": operation}


class Views(Controller):
    """Every projection of a game; each of them can be had as it was (`at`)."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)

    @get("/", operation_id="read_game", summary="Who plays, and whose turn it is", opt=_view("The summary.", Summary))
    async def read_game(self, request: Call) -> Answer:
        """The game in a few lines: its options, who sits where, how far it is, who has won.

        `to_play` is the seat that has to decide, null before the start and after the end. A proposed undo stands here
        too, with those who have yet to answer.
        """
        return await show(request, "summary", summary_of)

    @get("/board", operation_id="read_board", summary="What lies on the board", opt=_view("The board.", BoardView))
    async def read_board(self, request: Call) -> Answer:
        """Every place with its spaces and franchises, every region with its tile, and the region track.

        What the modules of the game put there is shown as well. Before the start it is the printed board.
        """
        return await show(request, "board", lambda held: board(held.table, held.game))

    @get("/scores", operation_id="read_scores", summary="How everybody stands", opt=_view("The scores.", Scores))
    async def read_scores(self, request: Call) -> Answer:
        """For each player money, and influence with where every point came from.

        Also what is left in the supply, tiles, the income to expect, and the final count once the game is over.
        """
        return await show(request, "scores", lambda held: scores(held.table, held.game))

    @get(
        "/legal-moves",
        operation_id="list_legal_moves",
        summary="What can be done now",
        opt=_view("Every action open to the player who has to decide.", LegalMoves),
    )
    async def list_legal_moves(self, request: Call) -> Answer:
        """Every atomic action open to `to_play`, ready to be sent to `play_move`.

        Each with its cost, the money left after it, the rule that allows it and the scoring that it would lead to. Two
        things are possible without being listed: resigning, at any time, and with the Development tile any simple path
        besides the cheapest.
        """
        return await show(request, "legal_moves", lambda held: legal_moves(held.version, held.game))

    @get(
        "/history",
        operation_id="read_history",
        summary="The game as a person would tell it",
        opt=_view("The game, turn by turn.", History),
    )
    async def read_history(self, request: Call) -> Answer:
        """One line an action, turn by turn: who did what, and its effects in words and numbers.

        Everybody's money and influence after it stand beside. What was taken back is left out; `watch_events` with
        `view=full` has it.
        """
        held = await look(request)
        headers = headers_of(held)
        if is_known(request, held.version):
            return Empty(304, headers)
        body = held.views.get("history")
        if body is None:
            story = await club_of(request).story(held.id, at=held.version)
            body = held.views["history"] = encode(history(held.table, story))
        return Answer(body, headers=headers)
