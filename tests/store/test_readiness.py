"""The readiness check: shared by simultaneous callers, with a write every few seconds, in one row."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from domain.store import StorageUnavailable
from domain.store.database import Statement
from domain.store.upkeep import WRITE_SECONDS, Readiness
from tests.store.clients import Run, connected


class Counting:
    """A database that counts calls and can refuse to write."""

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


async def call_inline(function: Callable[..., Any], *arguments: Any) -> Any:
    await asyncio.sleep(0)
    return function(*arguments)


def checked(database: Any, clock: Callable[[], float]) -> Readiness:
    return Readiness(database, call_inline, clock)


def test_simultaneous_callers_share_a_check() -> None:
    database = Counting()

    async def ask() -> None:
        readiness = checked(database, lambda: 0.0)
        await asyncio.gather(*(readiness.check() for _ in range(100)))

    asyncio.run(ask())
    assert database.calls == ["write", "read"]


def test_the_result_of_a_write_holds_for_a_few_seconds() -> None:
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


def test_checks_store_one_row_and_no_event(database_url: str, run: Run) -> None:
    for _ in range(3):
        with connected(database_url) as client:
            client.wait(client.service.ready())
    tables = ("stored_events", "heads", "readiness")
    assert [run(f"SELECT COUNT(*) FROM {table}") for table in tables] == [[(0,)], [(0,)], [(1,)]]
