"""The fixtures of the tests of the repository."""

from collections.abc import Iterator

import pytest
from httpx import Client

from tests.api.server import Server, client_of


@pytest.fixture
def client(shared_server: Server) -> Iterator[Client]:
    with client_of(shared_server.url) as client:
        yield client
