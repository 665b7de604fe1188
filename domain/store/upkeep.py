"""Upkeep: housekeeping in the background, removal of games, and checks of the database."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic, time
from typing import Any
from uuid import UUID

from domain.store import apps, bot_games, commands, due, keys, lobby, tokens
from domain.store.commands import Command
from domain.store.commit import Commit, now
from domain.store.database import Database, Statement
from domain.store.errors import Conflict, Limits, StorageUnavailable, UnknownGame
from domain.store.lobby import UnchangedTables, unchanged_tables
from domain.store.schema import TABLE_TOPIC
from domain.store.streams import (
    PROBE,
    erase_other_events,
    find_head,
    is_stored,
    opened_private,
    removal_time,
    select_last,
)
from domain.stream import UnreadableEvent, at_of, digest_of, join_row, origin, verify_form, write
from domain.table_facts import GameRemoved

HOUSEKEEPING_SECONDS = 3600.0
"""The interval between two rounds."""

STEP = 100
"""The number of keys that one transaction deletes, and of tables that are read at once."""

WRITE_SECONDS = 2.0
"""The interval between two test writes. The result of the last one is reused until then."""

DAY = 86_400

Load = Callable[..., Awaitable[Any]]
"""Calls a function in a thread that small reads do not use."""

Change = Callable[[UUID, Command], Awaitable[Commit]]
"""Changes a game like any other caller."""


class Housekeeping:
    """A task that deletes old keys and tables. Any number of processes may run it at once."""

    def __init__(
        self, database: Database, load: Load, change: Change, limits: Limits, clock: Callable[[], float] = time
    ) -> None:
        """``clock`` returns the seconds since 1970."""
        self._database = database
        self._load = load
        self._change = change
        self._limits = limits
        self._clock = clock
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin the first round, and repeat it every hour."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Finish the current step and end."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(StorageUnavailable):
                await self.do_round()
            with suppress(TimeoutError):
                async with asyncio.timeout(HOUSEKEEPING_SECONDS):
                    await self._closing.wait()

    async def do_round(self) -> None:
        """Delete old keys and tables in small steps, so that others can write in between."""
        now = self._clock()
        if self._limits.keys_kept:
            await self._delete_keys(now - self._limits.keys_kept * DAY)
        if self._limits.open_tables_kept:
            since = datetime.fromtimestamp(now - self._limits.open_tables_kept * DAY, UTC)
            await self._delete_tables(f"{since:%Y-%m-%dT%H:%M:%S.%fZ}")

    async def _delete_keys(self, before: float) -> None:
        more = True
        while more and not self._closing.is_set():
            more = await self._load(keys.delete_oldest, self._database, before, STEP)

    async def _delete_tables(self, since: str) -> None:
        position: int | None = 0
        while position is not None and not self._closing.is_set():
            found: UnchangedTables = await self._load(unchanged_tables, self._database, since, position, STEP)
            for game_id in found.games:
                if not self._closing.is_set():
                    await self._delete_table(game_id, since)
            position = found.next

    async def _delete_table(self, game_id: UUID, since: str) -> None:
        """Delete a table, unless it was deleted meanwhile or is damaged."""
        with suppress(UnknownGame, UnreadableEvent):
            await self._change(game_id, commands.delete_unchanged(since))


def remove(database: Database, game: UUID) -> str:
    """Erase a game in any state, and return the time of its removal; raise ``UnknownGame``."""
    while (removed := removal_time(database, game)) is None:
        with suppress(Conflict):  # the stream was extended meanwhile
            _erase(database, game)
    database.purge()
    return removed


def _erase(database: Database, game: UUID) -> None:
    """Replace all events by one; raise ``Conflict`` if the stream was extended meanwhile.

    The new event is stored before the others are deleted, so that it gets a new position.
    """
    version, prior, at = _end(database, game)
    removed = GameRemoved(prior=prior.hex(), private=opened_private(database, game))
    events, digest = write(version, prior, max(now(), at), [removed])
    row = game.hex, version + 1, TABLE_TOPIC, join_row(events)
    database.append([row], list(_deletions(game, version + 1, digest)))


def _end(database: Database, game: UUID) -> tuple[int, bytes, str]:
    """Return the last version, digest and time of a stream, even if it is damaged.

    The head is read before the last event, because events may be appended in between.
    """
    head, last = find_head(database, game), select_last(database, game)
    if last is None and not is_stored(database, game):
        raise UnknownGame(game)
    version, digest = head or (0, origin(str(game)))
    if last is None or last[0] < version:
        return version, digest, ""
    version, event = last
    try:
        verify_form(version, event)
        return version, digest_of(event), at_of(version, event)
    except ValueError:
        return version, digest, ""


def _deletions(game: UUID, version: int, digest: bytes) -> Iterator[Statement]:
    """Return the statements that delete everything of a game except for the event at a version."""
    yield from erase_other_events(game, version, digest)
    yield tokens.revoke_all(game)
    yield bot_games.delete(game)
    yield due.delete(game)
    yield apps.erase(game)
    yield from lobby.delete_entry(game)


class Readiness:
    """Checks that a database reads, and regularly that it writes. All callers share one check at a time."""

    def __init__(self, database: Database, load: Load, clock: Callable[[], float] = monotonic) -> None:
        """Use a function that calls others in threads."""
        self._database = database
        self._load = load
        self._clock = clock
        self._write_at = clock()
        self._unwritten: StorageUnavailable | None = None
        self._checking: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise ``StorageUnavailable`` unless the database reads now and the last test write succeeded."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check())
        await asyncio.shield(self._checking)

    async def close(self) -> None:
        """Cancel the current check."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)

    async def _check(self) -> None:
        if self._clock() >= self._write_at:
            self._unwritten = await self._write()
            self._write_at = self._clock() + WRITE_SECONDS
        if self._unwritten is not None:
            raise StorageUnavailable(str(self._unwritten)) from self._unwritten
        await self._load(self._database.select, PROBE)

    async def _write(self) -> StorageUnavailable | None:
        """Write to a row that nobody reads, in the same way as changes; return the error, if any."""
        try:
            await self._load(self._database.append, (), (_WRITE,))
        except StorageUnavailable as error:
            return error
        return None


_WRITE: Statement = (
    "INSERT INTO readiness (one, written_at) VALUES (1, {milliseconds})"
    " ON CONFLICT (one) DO UPDATE SET written_at = excluded.written_at",
    (),
)
