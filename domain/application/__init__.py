"""The application: tables, games and their streams, stored for good and served to many."""

from domain.application.append import Answer, Change
from domain.application.club import Club
from domain.application.errors import (
    BrokenCursor,
    KeyReused,
    StaleVersion,
    StorageAway,
    UnknownDatabase,
    UnknownGame,
    UnknownVersion,
)
from domain.application.games import Events, Games
from domain.application.held import Held
from domain.application.keys import Key
from domain.application.lobby import Listed, Listing
from domain.application.opening import open_club, open_games
from domain.application.tokens import Caller

__all__ = [
    "Answer",
    "BrokenCursor",
    "Caller",
    "Change",
    "Club",
    "Events",
    "Games",
    "Held",
    "Key",
    "KeyReused",
    "Listed",
    "Listing",
    "StaleVersion",
    "StorageAway",
    "UnknownDatabase",
    "UnknownGame",
    "UnknownVersion",
    "open_club",
    "open_games",
]
