"""A server that drains: it is not ready, and does everything else, until it stops."""

import signal
from pathlib import Path
from time import sleep

import httpx

from tests.api.people import People, problem
from tests.api.server import client_of, running

LONGEST = "600"


def anew(url: str) -> httpx.Client:
    """A client that comes by a new connection each time, so that any process answers."""
    return client_of(url, limits=httpx.Limits(max_keepalive_connections=0))


def test_after_sigterm_a_server_is_not_ready_and_does_everything_else(tmp_path: Path) -> None:
    with running(f"sqlite:///{tmp_path}/games.db", workers="2", drain=LONGEST) as server, anew(server.url) as client:
        table = People(client)
        table.play(3)
        assert client.get("/health/ready").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        refused = 0
        while refused < 20:  # in a row, so that both processes have heard of it
            refused = refused + 1 if client.get("/health/ready").status_code == 503 else 0
            sleep(0.02)
        problem(client.get("/health/ready"), 503, "stopping")
        assert client.get("/health/live").status_code == 200
        table.play(3)
        with client.stream("GET", f"{table.path}/stream") as stream:
            assert stream.status_code == 200
            next(stream.iter_raw())
            server.process.send_signal(signal.SIGTERM)  # once more changes nothing
            table.play(3)
        status, _ = server.stop(signal.SIGINT)  # which does not wait
    assert status in (0, -signal.SIGINT)
