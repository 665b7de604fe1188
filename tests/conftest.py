"""The fixtures of every test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from api.http.log import flush_log
from tests.api.server import Server, running
from tests.support.browser import browser, chromium, page
from tests.support.logged import WRITTEN
from tests.support.postgres import postgres_database_url, postgres_url

__all__ = ["browser", "chromium", "page", "postgres_database_url", "postgres_url"]

# How long one example takes says more about the machine than about the code.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shared_server() -> Iterator[Server]:
    """A server that tests without settings of their own share: it has the games of all that have run before.

    Its streams say every second that they go on.
    """
    with running(heartbeat="1", log_level="error") as server:
        yield server


@pytest.fixture(autouse=True)
def log_in_time() -> Iterator[None]:
    """Let what a test logs be written before the next one begins."""
    yield
    flush_log(WRITTEN)
