"""The databases on which the store has to behave the same."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.store.database import LiveDatabase
from tests.store.clients import Client, Run, behind, connected, opened_database, timestamp


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path / 'games.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind that several processes may use."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_database_url")
    return url


@pytest.fixture
def client(database_url: str) -> Iterator[Client]:
    """A client of the service of an empty database."""
    with connected(database_url) as client:
        yield client


@pytest.fixture
def database(database_url: str) -> Iterator[LiveDatabase]:
    """The database itself, without a service."""
    with opened_database(database_url) as database:
        yield database


@pytest.fixture
def run(database_url: str) -> Iterator[Run]:
    """Statements behind the back of the services."""
    with behind(database_url) as run:
        yield run


@pytest.fixture
def other(database_url: str) -> Iterator[Client]:
    """A client of a second service of the same database, as another process has it."""
    with connected(database_url) as client:
        yield client


@pytest.fixture
def memory() -> Iterator[Client]:
    """A client of a service that keeps its games in memory, where the database makes no difference."""
    with connected("memory:") as client:
        yield client


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A clock that can be set to a time; stored test data may be later than the clock of the machine is."""

    def set_to(time: str) -> None:
        seconds = timestamp(time)
        nanoseconds = int(seconds * 1_000_000) * 1000
        monkeypatch.setattr("domain.store.commit.time_ns", lambda: nanoseconds)
        monkeypatch.setattr("domain.store.keys.time", lambda: seconds)

    set_to("2030-01-01T00:00:00Z")
    return set_to
