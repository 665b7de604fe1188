"""The server for the tests of the page."""

from collections.abc import Iterator
from time import monotonic

import pytest
from httpx import Client

from tests.api.people import People
from tests.api.server import STOPPED, client_of, running


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of a server that all tests of the page share."""
    with running(bot_seconds="0.05", log_level="error") as server:  # its log is not read
        with client_of(server.url) as client:
            until_bots_think(client)
        yield server.url


def until_bots_think(client: Client) -> None:
    """Wait until a process for bots has started, so that the first hint arrives in time on a busy machine."""
    game, until = People(client), monotonic() + STOPPED
    while game.get("/hint", game.host).status_code != 200:
        assert monotonic() < until


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    with client_of(url) as client:
        yield client
