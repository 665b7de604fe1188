"""The tables of the database: that of the eventsourcing library, by its columns, and those beside it."""

from collections.abc import Iterator
from time import time
from typing import NamedTuple

EVENT_COLUMNS = "originator_id, originator_version, topic, state"

TABLE_TOPIC = "table"
"""The topic of the events that the list of games reads; an index finds them among all others."""

GAME_TOPIC = "game"
"""The topic of all other events."""

REMOVED = -1
"""The version before the end of a stream, ``heads.prior``, of a game that was removed: nothing follows there."""

_TABLES = (
    "CREATE INDEX IF NOT EXISTS table_news ON stored_events ({index}) WHERE topic = 'table'",
    "CREATE TABLE IF NOT EXISTS heads (game TEXT PRIMARY KEY, prior BIGINT NOT NULL, version BIGINT NOT NULL,"
    " digest {bytes} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tokens (digest {bytes} PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tokens_of_seat ON tokens (game, seat)",
    "CREATE TABLE IF NOT EXISTS answers (id {bytes} PRIMARY KEY, body {bytes} NOT NULL, sealed {bytes} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lobby (number BIGINT PRIMARY KEY, game TEXT NOT NULL UNIQUE, status TEXT NOT NULL,"
    " private INTEGER NOT NULL, line {bytes} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS lobby_by_status ON lobby (status, number)",
    "CREATE TABLE IF NOT EXISTS lobby_players (name {bytes} NOT NULL, number BIGINT NOT NULL,"
    " PRIMARY KEY (name, number))",
    "CREATE INDEX IF NOT EXISTS players_by_number ON lobby_players (number)",
    "CREATE TABLE IF NOT EXISTS bot_games (game TEXT PRIMARY KEY, people INTEGER NOT NULL, free_at BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lobby_position (one INTEGER PRIMARY KEY, notification BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS readiness (one INTEGER PRIMARY KEY, written_at BIGINT NOT NULL)",
)


class AddedColumn(NamedTuple):
    """A column that a table has gained since the first release, and the statements that add it where it is missing."""

    table: str
    name: str
    statements: tuple[str, ...]


_ADDED_COLUMNS = (
    AddedColumn("heads", "progress", ("ALTER TABLE heads ADD COLUMN progress {bytes}",)),
    AddedColumn("lobby", "digest", ("ALTER TABLE lobby ADD COLUMN digest {bytes}",)),
    AddedColumn(
        "answers",
        "stored_at",
        (
            "ALTER TABLE answers ADD COLUMN stored_at BIGINT NOT NULL DEFAULT {now}",
            "CREATE INDEX answers_by_time ON answers (stored_at)",
        ),
    ),
)


def create_tables(*, bytes_type: str, topic_index: str) -> Iterator[str]:
    """Return the statements that create the missing tables beside that of the events."""
    return (statement.format(bytes=bytes_type, index=topic_index) for statement in _TABLES)


def added_columns(*, bytes_type: str) -> Iterator[AddedColumn]:
    """Return the columns to add where they are missing; rows that are there already count as stored now."""
    now = int(time())
    for column in _ADDED_COLUMNS:
        yield column._replace(statements=tuple(one.format(bytes=bytes_type, now=now) for one in column.statements))
