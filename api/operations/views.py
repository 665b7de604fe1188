"""The views of a game, as it is or as it was at a version."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import RequestedGame, provide_game_at
from api.http.conditions import IfNoneMatch, etag, game_headers, matches
from api.http.operation import READER, get
from api.http.requests import ApiRequest, invalid_parameter
from api.http.responses import Encoded
from api.operations.response_bodies import State
from domain.field_types import MAX_ID_LENGTH
from domain.game import Game
from domain.refused import Refused
from domain.store import LoadedGame
from projections.board import BoardView, board
from projections.legal_moves import LegalMoves, legal_moves
from projections.refusals import Refusals, refusals
from projections.scores import Scores, scores
from projections.summary import summary

_encode = msgspec.json.Encoder().encode

REFUSALS_COST = 5
"""The cost of the refusals at a place, which are found for each request."""

Target = Annotated[
    Annotated[str, Meta(max_length=MAX_ID_LENGTH)],
    QueryParameter(name="target", description="The id of a place or a region of the board."),
]

VIEWS: dict[str, Callable[[LoadedGame], msgspec.Struct]] = {
    "game": lambda game: summary(game.id, game.timeline, game.changed_at),
    "board": lambda game: board(game.timeline),
    "scores": lambda game: scores(game.timeline),
    "legal_moves": lambda game: legal_moves(game.timeline),
}
"""The views of a state by their names in it."""


def encode_view(game: LoadedGame, name: str) -> bytes:
    """Return a view as JSON."""
    return _encode(VIEWS[name](game))


def state_body(request: ApiRequest, game: LoadedGame) -> bytes:
    """Return all views of the state as one JSON object, those that were made before as they are."""
    parts = b",".join(b'"%b":%b' % (name.encode(), view(request, game, None, name).body) for name in VIEWS)
    return b'{"version":%d,%b}' % (game.version, parts)


def view(request: ApiRequest, game: LoadedGame, if_none_match: str | None, name: str) -> Encoded[Any]:
    """Return the response with a view, made once for each version, or 304 if the client has it."""
    version, views = game.timeline.version, request.views
    if if_none_match is not None and matches(if_none_match, etag(version)):
        return not_modified(game)
    ready: Encoded[Any] | None = views.get((game.reading, version, name))
    if ready is None:
        body = state_body(request, game) if name == "state" else encode_view(game, name)
        ready = Encoded(body, headers=game_headers(game))
        views.put((game.reading, version, name), ready, len(body))
    return ready


def not_modified(game: LoadedGame, version: int | None = None) -> Encoded[Any]:
    """Return 304 for a game that the client has at a version, the newest if none is named."""
    return Encoded(b"", status_code=304, headers=game_headers(game, version))


def game_to_play(game: LoadedGame) -> Game:
    """Return the game if somebody has to decide in it, or raise ``Refused``."""
    if game.game is None:
        raise Refused("not_started", "table")
    if game.game.ending is not None:
        raise Refused("game_over", "R8.1", {"status": "playing"}, {"status": "finished"})
    return game.game


class ViewsController(Controller):
    """Every projection of a game; each can be had as it was (`at`)."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        "/state",
        summary="Everything for a screen",
        response_description="Summary, board, scores and legal moves, all of one version.",
        access=READER,
    )
    async def read_state(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[State]:
        """Read in one answer what `read_game`, `read_board`, `read_scores` and `list_legal_moves` give.

        Moves answer with it too if they are sent with `include=state`.
        """
        return view(request, game, if_none_match, "state")

    @get("/board", summary="What lies on the board", response_description="The board.", access=READER)
    async def read_board(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[BoardView]:
        """Read every place with its spaces and franchises, every region with its tile, and the region track.

        What the modules of the game put there is shown as well. Before the start it is the printed board.
        """
        return view(request, game, if_none_match, "board")

    @get("/scores", summary="How everybody stands", response_description="The scores.", access=READER)
    async def read_scores(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[Scores]:
        """Read for each player money, and influence with where every point came from.

        Also what is left in the supply, tiles, the income to expect, and the final count once the game is over.
        """
        return view(request, game, if_none_match, "scores")

    @get(
        "/legal-moves",
        summary="What can be done now",
        response_description="Every action open to the player who has to decide.",
        access=READER,
    )
    async def list_legal_moves(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[LegalMoves]:
        """List every atomic action open to `to_play`, ready to be sent to `play_move`.

        Each in words, with the places to click on, its cost, the money left after it, the rule that allows it and the
        scoring that it would lead to; `end_of_turn` has what ending the turn now would bring by itself. Two things are
        possible without being listed: resigning, at any time, and with the Development tile any simple path besides
        the cheapest.
        """
        return view(request, game, if_none_match, "legal_moves")

    @get(
        "/refusals",
        summary="Why nothing can be done at a place",
        response_description="Why the player who has to decide can do nothing there.",
        access=READER,
        problems=("not_started", "game_over"),
        cost=REFUSALS_COST,
    )
    async def list_refusals(
        self, game: RequestedGame, target: Target, if_none_match: IfNoneMatch = None
    ) -> Encoded[Refusals]:
        """Ask why no legal move has a place or a region among its `targets`.

        The response has the most basic reason for each kind of action that the phase has for such a target, with the
        `text` to show. It is empty if there is a legal move. A region can be a target in the expert draft only.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        playing = game_to_play(game)
        if target not in playing.board.number and target not in playing.board.region_number:
            raise invalid_parameter("target", "the board has no such place or region")
        return Encoded(_encode(refusals(game.timeline, playing, target)), headers=game_headers(game))
