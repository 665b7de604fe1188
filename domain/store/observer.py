"""The observer of a service, such as metrics."""

from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from domain.store.commit import Commit
from domain.store.database import Growth, LiveDatabase, Row, Statement, Transaction
from domain.store.errors import Busy, StorageUnavailable
from domain.store.group_writer import CommitTimes


class Observer(msgspec.Struct, frozen=True):
    """Those who are told what a service does, in the thread that does it. They must not raise anything.

    ``stored`` is told of each transaction: the changes in it, each with the answer kept under its key, and its times.
    ``failed`` are told that the database did not do what it was asked for, or not in time.
    """

    stored: Callable[[Sequence[tuple[Commit, Statement | None]], CommitTimes], None] | None = None
    failed: tuple[Callable[[StorageUnavailable], None], ...] = ()

    def tell_failure(self, error: StorageUnavailable) -> None:
        """Tell of a failure."""
        for told in self.failed:
            told(error)


class ObservedDatabase:
    """A database whose failures are told."""

    def __init__(self, database: LiveDatabase, failed: Callable[[StorageUnavailable], None]) -> None:
        self._database = database
        self._failed = failed
        self.in_process = database.in_process
        self.commits: Callable[[], AsyncIterator[None]] = database.commits

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement."""
        try:
            return self._database.select(statement)
        except StorageUnavailable as error:
            self._failed(error)
            raise

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        growths: Sequence[Growth] = (),
        *,
        wait: bool = True,
    ) -> float:
        """Store rows and run statements; that another process writes is a failure only for who has waited."""
        try:
            return self._database.append(rows, statements, growths, wait=wait)
        except StorageUnavailable as error:
            if wait or not isinstance(error, Busy):
                self._failed(error)
            raise

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
    def _telling(self) -> Generator[None]:
        try:
            yield
        except StorageUnavailable as error:
            self._failed(error)
            raise
