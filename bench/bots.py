"""Bots: random games, the positions that the planner looks at, the time of a move, and people's moves beside them."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import msgspec
import uvloop

from api.bots.workers import BotWorkers
from bench.engine import ALL_MODULES, BASE, GAMES, PLAYERS, games_beside_catanatron, steps_a_second
from bench.floors import temporary_folder
from bench.games import positions_of_bots
from bench.load import percentile, send
from bench.report import Result, compare
from bench.rounds import ROUNDS, interleave
from bench.servers import Server, franchise_server
from bench.web import MANY_CLIENTS, prepare_moves
from domain.bots import BOTS
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import GameOptions

PART = "bots"

BUDGET = 900
"""The positions for each decision of the planner, more than in the games by which its strength is measured."""

POSITIONS = 60
"""The positions of each round in which bots decide: about a whole game."""

EVERY: dict[BotKind, int] = {"random": 1, "greedy": 1, "planner": 3}
"""The kinds whose decisions are timed: in all of the positions, or in every third."""

SECONDS = 0.1
"""The time that the planner has then."""

SEARCHED = 6
"""The planner decides in every sixth of the positions where it is its positions that are counted."""

TABLES = 8
"""The tables at which bots play while people do: more than they have time for."""

BESIDE_BOTS_AT_LEAST = 0.6


def measure() -> Iterator[Result]:
    """Measure the bots alone, and then what they leave to people."""
    ours, theirs = games_beside_catanatron()
    name, beside = "playouts: random games to their end", "catanatron, RandomPlayer"
    yield compare(PART, name, "playouts/s", ours, beside=beside, theirs=theirs)
    yield from _positions()
    yield from _decisions()
    yield from _people()


# --- the positions of the planner ------------------------------------------------------------------------------


class Budget:
    """A budget of positions that counts how many were looked at."""

    def __init__(self) -> None:
        self.looked_at = 0

    def __call__(self) -> bool:
        """Return whether the budget is spent, and count one position more."""
        self.looked_at += 1
        return self.looked_at > BUDGET


def _positions() -> Iterator[Result]:
    """Measure positions a second beside the steps of random games, which need no evaluation."""
    base, all_modules, steps = interleave(
        "bots, positions of the planner",
        partial(_positions_a_second, BASE[0]),
        partial(_positions_a_second, ALL_MODULES[0]),
        lambda _: steps_a_second(GAMES, PLAYERS, BASE),
    )
    beside = "steps of random games"
    yield compare(PART, "positions of the planner", "positions/s", base, beside=beside, theirs=steps)
    yield compare(PART, "the same, draft and all modules", "positions/s", all_modules, beside=beside, theirs=steps)


def _positions_a_second(options: GameOptions, number: int) -> float:
    """Measure decisions that come in no other round, so that the planner remembers no more of them than usual."""
    games = positions_of_bots(number, POSITIONS, options)[::SEARCHED]
    budgets = [Budget() for _ in games]
    began = time.perf_counter()
    for game, budget in zip(games, budgets, strict=True):
        BOTS["planner"].choose(game, Random(number), budget)
    return sum(budget.looked_at for budget in budgets) / (time.perf_counter() - began)


# --- the time of a move ----------------------------------------------------------------------------------------


class DecisionSubject:
    """A subject that asks a process that thinks, as a server does, and keeps the times of each round."""

    def __init__(self, runner: asyncio.Runner, workers: BotWorkers, kind: BotKind) -> None:
        self._runner = runner
        self._workers = workers
        self._kind = kind
        self._rounds: list[list[float]] = []

    def __call__(self, number: int) -> float:
        """Measure decisions a second."""
        times = self._runner.run(self._decide(positions_of_bots(number, POSITIONS, BASE[0])[:: EVERY[self._kind]]))
        self._rounds.append(times)
        return len(times) / sum(times)

    async def _decide(self, games: Sequence[Game]) -> list[float]:
        times = []
        for game in games:
            began = time.perf_counter()
            await self._workers.choose(self._kind, game)
            times.append(time.perf_counter() - began)
        return times

    def milliseconds(self, fraction: float) -> list[float]:
        """Return the time within which this fraction of the decisions came, for each round."""
        return [percentile(times, fraction) * 1000 for times in self._rounds[-ROUNDS:]]


def _decisions() -> Iterator[Result]:
    """Measure the time of a decision of each kind, from the question to the answer."""
    workers = BotWorkers(1, SECONDS)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        subjects = {kind: DecisionSubject(runner, workers, kind) for kind in EVERY}
        interleave("bots, decisions", *subjects.values())
        runner.run(workers.close())
    for kind, subject in subjects.items():
        name = f"a decision of {kind}" + (f" in {SECONDS:g} s" if kind == "planner" else "")
        slow, middle = subject.milliseconds(0.99), subject.milliseconds(0.5)
        yield compare(PART, f"{name}: p99", "ms", slow, beside="p50 of the same", theirs=middle)


# --- people's moves --------------------------------------------------------------------------------------------


def _people() -> Iterator[Result]:
    """Measure moves of many clients while bots play, each round with a server of its own."""
    alone, planners, fast = interleave(
        "bots, moves of people",
        partial(_moves_a_second, None),
        partial(_moves_a_second, "planner"),
        partial(_moves_a_second, "random"),
    )
    name, beside = f"moves, {MANY_CLIENTS} clients", "without bots"
    target = BESIDE_BOTS_AT_LEAST
    yield compare(
        PART, f"{name}, while planners think", "moves/s", planners, beside=beside, theirs=alone, at_least=target
    )
    yield compare(PART, f"{name}, while random bots play", "moves/s", fast, beside=beside, theirs=alone)


def _moves_a_second(bots: BotKind | None, _: int) -> float:
    """Measure moves of people, and make sure that bots have moved meanwhile if there are some."""
    with temporary_folder() as path, franchise_server(f"sqlite:///{path / 'games.sqlite'}") as server:
        tables = [_open_table_of(server, bots) for _ in range(TABLES)] if bots else []
        port, clients = prepare_moves(server, MANY_CLIENTS)()
        before = _versions(server, tables)
        rate = send(port, clients).rate
        if bots and _versions(server, tables) <= before:
            raise RuntimeError("no bot has moved")
    return rate


def _open_table_of(server: Server, bots: BotKind) -> str:
    opened = server.ask("POST", "/v1/games", {"seats": 4, "players": [{"bot": bots}] * 4})
    game: str = msgspec.json.decode(opened)["game"]["id"]
    return game


def _versions(server: Server, tables: list[str]) -> int:
    return sum(msgspec.json.decode(server.ask("GET", f"/v1/games/{game}"))["version"] for game in tables)
