"""The files of an SQLite database, which somebody may take away or overwrite while they are open."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from domain.store.errors import StorageUnavailable

HEADER = b"SQLite format 3\0"
OPEN_FILES = Path("/dev/fd")


def create_for_owner(path: str) -> None:
    """Create a file that only its owner may read, unless it is there; SQLite makes those beside it like it."""
    with suppress(OSError):  # which opening the file will tell
        Path(path).touch(mode=0o600, exist_ok=False)


class OpenFiles:
    """The files as they were opened; the first is the database itself.

    Of files that were deleted, replaced or overwritten SQLite notices nothing for as long as it needs no more than what
    it has read or written lately. What is stored then may be gone when they are closed.
    """

    def __init__(self, *paths: str) -> None:
        self._files = [(file, _identity(file)) for file in map(Path, paths)]
        self._opened = next(_descriptors(self._files[0][1]), None)

    def require_intact(self) -> None:
        """Raise ``StorageUnavailable`` unless all of them are where they were, and the first is a database still."""
        for file, opened in self._files:
            if _identity(file) != opened:
                raise StorageUnavailable(
                    f"{file.name} was deleted or replaced: put the same file back, or start the server again"
                )
        if not self._has_header():
            raise StorageUnavailable(f"{self._files[0][0].name} was overwritten: it is no database any more")

    def _has_header(self) -> bool:
        """Return whether the file begins as databases do, read by the descriptor that SQLite has open.

        To open and close another one would release the locks that this process has on the file.
        """
        if self._opened is None or _opened(self._opened) != self._files[0][1]:
            return True
        return os.pread(self._opened, len(HEADER), 0) == HEADER


Identity = tuple[int, int]


def _identity(file: Path) -> Identity | None:
    """Return what tells a file from every other one, None if it is not there."""
    with suppress(OSError):
        found = file.stat()
        return found.st_dev, found.st_ino
    return None


def _opened(descriptor: int) -> Identity | None:
    """Return the file that a descriptor stands for, None if there is no such descriptor."""
    with suppress(OSError):
        found = os.fstat(descriptor)
        return found.st_dev, found.st_ino
    return None


def _descriptors(identity: Identity | None) -> Iterator[int]:
    """Yield the descriptors of a file that this process has open."""
    with suppress(OSError):
        for file in OPEN_FILES.iterdir():
            if identity is not None and _opened(int(file.name)) == identity:
                yield int(file.name)
