"""The tables of the database: the library's table of events, and our own.

The table ``database_schema`` has one row with the number of the schema. Databases of 1.0 do not have it and count as 1.
A program works with its own schema and with the next one, so that two successive releases can run at the same time.
Increase the number by two if the previous release cannot work with the upgraded database, for example because of a new
kind of fact.
"""

from collections.abc import Callable, Iterator, Sequence
from secrets import token_hex
from time import time
from typing import Any

from domain.store.database import Statement
from domain.store.errors import NewerDatabase

Run = Callable[[Statement], Sequence[tuple[Any, ...]]]
"""Runs a statement and returns its rows."""

SCHEMA = 3
"""The schema of this program."""

EVENT_COLUMNS = "originator_id, originator_version, topic, state"

TABLE_TOPIC = "table"
"""The topic of events that the lobby reads. An index finds their rows."""

GAME_TOPIC = "game"
"""The topic of all other events."""

REMOVED = -1
"""The value of ``heads.prior`` for a removed game. Nothing can be appended to it."""

EPOCH = "CREATE TABLE IF NOT EXISTS epoch (one INTEGER PRIMARY KEY, id TEXT NOT NULL)"
"""The table with the epoch: an id that a restore renews, because the positions then belong to other rows."""

SELECT_EPOCH: Statement = "SELECT id FROM epoch", ()

_TABLES = (
    "CREATE INDEX IF NOT EXISTS table_news ON stored_events ({index}) WHERE topic = 'table'",
    "CREATE TABLE IF NOT EXISTS heads (game TEXT PRIMARY KEY, prior BIGINT NOT NULL, version BIGINT NOT NULL,"
    " digest {bytes} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tokens (digest {bytes} PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tokens_of_seat ON tokens (game, seat)",
    "CREATE TABLE IF NOT EXISTS keys (id {bytes} PRIMARY KEY, body_hash {bytes} NOT NULL, game {bytes} NOT NULL,"
    ' first BIGINT NOT NULL, last BIGINT NOT NULL, "check" {bytes} NOT NULL, salt {bytes} NOT NULL,'
    " stored_at BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS keys_by_time ON keys (stored_at)",
    "CREATE TABLE IF NOT EXISTS lobby (number BIGINT PRIMARY KEY, game TEXT NOT NULL UNIQUE, status TEXT NOT NULL,"
    " private INTEGER NOT NULL, line {bytes} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS lobby_by_status ON lobby (status, number)",
    "CREATE TABLE IF NOT EXISTS lobby_players (name {bytes} NOT NULL, number BIGINT NOT NULL,"
    " PRIMARY KEY (name, number))",
    "CREATE INDEX IF NOT EXISTS players_by_number ON lobby_players (number)",
    "CREATE TABLE IF NOT EXISTS bot_games (game TEXT PRIMARY KEY, people INTEGER NOT NULL, free_at BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS due (game TEXT PRIMARY KEY, deadline TEXT NOT NULL, by_server INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS due_by_time ON due (deadline)",
    "CREATE INDEX IF NOT EXISTS due_for_server ON due (deadline) WHERE by_server = 1",
    "CREATE TABLE IF NOT EXISTS webhooks (id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, app TEXT,"
    " secret TEXT NOT NULL, former TEXT, former_until BIGINT, position BIGINT, lapsed_to TEXT, failing_since BIGINT,"
    " stopped TEXT, changed BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS webhook_notices (endpoint TEXT NOT NULL, position BIGINT NOT NULL, type TEXT NOT NULL,"
    " seat INTEGER NOT NULL, game TEXT NOT NULL, version BIGINT NOT NULL, at TEXT NOT NULL, tries INTEGER NOT NULL,"
    " next_at BIGINT NOT NULL, PRIMARY KEY (endpoint, position, type, seat))",
    "CREATE TABLE IF NOT EXISTS webhook_delivery (one INTEGER PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL,"
    " changes BIGINT NOT NULL, epoch TEXT NOT NULL, position BIGINT NOT NULL, lapsed_to TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS apps (name TEXT PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS app_keys (digest {bytes} PRIMARY KEY, app TEXT NOT NULL, until BIGINT)",
    "CREATE TABLE IF NOT EXISTS app_games (game TEXT PRIMARY KEY, app TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS games_of_app ON app_games (app)",
    "CREATE TABLE IF NOT EXISTS refs (game TEXT NOT NULL, seat INTEGER NOT NULL, app TEXT NOT NULL,"
    " ref TEXT NOT NULL, PRIMARY KEY (game, seat, app))",
    "CREATE INDEX IF NOT EXISTS refs_by_ref ON refs (app, ref)",
    "CREATE TABLE IF NOT EXISTS lobby_position (one INTEGER PRIMARY KEY, notification BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lobby_rebuild (one INTEGER PRIMARY KEY, position BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS readiness (one INTEGER PRIMARY KEY, written_at BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS database_schema (one INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    EPOCH,
)


