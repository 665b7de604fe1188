"""Many processes at once, processes that are killed, and a database that goes away and comes back."""

import time
from random import Random
from uuid import UUID

from domain.application import Games, open_games
from tests.domain.application import players
from tests.domain.application.players import Told
from tests.domain.application.tables import visiting
from tests.support.postgres import stoppable_server

KILLS = 30
FOR_EVER = 10**9


def check_nothing_is_lost(games: Games, told: list[Told]) -> None:
    """Every game that was told of is whole, and has come at least as far as was told."""
    furthest: dict[str, int] = {}
    for game, version in told:
        furthest[game] = max(version, furthest.get(game, 0))
    for game, version in furthest.items():
        seen, audit = games.look(UUID(game)).version, games.audit(UUID(game))
        while (now := games.look(UUID(game)).version) != seen:  # a server still stores what a killed process has sent
            seen, audit = now, games.audit(UUID(game))
        assert audit.ok, audit
        assert audit.events == seen >= version


def test_64_games_and_some_that_are_shared_from_four_processes(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        common = [visitor.started(players=4).id for _ in range(3)]
    started = [players.start(shared_url, number, 16, 12, common) for number in range(4)]
    told = [message for _, connection in started for message in players.heard(connection)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 4
    with open_games(shared_url) as games:
        assert len(games.ids()) == 64 + len(common)
        assert {game for game, _ in told} == {str(game) for game in games.ids()}
        assert len(told) == len(set(told)), "a version was won twice"
        check_nothing_is_lost(games, told)


def test_a_killed_process_loses_no_acknowledged_move(shared_url: str) -> None:
    random = Random(0)
    acknowledged = 0
    with open_games(shared_url, games_held=1000) as games:
        for number in range(KILLS):
            process, connection = players.start(shared_url, number, 8, FOR_EVER)
            first = connection.recv()
            time.sleep(random.random() * 0.12)
            process.kill()
            told = [first, *players.heard(connection)]
            process.join()
            acknowledged += len(told)
            check_nothing_is_lost(games, told)
        assert all(games.audit(game).ok for game in games.ids())
    assert acknowledged > KILLS * 8


def test_a_database_that_goes_away_and_comes_back_loses_nothing() -> None:
    """In between, whoever wants something is told so; then everything goes on by itself."""
    with stoppable_server() as server:
        process, connection = players.start(server.url, 1, 4, FOR_EVER)
        told = [connection.recv() for _ in range(4)]
        for _ in range(3):
            server.stop()
            told += players.hear(connection, away=True)
            server.start()
            told += players.hear(connection, away=False)
        process.kill()
        told += players.heard(connection)
        process.join()
        with open_games(server.url) as games:
            check_nothing_is_lost(games, [message for message in told if message != players.AWAY])
