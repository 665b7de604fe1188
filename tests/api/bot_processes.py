"""Processes that do nothing but let bots play, and can be killed."""

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
"""Seconds after which a test fails that waits for a bot."""

# Forked from a process that has everything loaded but no threads, so that starting one takes no time.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.api.bot_processes"])


def start(url: str, workers: int = 1) -> BaseProcess:
    """Let a process play for the bots of all games until it is killed."""
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
    """Processes that think, for games that others may take up after a second."""

    @property
    def longest(self) -> float:
        return 0.0


def bot(kind: BotKind) -> NewPlayer:
    """A bot that is called by its kind."""
    return NewPlayer(None, bot=kind)


async def until_beyond(service: GameService, game: UUID, version: int) -> None:
    """Wait until bots have come beyond a version, or to the end of the game."""
    while (loaded := await service.load(game)).version <= version and loaded.table.status == "playing":
        await service.watchers.wait_beyond(game, loaded.version, LONG, "")
        assert (await service.load(game)).version > loaded.version, "no bot moves"


async def until_finished(service: GameService, game: UUID) -> None:
    """Wait until bots have come to the end of a game."""
    await until_beyond(service, game, 10**6)
