"""The fixtures of every test."""

from hypothesis import settings

from tests.support.browser import browser, chromium, page
from tests.support.postgres import postgres_database_url, postgres_url

__all__ = ["browser", "chromium", "page", "postgres_database_url", "postgres_url"]

# How long one example takes says more about the machine than about the code.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
