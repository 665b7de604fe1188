"""The database behind the service's back, for somebody who should not be there."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

Run = Callable[..., list[tuple[Any, ...]]]


@contextmanager
def behind(url: str) -> Iterator[Run]:
    """The database itself, for somebody who should not be there; nothing that is done stays."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        mark = "?"
    else:
        connection, mark = psycopg.connect(url, autocommit=True), "%s"

    def run(statement: str, *values: object) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement.replace("?", mark), values)
        rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return rows

    with closing(connection):
        yield run
