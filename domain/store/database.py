"""The interface of a database of games.

Statements are written once for all databases: ``?`` stands for a value, ``{number}`` for the column with an event's
place among the events of all games.
"""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from eventsourcing.persistence import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    StoredEvent,
)

from domain.store.errors import Conflict, StorageAway

Statement = tuple[str, tuple[Any, ...]]
"""SQL with its values."""


class Transaction(Protocol):
    """An open transaction."""

    def run(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        ...


class Database(Protocol):
    """A database of games. Every method raises ``StorageAway`` if it does not answer."""

    in_process: bool
    """Whether a small read takes microseconds, so that the event loop can do it without a thread."""

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement."""
        ...

    def append(self, events: Sequence[StoredEvent], statements: Sequence[Statement] = (), *, wait: bool = True) -> None:
        """Store events and run statements in one transaction, or raise ``Conflict`` and store nothing.

        Without ``wait``, raise ``Busy`` if another process is writing.
        """
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction for reading and writing, one at a time among all processes."""
        ...


@contextmanager
def storage_errors() -> Generator[None]:
    """Raise the errors of the eventsourcing library as those of the store."""
    try:
        yield
    except IntegrityError as error:
        raise Conflict(str(error)) from error
    except (InterfaceError, InternalError, OperationalError) as error:
        raise StorageAway(str(error)) from error
