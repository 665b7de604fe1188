"""The observer of a service, such as metrics."""

from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from domain.store.commit import Commit
from domain.store.database import LiveDatabase, Row, Statement, Transaction
from domain.store.errors import Busy, StorageUnavailable


class Observer:
    """The one who is told what a service does, in the thread that does it, and by itself takes note of nothing.

    Its methods must not raise anything.
    """

    def stored(self, changes: Sequence[tuple[Commit, Statement | None]], seconds: float) -> None:
        """Note what one transaction has stored, each change with the answer kept under its key, and its time."""

    def failed(self, error: StorageUnavailable) -> None:
        """Note that the database did not do what it was asked for, or not in time."""


class ObservedDatabase:
    """A database whose failures are told."""

    def __init__(self, database: LiveDatabase, failed: Callable[[StorageUnavailable], None]) -> None:
        self._database = database
        self._failed = failed
        self.in_process = database.in_process
        self.commits: Callable[[], AsyncIterator[None]] = database.commits

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement."""
        with self._telling():
            return self._database.select(statement)

    def append(
        self, rows: Sequence[Row], statements: Sequence[Statement] = (), *, wait: bool = True
    ) -> Sequence[int] | None:
        """Store rows and run statements; that another process writes is a failure only for who has waited."""
        with self._telling(expected=() if wait else (Busy,)):
            return self._database.append(rows, statements, wait=wait)

    def purge(self) -> None:
        """Remove from the disk what was deleted."""
        with self._telling():
            self._database.purge()

    @contextmanager
    def transaction(self) -> Generator[Transaction]:
        """Begin a transaction for reading and writing."""
        with self._telling(), self._database.transaction() as transaction:
            yield transaction

    @contextmanager
    def _telling(self, expected: tuple[type[Exception], ...] = ()) -> Generator[None]:
        try:
            yield
        except StorageUnavailable as error:
            if not isinstance(error, expected):
                self._failed(error)
            raise
