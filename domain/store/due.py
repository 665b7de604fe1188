"""The games in which the server itself lets a bot play for an absent player, by the end of the limit (R14.2).

Each commit of such a game writes its row, or deletes it if nobody has to decide in time.
"""

from uuid import UUID

from domain.store.database import Database, Statement
from domain.store.games import LoadedGame


def update(loaded: LoadedGame) -> Statement:
    """Return the statement that updates the row of a game after a commit."""
    progress = loaded.progress
    if progress.deadline is None or not progress.late:
        return delete(loaded.id)
    return _DUE, (loaded.id.hex, progress.deadline)


def delete(game: UUID) -> Statement:
    return "DELETE FROM due WHERE game = ?", (game.hex,)


def find(database: Database, at: str) -> list[UUID]:
    """Return some games whose limit is over at a time, the longest one first."""
    return [UUID(game) for (game,) in database.select((_OVER, (at,)))]


_DUE = "INSERT INTO due (game, deadline) VALUES (?, ?) ON CONFLICT (game) DO UPDATE SET deadline = excluded.deadline"
_OVER = "SELECT game FROM due WHERE deadline <= ? ORDER BY deadline LIMIT 20"
