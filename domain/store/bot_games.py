"""The games in which a bot has to act. One process at a time claims a game.

Each commit of a game writes its row, or deletes it if no bot has to act. Any process may claim a game once its time
``free_at`` has come. A claim sets ``free_at`` to the end of the lease. All times are milliseconds by the clock of the
database, so that the clocks of the processes do not matter. A lease only saves work: if two processes decide for the
same bot, the second commit conflicts.
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
    """A queue of the games that wait for bots."""

    def __init__(self, database: Database, load: Callable[..., Awaitable[Any]]) -> None:
        """Use a function that calls others in a thread."""
        self._database = database
        self._load = load
        self._news = asyncio.Event()

    def stored(self, loaded: LoadedGame) -> None:
        """Wake all waiting callers if a bot has to act in a game that this process has stored."""
        if bot_to_decide(loaded.timeline):
            self.wake()

    def wake(self) -> None:
        self._news.set()

    async def wait(self, seconds: float) -> None:
        """Wait for the next wake-up, at most this many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def claim(self, lease_seconds: float) -> UUID | None:
        """Claim the game that has waited longest, games with people first; None if no game is free."""
        self._news.clear()
        found: UUID | None = await self._load(_claim, self._database, lease_seconds)
        return found

    async def release(self, game: UUID) -> None:
        """End the lease of a game in which this process will not act."""
        await self._load(self._database.append, (), [(_RELEASE, (game.hex,))])


def update(loaded: LoadedGame) -> Statement:
    """Return the statement that updates the row of a game after a commit."""
    if bot_to_decide(loaded.timeline) is None:
        return delete(loaded.id)
    people = sum(player.bot is None for player in loaded.table.players)
    return _DUE, (loaded.id.hex, people)


def delete(game: UUID) -> Statement:
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
