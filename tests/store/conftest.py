"""The databases on which the store must behave the same."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.store.database import LiveDatabase
from tests.store.clients import Client, Run, connected, database_statements, opened_database, timestamp


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'games.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind that several processes can share."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_database_url")
    return url


@pytest.fixture
def client(database_url: str) -> Iterator[Client]:
    """A client of a service on an empty database."""
    with connected(database_url) as client:
        yield client


@pytest.fixture
def database(database_url: str) -> Iterator[LiveDatabase]:
    """The database itself, without a service."""
    with opened_database(database_url) as database:
        yield database


@pytest.fixture
def run(database_url: str) -> Iterator[Run]:
    """Run statements on the database, past the services."""
    with database_statements(database_url) as run:
        yield run


@pytest.fixture
def other(database_url: str) -> Iterator[Client]:
    """A client of a second service on the same database, like another process."""
    with connected(database_url) as client:
        yield client


@pytest.fixture
def memory() -> Iterator[Client]:
    """A client of a service that keeps its games in memory, for tests where the database makes no difference."""
    with connected("memory:") as client:
        yield client


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set the clock; stored test data may be later than the machine's clock."""

    def set_to(time: str) -> None:
        seconds = timestamp(time)
        nanoseconds = int(seconds * 1_000_000) * 1000
        monkeypatch.setattr("domain.store.commit.time_ns", lambda: nanoseconds)
        monkeypatch.setattr("domain.store.keys.time", lambda: seconds)

    set_to("2030-01-01T00:00:00Z")
    return set_to
