"""Players who call the store in this process, as the API does, on a separate database."""

import asyncio
import math
import time
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

import uvloop

from api.app import tune_garbage_collection
from bench.games import NAMES, PLAYERS, Move, Script
from domain.store import GameService, Limits, commands, open_service

T = TypeVar("T")

CONCURRENT = 64
"""The number of coroutines that run at the same time."""


class Players(AbstractContextManager["Players"]):
    """A service in an event loop of the same kind as the server's."""

    def __init__(self, url: str, cache_bytes: int = 256 * 1024 * 1024) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._url, self._limits = url, Limits(cache_bytes=cache_bytes)
        self.service: GameService

    def __enter__(self) -> Self:
        """Open the service, in a process that collects garbage as the server does."""
        tune_garbage_collection()
        self.service = open_service(self._url, limits=self._limits)
        self.run(self.service.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the service."""
        self.run(self.service.__aexit__(kind, error, trace))
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self._runner.run(coroutine)

    def open(self, scripts: Sequence[Script]) -> list[UUID]:
        """Open a game without moves for each script."""
        return self.run(run_concurrently(self.open_one(script) for script in scripts))

    def play_all(self, games: Sequence[UUID], moves: Sequence[Sequence[Move]], until: float = math.inf) -> int:
        """Play these games concurrently, and return how many moves were made."""
        return sum(
            self.run(run_concurrently(self.play(game, taken, until) for game, taken in zip(games, moves, strict=True)))
        )

    async def open_one(self, script: Script) -> UUID:
        """Open a game without moves."""
        return (await self.service.open_table(PLAYERS, NAMES[:PLAYERS], script.options)).id

    async def play(self, game: UUID, moves: Iterable[Move], until: float = math.inf) -> int:
        """Make moves one after the other until a time, and return how many were made."""
        done = 0
        for seat, action in moves:
            if time.perf_counter() > until:
                break
            await self.service.change(game, commands.act(seat, action))
            done += 1
        return done

    async def lengthen(self, game: UUID, move: Move, events: int) -> None:
        """Make and undo a move until the stream has this many events; the position is then as before."""
        while (await self.service.load(game)).version < events:
            await self.play(game, [move])
            await self.undo(game)

    async def undo(self, game: UUID) -> None:
        """Undo the last action."""
        await self.service.change(game, commands.undo(None))


async def run_concurrently(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently, a limited number at a time."""
    limit = asyncio.Semaphore(CONCURRENT)

    async def run_one(coroutine: Coroutine[Any, Any, T]) -> T:
        async with limit:
            return await coroutine

    return await asyncio.gather(*(run_one(coroutine) for coroutine in coroutines))
