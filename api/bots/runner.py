"""The runner: lets the bots of all games play, together with the runners of other processes."""

import asyncio
import logging
from typing import Self
from uuid import UUID

from api.bots.workers import BotWorkers, WorkerFailed
from domain.bot_turns import bot_to_decide
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action
from domain.store import GameService, LoadedGame, StaleVersion, StorageUnavailable, UnknownGame, commands
from domain.table import Seat

_log = logging.getLogger("franchise")

POLL_SECONDS = 0.5
"""The time between two searches for games that other processes have stored."""

MARGIN_SECONDS = 1.0
"""The time after the thinking time until another process may claim the game."""

TRIES = 3
"""After this many failures of a bot and its fallback at a version, the first legal action is played."""


class BotRunner:
    """Tasks that claim games, one for each bot process, during this context."""

    def __init__(self, service: GameService, workers: BotWorkers) -> None:
        self._service = service
        self._workers = workers
        self._tasks: list[asyncio.Task[None]] = []
        self._stopped = False
        self._failures: dict[tuple[UUID, int], int] = {}

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._run()) for _ in range(self._workers.number)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        await asyncio.gather(*self._tasks)
        await self._workers.close()

    def stop(self) -> None:
        """Stop all bots, so that the tasks finish their current step and end."""
        self._stopped = True
        self._workers.stop()
        self._service.bot_games.wake()

    async def _run(self) -> None:
        while not self._stopped:
            try:
                if not await self._serve_one() and not self._stopped:
                    await self._service.bot_games.wait(POLL_SECONDS)
            except StorageUnavailable:
                await asyncio.sleep(POLL_SECONDS)
            except Exception as error:  # one broken game must not stop the others
                _log.error("a bot could not decide", extra={"facts": {"error": repr(error)}})
                await asyncio.sleep(POLL_SECONDS)

    async def _serve_one(self) -> bool:
        """Let a bot decide in the next game; return False without one or if the bot failed."""
        game_id = await self._service.bot_games.claim(self._workers.longest + MARGIN_SECONDS)
        if game_id is None:
            return False
        try:
            loaded = await self._service.load(game_id)
            bot = bot_to_decide(loaded.timeline)
            if bot is not None:
                await self._decide(loaded, bot)
        except (UnknownGame, StaleVersion):
            pass  # the game was changed or deleted in the meantime
        except WorkerFailed:
            await self._service.bot_games.release(game_id)  # the bots of another process may work
            return False
        return True

    async def _decide(self, loaded: LoadedGame, bot: Seat) -> None:
        """Let a bot accept an undo or act; the version ensures that it is done once."""
        if loaded.table.proposal is not None or loaded.game is None or bot.bot is None:
            command = commands.answer_undo(bot.seat, accept=True, by="bot")
        else:
            command = commands.act(bot.seat, await self._choose(loaded, bot.bot, loaded.game), "bot")
        await self._service.change(loaded.id, command, expected_version=loaded.version)

    async def _choose(self, loaded: LoadedGame, bot: BotKind, game: Game) -> Action:
        """Return the action of a bot, or the first legal one after too many failures at this version."""
        position = loaded.id, loaded.version
        failures = 1 + self._failures.pop(position, 0)
        try:
            return await self._workers.choose(bot, game)
        except WorkerFailed as failed:
            if self._stopped or failures < TRIES:
                self._failures[position] = failures
                raise
            where = {"game": str(loaded.id), "version": loaded.version}
            _log.error("no bot could decide", extra={"facts": {**where, "error": repr(failed)}})
            return legal_actions(game)[0].action
