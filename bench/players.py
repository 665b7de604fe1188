"""Players who use the store in this process, as the API does, on a database of their own."""

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
from domain.store import Answer, Commit, GameService, commands, open_service

T = TypeVar("T")

AT_ONCE = 64
"""How many prepare something at the same time."""


def rendered(commit: Commit) -> Answer:
    """Answer with the id of the game."""
    return Answer(200, commit.version, "", commit.id.bytes)


class Players(AbstractContextManager["Players"]):
    """A service in an event loop like the server's."""

    def __init__(self, url: str, games_cached: int = 1000) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._url, self._games_cached = url, games_cached
        self.service: GameService

    def __enter__(self) -> Self:
        """Open the service, in a process that collects garbage as the server does."""
        tune_garbage_collection()
        self.service = open_service(self._url, games_cached=self._games_cached)
        self.run(self.service.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.run(self.service.__aexit__(kind, error, trace))
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self._runner.run(work)

    def open(self, scripts: Sequence[Script]) -> list[UUID]:
        """Open a game for each script, with nothing done yet."""
        return self.run(together(self.open_one(script) for script in scripts))

    def play_all(self, games: Sequence[UUID], moves: Sequence[Sequence[Move]], until: float = math.inf) -> int:
        """Play these games at once, and return how many moves were done."""
        return sum(self.run(together(self.play(game, taken, until) for game, taken in zip(games, moves, strict=True))))

    async def open_one(self, script: Script) -> UUID:
        """Open a game with nothing done yet."""
        answer = await self.service.open_table(PLAYERS, NAMES[:PLAYERS], script.options, rendered)
        return UUID(bytes=answer.body)

    async def play(self, game: UUID, moves: Iterable[Move], until: float = math.inf) -> int:
        """Make moves one after the other until a time, and return how many were made."""
        done = 0
        for seat, action in moves:
            if time.perf_counter() > until:
                break
            await self.service.change(game, commands.act(seat, action), rendered)
            done += 1
        return done

    async def lengthen(self, game: UUID, move: Move, events: int) -> None:
        """Make a move and take it back until the stream is so long; the game is then as it was."""
        while (await self.service.load(game)).version < events:
            await self.play(game, [move])
            await self.take_back(game)

    async def take_back(self, game: UUID) -> None:
        """Take the last action back."""
        await self.service.change(game, commands.undo(None), rendered)


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run everything at once, as far as that makes sense."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(work: Coroutine[Any, Any, T]) -> T:
        async with gate:
            return await work

    return await asyncio.gather(*(one(work) for work in works))
