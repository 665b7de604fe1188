"""The fixtures of every test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from api.http.log import flush_log
from tests.support.browser import browser, chromium, page
from tests.support.logged import WRITTEN
from tests.support.postgres import postgres_database_url, postgres_url

__all__ = ["browser", "chromium", "page", "postgres_database_url", "postgres_url"]

# How long one example takes says more about the machine than about the code.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def log_in_time() -> Iterator[None]:
    """Let what a test logs be written before the next one begins."""
    yield
    flush_log(WRITTEN)
