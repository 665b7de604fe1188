"""Memory: the size of a cached game, and the bound that the cache sets for thousands of games."""

import gc
import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import TypeVar
from uuid import UUID

from bench.floors import folder
from bench.games import scripts, write
from bench.players import Players
from bench.progress import tell
from bench.report import Found, compare

T = TypeVar("T")

PART = "memory"
ROUNDS = 5
WHOLE_GAMES = 200
CACHED = 1000
MANY, MOVES = 10_000, 20
BEGINNING = 2_000
"""After so many games the cache is full and all code is loaded."""


def measure() -> Iterator[Found]:
    """Measure the bytes of a cached game beside its stored bytes, and the growth over many games."""
    with folder() as path:
        yield from _cached(f"sqlite:///{path / 'whole.sqlite'}")
        yield from _bounded(f"sqlite:///{path / 'many.sqlite'}")


def _cached(url: str) -> Iterator[Found]:
    tell(f"memory: {WHOLE_GAMES} whole games")
    prepared = [write(seed) for seed in range(WHOLE_GAMES)]
    with Players(url) as players:
        games = players.open(prepared)
        players.play_all(games, [script.actions for script in prepared])
        stored = mean(players.run(_stored_bytes(players, game)) for game in games)
    cached = []
    for number in range(ROUNDS):
        tell(f"memory: cached games, round {number + 1} of {ROUNDS}")
        cached.append(_elsewhere(_bytes_a_game, url, games))
    yield compare(
        PART,
        "a finished game in the cache",
        "bytes",
        cached,
        beside="its stored events",
        theirs=[stored] * ROUNDS,
    )


async def _stored_bytes(players: Players, game: UUID) -> int:
    return sum(map(len, (await players.service.events(game, limit=100_000, full=True)).items))


def _bytes_a_game(url: str, games: Sequence[UUID]) -> float:
    """Return how much larger a process gets by each game in its cache."""
    with Players(url) as players:

        async def load(at: Sequence[UUID]) -> None:
            for game in at:
                await players.service.load(game)

        few = games[: len(games) // 10]
        players.run(load(few))
        before = resident()
        players.run(load(games))
        return (resident() - before) / (len(games) - len(few))


def _bounded(url: str) -> Iterator[Found]:
    tell(f"memory: {MANY} games of {MOVES} moves, {CACHED} of them cached at a time")
    beginning, end = _elsewhere(_sizes, url)
    mib = 2**20
    name, beside = f"the process after {MANY:,} games, {CACHED:,} cached", f"after {BEGINNING:,} games"
    yield compare(PART, name, "MiB", [end / mib], beside=beside, theirs=[beginning / mib], at_most=1.1)


def _sizes(url: str) -> tuple[float, float]:
    """Return how large a process is after some games, and after many more."""
    prepared = scripts(CACHED, MOVES)
    beginning = 0
    with Players(url, games_cached=CACHED) as players:
        for played in range(CACHED, MANY + 1, CACHED):
            games = players.open(prepared)
            players.play_all(games, [script.actions for script in prepared])
            if played == BEGINNING:
                beginning = resident()
        return beginning, resident()


def _elsewhere(work: Callable[..., T], *arguments: object) -> T:
    """Run a function in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def resident() -> int:
    """Return the memory that this process takes, in bytes; where that cannot be read, the most it ever took."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
