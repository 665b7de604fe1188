"""The observer of a service: told what is stored, in which groups, and what the database does not do."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from domain.store import Commit, GameService, Limits, Observer, StorageUnavailable, open_service
from domain.store.commit import CommitTimes
from tests.store.clients import QUICK
from tests.store.processes import LONG


class Notes:
    """An observer that notes what it is told."""

    def __init__(self) -> None:
        self.groups: list[list[UUID]] = []
        self.failures = 0

    def stored(self, commits: Sequence[Commit], times: CommitTimes) -> None:
        assert times.stored > times.locked >= 0
        assert times.queued >= 0
        self.groups.append([commit.id for commit in commits])

    def failed(self, error: StorageUnavailable) -> None:
        self.failures += 1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def service_of(file: Path, notes: Notes, timeout: float = 10) -> GameService:
    return open_service(
        f"sqlite:///{file}",
        limits=Limits(database_timeout=timeout),
        observer=Observer(stored=notes.stored, failed=(notes.failed,)),
    )


async def open_table(service: GameService) -> Commit:
    return await service.open_table(2, ["Ann", "Bob"], QUICK)


def test_every_change_is_told_once_with_those_of_its_transaction(file: Path) -> None:
    notes = Notes()

    async def play() -> list[UUID]:
        async with service_of(file, notes) as service:
            await asyncio.gather(*(open_table(service) for _ in range(40)))
            return await service.game_ids()

    games = asyncio.run(play())
    assert len(games) == 40
    assert sorted(game for group in notes.groups for game in group) == sorted(games)
    assert max(map(len, notes.groups)) > 1
    assert notes.failures == 0


def test_reads_and_writes_that_fail_are_told(file: Path) -> None:
    notes = Notes()

    async def fail() -> None:
        async with service_of(file, notes) as service:
            await open_table(service)
            with sqlite3.connect(file) as other:
                other.execute("ALTER TABLE heads RENAME TO elsewhere")
            other.close()
            with pytest.raises(StorageUnavailable, match="heads"):
                await service.read_heads(list)
            assert notes.failures == 1
            with pytest.raises(StorageUnavailable, match="heads"):
                await open_table(service)
            assert notes.failures == 2

    asyncio.run(fail())
    assert [len(group) for group in notes.groups] == [1], "what was not stored is not told as stored"


def test_a_wait_for_another_process_is_no_failure_until_it_is_too_long(file: Path) -> None:
    notes = Notes()

    async def wait() -> None:
        async with service_of(file, notes, timeout=LONG) as service, service_of(file, notes, timeout=0.1) as impatient:
            with closing(sqlite3.connect(file, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                waiting = asyncio.create_task(open_table(service))
                with pytest.raises(StorageUnavailable):
                    await open_table(impatient)
                assert notes.failures == 1
                assert not waiting.done()
                other.execute("COMMIT")
                await waiting

    asyncio.run(wait())
    assert notes.failures == 1
    assert [len(group) for group in notes.groups] == [1]
