"""The runner: lets the bots of all games play, together with the runners of other processes."""

import asyncio
import logging
from time import monotonic
from typing import Self
from uuid import UUID

from api.bots.workers import BotWorkers, WorkerFailed
from domain.absence import late_seats
from domain.bot_turns import BotTurn, bot_to_decide
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action
from domain.refused import Refused
from domain.store import GameService, LoadedGame, StaleVersion, StorageUnavailable, UnknownGame, commands, now
from domain.stream import UnreadableEvent

_log = logging.getLogger("franchise")

POLL_SECONDS = 0.5
"""The time between two searches for games that other processes have stored."""

MARGIN_SECONDS = 1.0
"""The time after the thinking time until another process may claim the game."""

PATIENCE_SECONDS = 60.0
"""The time after a start in which absent players can come back before the server lets bots play for them."""

TRIES = 3
"""After this many failures of a bot and its fallback at a version, the first legal action is played."""


class BotRunner:
    """Tasks that claim games, one for each bot process, during this context."""

    def __init__(self, service: GameService, workers: BotWorkers, patience: float = PATIENCE_SECONDS) -> None:
        """Claim no seat of an absent player for some seconds."""
        self._service = service
        self._claims_from = monotonic() + patience
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
        """Serve games, and now and then search for absent players, also while bots are busy."""
        next_search = 0.0
        while not self._stopped:
            try:
                claimed = False
                if monotonic() >= next_search:
                    next_search = monotonic() + POLL_SECONDS
                    claimed = await self._stand_in()
                if not await self._serve_one() and not claimed and not self._stopped:
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
            turn = bot_to_decide(loaded.timeline)
            if turn is not None:
                await self._decide(loaded, turn)
        except (UnknownGame, StaleVersion):
            pass  # the game was changed or deleted in the meantime
        except WorkerFailed:
            await self._service.bot_games.release(game_id)  # the bots of another process may work
            return False
        return True

    async def _stand_in(self) -> bool:
        """Let bots play for players whose limit is over, where the table wants that; return False without one.

        After a start the players first get time to come back.
        """
        if monotonic() < self._claims_from:
            return False
        claimed = False
        for game_id in await self._service.late_games(now()):
            try:
                loaded = await self._service.load(game_id)
                for seat in late_seats(loaded.timeline):
                    await self._service.change(game_id, commands.leave_to_bot(seat, "server", now()))
                    claimed = True
            except (Refused, UnknownGame, UnreadableEvent):
                pass  # the player has decided in the meantime, the game is gone, or an audit has to tell why not
        return claimed

    async def _decide(self, loaded: LoadedGame, turn: BotTurn) -> None:
        """Let a bot accept an undo or act; the version ensures that it is done once."""
        if loaded.table.proposal is not None or loaded.game is None:
            command = commands.answer_undo(turn.seat, accept=True, by=turn.by)
        else:
            command = commands.act(turn.seat, await self._choose(loaded, turn.bot, loaded.game), turn.by)
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
