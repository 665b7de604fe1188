"""The check of a database: one for all who ask at the same time, a write now and then, and nothing that grows."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from domain.store import StorageUnavailable
from domain.store.database import Statement
from domain.store.upkeep import WRITE_SECONDS, Readiness
from tests.store.clients import Run, connected


class Counting:
    """A database of which calls are counted, and which writes only if it may."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.writes = True

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        self.calls.append("read")
        return []

    def append(self, rows: Sequence[Any], statements: Sequence[Statement] = (), *, wait: bool = True) -> None:
        self.calls.append("write")
        if not self.writes:
            raise StorageUnavailable("the disk is full")


async def in_place(function: Callable[..., Any], *arguments: Any) -> Any:
    await asyncio.sleep(0)
    return function(*arguments)


def checked(database: Any, clock: Callable[[], float]) -> Readiness:
    return Readiness(database, in_place, clock)


def test_all_who_ask_at_once_share_a_check() -> None:
    database = Counting()

    async def ask() -> None:
        readiness = checked(database, lambda: 0.0)
        await asyncio.gather(*(readiness.check() for _ in range(100)))

    asyncio.run(ask())
    assert database.calls == ["write", "read"]


def test_a_write_is_tried_every_few_seconds_and_holds_until_the_next() -> None:
    database, now = Counting(), [0.0]

    async def ask() -> None:
        readiness = checked(database, lambda: now[0])
        await readiness.check()
        database.writes = False
        now[0] = WRITE_SECONDS - 0.01
        await readiness.check()
        now[0] = WRITE_SECONDS
        with pytest.raises(StorageUnavailable, match="the disk is full"):
            await readiness.check()
        database.writes = True
        with pytest.raises(StorageUnavailable, match="the disk is full"):
            await readiness.check()
        now[0] = 2 * WRITE_SECONDS
        await readiness.check()

    asyncio.run(ask())
    assert database.calls == ["write", "read", "read", "write", "write", "read"]


def test_followers_see_nothing_of_it_and_it_stays_one_row(database_url: str, run: Run) -> None:
    for _ in range(3):
        with connected(database_url) as client:
            client.wait(client.service.ready())
    tables = ("stored_events", "heads", "readiness")
    assert [run(f"SELECT COUNT(*) FROM {table}") for table in tables] == [[(0,)], [(0,)], [(1,)]]
