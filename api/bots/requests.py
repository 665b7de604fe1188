"""Requests to a bot process, as bytes.

They go from a program to its own child only. A board is sent by its name, since cached data belongs to the one object
of each board.
"""

import pickle
from collections.abc import Mapping
from io import BytesIO
from typing import Any, BinaryIO

import msgspec

from domain.board import Board
from domain.boards import board_names, load_board
from domain.field_types import BotKind
from domain.game import Game


class Request(msgspec.Struct, frozen=True):
    """A request for a decision: the bot, the game, and the seconds that it may think."""

    bot: BotKind
    game: Game
    seconds: float


def write_request(request: Request) -> bytes:
    written = BytesIO()
    _Pickler(written).dump(request)
    return written.getvalue()


def read_request(stream: BinaryIO) -> Request:
    """Read the next request; raise ``EOFError`` at the end."""
    request: Request = _Unpickler(stream).load()
    return request


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> str | None:
        """Return the name of a board, None for anything else."""
        return _names().get(obj) if isinstance(obj, Board) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: str) -> Board:
        return load_board(pid)


def _names() -> Mapping[Board, str]:
    return {load_board(name): name for name in board_names()}
