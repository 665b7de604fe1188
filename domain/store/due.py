"""The games with a running turn limit, by its end (R14.1), so that deadlines are found without reading all games.

Each commit of such a game writes its row, or deletes it if nobody has to decide in time. In some of them the server
itself lets a bot play for an absent player (R14.2).
"""

from uuid import UUID

from domain.store.database import Database, ReadDatabase, Statement
from domain.store.games import LoadedGame


def update(loaded: LoadedGame) -> Statement:
    """Return the statement that updates the row of a game after a commit."""
    progress = loaded.progress
    if progress.deadline is None or not progress.late:
        return delete(loaded.id)
    return _DUE, (loaded.id.hex, progress.deadline, int(loaded.table.options.absent == "bot"))


def delete(game: UUID) -> Statement:
    return "DELETE FROM due WHERE game = ?", (game.hex,)


def find(database: Database, at: str) -> list[UUID]:
    """Return some games whose limit is over at a time and in which the server lets bots play, the longest one first."""
    return [UUID(game) for (game,) in database.select((_OVER, (at,)))]


def find_between(database: ReadDatabase, after: str, up_to: str, limit: int) -> list[tuple[UUID, str]]:
    """Return games whose limit ends between two times, with its end, in order of ends."""
    rows = database.select((_BETWEEN, (after, up_to, limit)))
    return [(UUID(game), deadline) for game, deadline in rows]


_DUE = (
    "INSERT INTO due (game, deadline, by_server) VALUES (?, ?, ?)"
    " ON CONFLICT (game) DO UPDATE SET deadline = excluded.deadline"
)
_OVER = "SELECT game FROM due WHERE by_server = 1 AND deadline <= ? ORDER BY deadline LIMIT 20"
_BETWEEN = "SELECT game, deadline FROM due WHERE deadline > ? AND deadline <= ? ORDER BY deadline LIMIT ?"
