"""The databases on which the application has to behave the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.domain.application.tables import Visitor, visiting


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    return _url(request, tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind that several processes may use."""
    return _url(request, tmp_path)


@pytest.fixture
def visitor(database_url: str) -> Iterator[Visitor]:
    """A visitor of the club of an empty database."""
    with visiting(database_url) as visitor:
        yield visitor


@pytest.fixture
def memory() -> Iterator[Visitor]:
    """A visitor of a club that keeps its games in memory, where the database makes no difference."""
    with visiting("memory:") as visitor:
        yield visitor


def _url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_database_url")
        return url
    return "memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'games.db'}"
