"""The boards as they are printed."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.datastructures import State
from litestar.params import PathParameter
from msgspec import Meta

from api.http.conditions import IfNoneMatch
from api.http.operation import get
from api.http.problems import ApiProblem
from api.http.responses import Encoded, StaticContent, static_content, static_response
from domain.board import RegionTile
from domain.boards import board_names, load_board
from projections.board_map import BoardMap, board_map

BoardId = Annotated[str, PathParameter(description="The id of a board.")]


class BoardName(msgspec.Struct, frozen=True):
    """A board to play on: its `id` is the option `board`."""

    id: str
    players: tuple[int, ...]


class BoardList(msgspec.Struct, frozen=True):
    """All boards."""

    items: tuple[BoardName, ...]
    next: Annotated[None, Meta(description="All boards come in one page.")] = None


def render_boards(tiles: tuple[RegionTile, ...]) -> dict[str, StaticContent]:
    """Render all maps, with the tiles of the Region tiles expansion that this server plays with."""
    names = board_names()
    return {name: static_content(msgspec.json.encode(board_map(load_board(name), tiles))) for name in names}


def unknown_board() -> ApiProblem:
    """Return the problem of a board that is not there."""
    return ApiProblem("board_not_found", "There is no such board.")


class BoardsController(Controller):
    """Maps."""

    path = "/v1/boards"
    tags = ("boards",)

    @get(summary="Which boards there are", response_description="All boards.")
    async def list_boards(self) -> BoardList:
        """List the boards to play on, by the name that `options.board` takes."""
        return BoardList(tuple(BoardName(name, tuple(load_board(name).starting_money)) for name in board_names()))

    @get("/{board:str}", summary="The map of a board", response_description="The map.", problems=("board_not_found",))
    async def read_board_map(
        self, state: State, board: BoardId, if_none_match: IfNoneMatch = None
    ) -> Encoded[BoardMap]:
        """Read everything that is printed, with coordinates for drawing it; it never changes during a game.

        Places, links with their costs, regions, income charts, the region track, and the tiles of the expansion.
        """
        rendered: StaticContent | None = state["boards"].get(board)
        if rendered is None:
            raise unknown_board()
        return static_response(rendered, if_none_match)
