"""The boards as they are printed."""

from typing import Annotated

import msgspec
from litestar import Controller, get
from msgspec import Meta

from api.conventions.answers import Answer, encode
from api.conventions.operation import Operation
from api.conventions.printed import Printed, printed, printed_answer
from api.conventions.problems import Failure
from api.conventions.requests import Call
from domain.board import RegionTile
from domain.boards import board_names, load_board
from projections.board_map import BoardMap, board_map


class BoardName(msgspec.Struct, frozen=True):
    """A board to play on: its `id` is the option `board`."""

    id: str
    players: tuple[int, ...]


class BoardList(msgspec.Struct, frozen=True):
    """All boards."""

    items: tuple[BoardName, ...]
    next: Annotated[None, Meta(description="All boards come in one page.")] = None


def print_boards(tiles: tuple[RegionTile, ...]) -> dict[str, Printed]:
    """All maps, with the tiles of the Region tiles expansion that this server plays with."""
    return {name: printed(encode(board_map(load_board(name), tiles))) for name in board_names()}


def list_of_boards() -> BoardList:
    """Every board, and for how many players it is made."""
    return BoardList(tuple(BoardName(name, tuple(load_board(name).starting_money)) for name in board_names()))


class Boards(Controller):
    """Maps."""

    path = "/v1/boards"
    tags = ("boards",)

    @get(
        operation_id="list_boards",
        summary="Which boards there are",
        opt={"operation": Operation(answer="All boards.", gives=BoardList)},
    )
    async def list_boards(self, request: Call) -> Answer:
        """The boards to play on, by the name that `options.board` takes."""
        return Answer(encode(list_of_boards()))

    @get(
        "/{board:str}",
        operation_id="read_board_map",
        summary="The map of a board",
        opt={"operation": Operation(answer="The map.", gives=BoardMap, problems=("board_not_found",), versioned=True)},
    )
    async def read_board_map(self, request: Call) -> Answer:
        """Everything that is printed, with coordinates for drawing it; it never changes during a game.

        Places, links with their costs, regions, income charts, the region track, and the tiles of the expansion.
        """
        boards: dict[str, Printed] = request.app.state["boards"]
        board = boards.get(request.path_params["board"])
        if board is None:
            raise Failure("board_not_found", "There is no such board.")
        return printed_answer(request, board)
