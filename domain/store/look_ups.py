"""Look-ups of rows by their keys, for many who wait at the same time in one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from domain.store.database import ReadDatabase, Statement

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of keys in a statement: few, since a server prepares each of its own."""

PATIENCE_SECONDS = 0.1
"""The time after which a look-up takes so long that the next one does not wait for its end."""

Found = Mapping[Any, Sequence[Any]]
"""The rows that were found, by their keys."""


class Keyed(NamedTuple):
    """A table that is looked up by a key, and the columns that are read with it."""

    table: str
    key: str
    columns: str

    def statement(self, keys: Sequence[Any]) -> Statement:
        """Return the statement that finds the rows of these keys, filled up with the last one."""
        size = next(size for size in SIZES if size >= len(keys))
        return _select(self, size), (*keys, *[keys[-1]] * (size - len(keys)))


@cache
def _select(rows: Keyed, size: int) -> str:
    places = ", ".join(["?"] * size)
    return f"SELECT {rows.key}, {rows.columns} FROM {rows.table} WHERE {rows.key} IN ({places})"  # noqa: S608 - as named


def find(database: ReadDatabase, rows: Keyed, *keys: Any) -> Found:
    """Find the rows of some keys, no more than a statement can hold."""
    return {key: rest for key, *rest in database.select(rows.statement(keys))}


class _Waiting(NamedTuple):
    rows: Keyed
    keys: Sequence[Any]
    found: asyncio.Future[Found]


class LookUps:
    """Finds rows for all who have come to wait since the look-up before began.

    One that takes long keeps nobody else waiting: another one begins beside it.
    """

    def __init__(self, database: ReadDatabase, read: Callable[..., Awaitable[Any]]) -> None:
        """Look up in a database, by calls of a function that does so where it keeps nobody waiting."""
        self._database = database
        self._read = read
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._newest: asyncio.Task[None] | None = None

    async def find(self, rows: Keyed, *keys: Any) -> Found:
        """Find the rows of some keys, as they are when this is called or later."""
        found: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(rows, keys, found))
        if self._newest is None or self._newest.done():
            self._begin()
        return await found

    def _begin(self) -> None:
        self._newest = asyncio.create_task(self._look_up())
        self._tasks.add(self._newest)
        self._newest.add_done_callback(self._tasks.discard)

    async def _look_up(self) -> None:
        """Look up until nobody waits."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            late = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._begin)
            try:
                found = await self._read(_find_all, self._database, waiting)
            except Exception as error:
                _fail(waiting, error)
            except BaseException as error:  # nobody looks up what came meanwhile either
                _fail(waiting + self._waiting, error)
                self._waiting = []
                raise
            else:
                _deliver(waiting, found)
            finally:
                late.cancel()


def _fail(waiting: Sequence[_Waiting], error: BaseException) -> None:
    for each in waiting:
        if not each.found.done():
            each.found.set_exception(error)


def _deliver(waiting: Sequence[_Waiting], found: Mapping[Keyed, Found]) -> None:
    """Give to all who still wait what was found by their own keys."""
    for each in waiting:
        if not each.found.done():
            of_table = found[each.rows]
            each.found.set_result({key: of_table[key] for key in each.keys if key in of_table})


def _find_all(database: ReadDatabase, waiting: Sequence[_Waiting]) -> dict[Keyed, Found]:
    """Find what all have asked for, table by table."""
    wanted: dict[Keyed, dict[Any, None]] = {}
    for each in waiting:
        wanted.setdefault(each.rows, {}).update(dict.fromkeys(each.keys))
    return {
        rows: {key: rest for part in _parts(list(keys)) for key, rest in find(database, rows, *part).items()}
        for rows, keys in wanted.items()
    }


def _parts(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (keys[start : start + SIZES[-1]] for start in range(0, len(keys), SIZES[-1]))
