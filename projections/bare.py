"""The bare board: what there is to see of a table before its game has started."""

from functools import cache

from domain.boards import load_board
from domain.events import GameStarted, RegionsClosed
from domain.evolve import new_game
from domain.game import Game
from domain.options import Options
from domain.setup import RULES_VERSION
from domain.story import Story
from domain.table import Table
from domain.tiles import tiles_as_printed


def bare_game(table: Table) -> Game:
    """The printed board as it is set up for as many players as the table has seats, with nothing on it yet.

    What is drawn or laid by the players, such as the tiles of the expert variant, is only known from the start on.
    """
    return _bare_game(table.options.board, table.seats)


@cache
def _bare_game(board: str, seats: int) -> Game:
    story = Story(new_game(GameStarted(RULES_VERSION, seats, 0, Options(board=board))))
    story.tell(RegionsClosed(load_board(board).closed_regions[seats]))
    story.tell_all(tiles_as_printed(story.game))
    return story.game
