"""The views of a game, now or at an earlier version."""

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
"""The cost of the refusals at a place, which are computed for each request."""

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
"""The views of a state by their names."""


def encode_view(game: LoadedGame, name: str) -> bytes:
    return _encode(VIEWS[name](game))


def state_body(request: ApiRequest, game: LoadedGame) -> bytes:
    """Return the JSON of a state, from cached views."""
    parts = b",".join(b'"%b":%b' % (name.encode(), view(request, game, None, name).body) for name in VIEWS)
    return b'{"version":%d,%b}' % (game.version, parts)


def view(request: ApiRequest, game: LoadedGame, if_none_match: str | None, name: str) -> Encoded[Any]:
    """Return a view, cached for its version, or 304 if the client has it."""
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
    """Return 304 for a version, by default the newest one."""
    return Encoded(b"", status_code=304, headers=game_headers(game, version))


def game_to_play(game: LoadedGame) -> Game:
    """Return the game if a player has to decide, or raise ``Refused``."""
    if game.game is None:
        raise Refused("not_started", "table")
    if game.game.ending is not None:
        raise Refused("game_over", "R8.1", {"status": "playing"}, {"status": "finished"})
    return game.game


class ViewsController(Controller):
    """The views of a game, now or at an earlier version."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        "/state",
        summary="Get everything for a screen",
        response_description="Summary, board, scores and legal moves of the same version.",
        access=READER,
    )
    async def read_state(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[State]:
        """Get the responses of `read_game`, `read_board`, `read_scores` and `list_legal_moves` in one.

        A move with `include=state` returns the same.
        """
        return view(request, game, if_none_match, "state")

    @get("/board", summary="Get the board", response_description="The board.", access=READER)
    async def read_board(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[BoardView]:
        """Get every place with its spaces and franchises, every region with its tile, and the region track.

        The pieces of expansions are included. Before the start, it is the printed board.
        """
        return view(request, game, if_none_match, "board")

    @get("/scores", summary="Get the scores", response_description="The scores.", access=READER)
    async def read_scores(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[Scores]:
        """Get the money and the influence of each player, with the source of every point.

        The supply, the tiles and the next income of each player are included, and the final count after the end.
        """
        return view(request, game, if_none_match, "scores")

    @get(
        "/legal-moves",
        summary="List the legal moves",
        response_description="Every action that is possible now.",
        access=READER,
    )
    async def list_legal_moves(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[LegalMoves]:
        """List every action that `to_play` can take now, ready to be sent to `play_move`.

        Each has a text, its targets (the places to click on), its cost, the money left after it, its rule, and the
        scoring that it would cause. `end_of_turn` has the effects of ending the turn now. Two kinds of actions are
        possible but not listed: resigning, at any time, and, with the Development tile, paths other than the cheapest.
        """
        return view(request, game, if_none_match, "legal_moves")

    @get(
        "/refusals",
        summary="Explain why a place has no legal move",
        response_description="The reasons, empty if there is a legal move.",
        access=READER,
        problems=("not_started", "game_over"),
        cost=REFUSALS_COST,
    )
    async def list_refusals(
        self, game: RequestedGame, target: Target, if_none_match: IfNoneMatch = None
    ) -> Encoded[Refusals]:
        """Get the reasons why no legal move has this place or region among its `targets`.

        For each kind of action that the phase has for such a target, `items` has the most basic reason, with a `text`
        to show. Regions are targets in the expert draft only.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        playing = game_to_play(game)
        if target not in playing.board.number and target not in playing.board.region_number:
            raise invalid_parameter("target", "the board has no place or region with this id")
        return Encoded(_encode(refusals(game.timeline, playing, target)), headers=game_headers(game))
