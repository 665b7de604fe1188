"""The ids of games as they are stored, in hexadecimal."""

from collections.abc import Iterator
from itertools import chain
from uuid import UUID

from domain.store.database import ReadDatabase
from domain.store.tokens import parse_id

IDS_AT_ONCE = 1000


def is_stored(database: ReadDatabase, game: UUID) -> bool:
    """Return whether anything of a game is stored, also if its first events or all of them are lost."""
    return bool(database.select((_ANYTHING_OF, (game.hex, game.hex))))


def all_ids(database: ReadDatabase) -> list[UUID]:
    """Return the ids of all games that have events or of which the end is noted, in order."""
    texts = chain(_pages(database, _OF_HEADS), _pages(database, _OF_EVENTS))
    return sorted({game for text in texts if (game := parse_id(text.replace("-", ""))) is not None})


def _pages(database: ReadDatabase, statement: str) -> Iterator[str]:
    """Return the ids that a statement finds, page by page: a database ends a statement that takes long."""
    last, page = "", ["0" * 32]
    while page and page[-1] != last:
        last = page[-1]
        page = [text for (text,) in database.select((statement, (last, IDS_AT_ONCE))) if text is not None]
        yield from page


_ANYTHING_OF = (
    "SELECT 1 FROM heads WHERE game = ? UNION ALL SELECT 1 FROM stored_events WHERE originator_id = ? LIMIT 1"
)
_OF_HEADS = "SELECT game FROM heads WHERE game > ? ORDER BY game LIMIT ?"
_NEXT = "SELECT originator_id FROM stored_events WHERE originator_id > {} ORDER BY originator_id LIMIT 1"
_OF_EVENTS = (
    f"WITH RECURSIVE ids (id) AS (SELECT * FROM ({_NEXT.format('?')}) AS first"  # noqa: S608 - no value from outside
    f" UNION ALL SELECT ({_NEXT.format('ids.id')}) FROM ids WHERE id IS NOT NULL)"
    " SELECT CAST(id AS TEXT) FROM ids LIMIT ?"
)
"""The statement for the next ids, one step in the index for each: reading all rows would take long."""
