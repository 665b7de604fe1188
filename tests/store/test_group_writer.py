"""The group writer: many at once, conflicting appends alone, nobody forgotten."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

from domain.store import StorageUnavailable
from domain.store.errors import Busy, Conflict
from domain.store.group_writer import GroupWriter


class Disk:
    """Something that stores, slowly enough for others to gather meanwhile."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.may_go_on = threading.Event()
        self.started = threading.Event()

    def store(self, appends: Sequence[str]) -> float:
        names = list(appends)
        self.started.set()
        self.may_go_on.wait()
        if "away" in names:
            raise StorageUnavailable("away")
        if "conflict" in names:
            raise Conflict
        self.groups.append(names)
        return 0.0


def write(writer: GroupWriter[str], name: str) -> "asyncio.Task[None]":
    return asyncio.create_task(writer.write(name))


async def blocked(disk: Disk, writer: GroupWriter[str]) -> "asyncio.Task[None]":
    """A write that has begun and does not end yet."""
    first = write(writer, "first")
    await asyncio.to_thread(disk.started.wait)
    return first


def scenario(play: Callable[[Disk, GroupWriter[str]], Awaitable[None]]) -> Disk:
    disk = Disk()

    async def run() -> None:
        writer = GroupWriter(disk.store)
        await play(disk, writer)
        await writer.close()

    asyncio.run(run())
    return disk


def test_what_gathers_is_stored_together() -> None:
    async def play(disk: Disk, writer: GroupWriter[str]) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in "abcd")]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await asyncio.gather(*tasks)

    assert scenario(play).groups == [["first"], ["a", "b", "c", "d"]]


def test_a_conflicting_append_fails_alone() -> None:
    async def play(disk: Disk, writer: GroupWriter[str]) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "conflict", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [type(None), type(None), Conflict, type(None)]

    assert scenario(play).groups == [["first"], ["a"], ["b"]]


def test_when_the_storage_is_away_every_append_fails_and_the_next_is_tried() -> None:
    async def play(disk: Disk, writer: GroupWriter[str]) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "away", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes[1:]] == [StorageUnavailable] * 3
        await write(writer, "back")

    assert scenario(play).groups == [["first"], ["back"]]


def test_an_append_whose_caller_gives_up_is_stored_only_if_it_was_begun() -> None:
    async def play(disk: Disk, writer: GroupWriter[str]) -> None:
        first = await blocked(disk, writer)
        gone, stays = write(writer, "gone"), write(writer, "stays")
        await asyncio.sleep(0)
        first.cancel()
        gone.cancel()
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await stays

    assert scenario(play).groups == [["first"], ["stays"]]


def test_when_all_have_given_up_the_next_append_is_stored() -> None:
    async def play(disk: Disk, writer: GroupWriter[str]) -> None:
        first = await blocked(disk, writer)
        gone = write(writer, "gone")
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await first
        await write(writer, "next")

    assert scenario(play).groups == [["first"], ["next"]]


def test_closing_stores_what_was_accepted() -> None:
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


def test_a_single_append_is_stored_inline_unless_another_process_writes() -> None:
    inline: list[str] = []

    def store_now(appends: Sequence[str]) -> float:
        if inline:
            raise Busy
        inline.extend(appends)
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
