"""Players in processes of their own, who tell of every move that was acknowledged."""

import asyncio
import multiprocessing
from collections.abc import Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random
from typing import NamedTuple
from uuid import UUID

from domain.options import Options
from domain.refusals import Refused
from domain.rules import legal_actions

from domain.application import Change, Club, StorageAway, open_club

Told = tuple[str, int]
"""A game, and the version it had when a change of it was acknowledged."""

AWAY: Told = ("", 0)
"""The storage did not answer."""

# Forked from a process that has everything loaded but no threads, so that starting one takes no time.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.domain.application.players"])


def start(url: str, seed: int, own: int, moves: int, common: Iterable[UUID] = ()) -> tuple[BaseProcess, Connection]:
    """Let a process play so many moves in each of its own games and in the common ones, or until it is killed."""
    told, tell = _context.Pipe(duplex=False)
    task = _Task(url, seed, own, moves, list(common))
    process = _context.Process(target=_play, args=(task, tell), daemon=True)
    process.start()
    tell.close()
    return process, told


def hear(told: Connection, away: bool) -> list[Told]:
    """What a process tells until the storage is away, or is not any more."""
    messages: list[Told] = [told.recv()]
    while (messages[-1] == AWAY) != away:
        messages.append(told.recv())
    return messages


def heard(told: Connection) -> list[Told]:
    """All that a process has told until it ended, however it ended."""
    messages: list[Told] = []
    try:
        while True:
            messages.append(told.recv())
    except (EOFError, OSError):
        return messages


class _Task(NamedTuple):
    url: str
    seed: int
    own: int
    moves: int
    common: list[UUID]


def _play(task: _Task, tell: Connection) -> None:
    asyncio.run(_play_all(task, tell))


async def _play_all(task: _Task, tell: Connection) -> None:
    async with open_club(task.url) as club:
        own = [await _opened(club, task.seed * 1000 + number, tell) for number in range(task.own)]
        await asyncio.gather(*(play(club, game, task, tell) for game in (*task.common, *own)))


async def _opened(club: Club, seed: int, tell: Connection) -> UUID:
    opened: list[UUID] = []

    def answer(change: Change) -> bytes:
        opened.append(change.id)
        return b""

    await club.open_table(3, ["Ann", "Bob", "Cleo"], Options(seed=seed, undo="free"), answer=answer)
    tell.send((str(opened[-1]), 1))
    return opened[-1]


async def play(club: Club, game: UUID, task: _Task, tell: Connection) -> None:
    """Random moves, now and then taken back; whatever somebody else made impossible meanwhile is let go."""
    random = Random(f"{task.seed} {game}")
    for _ in range(task.moves):
        try:
            version = await _move(club, game, random)
        except Refused:
            continue
        except StorageAway:
            tell.send(AWAY)
            continue
        tell.send((str(game), version))


async def _move(club: Club, game: UUID, random: Random) -> int:
    versions: list[int] = []

    def answer(change: Change) -> bytes:
        versions.append(change.version)
        return b""

    held = await club.look(game)
    seat = held.game.to_play if held.game else None
    if held.game is None or seat is None or random.random() < 0.1:
        await club.undo(game, None, answer=answer)
    else:
        action = random.choice(legal_actions(held.game)).action
        await club.act(game, seat, action, answer=answer)
    return versions[-1]
