"""The group writer: many at once, the late ones alone, nobody forgotten."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import pytest
from domain.events import ActionTaken
from domain.options import Options
from domain.rules import legal_actions

from domain.actions import Action, Resign
from domain.application import Change, Club, Held, StaleVersion, StorageAway, open_club
from domain.application.append import Append
from domain.application.errors import Busy, Conflict
from domain.application.writer import GroupWriter
from tests.domain.application.tables import NAMES, QUICK


class Disk:
    """Something that stores, slowly enough for others to gather meanwhile."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.may_go_on = threading.Event()
        self.started = threading.Event()

    def store(self, appends: Sequence[Append]) -> None:
        names = cast(list[str], list(appends))
        self.started.set()
        self.may_go_on.wait()
        if "away" in names:
            raise StorageAway("away")
        if "late" in names:
            raise Conflict("late")
        self.groups.append(names)


def write(writer: GroupWriter, name: str) -> "asyncio.Task[None]":
    return asyncio.create_task(writer.write(cast(Append, name)))


async def blocked(disk: Disk, writer: GroupWriter) -> "asyncio.Task[None]":
    """A write that has begun and does not end yet."""
    first = write(writer, "first")
    await asyncio.to_thread(disk.started.wait)
    return first


def scenario(play: Callable[[Disk, GroupWriter], Awaitable[None]]) -> Disk:
    disk = Disk()

    async def run() -> None:
        writer = GroupWriter(disk.store, None)
        await play(disk, writer)
        await writer.close()

    asyncio.run(run())
    return disk


def test_what_gathers_is_stored_together() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in "abcd")]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        await asyncio.gather(*tasks)

    assert scenario(play).groups == [["first"], ["a", "b", "c", "d"]]


def test_who_comes_too_late_fails_alone() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "late", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [type(None), type(None), Conflict, type(None)]

    assert scenario(play).groups == [["first"], ["a"], ["b"]]


def test_when_the_storage_is_away_everybody_is_told_and_the_next_may_try() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        tasks = [await blocked(disk, writer), *(write(writer, name) for name in ("a", "away", "b"))]
        await asyncio.sleep(0)
        disk.may_go_on.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes[1:]] == [StorageAway] * 3
        await write(writer, "back")

    assert scenario(play).groups == [["first"], ["back"]]


def test_who_goes_away_is_stored_all_the_same() -> None:
    async def play(disk: Disk, writer: GroupWriter) -> None:
        first = await blocked(disk, writer)
        gone, stays = write(writer, "gone"), write(writer, "stays")
        await asyncio.sleep(0)
        gone.cancel()
        disk.may_go_on.set()
        await asyncio.gather(first, stays)

    assert scenario(play).groups == [["first"], ["gone", "stays"]]


def test_closing_stores_what_was_accepted() -> None:
    disk = Disk()

    async def run() -> None:
        writer = GroupWriter(disk.store, None)
        tasks = [await blocked(disk, writer), *(write(writer, str(number)) for number in range(300))]
        await asyncio.sleep(0)
        closing = asyncio.create_task(writer.close())
        disk.may_go_on.set()
        await asyncio.gather(closing, *tasks)

    asyncio.run(run())
    assert [name for group in disk.groups for name in group] == ["first", *map(str, range(300))]


def test_a_single_write_takes_the_short_way_unless_somebody_else_writes() -> None:
    short: list[str] = []

    def at_once(appends: Sequence[Append]) -> None:
        if short:
            raise Busy
        short.extend(cast(list[str], appends))

    async def run() -> None:
        writer = GroupWriter(disk.store, at_once)
        await write(writer, "one")
        await write(writer, "other")
        await writer.close()

    disk = Disk()
    disk.may_go_on.set()
    asyncio.run(run())
    assert (short, disk.groups) == (["one"], [["other"]])


# --- the whole club ---------------------------------------------------------------------------------------------------


async def started(club: Club, options: Options = QUICK, players: int = 2) -> Change:
    changes: list[Change] = []

    def answer(change: Change) -> bytes:
        changes.append(change)
        return b""

    await club.open_table(players, NAMES[:players], options, answer=answer)
    return changes[0]


@pytest.mark.parametrize("clubs", [1, 2])
def test_of_32_writers_on_one_game_one_wins_each_version(shared_url: str, clubs: int) -> None:
    """The others are told that the version is stale; nothing else ever comes up."""

    async def wins(club: Club, seen: Held) -> bool:
        try:
            await club.act(seen.id, to_play(seen), legal(seen), seen=seen.version, answer=lambda _: b"")
        except StaleVersion:
            return False
        return True

    async def run() -> None:
        all_clubs = [await open_club(shared_url).__aenter__() for _ in range(clubs)]
        game = await started(all_clubs[0])
        for _ in range(5):
            seen = await all_clubs[-1].look(game.id)
            assert sum(await asyncio.gather(*(wins(all_clubs[n % clubs], seen) for n in range(32)))) == 1
        assert (await all_clubs[0].audit(game.id)).ok
        story = await all_clubs[-1].story(game.id)
        assert sum(isinstance(event.fact, ActionTaken) for event in story) == 5
        for club in all_clubs:
            await club.__aexit__(None, None, None)

    asyncio.run(run())


def to_play(held: Held) -> int:
    assert held.game is not None
    assert held.game.to_play is not None
    return held.game.to_play


def legal(held: Held) -> Action:
    assert held.game is not None
    return legal_actions(held.game)[0].action


def test_without_a_version_everybody_gets_their_turn(shared_url: str) -> None:
    """Players who resign at the same time from two processes all resign."""

    async def run() -> None:
        async with open_club(shared_url) as here, open_club(shared_url) as there:
            game = await started(here, players=5)
            clubs = (here, there, here, there)
            await asyncio.gather(*(c.act(game.id, n, Resign(), answer=lambda _: b"") for n, c in enumerate(clubs)))
            held = await there.look(game.id)
            assert held.table.winners == (4,)
            assert (await here.look(game.id)).game == held.game
            assert (await here.audit(game.id)).ok

    asyncio.run(run())


def test_callers_who_leave_do_no_harm(database_url: str) -> None:
    async def run() -> None:
        async with open_club(database_url) as club:
            game = await started(club, players=5)
            leaving = [asyncio.create_task(club.act(game.id, n, Resign(), answer=lambda _: b"")) for n in range(3)]
            await asyncio.sleep(0)
            for task in leaving:
                task.cancel()
            await asyncio.gather(*leaving, return_exceptions=True)
            await club.act(game.id, 3, Resign(), answer=lambda _: b"")
            assert (await club.audit(game.id)).ok

    asyncio.run(run())


def test_an_answer_that_cannot_be_made_leaves_everything_as_it_was(database_url: str) -> None:
    def fail(_: Change) -> bytes:
        raise ZeroDivisionError

    async def run() -> None:
        async with open_club(database_url) as club:
            game = await started(club)
            with pytest.raises(ZeroDivisionError):
                await club.act(game.id, 0, Resign(), answer=fail)
            assert (await club.look(game.id)).version == game.version
            await club.act(game.id, 0, Resign(), answer=lambda _: b"")

    asyncio.run(run())


def test_a_club_that_is_not_open_changes_nothing() -> None:
    club = open_club("memory:")
    with pytest.raises(RuntimeError, match="not open"):
        asyncio.run(club.open_table(2, NAMES[:2], QUICK, answer=lambda _: b""))
