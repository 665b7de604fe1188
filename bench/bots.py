"""Bots: positions evaluated by the planner, times of decisions, and moves of people while bots play."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from random import Random

import msgspec
import uvloop

from api.bots.workers import BotWorkers
from bench.engine import ALL_MODULES, BASE, GAMES, steps_a_second
from bench.games import PLAYERS, positions_of_bots
from bench.http import MANY, prepare_moves
from bench.load import send
from bench.report import Comparison, percentile
from bench.rounds import interleave
from bench.servers import Server, franchise_server
from domain.bots import BOTS
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import GameOptions

BUDGET = 900
"""The number of positions for each decision of the planner, more than in the games that measure its strength."""

POSITIONS = 60
"""The number of positions in which bots decide in each round, about a whole game."""

EVERY: dict[BotKind, int] = {"random": 1, "greedy": 1, "planner": 3}
"""The kinds of bots, and the distance of the positions that they decide in."""

SECONDS = 0.1
"""The thinking time of the planner in seconds."""

SEARCHED = 6
"""The distance of the positions in which the planner's evaluations are counted."""

TABLES = 8
"""The number of tables of bots, more than they have time for."""


def measure_bots() -> Iterator[Comparison]:
    """Measure bots alone, then moves of people while bots play."""
    yield from _positions()
    yield from _decisions()
    yield from _people()


def _positions() -> Iterator[Comparison]:
    """Measure positions a second, compared with steps of random games, which need no evaluation."""
    base, all_modules, steps = interleave(
        "bots, positions of the planner",
        partial(_positions_a_second, BASE[0]),
        partial(_positions_a_second, ALL_MODULES[0]),
        lambda _: steps_a_second(GAMES, BASE),
    )
    other = "steps of random games"
    yield Comparison("positions of the planner", "positions/s", base, other, steps)
    yield Comparison("the same, draft and all modules", "positions/s", all_modules, other, steps)


def _positions_a_second(options: GameOptions, number: int) -> float:
    """Measure decisions of one round only, so that the planner has cached none of their positions."""
    games = positions_of_bots(number, POSITIONS, options)[::SEARCHED]
    began = time.perf_counter()
    positions = sum(_looked_at(game, number) for game in games)
    return positions / (time.perf_counter() - began)


def _looked_at(game: Game, seed: int) -> int:
    """Let the planner decide, and return the number of evaluated positions."""
    asked = count(1)
    BOTS["planner"].choose(game, Random(seed), lambda: next(asked) > BUDGET)
    return next(asked) - 1


def _decisions() -> Iterator[Comparison]:
    """Measure the time of a decision of each kind in a bot process, as on a server."""
    workers = BotWorkers(1, SECONDS)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:

        def milliseconds(kind: BotKind, number: int) -> list[float]:
            games = positions_of_bots(number, POSITIONS, BASE[0])[:: EVERY[kind]]
            return runner.run(_decide(workers, kind, games))

        results = interleave("bots, decisions", *(partial(milliseconds, kind) for kind in EVERY))
        runner.run(workers.close())
    for kind, rounds in zip(EVERY, results, strict=True):
        slow, middle = ([percentile(times, part) for times in rounds] for part in (0.99, 0.5))
        name = f"a decision of {kind}" + (f" in {SECONDS:g} s" if kind == "planner" else "")
        yield Comparison(f"{name}: p99", "ms", slow, "p50 of the same", middle)


async def _decide(workers: BotWorkers, kind: BotKind, games: Sequence[Game]) -> list[float]:
    times = []
    for game in games:
        began = time.perf_counter()
        await workers.choose(kind, game)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _people() -> Iterator[Comparison]:
    """Measure moves of many clients while bots play, with a new server for each round."""
    alone, planners, fast = interleave(
        "bots, moves of people",
        partial(_moves_a_second, None),
        partial(_moves_a_second, "planner"),
        partial(_moves_a_second, "random"),
    )
    name, unit = f"moves, {MANY} clients", "moves/s"
    yield Comparison(f"{name}, while planners think", unit, planners, "without bots", alone, at_least=0.6)
    yield Comparison(f"{name}, while random bots play", unit, fast, "without bots", alone)


def _moves_a_second(bots: BotKind | None, _: int) -> float:
    """Measure moves of people, and check that the bots have moved in the meantime."""
    with franchise_server() as server:
        table = {"seats": PLAYERS, "players": [{"bot": bots}] * PLAYERS}
        opened = [server.ask("POST", "/v1/games", table) for _ in range(TABLES if bots else 0)]
        games = [msgspec.json.decode(each)["game"]["id"] for each in opened]
        requests = prepare_moves(server, MANY)
        before = _versions(server, games)
        rate = send(server.port, requests).rate
        if bots and _versions(server, games) <= before:
            raise RuntimeError("no bot has moved")
    return rate


def _versions(server: Server, games: Sequence[str]) -> int:
    return sum(msgspec.json.decode(server.ask("GET", f"/v1/games/{game}"))["version"] for game in games)
