"""The store: durable moves and cold loads, beside plain commits and reads on the same database."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from bench.floors import RawCommits, RawPostgresCommits, temporary_folder
from bench.games import Move, Script, scripts
from bench.players import Players, run_concurrently
from bench.postgres import postgres_server
from bench.progress import report_progress
from bench.report import Result, compare
from bench.rounds import ROUND_SECONDS, interleave, numbered_rounds
from domain.evolve import evolve, new_game
from domain.modules import GameFact, GameStarted

PART = "store"
UNIT = "moves/s"

COMMITS = 4000
SINGLE_GAMES, SINGLE_MOVES = 30, 100
AT_ONCE, MOVES_AT_ONCE = 64, 60
STORED, LOADS = 20, 400
LOADED_EVENTS = 300
LONG_GAMES, LONG_EVENTS, SHORT_EVENTS = 20, 1000, 10
WARM_MOVES = 800


def measure() -> Iterator[Result]:
    """Measure moves on SQLite and PostgreSQL, loads, and moves on long games."""
    with temporary_folder() as path, Players(f"sqlite:///{path / 'games.sqlite'}") as players:
        raw = RawCommits(path / "floor.sqlite")
        yield from _moves(players, raw, "SQLite", 0.5, 2.0)
        raw.close()
        yield from _warm_moves(players)
        bare = BareFacts(sqlite3.connect(path / "facts.sqlite"), "?")
        yield _cold_loads(players, f"sqlite:///{path / 'games.sqlite'}", "SQLite", bare, 0.6)
    yield from _postgres()


# --- moves -----------------------------------------------------------------------------------------------------


def _moves(
    players: Players,
    raw: RawCommits | RawPostgresCommits,
    database: str,
    single: float | None = None,
    grouped: float | None = None,
) -> Iterator[Result]:
    """Measure one player after the other, and 64 games at once."""
    ones, floor, many = interleave(
        f"store, moves on {database}",
        lambda _: _one_by_one(players),
        lambda _: raw.rate(COMMITS),
        lambda _: _concurrently(players),
    )
    beside = f"{database}, single-row commits"
    yield compare(PART, f"{database}: single durable moves", UNIT, ones, beside=beside, theirs=floor, at_least=single)
    name = f"{database}: {AT_ONCE} games at once"
    yield compare(PART, name, UNIT, many, beside=beside, theirs=floor, at_least=grouped)


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


# --- the length of the history ---------------------------------------------------------------------------------


def _warm_moves(players: Players) -> Iterator[Result]:
    """Measure the same first move in games of a thousand events and in new ones, move by move in turns."""
    script = scripts(1, SINGLE_MOVES)[0]
    first = script.actions[0]
    report_progress(f"store: {LONG_GAMES} games of {LONG_EVENTS} events")
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

    ours, theirs = [], []
    for number in numbered_rounds("store, warm games"):
        short = players.open([script] * WARM_MOVES)
        longs, shorts = players.run(first_moves(zip(cycle(long), short, strict=False)))
        if number >= 0:
            ours.append(longs)
            theirs.append(shorts)
    name, beside = f"a move on a game of {LONG_EVENTS} events", f"of {SHORT_EVENTS} events"
    yield compare(PART, name, UNIT, ours, beside=beside, theirs=theirs, at_least=0.95)


async def _timed(players: Players, game: UUID, move: Move) -> float:
    began = time.perf_counter()
    await players.play(game, [move])
    return time.perf_counter() - began


# --- cold loads ------------------------------------------------------------------------------------------------


def _cold_loads(players: Players, url: str, database: str, bare: "BareFacts", at_least: float) -> Result:
    """Measure loads of games that are not cached, beside reading, decoding and folding bare facts."""
    report_progress(f"store: {STORED} games of {LOADED_EVENTS} events on {database}")
    prepared = scripts(STORED, SINGLE_MOVES)
    games = players.open(prepared)
    players.play_all(games, [script.up_to(LOADED_EVENTS) for script in prepared])
    bare.store(prepared)
    with Players(url, cache_bytes=1) as cold:

        async def load() -> None:
            for number in range(LOADS):
                await cold.service.load(games[number % STORED])

        def ours(_: int) -> float:
            began = time.perf_counter()
            cold.run(load())
            return LOADS / (time.perf_counter() - began)

        loads, floor = interleave(f"store, cold loads on {database}", ours, lambda _: bare.loads_a_second())
    bare.close()
    name, beside = f"{database}: cold loads of {LOADED_EVENTS} events", "SELECT, msgspec, evolve"
    return compare(PART, name, "loads/s", loads, beside=beside, theirs=floor, at_least=at_least)


class BareFacts:
    """The floor of a cold load: a table of facts alone, read, decoded and folded in a plain loop."""

    def __init__(self, connection: "sqlite3.Connection | psycopg.Connection[Any]", mark: str) -> None:
        """Keep facts in a database in which this mark stands for a value."""
        self._connection: Any = connection
        self._insert = f"INSERT INTO fact VALUES ({mark}, {mark}, {mark})"
        self._select = f"SELECT state FROM fact WHERE game = {mark} ORDER BY version"
        self._games = 0

    def store(self, prepared: Sequence[Script]) -> None:
        """Store the facts of some games."""
        binary = "BLOB" if isinstance(self._connection, sqlite3.Connection) else "BYTEA"
        cursor = self._connection.cursor()
        cursor.execute(
            f"CREATE TABLE fact (game INTEGER, version INTEGER, state {binary}, PRIMARY KEY (game, version))"
        )
        for game, script in enumerate(prepared):
            encoded = map(msgspec.json.encode, script.facts(LOADED_EVENTS))
            cursor.executemany(self._insert, [(game, number, fact) for number, fact in enumerate(encoded)])
        self._connection.commit()
        self._games = len(prepared)

    def loads_a_second(self) -> float:
        """Measure as many loads as those of the store."""
        began = time.perf_counter()
        for number in range(LOADS):
            self._load(number % self._games)
        return LOADS / (time.perf_counter() - began)

    def _load(self, number: int) -> None:
        rows = self._connection.execute(self._select, (number,)).fetchall()
        started = _STARTED.decode(rows[0][0])
        game, decode = new_game(started), _FACT.decode
        for (state,) in rows[1:]:
            game = evolve(game, decode(state))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


_STARTED = msgspec.json.Decoder(GameStarted)
_FACT = msgspec.json.Decoder(GameFact)


# --- PostgreSQL ------------------------------------------------------------------------------------------------


def _postgres() -> Iterator[Result]:
    """Measure the same moves on a PostgreSQL server."""
    with postgres_server(PART) as url:
        if url is None:
            return
        raw = RawPostgresCommits(url)
        with Players(url) as players:
            yield from _moves(players, raw, "PostgreSQL", 0.3, 2.0)
            raw.close()
            connection = psycopg.connect(url)
            connection.prepare_threshold = 0
            yield _cold_loads(players, url, "PostgreSQL", BareFacts(connection, "%s"), 0.6)
