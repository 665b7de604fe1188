"""Games, prepared from seeds so that choosing moves is not measured, and played on a store in this process."""

import asyncio
import math
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import count, islice
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

import msgspec
import uvloop

from api.app import tune_garbage_collection
from domain.actions import EndTurn, Expand
from domain.bots import BOTS
from domain.bots.bot import without_limit
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Action, GameFact, GameOptions, Modules
from domain.modules.boom import KeepBoom
from domain.start import start
from domain.store import GameService, Limits, commands, open_service

T = TypeVar("T")

PLAYERS = 4
NAMES = ("Ann", "Bob", "Cid", "Dee")

SEATED = 1 + PLAYERS
"""The number of events before the set-up: the table is opened and every seat is taken."""

DECISIONS_APART = 3
"""The distance of positions taken from games of bots."""

CONCURRENT = 64
"""The number of concurrent coroutines."""

Move = tuple[int, Action]


class Script(msgspec.Struct, frozen=True):
    """A random game: its options with a seed, and every action with its seat."""

    options: GameOptions
    actions: tuple[Move, ...]
    lengths: tuple[int, ...]
    """The length of the stream at the start and after each action."""

    def up_to(self, events: int) -> tuple[Move, ...]:
        """Return the actions for a stream of this length."""
        return self.actions[: sum(length < events for length in self.lengths)]

    def facts(self, events: int) -> list[GameFact]:
        """Return the facts of the game, without its table, for a stream of this length."""
        outcome = start(self.options, PLAYERS, self.options.seed or 0)
        facts = list(outcome.facts)
        for seat, action in self.up_to(events):
            outcome = decide(outcome.game, action, seat)
            facts += outcome.facts
        return facts


@cache
def scripts(number: int, actions: int) -> tuple[Script, ...]:
    """Return the first games with at least this many actions, truncated there."""
    games = (random_script(seed, actions) for seed in count())
    return tuple(islice((script for script in games if len(script.actions) == actions), number))


def random_script(seed: int, actions: int) -> Script:
    """Return the game of a seed, truncated after this many actions."""
    choice = random.Random(seed).choice
    options = GameOptions(first_player=0, seed=seed, undo="free")
    return _script(options, lambda game: choice(legal_actions(game)).action, actions)


def long_script(actions: int) -> Script:
    """Return a long game: a player expands only when two have passed, and the Boom marker stays."""
    options = GameOptions(first_player=0, seed=1, modules=Modules(boom=True), undo="free")
    choice = random.Random(1).choice

    def choose(game: Game) -> Action:
        legal = [each.action for each in legal_actions(game)]
        expansions = [action for action in legal if isinstance(action, Expand) and len(game.passed) > 1]
        quiet = [action for action in legal if isinstance(action, EndTurn | KeepBoom)]
        return choice(expansions or quiet or legal)

    return _script(options, choose, actions)


def _script(options: GameOptions, choose: Callable[[Game], Action], actions: int) -> Script:
    outcome = start(options, PLAYERS, options.seed or 0)
    taken: list[Move] = []
    lengths = [SEATED + len(outcome.facts)]
    while outcome.game.to_play is not None and len(taken) < actions:
        action = choose(outcome.game)
        taken.append((outcome.game.to_play, action))
        outcome = decide(outcome.game, action)
        lengths.append(lengths[-1] + len(outcome.facts))
    return Script(options, tuple(taken), tuple(lengths))


@cache
def positions_of_bots(seed: int, number: int, options: GameOptions) -> tuple[Game, ...]:
    """Return positions with two or more choices from games of greedy bots."""
    return tuple(islice((game for game in _of_greedy_bots(seed, options) if len(legal_actions(game)) > 1), number))


def _of_greedy_bots(seed: int, options: GameOptions) -> Iterator[Game]:
    luck, greedy = random.Random(seed), BOTS["greedy"]
    while True:
        game = start(options, PLAYERS, luck.randrange(2**32)).game
        for number in count():
            if game.to_play is None:
                break
            if number % DECISIONS_APART == 0:
                yield game
            game = decide(game, greedy.choose(game, luck, without_limit)).game


# --- played in this process ------------------------------------------------------------------------------------


class Players(AbstractContextManager["Players"]):
    """Players that call the store in this process, in an event loop like the server's."""

    def __init__(self, url: str, cache_bytes: int = 256 * 1024 * 1024) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._url, self._limits = url, Limits(cache_bytes=cache_bytes)
        self.service: GameService

    def __enter__(self) -> Self:
        """Open the service, with the server's garbage collection."""
        tune_garbage_collection()
        self.service = open_service(self._url, limits=self._limits)
        self.run(self.service.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run(self.service.__aexit__(kind, error, trace))
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def open(self, prepared: Sequence[Script]) -> list[UUID]:
        return self.run(run_concurrently(self._open_one(script) for script in prepared))

    async def _open_one(self, script: Script) -> UUID:
        return (await self.service.open_table(PLAYERS, NAMES, script.options)).id

    def play_all(self, games: Sequence[UUID], moves: Sequence[Sequence[Move]], until: float = math.inf) -> int:
        """Play these games concurrently, and return the number of moves."""
        played = (self.play(game, taken, until) for game, taken in zip(games, moves, strict=True))
        return sum(self.run(run_concurrently(played)))

    async def play(self, game: UUID, moves: Iterable[Move], until: float = math.inf) -> int:
        """Make moves until a time, and return their number."""
        done = 0
        for seat, action in moves:
            if time.perf_counter() > until:
                break
            await self.service.change(game, commands.act(seat, action))
            done += 1
        return done

    async def lengthen(self, game: UUID, move: Move, events: int) -> None:
        """Make and undo a move until the stream has this many events. The position stays the same."""
        while (await self.service.load(game)).version < events:
            await self.play(game, [move])
            await self.undo(game)

    async def undo(self, game: UUID) -> None:
        await self.service.change(game, commands.undo(None))


async def run_concurrently(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently, up to a limit."""
    limit = asyncio.Semaphore(CONCURRENT)

    async def run_one(coroutine: Coroutine[Any, Any, T]) -> T:
        async with limit:
            return await coroutine

    return await asyncio.gather(*(run_one(coroutine) for coroutine in coroutines))
