"""Many changes of one game at the same time, from one service and from two."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from domain.actions import Resign
from domain.decide import legal_actions
from domain.modules import Action, GameOptions
from domain.store import Commit, GameService, LoadedGame, StaleVersion, commands, open_service
from domain.store.commands import Command, TableDecision
from tests.store.clients import NAMES, QUICK
from tests.support.soak import soak_factor


async def started(service: GameService, options: GameOptions = QUICK, players: int = 2) -> Commit:
    return await service.open_table(players, NAMES[:players], options)


async def resign(service: GameService, game: Commit, seat: int) -> Commit:
    return await service.change(game.id, commands.act(seat, Resign()))


@pytest.mark.parametrize("number", [1, 2])
def test_of_32_writers_on_one_game_one_wins_each_version(shared_url: str, number: int) -> None:
    """The others get ``StaleVersion`` and no other error."""

    async def wins(service: GameService, seen: LoadedGame) -> bool:
        command = commands.act(to_play(seen), legal(seen))
        try:
            await service.change(seen.id, command, expected_version=seen.version)
        except StaleVersion:
            return False
        return True

    async def run() -> None:
        async with AsyncExitStack() as stack:
            services = [await stack.enter_async_context(open_service(shared_url)) for _ in range(number)]
            for game in [await started(services[0]) for _ in range(soak_factor())]:
                for _ in range(5):
                    seen = await services[-1].load(game.id)
                    assert sum(await asyncio.gather(*(wins(services[n % number], seen) for n in range(32)))) == 1
                assert (await services[0].audit(game.id)).ok
                events = (await services[-1].events(game.id)).items
                assert sum(b'"type":"action_taken"' in event for event in events) == 5

    asyncio.run(run())


def to_play(loaded: LoadedGame) -> int:
    assert loaded.game is not None
    assert loaded.game.to_play is not None
    return loaded.game.to_play


def legal(loaded: LoadedGame) -> Action:
    assert loaded.game is not None
    return legal_actions(loaded.game)[0].action


def test_without_a_version_everybody_gets_their_turn(shared_url: str) -> None:
    """Players who resign at the same time from two processes all resign."""

    async def run() -> None:
        async with open_service(shared_url) as here, open_service(shared_url) as there:
            game = await started(here, players=5)
            services = (here, there, here, there)
            await asyncio.gather(*(resign(service, game, seat) for seat, service in enumerate(services)))
            loaded = await there.load(game.id)
            assert loaded.table.winners == (4,)
            assert (await here.load(game.id)).game == loaded.game
            assert (await here.audit(game.id)).ok

    asyncio.run(run())


def test_callers_who_leave_do_no_harm(database_url: str) -> None:
    async def run() -> None:
        async with open_service(database_url) as service:
            game = await started(service, players=5)
            leaving = [asyncio.create_task(resign(service, game, n)) for n in range(3)]
            await asyncio.sleep(0)
            for task in leaving:
                task.cancel()
            await asyncio.gather(*leaving, return_exceptions=True)
            await resign(service, game, 3)
            assert (await service.audit(game.id)).ok

    asyncio.run(run())


def test_a_decision_that_fails_leaves_everything_as_it_was(database_url: str) -> None:
    def fail(*_: object) -> TableDecision:
        raise ZeroDivisionError

    async def run() -> None:
        async with open_service(database_url) as service:
            game = await started(service)
            with pytest.raises(ZeroDivisionError):
                await service.change(game.id, fail)
            assert (await service.load(game.id)).version == game.version
            await resign(service, game, 0)

    asyncio.run(run())


TOKENS = (commands.renew_token(1), commands.renew_host_token("old"), commands.admit_spectator)


@pytest.mark.parametrize("command", TOKENS, ids=["seat", "host", "spectator"])
def test_no_token_is_given_out_for_a_version_that_another_service_has_left_behind(
    shared_url: str, command: Command
) -> None:
    """Also not to a spectator, for whom no event is stored that the database could refuse."""

    async def run() -> None:
        async with open_service(shared_url) as first, open_service(shared_url) as second:
            game = await started(first)
            await resign(second, game, 0)
            with pytest.raises(StaleVersion):
                await first.change(game.id, command, expected_version=game.version)
            assert all([await first.find_token(token) for token in game.tokens.values()])
            assert len((await first.events(game.id)).items) == (await second.load(game.id)).version

    asyncio.run(run())


def test_a_service_that_is_not_open_changes_nothing() -> None:
    service = open_service("memory:")
    with pytest.raises(AttributeError):
        asyncio.run(service.open_table(2, NAMES[:2], QUICK))
    assert asyncio.run(service.game_ids()) == []
