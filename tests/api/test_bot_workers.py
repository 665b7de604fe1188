"""Bot workers: processes that choose moves, and that are replaced when they fail."""

import asyncio
import os
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from subprocess import PIPE, Popen
from typing import Any
from uuid import UUID

import pytest

from api.bots.requests import Request, read_request, write_request
from api.bots.runner import TRIES, BotRunner
from api.bots.thinking import NICENESS
from api.bots.workers import THINKING, BotWorkers, WorkerFailed
from domain.decide import decide, legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action, ActionTaken, GameOptions
from domain.store import Commit
from tests.api.bot_processes import bot, until_beyond
from tests.api.failing_bots import FAILURES
from tests.store.clients import ALL_MODULES, Client, connected

BROKEN = sys.executable, "-c", "raise SystemExit"


def failing(**bots: str) -> tuple[str, ...]:
    """The command of a worker in which these bots fail."""
    return sys.executable, "-m", "tests.api.failing_bots", *(f"{bot}={way}" for bot, way in bots.items())


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait only a short time for bots that never decide, and retry soon."""
    monkeypatch.setattr("api.bots.workers.GRACE_SECONDS", 4)
    monkeypatch.setattr("api.bots.runner.POLL_SECONDS", 0.01)


@pytest.fixture
def client() -> Iterator[Client]:
    with connected("memory:") as client:
        yield client


def games(client: Client) -> Iterator[Game]:
    for options in (GameOptions(seed=1), ALL_MODULES):
        started = client.started(options, players=3)
        for steps in range(0, 60, 20):
            game = client.play(started.id, steps).game
            assert game is not None
            yield game


def test_a_game_is_received_as_it_was_sent(client: Client) -> None:
    for game in games(client):
        sent = Request("greedy", game, 0.5)
        received = read_request(BytesIO(write_request(sent)))
        assert received == sent
        assert received.game.board is game.board


async def chosen(workers: BotWorkers, game: Game, *kinds: BotKind) -> list[Action]:
    try:
        return [await workers.choose(kind, game) for kind in kinds]
    finally:
        await workers.close()


def test_every_kind_of_bot_decides_in_a_worker(client: Client) -> None:
    for game in games(client):
        actions = client.wait(chosen(BotWorkers(1, 0.02), game, "random", "greedy", "planner"))
        assert {legal.action for legal in legal_actions(game)} >= set(actions)


@pytest.mark.parametrize("way", FAILURES)
def test_the_greedy_bot_decides_for_a_failing_one(client: Client, way: str) -> None:
    for game in islice(games(client), 2):
        actions = client.wait(chosen(BotWorkers(1, 0.02, failing(planner=way)), game, "planner", "greedy"))
        assert {legal.action for legal in legal_actions(game)} >= set(actions)


def test_a_worker_that_never_responds_fails(client: Client) -> None:
    with pytest.raises(WorkerFailed):
        client.wait(chosen(BotWorkers(1, 0.02, BROKEN), next(games(client)), "greedy"))


def test_stopped_workers_fail_at_once(client: Client) -> None:
    async def scene(game: Game) -> None:
        workers = BotWorkers(1, 3600, failing(planner="never_decides"))
        asked = [asyncio.create_task(workers.choose("planner", game)) for _ in range(2)]
        await asyncio.sleep(0)
        workers.stop()
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(result) for result in results] == [WorkerFailed] * 2
        await workers.close()

    client.wait(scene(next(games(client))))


def test_workers_run_at_a_lower_priority_than_the_server(client: Client) -> None:
    with Popen(THINKING, stdin=PIPE, stdout=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(write_request(Request("random", next(games(client)), 0.02)))
        process.stdin.flush()
        assert process.stdout.readline()
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(19, os.nice(0) + NICENESS)
        process.stdin.close()


def test_a_worker_ends_silently_when_its_output_is_closed(client: Client) -> None:
    request = write_request(Request("greedy", next(games(client)), 0.02))
    with Popen(THINKING, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(request)
    assert (process.returncode, errors) == (0, b"")


def played(
    client: Client, workers: BotWorkers, events: int, caplog: pytest.LogCaptureFixture
) -> tuple[Commit, list[dict[str, Any]]]:
    """Open a table of two bots and wait for events; return the commit of the opening, and the logged errors."""

    async def scene(game: UUID) -> None:
        async with BotRunner(client.service, workers):
            await until_beyond(client.service, game, opened.version + events - 1)

    opened = client.open_table(2, [bot("greedy"), bot("random")], GameOptions(seed=1))
    client.wait(scene(opened.id))
    assert client.audit(opened.id).ok
    return opened, [vars(record)["facts"] for record in caplog.records if record.name == "franchise"]


def test_a_game_goes_on_although_a_bot_dies_at_every_move(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    _, wrong = played(client, BotWorkers(1, 0.02, failing(random="dies")), 60, caplog)
    assert not wrong


@pytest.mark.parametrize(("way", "events"), [("raises", 1), ("cheats", 60)])
def test_the_first_legal_action_is_played_after_three_failures_and_logged_once(
    client: Client, way: str, events: int, caplog: pytest.LogCaptureFixture
) -> None:
    opened, wrong = played(client, BotWorkers(1, 0.02, failing(greedy=way, random=way)), events, caplog)
    game, recorded = opened.loaded.game, client.recorded(opened.id)
    actions = [(each.version, each.fact.action) for each in recorded if isinstance(each.fact, ActionTaken)]
    assert [line["version"] for line in wrong] == [version - 1 for version, _ in actions]
    for _, action in actions:
        assert game is not None
        assert action == legal_actions(game)[0].action
        game = decide(game, action).game


class Unlucky(BotWorkers):
    """Workers that fail twice, and then work."""

    failures = 0

    async def choose(self, bot: BotKind, game: Game) -> Action:
        self.failures += 1
        if self.failures < TRIES:
            raise WorkerFailed
        return await super().choose(bot, game)


def test_a_bot_that_fails_twice_is_tried_again(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    workers = Unlucky(1, 0.02)
    _, wrong = played(client, workers, 1, caplog)
    assert workers.failures >= TRIES
    assert not wrong
