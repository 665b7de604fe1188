"""The fixtures of the tests of the API."""

from collections.abc import Iterator

import pytest
from httpx import Client

from tests.api.people import serving


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of a server that the tests of a file share: it has the games of all that have run before."""
    with serving() as client:
        yield client


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A client of a server that was just started, with nothing stored."""
    with serving() as client:
        yield client
