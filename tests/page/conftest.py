"""The server of the tests of the page."""

from collections.abc import Iterator
from time import monotonic

import pytest
from httpx import Client

from tests.api.people import People
from tests.api.server import STOPPED, client_of, running


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of a server that all tests of the page share."""
    with running(bot_seconds="0.05", log_level="error") as server:  # nobody reads what it logs
        with client_of(server.url) as client:
            until_bots_think(client)
        yield server.url


def until_bots_think(client: Client) -> None:
    """Wait for the process that thinks: on a busy machine it may not start in time for the first hint."""
    game, until = People(client), monotonic() + STOPPED
    while game.get("/hint").status_code != 200:
        assert monotonic() < until


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    with client_of(url) as client:
        yield client
