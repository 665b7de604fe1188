"""The interface of a database of games.

The SQL is the same for all databases, with placeholders: ``?`` for a value, ``{number}`` for the column with a row's
position, ``{milliseconds}`` for the time since 1970 by the clock of the database, ``{id}`` and ``{bytes}`` for the
types of ids and of bytes.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from domain.store.errors import StorageUnavailable

Statement = tuple[str, tuple[Any, ...]]
"""SQL with its values."""

Row = tuple[str, int, str, bytes]
"""A row of events: the id of the game in hexadecimal, the first version, the topic, and the text."""


class StreamExtension(NamedTuple):
    """The head of a stream before and after new events, and the progress after them."""

    game: str
    before: int
    based_on: bytes
    version: int
    digest: bytes
    progress: bytes


class Transaction(Protocol):
    """A transaction for reading and writing."""

    def run(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        ...


class ReadDatabase(Protocol):
    """A database of games that can only be read, such as a backup."""

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement; raise ``StorageUnavailable``."""
        ...


class Database(ReadDatabase, Protocol):
    """A database of games. Every method raises ``StorageUnavailable`` if the database does not respond."""

    in_process: bool
    """True if a small read takes microseconds and may run in the event loop."""

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        extensions: Sequence[StreamExtension] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows, update the heads of extended streams, and run statements in one transaction.

        Raise ``Conflict`` and store nothing if a row exists already or a stream has another head than expected. Return
        how many seconds other writers were waited for. Without ``wait``, raise ``Busy`` if another process is writing.
        """
        ...

    def purge(self) -> None:
        """Remove deleted data from the disk, unless the operator of the database does that."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction. Only one process at a time has one."""
        ...


def ignore_failure(error: StorageUnavailable) -> None:
    """Discard an error."""


class LiveDatabase(Database, Protocol):
    """A database of games that reports commits and errors."""

    def on_failure(self, report: Callable[[StorageUnavailable], None]) -> None:
        """Report each error, except ``Busy`` to a caller who did not want to wait."""
        ...

    def commits(self) -> AsyncIterator[None]:
        """Yield soon after another process may have stored something. It never ends, and survives lost connections."""
        ...
