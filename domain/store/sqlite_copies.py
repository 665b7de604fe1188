"""Copies of SQLite databases. They can be taken and restored while servers are running."""

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
"""The suffixes of files that belong to a database."""

LOCK_SECONDS = 30
"""The limit for a wait for other writers."""


class SQLiteCopy:
    """A read-only copy of a database. A copy with an older schema is not upgraded."""

    def __init__(self, path: Path) -> None:
        """Open a file; raise ``StorageUnavailable`` if it is not a database."""
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        self._connection.text_factory = READ_TEXT

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        sql, values = statement
        with _sqlite_errors():
            return self._connection.execute(translate(sql), values).fetchall()

    def require_sound(self) -> None:
        """Raise ``StorageUnavailable`` if the file is damaged."""
        ((found,),) = self.select(("PRAGMA integrity_check(1)", ()))
        if found != "ok":
            raise StorageUnavailable(f"the copy is damaged: {' '.join(found.split())}")

    def schema(self) -> int:
        """Return the schema of the database; raise ``NewerDatabase``."""
        return stored_schema(self.select, HAS_COLUMN)

    def close(self) -> None:
        self._connection.close()


def files_of(path: Path) -> set[Path]:
    """Return the possible files of a database: itself, -wal, -shm and -journal."""
    file = path.resolve()
    return {file, *(file.with_name(file.name + end) for end in SUFFIXES)}


@contextmanager
def temporary_copy(source: Path, target: Path) -> Generator[Path]:
    """Copy a database into a new file next to ``target``. The copy is deleted at the end unless it was renamed.

    The copy has everything that was committed before. Writers do not wait.
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
    """Rename a copy to its final name, after it is safely on the disk."""
    _sync(part)
    part.replace(target)
    _sync(target.parent)


def write_into(copy: Path, live: Path, aside: Path | None) -> None:
    """Write a copy into a live database in one transaction.

    Other processes see it from their next transaction on. If ``aside`` is given, the previous content is kept in that
    new file. It is complete: nobody else can write until the transaction ends.
    """
    deadline = monotonic() + LOCK_SECONDS
    left = aside

    def keep_aside(status: int, *_: int) -> None:
        nonlocal left
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and monotonic() > deadline:
            raise Busy("other processes keep writing")
        if (
            left is not None and status == sqlite3.SQLITE_OK
        ):  # the first page is written, so this process holds the lock
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
        with suppress(sqlite3.OperationalError):  # another process may be reading the write-ahead log
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy(source: Path, part: Path) -> None:
    """Copy a database into an empty file that does not need -wal or -shm."""
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as original,
        closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        copy.execute("PRAGMA synchronous = OFF")  # the whole file is synced before it is renamed
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
