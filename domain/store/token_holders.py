"""The places of those who have tokens, at tables that have such a place: whatever somebody makes of a stored token."""

from domain.store import tokens
from domain.store.database import Database
from domain.store.errors import UnknownGame
from domain.store.loaded_games import LoadedGames
from domain.store.streams import is_stored
from domain.store.tokens import TokenHolder
from domain.stream import UnreadableEvent


def find_place(database: Database, games: LoadedGames, token: str, holder: TokenHolder) -> TokenHolder | None:
    """Return the place that a token opens by the newest state of the game, None if the game or the seat is not there.

    Tokens of deleted tables and damaged games stay known: what became of those is told otherwise.
    """
    try:
        table = games.load(holder.game).table
    except UnreadableEvent:
        return holder
    except UnknownGame:
        return holder if is_stored(database, holder.game) else None
    if table.has_place(holder.seat):
        return holder
    moved = tokens.find(database, token)  # players may have moved to lower seats meanwhile
    return moved if moved and table.has_place(moved.seat) else None
