"""Other processes that play and report every acknowledged move, and tools to wait for them."""

import asyncio
import multiprocessing
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from domain.decide import legal_actions
from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import GameService, StorageUnavailable, commands, lobby, open_service

if TYPE_CHECKING:
    import pytest

Acknowledged = tuple[str, int]
"""A game and its version when a change was acknowledged."""

UNTIL_KILLED = 10**9
"""The moves of a process that plays until it is killed."""

AWAY: Acknowledged = ("", 0)
"""The storage did not respond."""

# Forked from a process that has loaded everything and has no threads, so that starts are fast.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.store.processes"])


def start(url: str, seed: int, own: int, moves: int, common: Iterable[UUID] = ()) -> tuple[BaseProcess, Connection]:
    """Start a process that plays this many moves in each of its own games and in the common ones."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = run(_play, _Task(url, seed, own, moves, list(common)), sender)
    sender.close()
    return process, receiver


def run(function: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Run a function in a process that ends with this one at the latest."""
    process = CONTEXT.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def receive_until(receiver: Connection, away: bool) -> list[Acknowledged]:
    """The reports of a process until the storage is away, or until it is back."""
    messages: list[Acknowledged] = [receiver.recv()]
    while (messages[-1] == AWAY) != away:
        messages.append(receiver.recv())
    return messages


def receive_all(receiver: Connection) -> list[Acknowledged]:
    """All reports of a process until it ends."""
    messages: list[Acknowledged] = []
    try:
        while True:
            messages.append(receiver.recv())
    except (EOFError, OSError):
        return messages


class _Task(NamedTuple):
    url: str
    seed: int
    own: int
    moves: int
    common: list[UUID]


def _play(task: _Task, sender: Connection) -> None:
    asyncio.run(_play_all(task, sender))


async def _play_all(task: _Task, sender: Connection) -> None:
    async with open_service(task.url) as service:
        own = [await _opened(service, task.seed * 1000 + number, sender) for number in range(task.own)]
        await asyncio.gather(*(play(service, game, task, sender) for game in (*task.common, *own)))


async def _opened(service: GameService, seed: int, sender: Connection) -> UUID:
    opened = await service.open_table(3, ["Ann", "Bob", "Cleo"], GameOptions(seed=seed, undo="free"))
    sender.send((str(opened.id), 1))
    return opened.id


async def play(service: GameService, game: UUID, task: _Task, sender: Connection) -> None:
    """Make random moves and undos; ignore those that another player has made impossible."""
    random = Random(f"{task.seed} {game}")
    for _ in range(task.moves):
        try:
            version = await _move(service, game, random)
        except Refused:
            continue
        except StorageUnavailable:
            sender.send(AWAY)
            continue
        sender.send((str(game), version))


async def _move(service: GameService, game: UUID, random: Random) -> int:
    loaded = await service.load(game)
    seat = loaded.game.to_play if loaded.game else None
    if loaded.game is None or seat is None or random.random() < 0.1:
        command = commands.undo(None)
    else:
        command = commands.act(seat, random.choice(legal_actions(loaded.game)).action)
    return (await service.change(game, command)).version


# --- waiting ---------------------------------------------------------------------------------------------------------

LONG = 30
"""Timeout of a test in seconds."""


class Gate:
    """Blocks the reading of lobby entries while a test keeps it closed."""

    def __init__(self, monkeypatch: "pytest.MonkeyPatch") -> None:
        self.reads = 0
        self.open = Event()
        self.open.set()
        self._read = lobby.entries_of
        monkeypatch.setattr(lobby, "entries_of", self._read_when_open)

    def _read_when_open(self, *arguments: Any) -> Any:
        self.reads += 1
        assert self.open.wait(LONG)
        return self._read(*arguments)
