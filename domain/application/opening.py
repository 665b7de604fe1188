"""Opening a database of games."""

from collections.abc import Generator
from contextlib import closing, contextmanager

from domain.application.club import Club
from domain.application.games import Games
from domain.application.storage import Franchise
from domain.board import RegionTile
from domain.boards import load_region_tiles


def open_club(url: str, *, games_held: int = 1000, tiles: tuple[RegionTile, ...] | None = None) -> Club:
    """The games of the database of this URL, for many callers at once.

    The URL is ``sqlite:///file``, ``postgresql://...`` or ``memory:``; ``tiles`` are the twenty of the Region tiles
    expansion, the house set if there are no others.
    """
    return Club(Franchise(url), games_held, load_region_tiles() if tiles is None else tiles)


@contextmanager
def open_games(url: str, *, games_held: int = 100) -> Generator[Games]:
    """The games of the database of this URL, for one caller."""
    with closing(Franchise(url)) as application:
        yield Games(application.recorder, games_held)
