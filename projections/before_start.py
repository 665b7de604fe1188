"""The board before the game has started."""

from functools import cache

from domain.base.lay_tiles import tiles_as_printed
from domain.base.set_up import close_regions
from domain.evolve import evolve, new_game
from domain.game import DecisionBuilder, Game
from domain.modules import GameOptions, GameStarted
from domain.rules_version import RULES_VERSION
from domain.table import Table


def game_before_start(table: Table) -> Game:
    """Return the printed board for the number of seats, without pieces.

    Tiles that are drawn, or laid by the players as in the expert variant, are unknown until the start.
    """
    return _printed_board(table.options.board, table.seats)


@cache
def _printed_board(board: str, seats: int) -> Game:
    builder = DecisionBuilder(new_game(GameStarted(RULES_VERSION, seats, 0, GameOptions(board=board))), evolve)
    close_regions(builder)
    builder.extend(tiles_as_printed(builder.game))
    return builder.game
