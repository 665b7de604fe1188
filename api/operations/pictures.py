"""Pictures of the board, the scores and the map."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated

from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.drawing.png import draw_png
from api.http.access import At, RequestedGame, provide_game_at
from api.http.conditions import IfNoneMatch, etag, game_headers, immutable_headers, matches
from api.http.operation import READER, get
from api.http.requests import ApiRequest, ViewCache
from api.http.responses import Encoded, StaticContent, static_content, static_response
from api.operations.boards import BoardId, unknown_board
from domain.boards import board_names
from domain.store import LoadedGame
from domain.table import MAX_PLAYERS, MIN_PLAYERS
from domain.timeline import Timeline
from projections.pictures.board_picture import board_picture, map_picture
from projections.pictures.scores_picture import scores_picture
from projections.pictures.themes import ThemeName

SVG = "image/svg+xml"
PNG = "image/png"
SVG_COST = 20
PNG_COST = 250
"""The costs of drawing an SVG and a PNG image, in addition to the cost of the request."""
PNG_WIDTH = 1200
"""The default width of a PNG image; only images of this width are cached."""

SANDBOXED = {"content-security-policy": "default-src 'none'"}
"""The header that stops an image, opened as a page, from loading or running anything."""

Theme = Annotated[ThemeName, QueryParameter(name="theme", description="Colours for a light or a dark page.")]
Players = Annotated[
    Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)],
    QueryParameter(name="players", description="Number of players. With 2 or 3, some regions are closed (R2.2)."),
]

Width = Annotated[
    Annotated[int, Meta(ge=200, le=2000)],
    QueryParameter(name="width", description="Width in pixels. The height follows."),
]

PICTURES: Mapping[str, Callable[[Timeline, ThemeName], str]] = {
    "board": board_picture,
    "scores": scores_picture,
}
"""The pictures of a game by their names."""


def svg_of(request: ApiRequest, game: LoadedGame, name: str, theme: ThemeName) -> bytes:
    """Return an image as SVG, drawn and charged once for each version."""
    key = game.reading, game.version, f"{name}.svg {theme}"
    body: bytes | None = request.views.get(key)
    if body is None:
        request.charge(SVG_COST)
        body = PICTURES[name](game.timeline, theme).encode()
        request.views.put(key, body, len(body))
    return body


async def png_of(request: ApiRequest, game: LoadedGame, theme: ThemeName, width: int) -> bytes:
    """Return the board as PNG, after the client's earlier images; the default width is cached."""
    key = game.reading, game.version, f"board.png {theme} {width}"
    body: bytes | None = request.views.get(key)
    if body is None:
        request.charge(PNG_COST)
        svg = svg_of(request, game, "board", theme)
        body = await request.service.heavy.run(request.client_name, _drawn, request.views, key, svg, width)
    return body


def _drawn(views: ViewCache, key: tuple[int, int, str], svg: bytes, width: int) -> bytes:
    """Return the image that another request has drawn in the meantime, or draw it."""
    body: bytes | None = views.get(key)
    if body is None:
        body = draw_png(svg, width)
        if width == PNG_WIDTH:
            views.put(key, body, len(body))
    return body


def picture(
    request: ApiRequest, game: LoadedGame, name: str, theme: ThemeName, if_none_match: str | None, at: int | None
) -> Encoded[str]:
    """Return an image of a game, or 304 if the client has it."""
    headers = picture_headers(game, at)
    if matches(if_none_match, etag(game.version)):
        return Encoded(b"", status_code=304, headers=headers)
    key = game.reading, game.version, f"{name}.svg {theme} {at is None}"
    ready: Encoded[str] | None = request.views.get(key)
    if ready is None:
        ready = Encoded(svg_of(request, game, name, theme), media_type=SVG, headers=headers)
        request.views.put(key, ready, len(ready.body))
    return ready


def picture_headers(game: LoadedGame, at: int | None) -> dict[str, str]:
    """Return the headers of an image; an image of a fixed version is immutable."""
    return {**(game_headers(game) if at is None else immutable_headers(game)), **SANDBOXED}


@cache
def map_content(board: str, players: int, theme: ThemeName) -> StaticContent:
    return static_content(map_picture(board, players, theme).encode(), SVG, SANDBOXED)


class GamePicturesController(Controller):
    """Pictures of a game, now or at an earlier version."""

    path = "/v1/games/{game_id:str}"
    tags = ("pictures",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        "/board.svg",
        summary="Draw the board (SVG)",
        response_description="An SVG image.",
        access=READER,
        media_type=SVG,
    )
    async def draw_board(
        self,
        request: ApiRequest,
        game: RequestedGame,
        theme: Theme = "light",
        at: At = None,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[str]:
        """Draw the board with regions, tiles, links, prices, places, franchises, the track, the turn and the scores.

        The pieces of the current turn are marked. The title and the description of the image contain everything in
        words. Class names and `data-` attributes are stable, so that pages can style and patch the image. The image
        loads nothing. Before the start, it shows the printed board for the number of seats.
        """
        return picture(request, game, "board", theme, if_none_match, at)

    @get(
        "/scores.svg",
        summary="Draw the influence over the turns (SVG)",
        response_description="An SVG image.",
        access=READER,
        media_type=SVG,
    )
    async def draw_scores(
        self,
        request: ApiRequest,
        game: RequestedGame,
        theme: Theme = "light",
        at: At = None,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[str]:
        """Draw a line chart with the influence of each player after each turn and after the final count.

        The lines differ in colour and in dashes, and end at the player's letter and name. Each point has `data-x`,
        `data-turn`, `data-influence`, and `data-version` with the first version that it is valid for. Before the start,
        the chart is empty.
        """
        return picture(request, game, "scores", theme, if_none_match, at)

    @get(
        "/board.png",
        summary="Draw the board (PNG)",
        response_description="A PNG image.",
        access=READER,
        media_type=PNG,
    )
    async def draw_board_png(
        self,
        request: ApiRequest,
        game: RequestedGame,
        theme: Theme = "light",
        width: Width = PNG_WIDTH,
        at: At = None,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[bytes]:
        """Draw the image of `draw_board` as PNG, for chats and link previews.

        Names in scripts other than Latin, Greek and Cyrillic are replaced by the letters of the players. Images for the
        same client are drawn one after the other.
        """
        headers = picture_headers(game, at)
        if matches(if_none_match, etag(game.version)):
            return Encoded(b"", status_code=304, headers=headers)
        body = await png_of(request, game, theme, width)
        return Encoded(body, media_type=PNG, headers=headers, compress=False)


class MapPicturesController(Controller):
    """Pictures of maps."""

    path = "/v1/boards/{board:str}"
    tags = ("pictures",)

    @get(
        "/map.svg",
        summary="Draw the map of a board (SVG)",
        response_description="An SVG image.",
        problems=("board_not_found",),
        media_type=SVG,
    )
    async def draw_map(
        self,
        board: BoardId,
        players: Players = MAX_PLAYERS,
        theme: Theme = "light",
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[str]:
        """Draw the printed map. Regions that are out of play with this number of players are closed."""
        if board not in board_names():
            raise unknown_board()
        return static_response(map_content(board, players, theme), if_none_match)
