"""The boards as printed."""

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
    """A board. Its `id` is a value of the option `board`."""

    id: str
    players: Annotated[tuple[int, ...], Meta(description="The numbers of players that it supports.")]


class BoardList(msgspec.Struct, frozen=True):
    """All boards."""

    items: tuple[BoardName, ...]
    next: Annotated[None, Meta(description="Always null: all boards fit on one page.")] = None


def render_boards(tiles: tuple[RegionTile, ...]) -> dict[str, StaticContent]:
    """Encode all maps, with the region tiles that this server uses."""
    names = board_names()
    return {name: static_content(msgspec.json.encode(board_map(load_board(name), tiles))) for name in names}


def unknown_board() -> ApiProblem:
    return ApiProblem("board_not_found", "This board does not exist.")


class BoardsController(Controller):
    """Maps."""

    path = "/v1/boards"
    tags = ("boards",)

    @get(summary="List the boards", response_description="All boards.")
    async def list_boards(self) -> BoardList:
        """List the boards. Their ids are the values of the option `board`."""
        return BoardList(tuple(BoardName(name, tuple(load_board(name).starting_money)) for name in board_names()))

    @get(
        "/{board:str}", summary="Get the map of a board", response_description="The map.", problems=("board_not_found",)
    )
    async def read_board_map(
        self, state: State, board: BoardId, if_none_match: IfNoneMatch = None
    ) -> Encoded[BoardMap]:
        """Get the printed map with coordinates for drawing. It does not change during a game.

        It has places, links with their costs, regions, income charts, the region track, and the tiles of the Region
        tiles expansion.
        """
        rendered: StaticContent | None = state["boards"].get(board)
        if rendered is None:
            raise unknown_board()
        return static_response(rendered, if_none_match)
