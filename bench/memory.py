"""Memory: the size of a cached game, and the limit that the cache sets for thousands of games."""

import gc
import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import TypeVar
from uuid import UUID

from bench.floors import temporary_folder
from bench.games import scripts, write_script
from bench.players import Players
from bench.progress import report_progress
from bench.report import Result, compare

T = TypeVar("T")

PART = "memory"
ROUNDS = 5
WHOLE_GAMES = 200
CACHED = 1000
CACHE_BYTES = CACHED * 100_000
"""Room for about so many games."""
MANY, MOVES = 10_000, 20
WARM_UP_GAMES = 2_000
"""The number of games after which the cache is full and all code is loaded."""


def measure() -> Iterator[Result]:
    """Measure the bytes of a cached game beside its stored bytes, and the growth over many games."""
    with temporary_folder() as path:
        yield from _cached(f"sqlite:///{path / 'whole.sqlite'}")
        yield from _bounded(f"sqlite:///{path / 'many.sqlite'}")


def _cached(url: str) -> Iterator[Result]:
    report_progress(f"memory: {WHOLE_GAMES} whole games")
    prepared = [write_script(seed) for seed in range(WHOLE_GAMES)]
    with Players(url) as players:
        games = players.open(prepared)
        players.play_all(games, [script.actions for script in prepared])
        stored = mean(players.run(_stored_bytes(players, game)) for game in games)
    cached = []
    for number in range(ROUNDS):
        report_progress(f"memory: cached games, round {number + 1} of {ROUNDS}")
        cached.append(_in_new_process(_bytes_a_game, url, games))
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
    """Return by how many bytes a process grows with each game in its cache."""
    with Players(url) as players:

        async def load(ids: Sequence[UUID]) -> None:
            for game in ids:
                await players.service.load(game)

        few = games[: len(games) // 10]
        players.run(load(few))
        before = resident()
        players.run(load(games))
        return (resident() - before) / (len(games) - len(few))


def _bounded(url: str) -> Iterator[Result]:
    report_progress(f"memory: {MANY} games of {MOVES} moves, {CACHED} of them cached at a time")
    beginning, end = _in_new_process(_sizes, url)
    mib = 2**20
    name, beside = f"the process after {MANY:,} games, {CACHED:,} cached", f"after {WARM_UP_GAMES:,} games"
    yield compare(PART, name, "MiB", [end / mib], beside=beside, theirs=[beginning / mib], at_most=1.1)


def _sizes(url: str) -> tuple[float, float]:
    """Return the size of a process after the warm-up, and after all games."""
    prepared = scripts(CACHED, MOVES)
    beginning = 0
    with Players(url, CACHE_BYTES) as players:
        for played in range(CACHED, MANY + 1, CACHED):
            games = players.open(prepared)
            players.play_all(games, [script.actions for script in prepared])
            if played == WARM_UP_GAMES:
                beginning = resident()
        return beginning, resident()


def _in_new_process(work: Callable[..., T], *arguments: object) -> T:
    """Run a function in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def resident() -> int:
    """Return the resident memory of this process in bytes, or its peak where the present value cannot be read."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
