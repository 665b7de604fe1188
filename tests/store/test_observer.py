"""The observer of a service is called for stored groups of changes and for failures of the database."""

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


class RecordingObserver:
    """An observer that records its calls."""

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


def service_of(file: Path, observer: RecordingObserver, timeout: float = 10) -> GameService:
    return open_service(
        f"sqlite:///{file}",
        limits=Limits(database_timeout=timeout),
        observer=Observer(stored=observer.stored, failed=(observer.failed,)),
    )


async def open_table(service: GameService) -> Commit:
    return await service.open_table(2, ["Ann", "Bob"], QUICK)


def test_every_change_is_reported_once_with_the_others_of_its_transaction(file: Path) -> None:
    observer = RecordingObserver()

    async def play() -> list[UUID]:
        async with service_of(file, observer) as service:
            await asyncio.gather(*(open_table(service) for _ in range(40)))
            return await service.archive.game_ids()

    games = asyncio.run(play())
    assert len(games) == 40
    assert sorted(game for group in observer.groups for game in group) == sorted(games)
    assert max(map(len, observer.groups)) > 1
    assert observer.failures == 0


def test_failed_reads_and_writes_are_reported(file: Path) -> None:
    observer = RecordingObserver()

    async def fail() -> None:
        async with service_of(file, observer) as service:
            await open_table(service)
            with sqlite3.connect(file) as other:
                other.execute("ALTER TABLE heads RENAME TO elsewhere")
            other.close()
            with pytest.raises(StorageUnavailable, match="heads"):
                await service.archive.read_heads(list)
            assert observer.failures == 1
            with pytest.raises(StorageUnavailable, match="heads"):
                await open_table(service)
            assert observer.failures == 2

    asyncio.run(fail())
    assert [len(group) for group in observer.groups] == [1], "a failed write is not reported as stored"


def test_a_wait_for_another_process_is_no_failure_until_it_is_too_long(file: Path) -> None:
    observer = RecordingObserver()

    async def wait() -> None:
        async with (
            service_of(file, observer, timeout=LONG) as service,
            service_of(file, observer, 0.1) as hasty,
        ):
            with closing(sqlite3.connect(file, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                waiting = asyncio.create_task(open_table(service))
                with pytest.raises(StorageUnavailable):
                    await open_table(hasty)
                assert observer.failures == 1
                assert not waiting.done()
                other.execute("COMMIT")
                await waiting

    asyncio.run(wait())
    assert observer.failures == 1
    assert [len(group) for group in observer.groups] == [1]