EMPTY_LOBBY: tuple[Statement, ...] = tuple(
    (f"DELETE FROM {table}", ())  # noqa: S608 - no value from outside
    for table in ("lobby", "lobby_players", "lobby_position")
)
"""The statements that empty the lobby, so that it is built again from all events."""


def stored_schema(run: Run, has_column: str) -> int:
    """Return the schema of a database, 0 for an empty one; raise ``NewerDatabase`` if it is too new.

    ``has_column`` is the SQL that finds a column of a table.
    """
    schema = 1 if run((has_column, ("stored_events", "state"))) else 0
    if run((has_column, ("database_schema", "number"))):
        schema = max([schema, *(int(number) for (number,) in run(("SELECT number FROM database_schema", ())))])
    if schema > SCHEMA + 1:
        raise NewerDatabase(schema, SCHEMA + 1)
    return schema


def create_or_upgrade(run: Run, has_column: str, create: Callable[[], None]) -> None:
    """Create missing tables and columns. A database of a newer schema is not changed.

    The lobby of an older schema is emptied, and its next reader builds it again. Keys of 1.0 are kept.
    """
    schema = stored_schema(run, has_column)
    if schema > SCHEMA:
        return
    create()
    run((f"{INSERT_EPOCH} NOTHING", (token_hex(6),)))
    if not run((has_column, ("heads", "progress"))):
        run(("ALTER TABLE heads ADD COLUMN progress {bytes}", ()))
    if run((has_column, ("answers", "sealed"))):  # also a database into which a backup of 1.0 was restored
        run((_KEYS_OF_1_0, (int(time()),)))
        run(("DROP TABLE answers", ()))
        schema = 1
    if schema < SCHEMA:
        for statement in EMPTY_LOBBY:
            run(statement)
        run((_SET_SCHEMA, (SCHEMA,)))


_KEYS_OF_1_0 = (
    'INSERT INTO keys (id, body_hash, game, first, last, "check", salt, stored_at)'
    " SELECT substr(id, 1, 16), body, substr(id, 1, 0), 0, 0, substr(id, 1, 0), substr(id, 1, 0), CAST(? AS BIGINT)"
    " FROM answers WHERE true ON CONFLICT (id) DO NOTHING"
)
"""The statement that keeps the keys of release 1.0 without their responses. They count as stored now."""


INSERT_EPOCH = "INSERT INTO epoch (one, id) VALUES (1, ?) ON CONFLICT (one) DO"


def renew_epoch() -> Statement:
    """Return the statement that begins a new epoch."""
    return f"{INSERT_EPOCH} UPDATE SET id = excluded.id", (token_hex(6),)


def create_tables(topic_index: str) -> Iterator[str]:
    """Return the statements that create our own tables."""
    return (statement.replace("{index}", topic_index) for statement in _TABLES)


_SET_SCHEMA = (
    "INSERT INTO database_schema (one, number) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET number = excluded.number"
)
