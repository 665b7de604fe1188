"""The games in which a bot has to decide, of which each is claimed by one process at a time.

A row is there as long as a bot has to decide; every commit of the game writes or deletes it. From its time ``free_at``
on any process may claim the game, which sets that time to the end of the lease. All times are those of the database,
in milliseconds, so that the clocks of the processes do not matter. A lease only saves work: what is decided by two
processes is stored once, because both name the version that they decided on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from domain.bot_turns import bot_to_decide
from domain.store.database import Database, Statement
from domain.store.games import LoadedGame


class BotGames:
    """The games of a database that wait for bots."""

    def __init__(self, database: Database, load: Callable[..., Awaitable[Any]]) -> None:
        """Claim in a database, by calls of a function that runs others where they keep nobody waiting."""
        self._database = database
        self._load = load
        self._news = asyncio.Event()

    def stored(self, loaded: LoadedGame) -> None:
        """Wake all that wait if a bot has to decide in a game that this process has stored."""
        if bot_to_decide(loaded.timeline):
            self.wake()

    def wake(self) -> None:
        """Wake all that wait."""
        self._news.set()

    async def wait(self, seconds: float) -> None:
        """Wait until the next wake-up, or for this many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def claim(self, lease_seconds: float) -> UUID | None:
        """Claim the game that has waited longest, those with people first; None if no game is free."""
        self._news.clear()
        found: UUID | None = await self._load(_claim, self._database, lease_seconds)
        return found

    async def release(self, game: UUID) -> None:
        """Let others claim a game that was claimed here and in which no bot will decide here."""
        await self._load(self._database.append, (), [(_RELEASE, (game.hex,))])


def update(loaded: LoadedGame) -> Statement:
    """Return the statement that notes if a bot has to decide next in a game that is stored."""
    if bot_to_decide(loaded.timeline) is None:
        return delete(loaded.id)
    people = sum(player.bot is None for player in loaded.table.players)
    return _DUE, (loaded.id.hex, people)


def delete(game: UUID) -> Statement:
    """Return the statement after which no bot has to decide in a game."""
    return "DELETE FROM bot_games WHERE game = ?", (game.hex,)


def _claim(database: Database, lease_seconds: float) -> UUID | None:
    if not database.select(_FREE):
        return None
    with database.transaction() as transaction:
        free = transaction.run(_FREE)
        if not free:
            return None
        ((game,),) = free
        transaction.run((_LEASE, (round(lease_seconds * 1000), game)))
        return UUID(game)


_FREE: Statement = (
    "SELECT game FROM bot_games WHERE free_at <= {milliseconds} ORDER BY people = 0, free_at LIMIT 1",
    (),
)
_LEASE = "UPDATE bot_games SET free_at = {milliseconds} + ? WHERE game = ?"
_RELEASE = "UPDATE bot_games SET free_at = {milliseconds} WHERE game = ?"
_DUE = (
    "INSERT INTO bot_games (game, people, free_at) VALUES (?, ?, {milliseconds})"
    " ON CONFLICT (game) DO UPDATE SET free_at = excluded.free_at"
)
