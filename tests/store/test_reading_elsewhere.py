"""A second process on the same database: it never sees less than what was acknowledged before it was asked."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from uuid import UUID

from domain.decide import legal_actions
from domain.modules import GameOptions
from domain.store import GameService, commands, open_service
from tests.store.clients import connected, opened_database

GAMES, MOVES = 50, 200


async def _serve(url: str, there: socket.socket) -> None:
    """Answer each line, the id of a game, with the id and the version at which it is seen, many at a time."""
    async with open_service(url) as service:
        lines, answers = await asyncio.open_connection(sock=there)

        async def look(game: str) -> None:
            loaded = await service.load(UUID(game))
            answers.write(f"{game} {loaded.version}\n".encode())

        async with asyncio.TaskGroup() as looking:
            while line := await lines.readline():
                looking.create_task(look(line.decode().strip()))


def _run(url: str, there: socket.socket) -> None:
    asyncio.run(_serve(url, there))


async def move_or_undo(service: GameService, game: UUID, number: int) -> int:
    """Move, and every second time take it back; return the version after that."""
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
    process = get_context("spawn").Process(target=_run, args=(url, there))
    process.start()
    there.close()
    with here:
        yield here
    process.join(20)
    assert process.exitcode == 0


def test_nobody_sees_less_elsewhere_than_was_acknowledged(shared_url: str) -> None:
    with connected(shared_url) as client, reading_process(shared_url) as reader:
        games = [client.started(players=2).id for _ in range(GAMES)]
        seen: list[tuple[int, int]] = []

        async def scene() -> None:
            lines, questions = await asyncio.open_connection(sock=reader)
            asked: dict[str, asyncio.Future[int]] = {}

            async def answers() -> None:
                while line := await lines.readline():
                    game, version = line.decode().split()
                    asked[game].set_result(int(version))

            async def play(game: UUID) -> None:
                for number in range(MOVES):
                    written = await move_or_undo(client.service, game, number)
                    asked[str(game)] = asyncio.get_running_loop().create_future()
                    questions.write(f"{game}\n".encode())
                    seen.append((written, await asked[str(game)]))

            reading = asyncio.create_task(answers())
            await asyncio.gather(*map(play, games))
            reading.cancel()
            questions.close()

        client.wait(scene())
        assert len(seen) == GAMES * MOVES
        assert all(written == there for written, there in seen)


def test_a_note_that_somebody_has_set_back_hides_nothing_from_who_knows_it(shared_url: str) -> None:
    with connected(shared_url) as one, connected(shared_url) as other, opened_database(shared_url) as database:
        game = one.started().id
        known = other.load(game)
        newest = one.play(game, 3)
        set_back = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
        database.append([], [(set_back, (known.version, known.digest, game.hex))])
        assert other.load(game).version == newest.version
        assert other.play(game, 1).version > newest.version


def test_a_move_on_what_is_old_elsewhere_is_decided_again_although_the_note_was_set_back(shared_url: str) -> None:
    with connected(shared_url) as one, connected(shared_url) as other, opened_database(shared_url) as database:
        game = one.started(GameOptions(seed=7, undo="free")).id
        known = other.load(game)
        newest = one.play(game, 3)
        set_back = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
        database.append([], [(set_back, (known.version, known.digest, game.hex))])
        undone = other.change(game, commands.undo(None))
        assert undone.before == newest.version
