"""The fixtures of every test."""

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

# How long one example takes says more about the machine than about the code.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

SLOW = ("soak", "page", "repository", "api")

MEMORY = Path("/dev/shm")
ROOM = 2 * 1024**3


def pytest_configure() -> None:
    """Keep the files of tests in memory, unless there is no room: no test has to survive a power loss."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and _takes_programs(MEMORY):
        tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders whose tests wait for servers and browsers, so that no process is left with them alone."""
    items.sort(key=lambda item: item.path.parent.name not in SLOW)


def _takes_programs(folder: Path) -> bool:
    runs_them = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return runs_them and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > ROOM


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
