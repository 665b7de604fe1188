"""What the application asks of a database, and the tables it keeps beside the events.

The statements are written once for all databases, with ``?`` where a value goes, ``{bytes}`` for the type of byte
strings and ``{number}`` for an event's place among the events of all games.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Statement = tuple[str, tuple[Any, ...]]

Line = tuple[str, int, str, bytes]
"""Events that came about together: the game's id in hexadecimal, the first version, the topic, and the text."""

TABLES = (
    "CREATE INDEX IF NOT EXISTS table_news ON stored_events ({news}) WHERE topic = 'table'",
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
    "CREATE TABLE IF NOT EXISTS lobby_position (one INTEGER PRIMARY KEY, notification BIGINT NOT NULL)",
)


class Session(Protocol):
    """A transaction that is open."""

    def run(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """The lines that a statement gives."""
        ...


class Database(Protocol):
    """A database of games."""

    instant: bool
    """Whether a small read takes microseconds, so that it may be done where nothing should wait."""

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """The lines that a reading statement gives."""
        ...

    def append(self, lines: Sequence[Line], statements: Sequence[Statement], *, wait: bool = True) -> None:
        """Store events and what belongs to them in one transaction, or raise ``Conflict`` and store nothing.

        Rather than wait for another process, raise ``Busy``.
        """
        ...

    def session(self) -> AbstractContextManager[Session]:
        """A transaction for reading and writing, alone among all processes."""
        ...
