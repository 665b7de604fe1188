"""Bots of several processes at once, some of which are killed or stopped."""

import asyncio
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest

from api.bots.runner import BotRunner
from api.bots.workers import BotWorkers
from domain.modules import ActionTaken, GameOptions
from domain.store import Commit, GameService, StaleVersion, open_service
from domain.table_facts import UndoAnswered
from tests.api import bot_processes
from tests.api.bot_processes import bot, until_beyond, until_finished
from tests.api.people import People
from tests.api.server import client_of, running
from tests.store.clients import Client, connected, opened_database
from tests.support.soak import soak_factor

KILLS = 3 * soak_factor()
BOTS = [bot("greedy"), bot("random"), bot("planner")]


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind that several processes can share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.db'}"
    url: str = request.getfixturevalue("postgres_database_url")
    return url


def waiting_games(url: str) -> int:
    """The number of games stored as waiting for a bot."""
    with opened_database(url) as database:
        ((number,),) = database.select(("SELECT COUNT(*) FROM bot_games", ()))
    return int(number)


def decisions(client: Client, games: list[UUID]) -> int:
    """Audit games that only bots play, and return the number of decisions."""
    assert all(client.audit(game).ok for game in games)
    facts = (event.fact for game in games for event in client.recorded(game))
    return sum(isinstance(fact, ActionTaken | UndoAnswered) for fact in facts)


def kill(processes: list[BaseProcess]) -> None:
    """Kill processes at once, like `kill -9`, and wait until they have ended."""
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def test_games_go_on_although_processes_are_killed(shared_url: str) -> None:
    random, games = Random(0), list[UUID]()
    with connected(shared_url) as client:
        playing = [bot_processes.start(shared_url) for _ in range(2)]
        for number in range(KILLS):
            games.append(client.open_table(3, BOTS, GameOptions(seed=number)).id)
            client.wait(until_beyond(client.service, games[-1], random.randrange(20, 200)))
            killed = playing if number % 3 == 2 else [random.choice(playing)]
            kill(killed)
            playing = [process for process in playing if process not in killed]
            playing += [bot_processes.start(shared_url) for _ in killed]
        for game in games:
            client.wait(until_finished(client.service, game))
        kill(playing)
        assert decisions(client, games) > 0
        assert waiting_games(shared_url) == 0
        with connected(shared_url) as new:
            for game in games:
                assert new.load(game).game == client.load(game).game, "folded again from all events"


class ExpiredLeases(BotWorkers):
    """Bot workers whose leases expire at once, so that every process thinks about every game."""

    @property
    def longest(self) -> float:
        return -bot_processes.LONG


@pytest.fixture
def rivals(shared_url: str) -> Iterator[Client]:
    with connected(shared_url) as client:
        yield client


def test_no_bot_moves_twice_although_every_process_thinks_for_it(
    shared_url: str, rivals: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, late, change = list[tuple[UUID, int]](), list[UUID](), GameService.change

    async def recording(service: GameService, game: UUID, *command: Any, expected_version: int) -> Commit:
        """Change a game, and record the version of the decision; at another version it must be refused."""
        try:
            commit = await change(service, game, *command, expected_version=expected_version)
        except StaleVersion:
            late.append(game)
            raise
        assert commit.before == expected_version
        stored.append((game, expected_version))
        return commit

    async def scene(games: list[UUID]) -> None:
        async with open_service(shared_url) as other:
            monkeypatch.setattr(GameService, "change", recording)
            async with (
                BotRunner(rivals.service, ExpiredLeases(1, 0.02)),
                BotRunner(other, ExpiredLeases(1, 0.02)),
            ):
                for game in games:
                    await until_finished(rivals.service, game)

    games = [rivals.open_table(3, BOTS, GameOptions(seed=seed)).id for seed in range(2)]
    rivals.wait(asyncio.wait_for(scene(games), 10 * bot_processes.LONG))
    assert decisions(rivals, games) == len(stored) == len(set(stored))
    assert late
    assert waiting_games(shared_url) == 0


def test_a_server_stops_while_bots_think_and_the_next_one_continues(shared_url: str) -> None:
    with running(shared_url) as server, client_of(server.url) as client:
        table = People(client, seats=4, bots=["planner"] * 4)
        assert table.wait_beyond(table.version) > 0
        status, logged = server.stop()
    assert status == 0
    assert "error" not in logged
    with connected(shared_url) as store:
        stopped = store.load(UUID(table.id))
        assert stopped.table.status == "playing"
    with running(shared_url) as server, client_of(server.url) as client:
        table.client = client
        assert table.wait_beyond(stopped.version) > stopped.version
