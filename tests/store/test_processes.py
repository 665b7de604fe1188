"""Several processes on one database, and many changes at once: no change is lost, applied twice, or seen too late."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from random import Random
from uuid import UUID

import pytest

from domain.actions import Resign
from domain.decide import legal_actions
from domain.modules import Action, GameOptions
from domain.store import Commit, GameService, Limits, LoadedGame, StaleVersion, commands, open_service
from domain.store.commands import Command, TableDecision
from domain.store.database import LiveDatabase
from tests.store import processes
from tests.store.clients import NAMES, QUICK, Client, connected
from tests.store.processes import LONG, UNTIL_KILLED, Acknowledged
from tests.support.postgres import stoppable_server
from tests.support.soak import soak_factor
from tests.support.waiting import PATIENCE

KILLS = 5 * soak_factor()


def check_nothing_is_lost(client: Client, acknowledged: list[Acknowledged]) -> None:
    """Every game passes its audit and has at least the acknowledged version."""
    furthest: dict[str, int] = {}
    for game, version in acknowledged:
        furthest[game] = max(version, furthest.get(game, 0))
    for game, version in furthest.items():
        seen, audit = client.load(UUID(game)).version, client.audit(UUID(game))
        while (now := client.load(UUID(game)).version) != seen:  # the server still stores the last request
            seen, audit = now, client.audit(UUID(game))
        assert audit.ok, audit
        assert audit.events == seen >= version


def test_four_processes_play_64_games_and_three_common_ones(database_url: str) -> None:
    with connected(database_url) as client:
        common = [client.started(players=4).id for _ in range(3)]
    started = [processes.start(database_url, number, 16, 5, common) for number in range(4)]
    acknowledged = [message for _, receiver in started for message in processes.receive_all(receiver)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 4
    with connected(database_url) as client:
        ids = client.game_ids()
        assert len(ids) == 64 + len(common)
        assert {game for game, _ in acknowledged} == {str(game) for game in ids}
        assert len(acknowledged) == len(set(acknowledged)), "a version was won twice"
        check_nothing_is_lost(client, acknowledged)


def test_a_killed_process_loses_no_acknowledged_move(database_url: str) -> None:
    random = Random(0)
    with connected(database_url) as client:
        for number in range(KILLS):
            process, receiver = processes.start(database_url, number, 8, UNTIL_KILLED)
            acknowledged = [receiver.recv() for _ in range(random.randint(1, 60))]
            process.kill()
            acknowledged += processes.receive_all(receiver)
            process.join()
            check_nothing_is_lost(client, acknowledged)
        assert all(client.audit(game).ok for game in client.game_ids())


def test_an_outage_of_the_database_loses_nothing() -> None:
    """During the outage every request fails with ``StorageUnavailable``."""
    with stoppable_server() as server:
        process, receiver = processes.start(server.url, 1, 4, UNTIL_KILLED)
        acknowledged = [receiver.recv() for _ in range(4)]
        for _ in range(2):
            server.stop()
            acknowledged += processes.receive_until(receiver, away=True)
            server.start()
            acknowledged += processes.receive_until(receiver, away=False)
        process.kill()
        acknowledged += processes.receive_all(receiver)
        process.join()
        with connected(server.url) as client:
            check_nothing_is_lost(client, [message for message in acknowledged if message != processes.AWAY])


UNHURRIED = Limits(database_timeout=PATIENCE)
"""A busy machine may keep a writer waiting for longer than a server would allow."""

# --- one game --------------------------------------------------------------------------------------------------------


async def started(service: GameService, options: GameOptions = QUICK, players: int = 2) -> Commit:
    return await service.open_table(players, NAMES[:players], options)


async def resign(service: GameService, game: Commit, seat: int) -> Commit:
    return await service.change(game.id, commands.act(seat, Resign()))


@pytest.mark.parametrize("number", [1, 2])
def test_one_of_32_writers_wins_each_version_of_a_game(database_url: str, number: int) -> None:
    """The others get ``StaleVersion``."""

    async def wins(service: GameService, seen: LoadedGame) -> bool:
        command = commands.act(to_play(seen), legal(seen))
        try:
            await service.change(seen.id, command, expected_version=seen.version)
        except StaleVersion:
            return False
        return True

    async def run() -> None:
        async with AsyncExitStack() as stack:
            services = [
                await stack.enter_async_context(open_service(database_url, limits=UNHURRIED)) for _ in range(number)
            ]
            for game in [await started(services[0]) for _ in range(soak_factor())]:
                for _ in range(5):
                    seen = await services[-1].load(game.id)
                    assert sum(await asyncio.gather(*(wins(services[n % number], seen) for n in range(32)))) == 1
                assert (await services[0].archive.audit(game.id)).ok
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


def test_writers_without_a_version_all_succeed(database_url: str) -> None:
    """Players who resign at the same time from two processes all resign."""

    async def run() -> None:
        async with (
            open_service(database_url, limits=UNHURRIED) as here,
            open_service(database_url, limits=UNHURRIED) as there,
        ):
            game = await started(here, players=5)
            services = (here, there, here, there)
            await asyncio.gather(*(resign(service, game, seat) for seat, service in enumerate(services)))
            loaded = await there.load(game.id)
            assert loaded.table.winners == (4,)
            assert (await here.load(game.id)).game == loaded.game
            assert (await here.archive.audit(game.id)).ok

    asyncio.run(run())


def test_cancelled_callers_do_no_harm(database_url: str) -> None:
    async def run() -> None:
        async with open_service(database_url, limits=UNHURRIED) as service:
            game = await started(service, players=5)
            leaving = [asyncio.create_task(resign(service, game, n)) for n in range(3)]
            await asyncio.sleep(0)
            for task in leaving:
                task.cancel()
            await asyncio.gather(*leaving, return_exceptions=True)
            await resign(service, game, 3)
            assert (await service.archive.audit(game.id)).ok

    asyncio.run(run())


def test_a_failing_decision_changes_nothing(memory: Client) -> None:
    def fail(*_: object) -> TableDecision:
        raise ZeroDivisionError

    game = memory.started()
    with pytest.raises(ZeroDivisionError):
        memory.change(game.id, fail)
    assert memory.load(game.id).version == game.version
    memory.change(game.id, commands.act(0, Resign()))


TOKENS = (commands.renew_token(1), commands.renew_token(None, token="old"), commands.admit_spectator)


@pytest.mark.parametrize("command", TOKENS, ids=["seat", "host", "spectator"])
def test_no_token_is_issued_for_a_version_that_is_stale_elsewhere(database_url: str, command: Command) -> None:
    """Also for spectators, for whom no event is stored that could conflict."""

    async def run() -> None:
        async with (
            open_service(database_url, limits=UNHURRIED) as first,
            open_service(database_url, limits=UNHURRIED) as second,
        ):
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
    assert asyncio.run(service.archive.game_ids()) == []


# --- reads -----------------------------------------------------------------------------------------------------------

GAMES, MOVES = 50, 20 * soak_factor()


async def reply_with_versions(url: str, there: socket.socket) -> None:
    """Reply to each line, the id of a game, with the id and the version found, many at a time."""
    async with open_service(url) as service:
        lines, replies = await asyncio.open_connection(sock=there)

        async def look(game: str) -> None:
            loaded = await service.load(UUID(game))
            replies.write(f"{game} {loaded.version}\n".encode())

        async with asyncio.TaskGroup() as looking:
            while line := await lines.readline():
                looking.create_task(look(line.decode().strip()))


def read_games(url: str, there: socket.socket) -> None:
    asyncio.run(reply_with_versions(url, there))


async def move_or_undo(service: GameService, game: UUID, number: int) -> int:
    """Move, or every second time undo; return the new version."""
    playing = (await service.load(game)).game
    assert playing is not None
    assert playing.to_play is not None
    action = legal_actions(playing)[0].action
    command = commands.undo(None) if number % 2 else commands.act(playing.to_play, action)
    return (await service.change(game, command)).version


@contextmanager
def reading_process(url: str) -> Iterator[socket.socket]:
    """Start a process that reads games, and stop it."""
    here, there = socket.socketpair()
    process = processes.run(read_games, url, there)
    there.close()
    with here:
        yield here
    process.join(LONG)
    assert process.exitcode == 0


def test_other_processes_see_every_acknowledged_change(database_url: str) -> None:
    with connected(database_url) as client, reading_process(database_url) as reader:
        games = [client.started(players=2).id for _ in range(GAMES)]
        seen: list[tuple[int, int]] = []

        async def scene() -> None:
            lines, questions = await asyncio.open_connection(sock=reader)
            asked: dict[str, asyncio.Future[int]] = {}

            async def read_replies() -> None:
                while line := await lines.readline():
                    game, version = line.decode().split()
                    asked[game].set_result(int(version))

            async def play(game: UUID) -> None:
                for number in range(MOVES):
                    written = await move_or_undo(client.service, game, number)
                    asked[str(game)] = asyncio.get_running_loop().create_future()
                    questions.write(f"{game}\n".encode())
                    seen.append((written, await asked[str(game)]))

            reading = asyncio.create_task(read_replies())
            await asyncio.gather(*map(play, games))
            reading.cancel()
            questions.close()

        client.wait(scene())
        assert len(seen) == GAMES * MOVES
        assert all(written == there for written, there in seen)


def test_a_head_that_was_set_back_hides_no_event(database_url: str, database: LiveDatabase) -> None:
    with connected(database_url) as one, connected(database_url) as other:
        game = one.started().id
        known = other.load(game)
        newest = one.play(game, 3)
        set_back = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
        database.append([], [(set_back, (known.version, known.digest, game.hex))])
        assert other.load(game).version == newest.version
        assert other.play(game, 1).version > newest.version


def test_a_stale_decision_is_repeated_although_the_head_was_set_back(database_url: str, database: LiveDatabase) -> None:
    with connected(database_url) as one, connected(database_url) as other:
        game = one.started(GameOptions(seed=7, undo="free")).id
        known = other.load(game)
        newest = one.play(game, 3)
        set_back = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
        database.append([], [(set_back, (known.version, known.digest, game.hex))])
        undone = other.change(game, commands.undo(None))
        assert undone.before == newest.version
