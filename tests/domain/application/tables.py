"""What the tests of the application have in common: a club that is asked and answers without waiting."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from domain.options import Modules, Options
from domain.rules import legal_actions

from domain.application import Change, Club, Held, open_club

T = TypeVar("T")

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve")
QUICK = Options(seed=7, undo="free")


class Visitor:
    """Somebody who asks a club for one thing after the other."""

    def __init__(self, club: Club, runner: asyncio.Runner) -> None:
        self.club = club
        self._runner = runner

    def wait(self, asked: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(asked)

    def change(self, what: str, *words: Any, **asked: Any) -> Change:
        """Ask for a change, and get what was to be answered."""
        changes: list[Change] = []

        def answer(change: Change) -> bytes:
            changes.append(change)
            return b"done"

        assert self.wait(getattr(self.club, what)(*words, answer=answer, **asked)) == b"done"
        return changes[-1]

    def look(self, game: UUID, at: int | None = None) -> Held:
        return self.wait(self.club.look(game, at))

    def started(self, options: Options = QUICK, players: int = 2) -> Change:
        """A game that has just begun."""
        return self.change("open_table", players, NAMES[:players], options)

    def play(self, game: UUID, actions: int, seed: int = 0) -> Held:
        """Let so many random actions happen, fewer if the game ends before."""
        random = Random(seed)
        held = self.look(game)
        for _ in range(actions):
            playing = held.game
            if playing is None or playing.to_play is None:
                break
            action = random.choice(legal_actions(playing)).action
            held = self.change("act", game, playing.to_play, action).held
        return held


@contextmanager
def visiting(url: str, games_held: int = 1000) -> Iterator[Visitor]:
    """A visit to the club of a database."""
    with asyncio.Runner() as runner:
        club = runner.run(_entered(url, games_held))
        try:
            yield Visitor(club, runner)
        finally:
            runner.run(club.__aexit__(None, None, None))


async def _entered(url: str, games_held: int) -> Club:
    return await open_club(url, games_held=games_held).__aenter__()


ALL_MODULES = Options(seed=11, undo="free", modules=Modules(milestones=True, boom=True, region_tiles="mixed"))
