"""The command that follows a game in the terminal, in sentences."""

import sys
from argparse import Namespace
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from uuid import UUID

from api.command_support import with_service
from api.operations.history import read_history_after
from domain.store import GameService
from projections.history import GameHistory
from projections.words.en import count

LOOK_SECONDS = 60
"""The longest time between two reads of a game, in case no notification arrives."""

_INDENT = " " * len("18:00:00  ")


def watch(arguments: Namespace) -> int:
    """Follow a game in the terminal, action by action.

    Stops at the end of the game, or with Ctrl+C.
    """

    async def print_all(service: GameService) -> None:
        async with aclosing(follow(service, arguments.game)) as lines:
            async for line in lines:
                sys.stdout.write(line + "\n")
                sys.stdout.flush()

    with_service(print_all)
    return 0


async def follow(service: GameService, game_id: UUID) -> AsyncGenerator[str, None]:
    """Yield the lines of a game until it is over; raise ``UnknownGame`` if it is deleted."""
    known, shown = 0, list[int]()
    async with service.watchers.watching(game_id) as channel:
        while not service.watchers.closed:
            game = await service.load(game_id)
            page = await read_history_after(service, game, known)
            if gone := [version for version in shown if version > page.after]:
                yield f"{_INDENT}{count(len(gone), 'action')} undone."
            for line in _lines(page):
                yield line
            shown = [version for version in shown if version <= page.after] + [line.version for line in page.items]
            known = page.items[-1].version if page.next else page.version
            if not page.next and game.game is not None and game.game.ending is not None:
                return
            if not page.next and channel.version <= page.version and not channel.ended:
                await channel.notifier.wait(LOOK_SECONDS)


def _lines(page: GameHistory) -> Iterator[str]:
    """Yield the actions with their times; each turn begins with its opening."""
    openings = {turn.version: turn.opening for turn in page.turns}
    times = {line.version: f"{line.at[11:19]}  {line.text}" for line in page.items}
    for version in sorted(openings.keys() | times):
        if version in times:
            yield times[version]
        yield from (_INDENT + effect.text for effect in openings.get(version, ()))
