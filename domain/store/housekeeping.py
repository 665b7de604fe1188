"""Housekeeping: answers and open tables that have been kept for long enough are deleted in the background."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from time import time
from typing import Any
from uuid import UUID

from domain.store import commands, idempotency
from domain.store.commands import Command
from domain.store.commit import Commit
from domain.store.database import Database
from domain.store.errors import StorageUnavailable, UnknownGame
from domain.store.idempotency import Answer
from domain.store.limits import Limits
from domain.store.listing import UnchangedTables, unchanged_tables
from domain.stream import UnreadableEvent

HOUSEKEEPING_SECONDS = 3600.0
"""The time from one round to the next."""

STEP = 100
"""The most answers that are deleted in one transaction, and the most tables that are read at once."""

DAY = 86_400

Load = Callable[..., Awaitable[Any]]
"""Calls a function in a thread where it keeps no small read waiting."""

Change = Callable[[UUID, Command, Callable[[Commit], Answer]], Awaitable[Answer]]
"""Changes a game, as all changes are made."""


class Housekeeping:
    """The rounds in which a service deletes what it no longer keeps; any number of processes may do this at once."""

    def __init__(
        self, database: Database, load: Load, change: Change, limits: Limits, clock: Callable[[], float] = time
    ) -> None:
        """Prepare the rounds; the clock tells the seconds since 1970."""
        self._database = database
        self._load = load
        self._change = change
        self._limits = limits
        self._clock = clock
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin the first round, and another one every hour."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Finish the step under way and end."""
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
        """Delete all that is not kept any more, in small steps between which others get their turn."""
        now = self._clock()
        if self._limits.keys_kept:
            await self._delete_answers(now - self._limits.keys_kept * DAY)
        if self._limits.open_tables_kept:
            since = datetime.fromtimestamp(now - self._limits.open_tables_kept * DAY, UTC)
            await self._delete_tables(f"{since:%Y-%m-%dT%H:%M:%S.%fZ}")

    async def _delete_answers(self, before: float) -> None:
        more = True
        while more and not self._closing.is_set():
            more = await self._load(idempotency.delete_oldest, self._database, before, STEP)

    async def _delete_tables(self, since: str) -> None:
        position: int | None = 0
        while position is not None and not self._closing.is_set():
            found: UnchangedTables = await self._load(unchanged_tables, self._database, since, position, STEP)
            for game_id in found.games:
                if not self._closing.is_set():
                    await self._delete_table(game_id, since)
            position = found.next

    async def _delete_table(self, game_id: UUID, since: str) -> None:
        """Delete a table, unless somebody else has deleted it meanwhile or it is damaged."""
        with suppress(UnknownGame, UnreadableEvent):
            await self._change(game_id, commands.delete_unchanged(since), _answer_nobody)


def _answer_nobody(commit: Commit) -> Answer:
    return Answer(204, commit.version, "", b"")
