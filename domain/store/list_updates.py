"""The list of games kept up to date, and mended where somebody changed it.

The list follows the order in which events were stored and remembers how far it has read, in the same transaction as
what it has written; any process may bring it up to date, one does at a time.
"""

import logging
from collections.abc import Iterable
from itertools import groupby

from domain.store.database import Database, Statement, Transaction
from domain.store.list_entries import COLUMNS, Entry, change_entry, read_entry, store_entry
from domain.store.tokens import parse_id

ROWS_PER_TRANSACTION = 500

ANY_UNREAD: Statement = (
    "SELECT 1 FROM stored_events WHERE topic = 'table'"
    " AND {number} > COALESCE((SELECT notification FROM lobby_position), 0) LIMIT 1",
    (),
)

_log = logging.getLogger(__name__)


def catch_up(database: Database) -> None:
    """Bring the list up to date with the events stored since."""
    while database.select(ANY_UNREAD):
        with database.transaction() as transaction:
            _read_on(transaction)


def rebuild(database: Database) -> None:
    """Build the list again from all events."""
    with database.transaction() as transaction:
        for table in ("lobby", "lobby_players", "lobby_position"):
            transaction.run((f"DELETE FROM {table}", ()))  # noqa: S608 - no value from outside
        transaction.run(("UPDATE heads SET progress = NULL", ()))
    catch_up(database)


def mend(database: Database, rows: Iterable[tuple[object, str, bool]]) -> None:
    """Make rows of the list anew from the streams of their games, or drop those for which this is impossible.

    Each is given by its number, its game, and whether somebody changed it; the others are of the first release.
    """
    with database.transaction() as transaction:
        for number, game, changed in rows:
            transaction.run(("DELETE FROM lobby WHERE number = ?", (number,)))
            entry = _made_anew(transaction, game)
            for statement in store_entry(entry) if entry else ():
                transaction.run(statement)
            if changed:
                done = "made anew from its stream" if entry else "dropped"
                _log.warning(
                    "the line of a game in the list was changed in the database, and %s; "
                    "`python -m api rebuild-list` makes all lines anew: game %s",
                    *(done, game),
                )


def _read_on(transaction: Transaction) -> None:
    """Read the next rows and write the entries they change."""
    rows = transaction.run((_UNREAD, (_position(transaction), ROWS_PER_TRANSACTION)))
    by_game = sorted(rows, key=lambda row: str(row[1]))
    for originator, unread in groupby(by_game, key=lambda row: str(row[1])):
        game = originator.replace("-", "")
        if parse_id(game) is None:
            continue
        entry = change_entry(_stored_entry(transaction, game), game, ((row[0], *row[2:]) for row in unread))
        for statement in store_entry(entry) if entry else ():
            transaction.run(statement)
    if rows:
        transaction.run((_SET_POSITION, (rows[-1][0],)))


def _stored_entry(transaction: Transaction, game: str) -> Entry | None:
    found = transaction.run((_SELECT, (game,)))
    return (read_entry(*found[0]) or _made_anew(transaction, game)) if found else None


def _made_anew(transaction: Transaction, game: str) -> Entry | None:
    """Fold what the list has read of a game, None if that opens no table."""
    if parse_id(game) is None:
        return None
    return change_entry(None, game, transaction.run((_READ, (game, _position(transaction)))))


def _position(transaction: Transaction) -> int:
    """Return the number of the last row that the list has read."""
    found = transaction.run(("SELECT notification FROM lobby_position", ()))
    return found[0][0] if found else 0


_SELECT = f"SELECT {', '.join(COLUMNS)} FROM lobby WHERE game = ?"  # noqa: S608 - no value from outside
_VERSION = "CAST(originator_version AS BIGINT)"
_UNREAD = (
    f"SELECT {{number}}, originator_id, {_VERSION}, state FROM stored_events"  # noqa: S608
    " WHERE topic = 'table' AND {number} > ? ORDER BY {number} LIMIT ?"
)
_READ = (
    f"SELECT {{number}}, {_VERSION}, state FROM stored_events"  # noqa: S608
    " WHERE originator_id = ? AND topic = 'table' AND {number} <= ? ORDER BY {number}"
)
_SET_POSITION = (
    "INSERT INTO lobby_position (one, notification) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET notification = excluded.notification"
)
