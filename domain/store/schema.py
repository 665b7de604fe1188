"""The tables of the database: that of the eventsourcing library, by its columns, and those beside it.

The database says by which schema it was made, in a table with one row; those of the first release do not, and have 1.
A program works with its own schema and the next one, so that a release runs beside the one before it. An upgrade with
which the release before could not work counts up by two.
"""

from collections.abc import Callable, Iterator, Sequence
from time import time
from typing import Any, NamedTuple

from domain.store.database import Statement
from domain.store.errors import NewerDatabase

Run = Callable[[Statement], Sequence[tuple[Any, ...]]]
"""Runs a statement and returns its rows."""

SCHEMA = 2
"""The schema that this program makes."""

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
    "CREATE TABLE IF NOT EXISTS database_schema (one INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
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


def stored_schema(run: Run, has_column: str) -> int:
    """Return the schema of a database, given the statement that finds a column of a table in it; 0 without tables.

    Raise ``NewerDatabase`` if it is too new for this program.
    """
    schema = 1 if run((has_column, ("stored_events", "state"))) else 0
    if run((has_column, ("database_schema", "number"))):
        schema = max([schema, *(int(number) for (number,) in run(("SELECT number FROM database_schema", ())))])
    if schema > SCHEMA + 1:
        raise NewerDatabase(schema, SCHEMA + 1)
    return schema


def create_or_upgrade(run: Run, has_column: str, create: Callable[[], None]) -> None:
    """Create what is missing in a database: by a function all tables, then columns. One that is newer stays as it is.

    Rows that are there already count as stored now.
    """
    schema = stored_schema(run, has_column)
    if schema > SCHEMA:
        return
    create()
    for table, column, statements in _ADDED_COLUMNS:
        for statement in () if run((has_column, (table, column))) else statements:
            run((statement.replace("{now}", str(int(time()))), ()))
    if schema < SCHEMA:
        run((_NOTE_SCHEMA, (SCHEMA,)))


def create_tables(topic_index: str) -> Iterator[str]:
    """Return the statements that create the missing tables beside that of the events."""
    return (statement.replace("{index}", topic_index) for statement in _TABLES)


_NOTE_SCHEMA = (
    "INSERT INTO database_schema (one, number) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET number = excluded.number"
)
