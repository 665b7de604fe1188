"""The group writer stores many commits together; a conflicting commit fails alone."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from domain.modules import GameOptions
from domain.store import Commit, LoadedGame, StorageUnavailable
from domain.store.commit import GroupWriter
from domain.store.errors import Busy, Conflict
from domain.table import Table
from domain.timeline import Timeline

GAME = LoadedGame(UUID(int=1), Timeline(1, Table(2, GameOptions())), b"", "", "")


def named(name: str) -> Commit:
    return Commit(0, GAME, (), [name.encode()], {})


def names_of(commits: Sequence[Commit]) -> list[str]:
    return [commit.events[0].decode() for commit in commits]


class Disk:
    """A storage so slow that commits gather meanwhile."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.may_go_on = threading.Event()
        self.started = threading.Event()

    def store(self, commits: Sequence[Commit]) -> float:
        names = names_of(commits)
        self.started.set()
        self.may_go_on.wait()
        if "away" in names:
            raise StorageUnavailable("away")
        if "conflict" in names:
            raise Conflict
        self.groups.append(names)
        return 0.0


def write(writer: GroupWriter, name: str) -> "asyncio.Task[None]":
    return asyncio.create_task(writer.write(named(name)))


async def blocked(disk: Disk, writer: GroupWriter) -> "asyncio.Task[None]":
    """A write that has started and does not end yet."""
    first = write(writer, "first")
    await asyncio.to_thread(disk.started.wait)
    return first


def scenario(play: Callable[[Disk, GroupWriter], Awaitable[None]]) -> Disk:
    disk = Disk()

    async def run() -> None:
        writer = GroupWriter(disk.store)
        await play(disk, writer)
        await writer.close()

    asyncio.run(run())
    return disk


def test_waiting_commits_are_stored_together() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in "abcd")]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await asyncio.gather(*tasks)

    assert scenario(play).groups == [["first"], ["a", "b", "c", "d"]]


def test_a_conflicting_commit_fails_alone() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "conflict", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [type(None), type(None), Conflict, type(None)]

    assert scenario(play).groups == [["first"], ["a"], ["b"]]


def test_an_outage_fails_every_commit_and_the_next_is_tried() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "away", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes[1:]] == [StorageUnavailable] * 3
        await write(writer, "back")

    assert scenario(play).groups == [["first"], ["back"]]


def test_an_abandoned_commit_is_stored_only_if_its_write_has_begun() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        first = await blocked(disk, writer)
        gone, stays = write(writer, "gone"), write(writer, "stays")
        await asyncio.sleep(0)
        first.cancel()
        gone.cancel()
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await stays

    assert scenario(play).groups == [["first"], ["stays"]]


def test_the_next_commit_is_stored_after_all_others_were_abandoned() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        first = await blocked(disk, writer)
        gone = write(writer, "gone")
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await first
        await write(writer, "next")

    assert scenario(play).groups == [["first"], ["next"]]


def test_closing_stores_accepted_commits() -> None:
    disk = Disk()

    async def run() -> None:
        writer = GroupWriter(disk.store)
        tasks = [await blocked(disk, writer), *(write(writer, str(number)) for number in range(300))]
        await asyncio.sleep(0)
        closing = asyncio.create_task(writer.close())
        disk.may_go_on.set()
        await asyncio.gather(closing, *tasks)

    asyncio.run(run())
    assert [name for group in disk.groups for name in group] == ["first", *map(str, range(300))]


def test_a_single_commit_is_stored_inline_unless_another_process_writes() -> None:
    inline: list[str] = []

    def store_now(commits: Sequence[Commit]) -> float:
        if inline:
            raise Busy
        inline.extend(names_of(commits))
        return 0.0

    async def run() -> None:
        writer = GroupWriter(disk.store, store_now)
        await write(writer, "one")
        await write(writer, "other")
        await writer.close()

    disk = Disk()
    disk.may_go_on.set()
    asyncio.run(run())
    assert (inline, disk.groups) == (["one"], [["other"]])
