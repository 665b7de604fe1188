"""The fixtures of all tests."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from api.http.log import flush_log
from tests.api.server import Server, running
from tests.support.browser import browser, chromium, page
from tests.support.logged import WRITTEN
from tests.support.postgres import postgres_database_url, postgres_reused_url, postgres_url

__all__ = ["browser", "chromium", "page", "postgres_database_url", "postgres_reused_url", "postgres_url"]

# The time of an example depends on the machine.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

SLOW = ("soak", "page", "repository", "api")

MEMORY = Path("/dev/shm")
ROOM = 2 * 1024**3


def pytest_configure() -> None:
    """Keep the files of tests in memory if there is room, since no test must survive a power loss."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and _can_run_programs(MEMORY):
        tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the folders whose tests wait for servers and browsers, so that they do not run alone at the end."""
    items.sort(key=lambda item: item.path.parent.name not in SLOW)


def _can_run_programs(folder: Path) -> bool:
    executable = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return executable and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > ROOM


@pytest.fixture(scope="session")
def shared_server() -> Iterator[Server]:
    """A server for tests without special settings, with the games of earlier tests and a heartbeat every second."""
    with running(heartbeat="1", log_level="error") as server:
        yield server


@pytest.fixture(autouse=True)
def _flushed_log() -> Iterator[None]:
    """Write the log of a test before the next one starts."""
    yield
    flush_log(WRITTEN)
