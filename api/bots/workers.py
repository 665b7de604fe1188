"""Processes that think for bots, apart from the event loop, each killed and started anew if it fails.

They are no pool of ``concurrent.futures``: the processes of such a pool cannot be stopped while they think, and outlive
a program that is killed. These end with the pipe by which they are asked.
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
"""The time beside that for thinking in which a process has to answer, its start included."""

FALLBACK: BotKind = "greedy"
"""The bot that decides where another one has failed."""

THINKING = sys.executable, "-m", "api.bots.thinking"
ROOT = Path(__file__).parents[2]

_decode = msgspec.json.Decoder(Action).decode


class WorkerFailed(Exception):
    """A process has not answered in time, has ended, or has chosen what is not legal."""


class BotWorkers:
    """Some processes that think, started when they are needed."""

    def __init__(self, number: int, seconds: float, command: Sequence[str] = THINKING) -> None:
        """Let so many processes run a command, and each decision take so many seconds."""
        self.number = number
        self._seconds = seconds
        self._workers = [_Worker(command) for _ in range(number)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        for worker in self._workers:
            self._free.put_nowait(worker)

    @property
    def longest(self) -> float:
        """The most seconds from a question to an answer, once it is the turn of the question."""
        return 2 * (self._seconds + GRACE_SECONDS)

    async def choose(self, bot: BotKind, game: Game) -> Action:
        """Return the action of a bot, or that of ``FALLBACK`` if it fails; raise ``WorkerFailed`` if both do."""
        if not self.number:
            raise WorkerFailed("there are no processes")
        worker = await self._free.get()
        try:
            try:
                return await worker.ask(Request(bot, game, self._seconds), self._seconds + GRACE_SECONDS)
            except WorkerFailed:
                return await worker.ask(Request(FALLBACK, game, self._seconds), self._seconds + GRACE_SECONDS)
        finally:
            self._free.put_nowait(worker)

    def stop(self) -> None:
        """Let nobody think any more: what is under way or comes later fails at once."""
        for worker in self._workers:
            worker.stop()

    async def close(self) -> None:
        """Stop, and wait for the end of all processes."""
        self.stop()
        for worker in self._workers:
            await worker.end()


class _Worker:
    """A process that responses one question at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: Process | None = None
        self._killed = self._stopped = False

    async def ask(self, request: Request, seconds: float) -> Action:
        """Return the answer, or raise ``WorkerFailed``; end the process unless it responses within so many seconds."""
        if self._stopped:
            raise WorkerFailed("it was stopped")
        try:
            async with asyncio.timeout(seconds):
                action = await self._exchange(request)
        except (TimeoutError, OSError, ValueError) as error:  # too slow, no process, no action in a line
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
        with suppress(OSError):  # if it has ended, so has what it writes
            await requests.drain()
        line = await responses.readline()
        if not line:
            await self._process.wait()
        action: Action = _decode(line)
        return action

    def stop(self) -> None:
        """End the process, now or as soon as it has started, and answer no more."""
        self._stopped = True
        self._kill()

    def _kill(self) -> None:
        """Kill the process, if there is one that goes on; once, since a second look at it could hide its end."""
        if self._process is not None and self._process.returncode is None and not self._killed:
            self._killed = True
            with suppress(ProcessLookupError):
                self._process.kill()

    async def end(self) -> None:
        """Kill the process and wait for its end."""
        self._kill()
        if self._process is not None:
            await self._process.wait()
            self._process, self._killed = None, False
