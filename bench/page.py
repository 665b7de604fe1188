"""The page at /play in a browser, if the test dependencies are there."""

from collections.abc import Iterator

from bench.progress import report_progress
from bench.report import Result


def measure() -> Iterator[Result]:
    """Measure the first screen of the page, then the steps of a replay."""
    try:
        from bench import page_in_browser
    except ImportError:
        report_progress("page: left out, the browser comes with the test dependencies (make check-lint)")
        return
    yield from page_in_browser.measure()
