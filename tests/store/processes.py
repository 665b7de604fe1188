"""Players in processes of their own, who report every move that was acknowledged."""

import asyncio
import multiprocessing
from collections.abc import Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random
from typing import NamedTuple
from uuid import UUID

from domain.decide import legal_actions
from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import GameService, StorageUnavailable, commands, open_service

Acknowledged = tuple[str, int]
"""A game, and the version it had when a change of it was acknowledged."""

AWAY: Acknowledged = ("", 0)
"""The storage did not answer."""

# Forked from a process that has everything loaded but no threads, so that starting one takes no time.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.store.processes"])


def start(url: str, seed: int, own: int, moves: int, common: Iterable[UUID] = ()) -> tuple[BaseProcess, Connection]:
    """Let a process play so many moves in each of its own games and in the common ones, or until it is killed."""
    receiver, sender = _context.Pipe(duplex=False)
    task = _Task(url, seed, own, moves, list(common))
    process = _context.Process(target=_play, args=(task, sender), daemon=True)
    process.start()
    sender.close()
    return process, receiver


def receive_until(receiver: Connection, away: bool) -> list[Acknowledged]:
    """The reports of a process until the storage is away, or is not any more."""
    messages: list[Acknowledged] = [receiver.recv()]
    while (messages[-1] == AWAY) != away:
        messages.append(receiver.recv())
    return messages


def receive_all(receiver: Connection) -> list[Acknowledged]:
    """All that a process has reported until it ended, however it ended."""
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
    """Random moves, now and then taken back; whatever somebody else made impossible meanwhile is let go."""
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
