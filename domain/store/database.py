"""The interface of a database of games.

Statements are written once for all databases: ``?`` stands for a value, ``{number}`` for the column with a row's
position among the rows of all games, ``{milliseconds}`` for the time since 1970 by the clock of the database, ``{id}``
and ``{bytes}`` for the types of a game's id and of bytes.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from domain.store.errors import StorageUnavailable

Statement = tuple[str, tuple[Any, ...]]
"""SQL with its values."""

Row = tuple[str, int, str, bytes]
"""A row of stored events: the game's id in hexadecimal, the first version, the topic, and the text."""


class StreamExtension(NamedTuple):
    """The head of a stream before and after something is added to it, with the progress after it."""

    game: str
    before: int
    based_on: bytes
    version: int
    digest: bytes
    progress: bytes


class Transaction(Protocol):
    """An open transaction."""

    def run(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        ...


class ReadDatabase(Protocol):
    """A database of games that is only read, such as a backup."""

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement, or raise ``StorageUnavailable``."""
        ...


class Database(ReadDatabase, Protocol):
    """A database of games. Every method raises ``StorageUnavailable`` if it does not answer."""

    in_process: bool
    """True if a small read takes microseconds, so that the event loop can do it without a thread."""

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        extensions: Sequence[StreamExtension] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows, move the heads of streams that have grown, and run statements, all in one transaction.

        Raise ``Conflict`` and store nothing if a row is there already, or a stream is not the one that it was. Return
        for how many seconds other writers were waited for. Without ``wait``, raise ``Busy`` if another process is
        writing.
        """
        ...

    def purge(self) -> None:
        """Remove from the disk what was deleted, as far as this is not left to the operator of the database."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction for reading and writing, one at a time among all processes."""
        ...


def ignore_failure(error: StorageUnavailable) -> None:
    """Report an error to nobody."""


class LiveDatabase(Database, Protocol):
    """A database of games that reports commits and errors."""

    def on_failure(self, report: Callable[[StorageUnavailable], None]) -> None:
        """Report each error, except that another process is writing if the caller did not want to wait."""
        ...

    def commits(self) -> AsyncIterator[None]:
        """Yield soon after others may have stored something, without end, also after connections were lost."""
        ...
