"""The fixtures of the tests of the API."""

from collections.abc import Iterator

import pytest
from httpx import Client

from tests.api.people import serving


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of a server that all tests of a file share, with the games of earlier tests."""
    with serving() as client:
        yield client


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A client of a new server without games."""
    with serving() as client:
        yield client
