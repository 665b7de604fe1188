"""Many processes at once, processes that are killed, and a database that goes away and comes back."""

import time
from random import Random
from uuid import UUID

from tests.store import processes
from tests.store.clients import Client, connected
from tests.store.processes import Acknowledged
from tests.support.postgres import stoppable_server
from tests.support.soak import soak_factor

KILLS = 10 * soak_factor()
FOR_EVER = 10**9


def check_nothing_is_lost(client: Client, acknowledged: list[Acknowledged]) -> None:
    """Every game is whole, and has come at least as far as was acknowledged."""
    furthest: dict[str, int] = {}
    for game, version in acknowledged:
        furthest[game] = max(version, furthest.get(game, 0))
    for game, version in furthest.items():
        seen, audit = client.load(UUID(game)).version, client.audit(UUID(game))
        while (now := client.load(UUID(game)).version) != seen:  # a server still stores what a killed process has sent
            seen, audit = now, client.audit(UUID(game))
        assert audit.ok, audit
        assert audit.events == seen >= version


def test_64_games_and_some_that_are_shared_from_four_processes(shared_url: str) -> None:
    with connected(shared_url) as client:
        common = [client.started(players=4).id for _ in range(3)]
    started = [processes.start(shared_url, number, 16, 12, common) for number in range(4)]
    acknowledged = [message for _, receiver in started for message in processes.receive_all(receiver)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 4
    with connected(shared_url) as client:
        ids = client.wait(client.service.game_ids())
        assert len(ids) == 64 + len(common)
        assert {game for game, _ in acknowledged} == {str(game) for game in ids}
        assert len(acknowledged) == len(set(acknowledged)), "a version was won twice"
        check_nothing_is_lost(client, acknowledged)


def test_a_killed_process_loses_no_acknowledged_move(shared_url: str) -> None:
    random = Random(0)
    number_acknowledged = 0
    with connected(shared_url) as client:
        for number in range(KILLS):
            process, receiver = processes.start(shared_url, number, 8, FOR_EVER)
            first = receiver.recv()
            time.sleep(random.random() * 0.12)
            process.kill()
            acknowledged = [first, *processes.receive_all(receiver)]
            process.join()
            number_acknowledged += len(acknowledged)
            check_nothing_is_lost(client, acknowledged)
        assert all(client.audit(game).ok for game in client.wait(client.service.game_ids()))
    assert number_acknowledged > KILLS


def test_a_database_that_goes_away_and_comes_back_loses_nothing() -> None:
    """In between every request fails with ``StorageUnavailable``; then everything goes on by itself."""
    with stoppable_server() as server:
        process, receiver = processes.start(server.url, 1, 4, FOR_EVER)
        acknowledged = [receiver.recv() for _ in range(4)]
        for _ in range(3):
            server.stop()
            acknowledged += processes.receive_until(receiver, away=True)
            server.start()
            acknowledged += processes.receive_until(receiver, away=False)
        process.kill()
        acknowledged += processes.receive_all(receiver)
        process.join()
        with connected(server.url) as client:
            check_nothing_is_lost(client, [message for message in acknowledged if message != processes.AWAY])
