"""The databases on which the store has to behave the same."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.store.clients import Client, connected
from tests.store.keeping import timestamp


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    return _url(request, tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind that several processes may use."""
    return _url(request, tmp_path)


@pytest.fixture
def client(database_url: str) -> Iterator[Client]:
    """A client of the service of an empty database."""
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


def _url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_database_url")
        return url
    return "memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'games.db'}"
