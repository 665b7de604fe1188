"""The views of a game, as it is or as it was at a version."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from litestar import Controller
from litestar.di import Provide

from api.http.access import RequestedGame, provide_game_at
from api.http.etag import IfNoneMatch, etag, game_headers, matches
from api.http.operation import READER, get
from api.http.request_body import ApiRequest
from api.http.responses import Encoded
from domain.store import LoadedGame
from domain.stream import Recorded
from projections.board import BoardView, board
from projections.history import History, history
from projections.legal_moves import LegalMoves, legal_moves
from projections.scores import Scores, scores
from projections.summary import Summary, summary

_encode = msgspec.json.Encoder().encode


def view(game: LoadedGame, if_none_match: str | None, name: str, project: Callable[[], msgspec.Struct]) -> Encoded[Any]:
    """Return a view of a game, encoded once for each version, or 304 if the client has it."""
    if if_none_match is not None and matches(if_none_match, etag(game.version)):
        return not_modified(game)
    ready: Encoded[Any] | None = game.views.get(name)
    if ready is None:
        ready = game.views[name] = Encoded(_encode(project()), headers=game_headers(game))
    return ready


def not_modified(game: LoadedGame) -> Encoded[Any]:
    """Return 304 for a game that the client has at this version."""
    return Encoded(b"", status_code=304, headers=game_headers(game))


def summary_view(game: LoadedGame, if_none_match: str | None = None) -> Encoded[Summary]:
    """Return the summary of a game, as a view by itself or for an answer that holds it."""
    return view(game, if_none_match, "summary", lambda: summary(game.id, game.version, game.table, game.game))


class ViewsController(Controller):
    """Every projection of a game; each can be had as it was (`at`)."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get("/board", summary="What lies on the board", response_description="The board.", access=READER)
    async def read_board(self, game: RequestedGame, if_none_match: IfNoneMatch = None) -> Encoded[BoardView]:
        """Read every place with its spaces and franchises, every region with its tile, and the region track.

        What the modules of the game put there is shown as well. Before the start it is the printed board.
        """
        return view(game, if_none_match, "board", lambda: board(game.table, game.game))

    @get("/scores", summary="How everybody stands", response_description="The scores.", access=READER)
    async def read_scores(self, game: RequestedGame, if_none_match: IfNoneMatch = None) -> Encoded[Scores]:
        """Read for each player money, and influence with where every point came from.

        Also what is left in the supply, tiles, the income to expect, and the final count once the game is over.
        """
        return view(game, if_none_match, "scores", lambda: scores(game.table, game.game))

    @get(
        "/legal-moves",
        summary="What can be done now",
        response_description="Every action open to the player who has to decide.",
        access=READER,
    )
    async def list_legal_moves(self, game: RequestedGame, if_none_match: IfNoneMatch = None) -> Encoded[LegalMoves]:
        """List every atomic action open to `to_play`, ready to be sent to `play_move`.

        Each with its cost, the money left after it, the rule that allows it and the scoring that it would lead to. Two
        things are possible without being listed: resigning, at any time, and with the Development tile any simple path
        besides the cheapest.
        """
        return view(game, if_none_match, "legal_moves", lambda: legal_moves(game.version, game.game))

    @get(
        "/history",
        summary="The game as a person would tell it",
        response_description="The game, turn by turn.",
        access=READER,
    )
    async def read_history(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[History]:
        """Read one line an action, turn by turn: who did what, and its effects in words and numbers.

        Everybody's money and influence after it stand beside. What was taken back is left out; `watch_events` with
        `view=full` has it.
        """
        events: Sequence[Recorded] = ()
        if "history" not in game.views and not matches(if_none_match, etag(game.version)):
            events = await request.service.effective_events(game.id, game.version)
        return view(game, if_none_match, "history", lambda: history(game.table, events))
