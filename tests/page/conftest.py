"""The server of the tests of the page."""

from collections.abc import Iterator

import pytest
from httpx import Client

from tests.api.server import running


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of a server that all tests of the page share."""
    with running(bot_seconds="0.05", log_level="error") as server:  # nobody reads what it logs
        yield server.url


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    with Client(base_url=url) as client:
        yield client
