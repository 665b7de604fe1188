"""The views of a game, as it is or as it was at a version."""

from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Controller, Response
from litestar.di import Provide

from api.http.access import Game, Service, provide_game_at
from api.http.etag import IfNoneMatch, etag, game_headers, matches
from api.http.operation import ETAG, READER, Answer, get
from domain.store import LoadedGame
from projections.board import BoardView, board
from projections.history import History, history
from projections.legal_moves import LegalMoves, legal_moves
from projections.scores import Scores, scores
from projections.summary import summary

GAME_PROBLEMS = ("game_not_found", "game_unreadable")

_encode = msgspec.json.Encoder().encode


def view_answer(text: str, kind: type[msgspec.Struct]) -> Answer:
    """Declare the answer of a view."""
    return Answer(text=text, type=kind, headers=(ETAG,), conditional=True)


def view(
    game: LoadedGame, if_none_match: str | None, name: str, project: Callable[[], msgspec.Struct]
) -> Response[bytes]:
    """Return a view of a game, encoded once for each version, or 304 if the client has it."""
    if matches(if_none_match, etag(game.version)):
        return not_modified(game)
    body = game.views.get(name)
    if body is None:
        body = game.views[name] = _encode(project())
    return game_response(game, body)


def game_response(game: LoadedGame, body: bytes) -> Response[bytes]:
    """Return bytes about a game with its ETag."""
    return Response(body, media_type="application/json", headers=game_headers(game))


def not_modified(game: LoadedGame) -> Response[bytes]:
    """Return 304 for a game that the client has at this version."""
    return Response(b"", status_code=304, headers=game_headers(game))


def summary_bytes(game: LoadedGame) -> bytes:
    """Return the summary of a game, encoded once for each version."""
    body = game.views.get("summary")
    if body is None:
        body = game.views["summary"] = _encode(summary(game.id, game.version, game.table, game.game))
    return body


class ViewsController(Controller):
    """Every projection of a game; each can be had as it was (`at`)."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        "/board",
        operation_id="read_board",
        summary="What lies on the board",
        answer=view_answer("The board.", BoardView),
        access=READER,
        problems=(*GAME_PROBLEMS, "version_not_found"),
    )
    async def read_board(self, game: Game, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Read every place with its spaces and franchises, every region with its tile, and the region track.

        What the modules of the game put there is shown as well. Before the start it is the printed board.
        """
        return view(game, if_none_match, "board", lambda: board(game.table, game.game))

    @get(
        "/scores",
        operation_id="read_scores",
        summary="How everybody stands",
        answer=view_answer("The scores.", Scores),
        access=READER,
        problems=(*GAME_PROBLEMS, "version_not_found"),
    )
    async def read_scores(self, game: Game, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Read for each player money, and influence with where every point came from.

        Also what is left in the supply, tiles, the income to expect, and the final count once the game is over.
        """
        return view(game, if_none_match, "scores", lambda: scores(game.table, game.game))

    @get(
        "/legal-moves",
        operation_id="list_legal_moves",
        summary="What can be done now",
        answer=view_answer("Every action open to the player who has to decide.", LegalMoves),
        access=READER,
        problems=(*GAME_PROBLEMS, "version_not_found"),
    )
    async def list_legal_moves(self, game: Game, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """List every atomic action open to `to_play`, ready to be sent to `play_move`.

        Each with its cost, the money left after it, the rule that allows it and the scoring that it would lead to. Two
        things are possible without being listed: resigning, at any time, and with the Development tile any simple path
        besides the cheapest.
        """
        return view(game, if_none_match, "legal_moves", lambda: legal_moves(game.version, game.game))

    @get(
        "/history",
        operation_id="read_history",
        summary="The game as a person would tell it",
        answer=view_answer("The game, turn by turn.", History),
        access=READER,
        problems=(*GAME_PROBLEMS, "version_not_found"),
    )
    async def read_history(
        self,
        service: Service,
        game: Game,
        if_none_match: IfNoneMatch = None,
    ) -> Response[bytes]:
        """Read one line an action, turn by turn: who did what, and its effects in words and numbers.

        Everybody's money and influence after it stand beside. What was taken back is left out; `watch_events` with
        `view=full` has it.
        """
        if "history" in game.views or matches(if_none_match, etag(game.version)):
            events: Any = ()
        else:
            events = await service.effective_events(game.id, game.version)
        return view(game, if_none_match, "history", lambda: history(game.table, events))
