"""Players who use the application in this process, as the API does, on a database of their own."""

import asyncio
import math
import time
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

import uvloop

from api.collector import seldom_look
from bench.games import NAMES, PLAYERS, Move, Script
from domain.application import Change, Club, open_club

T = TypeVar("T")

AT_ONCE = 64
"""How many prepare something at the same time."""


def _which(change: Change) -> bytes:
    return change.id.bytes


def _nothing(change: Change) -> bytes:
    return b""


class Players(AbstractContextManager["Players"]):
    """A club in an event loop like the server's."""

    def __init__(self, url: str, games_held: int = 1000) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._url, self._games_held = url, games_held
        self.club: Club

    def __enter__(self) -> Self:
        """Open the club, in a process that treats its garbage as the server does."""
        seldom_look()
        self.club = open_club(self._url, games_held=self._games_held)
        self.run(self.club.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.run(self.club.__aexit__(kind, error, trace))
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do this and wait for it."""
        return self._runner.run(work)

    def open(self, scripts: Sequence[Script]) -> list[UUID]:
        """A new game for each script, with nothing done yet."""
        return self.run(together(self.open_one(script) for script in scripts))

    def play_all(self, games: Sequence[UUID], moves: Sequence[Sequence[Move]], until: float = math.inf) -> int:
        """Play these games at once; gives how many moves were done."""
        return sum(self.run(together(self.play(game, taken, until) for game, taken in zip(games, moves, strict=True))))

    async def open_one(self, script: Script) -> UUID:
        """A new game with nothing done yet."""
        found = await self.club.open_table(PLAYERS, NAMES[:PLAYERS], script.options, answer=_which)
        return UUID(bytes=found)

    async def play(self, game: UUID, moves: Iterable[Move], until: float = math.inf) -> int:
        """Do all of this, one after the other, but nothing more after that time; gives how much was done."""
        act, done = self.club.act, 0
        for seat, action in moves:
            if time.perf_counter() > until:
                break
            await act(game, seat, action, answer=_nothing)
            done += 1
        return done

    async def lengthen(self, game: UUID, move: Move, events: int) -> None:
        """Do something and take it back until the stream is so long; the game is then as it was."""
        while (await self.club.look(game)).version < events:
            await self.play(game, [move])
            await self.take_back(game)

    async def take_back(self, game: UUID) -> None:
        """Take the last action back."""
        await self.club.undo(game, None, answer=_nothing)


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Everything at once, as far as that makes sense."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(work: Coroutine[Any, Any, T]) -> T:
        async with gate:
            return await work

    return await asyncio.gather(*(one(work) for work in works))
