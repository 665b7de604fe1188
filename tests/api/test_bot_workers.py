"""The processes that think: they get a game as it is, and one that fails is replaced."""

import asyncio
import sys
from collections.abc import Iterator
from io import BytesIO
from uuid import UUID

import pytest

from api.bots.requests import Request, read_request, write_request
from api.bots.runner import BotRunner
from api.bots.workers import BotWorkers, WorkerFailed
from api.http.request_log import open_log
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action, Options
from tests.api.bot_processes import bot, until_beyond
from tests.store.clients import ALL_MODULES, Client, connected

FAILING = sys.executable, "-m", "tests.api.failing_bots"
BROKEN = sys.executable, "-c", "raise SystemExit"
KINDS: tuple[BotKind, ...] = ("random", "planner")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less long for those who never decide; what works has long decided by then."""
    monkeypatch.setattr("api.bots.workers.GRACE_SECONDS", 1)


@pytest.fixture
def client() -> Iterator[Client]:
    with connected("memory:") as client:
        yield client


def games(client: Client) -> Iterator[Game]:
    for options in (Options(seed=1), ALL_MODULES):
        started = client.started(options, players=3)
        for steps in range(0, 60, 20):
            game = client.play(started.id, steps).game
            assert game is not None
            yield game


def test_a_game_arrives_as_it_was_sent(client: Client) -> None:
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


def test_every_bot_decides_in_a_process_of_its_own(client: Client) -> None:
    for game in games(client):
        actions = client.wait(chosen(BotWorkers(1, 0.02), game, "random", "greedy", "planner"))
        assert {legal.action for legal in legal_actions(game)} >= set(actions)


@pytest.mark.parametrize("kind", KINDS)
def test_the_greedy_bot_decides_for_one_whose_process_dies_or_is_late(client: Client, kind: BotKind) -> None:
    game = next(games(client))
    actions = client.wait(chosen(BotWorkers(1, 0.02, FAILING), game, kind, "greedy"))
    assert {legal.action for legal in legal_actions(game)} >= set(actions)


def test_who_never_answers_at_all_is_given_up(client: Client) -> None:
    with pytest.raises(WorkerFailed):
        client.wait(chosen(BotWorkers(1, 0.02, BROKEN), next(games(client)), "greedy"))


def test_who_is_stopped_while_thinking_fails_at_once(client: Client) -> None:
    async def scene(game: Game) -> None:
        workers = BotWorkers(1, 3600, FAILING)
        asked = [asyncio.create_task(workers.choose("planner", game)) for _ in range(2)]
        await asyncio.sleep(0)
        workers.stop()
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(result) for result in results] == [WorkerFailed] * 2
        await workers.close()

    client.wait(scene(next(games(client))))


def test_a_game_goes_on_although_a_bot_dies_at_each_of_its_moves(client: Client) -> None:
    async def scene(game: UUID) -> None:
        async with BotRunner(client.service, BotWorkers(1, 0.02, FAILING), open_log("error")):
            await until_beyond(client.service, game, 60)

    game = client.open_table(2, [bot("greedy"), bot("random")], Options(seed=1)).id
    client.wait(scene(game))
    assert client.audit(game).ok
