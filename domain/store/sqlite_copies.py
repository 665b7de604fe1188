"""Copies of databases in SQLite: taken while servers write, and put back while they serve."""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

from domain.store.database import Statement
from domain.store.errors import Busy, StorageUnavailable
from domain.store.schema import stored_schema
from domain.store.sqlite import HAS_COLUMN, READ_TEXT, RETRY_SECONDS, create_for_owner, translate

SUFFIXES = ("-wal", "-shm", "-journal")
"""The ends of the names of files that belong to the database whose name they begin with."""

LOCK_SECONDS = 30
"""The longest wait for the turn to write into a database that others write."""


class SQLiteCopy:
    """A copy that nobody writes, read as it is: also one with an older schema, which stays the same."""

    def __init__(self, path: Path) -> None:
        """Open a file; raise ``StorageUnavailable`` if it is no database."""
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        self._connection.text_factory = READ_TEXT

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a reading statement."""
        sql, values = statement
        with _sqlite_errors():
            return self._connection.execute(translate(sql), values).fetchall()

    def require_sound(self) -> None:
        """Raise ``StorageUnavailable`` if the file is not as SQLite wrote it."""
        ((found,),) = self.select(("PRAGMA integrity_check(1)", ()))
        if found != "ok":
            raise StorageUnavailable(f"the copy is damaged: {' '.join(found.split())}")

    def schema(self) -> int:
        """Return the schema by which the database was made; raise ``NewerDatabase``."""
        return stored_schema(self.select, HAS_COLUMN)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def files_of(path: Path) -> set[Path]:
    """Return the files of a database with -wal, -shm and -journal, also those that are not there."""
    file = path.resolve()
    return {file, *(file.with_name(file.name + end) for end in SUFFIXES)}


@contextmanager
def temporary_copy(source: Path, target: Path) -> Generator[Path]:
    """Copy a database into a new file next to another one, which is gone after this context unless it was renamed.

    The copy is the database at one moment, with all that was committed before; writers do not wait.
    """
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        create_for_owner(str(part))
        with _sqlite_errors():
            _copy(source, part)
        yield part
    finally:
        for file in files_of(part):
            file.unlink(missing_ok=True)


def rename_durably(part: Path, target: Path) -> None:
    """Give a copy its name, with what it holds on the disk first."""
    _sync(part)
    part.replace(target)
    _sync(target.parent)


def write_into(copy: Path, live: Path, aside: Path | None) -> None:
    """Write a copy into a database that others may use, all of it in one transaction.

    They see it from their next transaction on. If ``aside`` is given, what was there is kept in that new file: all that
    others had stored by then, since nobody else writes from that moment on.
    """
    deadline = monotonic() + LOCK_SECONDS
    left = aside

    def keep_aside(status: int, *_: int) -> None:
        nonlocal left
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and monotonic() > deadline:
            raise Busy("other processes keep writing")
        if left is not None and status == sqlite3.SQLITE_OK:  # the first page is written, and the lock is ours
            with temporary_copy(live, left) as part:
                rename_durably(part, left)
            left = None

    with (
        _sqlite_errors(),
        closing(sqlite3.connect(copy)) as source,
        closing(sqlite3.connect(live, timeout=0, isolation_level=None)) as target,
    ):
        target.execute("PRAGMA synchronous = FULL")
        source.backup(target, pages=1, progress=keep_aside, sleep=RETRY_SECONDS)
        with suppress(sqlite3.OperationalError):  # others may read what is in the write-ahead log
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy(source: Path, part: Path) -> None:
    """Copy a database into an empty file, which needs no -wal or -shm."""
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as original,
        closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        copy.execute("PRAGMA synchronous = OFF")  # it is synced as a whole before it gets its name
        original.backup(copy)
    with closing(sqlite3.connect(part, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")


def _sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def _sqlite_errors() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageUnavailable(str(error)) from error
