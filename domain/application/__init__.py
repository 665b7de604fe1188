"""The application: tables, games and their streams, stored for good and served to many."""

from domain.application.append import Answer, Change
from domain.application.club import Club, open_club
from domain.application.errors import (
    BrokenCursor,
    KeyReused,
    StaleVersion,
    StorageAway,
    UnknownGame,
    UnknownVersion,
)
from domain.application.games import Events
from domain.application.held import Held
from domain.application.keys import Key
from domain.application.lobby import Listed, Listing
from domain.application.tokens import Caller

__all__ = [
    "Answer",
    "BrokenCursor",
    "Caller",
    "Change",
    "Club",
    "Events",
    "Held",
    "Key",
    "KeyReused",
    "Listed",
    "Listing",
    "StaleVersion",
    "StorageAway",
    "UnknownGame",
    "UnknownVersion",
    "open_club",
]
