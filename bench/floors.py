"""The floors of the store: single rows committed durably, with nothing else done."""

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

from bench.games import PLAYERS, scripts
from bench.rounds import ROUND_SECONDS
from domain.start import start
from domain.stream import origin, write

FOLDER = Path(__file__).parent / "results"
"""The folder in which databases are created: the system's folder for temporary files may not be on a disk."""

NOW = "2026-01-31T18:00:00.000000Z"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder, and delete it afterwards."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="databases-", dir=FOLDER) as path:
        yield Path(path)


def typical_event() -> bytes:
    """Return an event of median length, as it is stored."""
    script = scripts(1, 20)[0]
    facts = start(script.options, PLAYERS, 0).facts
    events, _ = write(0, origin("floor"), NOW, facts)
    return sorted(events, key=len)[len(events) // 2]


class RawCommits:
    """Single rows inserted into SQLite, each in its own transaction, as durably as the store does it."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(
            "CREATE TABLE event (game TEXT, version INTEGER, state BLOB, PRIMARY KEY (game, version)) WITHOUT ROWID"
        )
        self._event = typical_event()
        self._versions = count(1)

    def rate(self, commits: int) -> float:
        """Measure commits a second."""
        execute, event = self._connection.execute, self._event
        insert = "INSERT INTO event VALUES ('floor', ?, ?)"
        return _rate(lambda: execute(insert, (next(self._versions), event)), commits)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class RawPostgresCommits:
    """Single rows inserted into PostgreSQL, each in its own transaction."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute(
            "CREATE TABLE floor (game text, version bigint, state bytea, PRIMARY KEY (game, version))"
        )
        self._event = typical_event()
        self._versions = count(1)

    def rate(self, commits: int) -> float:
        """Measure commits a second."""
        cursor, event = self._connection.cursor(), self._event
        insert = "INSERT INTO floor VALUES ('floor', %s, %s)"
        return _rate(lambda: cursor.execute(insert, (next(self._versions), event), prepare=True), commits)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _rate(commit: Callable[[], object], commits: int) -> float:
    """Return commits a second, of this many or of as many as the time allows."""
    began = now = time.perf_counter()
    done = 0
    while done < commits and now < began + ROUND_SECONDS:
        commit()
        done += 1
        now = time.perf_counter()
    return done / (now - began)
