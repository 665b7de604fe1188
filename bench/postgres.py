"""A PostgreSQL server to measure, the one of the tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench.progress import report_progress


@contextmanager
def postgres_server(part: str) -> Iterator[str | None]:
    """Start a server and give its URL, None if the test dependencies are not there."""
    try:
        from tests.support.postgres import running_server
    except ImportError:
        report_progress(
            f"{part}: PostgreSQL is left out, the server comes with the test dependencies (make check-lint)"
        )
        yield None
        return
    with running_server() as url:
        yield url
