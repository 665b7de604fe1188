"""Processes that only play for bots and can be killed."""

import asyncio
import multiprocessing
from multiprocessing.process import BaseProcess
from uuid import UUID

from api.bots.runner import BotRunner
from api.bots.workers import BotWorkers
from domain.field_types import BotKind
from domain.store import GameService, open_service
from domain.table import NewPlayer

LONG = 30
"""Timeout of a wait for a bot in seconds."""

# Forked from a process that has loaded everything and has no threads, so that starts are fast.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.api.bot_processes"])


def start(url: str, workers: int = 1) -> BaseProcess:
    """Start a process that plays for the bots of all games until it is killed."""
    process = _context.Process(target=_run, args=(url, workers), daemon=True)
    process.start()
    return process


def _run(url: str, workers: int) -> None:
    asyncio.run(_play(url, workers))


async def _play(url: str, workers: int) -> None:
    async with (
        open_service(url) as service,
        BotRunner(service, ShortLeases(workers, 0.02)),
    ):
        await asyncio.Event().wait()


class ShortLeases(BotWorkers):
    """Bot workers whose games others can claim after a second."""

    @property
    def longest(self) -> float:
        return 0.0


def bot(kind: BotKind) -> NewPlayer:
    return NewPlayer(None, bot=kind)


async def until_beyond(service: GameService, game: UUID, version: int) -> None:
    """Wait until bots have moved beyond a version or finished the game."""
    while (loaded := await service.load(game)).version <= version and loaded.table.status == "playing":
        await service.watchers.wait_beyond(game, loaded.version, LONG, "")
        assert (await service.load(game)).version > loaded.version, "no bot moves"


async def until_finished(service: GameService, game: UUID) -> None:
    """Wait until bots have finished a game."""
    await until_beyond(service, game, 10**6)
