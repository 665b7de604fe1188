"""The store in this process: durable moves and cold loads compared with plain ones, and the memory of its cache."""

import gc
import math
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from uuid import UUID

from bench.floors import Database
from bench.games import Move, Players, run_concurrently, scripts
from bench.report import Comparison
from bench.rounds import ROUND_SECONDS, interleave, report_progress
from bench.servers import temporary_folder
from tests.support.postgres import running_server

SINGLE_GAMES, SINGLE_MOVES = 30, 100
AT_ONCE, MOVES_AT_ONCE = 64, 60
STORED, LOADS = 20, 400
LOADED_EVENTS = 300
LONG_GAMES, LONG_EVENTS = 20, 1000
WARM_MOVES = 800

CACHED = 1000
CACHE_BYTES = CACHED * 100_000
"""Bytes for about ``CACHED`` games."""

MANY, MOVES = 10_000, 20
WARM_UP_GAMES = 2_000
"""The number of games until the cache is full and all code is loaded."""


def measure_store() -> Iterator[Comparison]:
    """Measure moves and loads on SQLite and PostgreSQL, and moves of long games."""
    with temporary_folder() as path:
        url = f"sqlite:///{path / 'games.sqlite'}"
        with Players(url) as players:
            floor = Database(path / "floor.sqlite")
            yield from _moves(players, floor, "SQLite", 0.5)
            yield _warm_moves(players)
            yield _cold_loads(players, floor, "SQLite", url)
    with running_server() as url, Players(url) as players:
        floor = Database(url)
        yield from _moves(players, floor, "PostgreSQL", 0.3)
        yield _cold_loads(players, floor, "PostgreSQL", url)


# --- moves -----------------------------------------------------------------------------------------------------


def _moves(players: Players, floor: Database, database: str, single: float) -> Iterator[Comparison]:
    """Measure one game after the other, and many games at once."""
    ones, commits, many = interleave(
        f"store, moves on {database}",
        lambda _: _one_by_one(players),
        lambda _: floor.commits_a_second(),
        lambda _: _concurrently(players),
    )
    yield Comparison(f"{database}: single durable moves", "moves/s", ones, "raw commits", commits, at_least=single)
    yield Comparison(f"{database}: {AT_ONCE} games at once", "moves/s", many, "raw commits", commits, at_least=2)


def _one_by_one(players: Players) -> float:
    prepared = scripts(SINGLE_GAMES, SINGLE_MOVES)
    games = players.open(prepared)

    async def play() -> int:
        taken = [script.actions for script in prepared]
        return sum([await players.play(*one, began + ROUND_SECONDS) for one in zip(games, taken, strict=True)])

    began = time.perf_counter()
    moves = players.run(play())
    return moves / (time.perf_counter() - began)


def _concurrently(players: Players) -> float:
    prepared = scripts(AT_ONCE, MOVES_AT_ONCE)
    games = players.open(prepared)
    began = time.perf_counter()
    moves = players.play_all(games, [script.actions for script in prepared], began + ROUND_SECONDS)
    return moves / (time.perf_counter() - began)


def _warm_moves(players: Players) -> Comparison:
    """Measure the same move in games of a thousand events and in new games, alternately."""
    script = scripts(1, SINGLE_MOVES)[0]
    first = script.actions[0]
    long = players.open([script] * LONG_GAMES)
    players.run(run_concurrently(players.lengthen(game, first, LONG_EVENTS) for game in long))

    async def first_moves(pairs: Iterable[tuple[UUID, UUID]]) -> tuple[float, float]:
        until = time.perf_counter() + 2 * ROUND_SECONDS
        on_long, on_short = [], []
        for longer, shorter in pairs:
            if time.perf_counter() > until:
                break
            on_long.append(await _timed(players, longer, first))
            on_short.append(await _timed(players, shorter, first))
            await players.undo(longer)
        return len(on_long) / sum(on_long), len(on_short) / sum(on_short)

    def both(_: int) -> tuple[float, float]:
        short = players.open([script] * WARM_MOVES)
        return players.run(first_moves(zip(cycle(long), short, strict=False)))

    (rates,) = interleave("store, moves of long games", both)
    ours, theirs = zip(*rates, strict=True)
    return Comparison(
        f"a move on a game of {LONG_EVENTS} events", "moves/s", ours, "of 10 events", theirs, at_least=0.95
    )


async def _timed(players: Players, game: UUID, move: Move) -> float:
    began = time.perf_counter()
    await players.play(game, [move])
    return time.perf_counter() - began


# --- cold loads ------------------------------------------------------------------------------------------------


def _cold_loads(players: Players, floor: Database, database: str, url: str) -> Comparison:
    """Measure loads of games that are not cached, compared with reading, decoding and folding bare facts."""
    prepared = scripts(STORED, SINGLE_MOVES)
    games = players.open(prepared)
    players.play_all(games, [script.up_to(LOADED_EVENTS) for script in prepared])
    floor.store(prepared, LOADED_EVENTS)
    with Players(url, cache_bytes=1) as cold:

        async def load() -> None:
            for number in range(LOADS):
                await cold.service.load(games[number % STORED])

        def ours(_: int) -> float:
            began = time.perf_counter()
            cold.run(load())
            return LOADS / (time.perf_counter() - began)

        def theirs(_: int) -> float:
            began = time.perf_counter()
            for number in range(LOADS):
                floor.load(number % STORED)
            return LOADS / (time.perf_counter() - began)

        loads, bare = interleave(f"store, cold loads on {database}", ours, theirs)
    floor.close()
    name = f"{database}: cold loads of {LOADED_EVENTS} events"
    return Comparison(name, "loads/s", loads, "SELECT, msgspec, evolve", bare, at_least=0.6)


# --- memory ----------------------------------------------------------------------------------------------------


def measure_memory() -> Iterator[Comparison]:
    """Measure the memory of a new process with many more games than fit into its cache."""
    report_progress(f"memory, {MANY:,} games")
    with temporary_folder() as path, multiprocessing.get_context("spawn").Pool(1) as pool:
        beginning, end = pool.apply(_mebibytes, [f"sqlite:///{path / 'games.sqlite'}"])
    name, other = f"the process after {MANY:,} games, {CACHED:,} cached", f"after {WARM_UP_GAMES:,} games"
    yield Comparison(name, "MiB", [end], other, [beginning], at_most=1.1)


def _mebibytes(url: str) -> tuple[float, float]:
    """Return the memory of this process in MiB after the warm-up and after all games."""
    prepared = scripts(CACHED, MOVES)
    sizes = {}
    with Players(url, CACHE_BYTES) as players:
        for played in range(CACHED, MANY + 1, CACHED):
            players.play_all(players.open(prepared), [script.actions for script in prepared])
            sizes[played] = _resident()
    return sizes[WARM_UP_GAMES], sizes[MANY]


def _resident() -> float:
    """Return the resident memory of this process in MiB; NaN without /proc."""
    gc.collect()
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text(encoding="ascii").split()[1]) if statm.exists() else math.nan
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
