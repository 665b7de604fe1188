"""Processes that think for bots outside the event loop, each killed and restarted if it fails.

``concurrent.futures`` cannot stop processes while they think, and they survive a killed parent. These processes end
when their input is closed.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from api.bots.requests import Request, write_request
from domain.decide import find_legal
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action

GRACE_SECONDS = 2.0
"""The time that a process may take in addition to thinking, including its start."""

FALLBACK: BotKind = "greedy"
"""The bot that decides if another one has failed."""

THINKING = sys.executable, "-m", "api.bots.thinking"
ROOT = Path(__file__).parents[2]

_decode = msgspec.json.Decoder(Action).decode


class WorkerFailed(Exception):
    """A process was too slow, has ended, or chose an illegal action."""


class BotWorkers:
    """Bot processes, started when they are needed."""

    def __init__(self, number: int, seconds: float, command: Sequence[str] = THINKING) -> None:
        """Use up to ``number`` processes, with this many seconds for each decision."""
        self.number = number
        self._seconds = seconds
        self._workers = [_Worker(command) for _ in range(number)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        for worker in self._workers:
            self._free.put_nowait(worker)

    @property
    def longest(self) -> float:
        """The longest time from the start of a request to its result."""
        return 2 * (self._seconds + GRACE_SECONDS)

    async def choose(self, bot: BotKind, game: Game) -> Action:
        """Return the action of a bot, or of ``FALLBACK`` if it fails; raise ``WorkerFailed`` if both fail."""
        if not self.number:
            raise WorkerFailed("there are no bot processes")
        worker = await self._free.get()
        try:
            try:
                return await worker.ask(Request(bot, game, self._seconds), self._seconds + GRACE_SECONDS)
            except WorkerFailed:
                return await worker.ask(Request(FALLBACK, game, self._seconds), self._seconds + GRACE_SECONDS)
        finally:
            self._free.put_nowait(worker)

    def stop(self) -> None:
        """Stop thinking: running and later requests fail at once."""
        for worker in self._workers:
            worker.stop()

    async def close(self) -> None:
        """Stop, and wait for all processes to end."""
        self.stop()
        for worker in self._workers:
            await worker.end()


class _Worker:
    """A process that handles one request at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: Process | None = None
        self._killed = self._stopped = False

    async def ask(self, request: Request, seconds: float) -> Action:
        """Return the action, or raise ``WorkerFailed``; a process that takes longer is killed."""
        if self._stopped:
            raise WorkerFailed("the bots were stopped")
        try:
            async with asyncio.timeout(seconds):
                action = await self._exchange(request)
        except (TimeoutError, OSError, ValueError) as error:  # too slow, no process, or no action in the line
            await self.end()
            raise WorkerFailed(repr(error)) from error
        except BaseException:
            await self.end()
            raise
        if find_legal(request.game, action) is None:
            raise WorkerFailed(f"{action} is not legal")
        return action

    async def _exchange(self, request: Request) -> Action:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(*self._command, cwd=ROOT, stdin=PIPE, stdout=PIPE)
            if self._stopped:
                self._kill()
        requests, responses = self._process.stdin, self._process.stdout
        if requests is None or responses is None:
            raise TypeError("a process without pipes")
        requests.write(write_request(request))
        with suppress(OSError):  # if it has ended, its output has, too
            await requests.drain()
        line = await responses.readline()
        if not line:
            await self._process.wait()
        action: Action = _decode(line)
        return action

    def stop(self) -> None:
        """Kill the process, now or as soon as it has started, and accept no more requests."""
        self._stopped = True
        self._kill()

    def _kill(self) -> None:
        """Kill a running process once: a second ``kill`` could hide its end."""
        if self._process is not None and self._process.returncode is None and not self._killed:
            self._killed = True
            with suppress(ProcessLookupError):
                self._process.kill()

    async def end(self) -> None:
        self._kill()
        if self._process is not None:
            await self._process.wait()
            self._process, self._killed = None, False
