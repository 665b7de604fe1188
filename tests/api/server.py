"""The server as it is started for real: a process of its own, told to stop by a signal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.waiting import until

ROOT = Path(__file__).parent.parent.parent
START = "The API is at "

STOPPED = 60
"""Seconds after which a test fails that waits for the end of a server."""

ANSWERED = 60
"""Seconds after which a test fails that waits for an answer."""


class Server:
    """A process that serves."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Tell it to stop: its exit status and what it has logged."""
        self.process.send_signal(how)
        _, logged = self.process.communicate(timeout=STOPPED)
        return self.process.returncode, logged


@contextmanager
def running(
    database_url: str = "memory:", *, port: int = 0, files: int | None = None, **settings: str
) -> Iterator[Server]:
    """A server on a port, on a free one with 0, that may have so many files open; gone afterwards whatever happens."""
    given = {f"FRANCHISE_{name.upper()}": value for name, value in settings.items()}
    unlimited = {"FRANCHISE_RATE_LIMIT": "0", "FRANCHISE_SEATS_LIMIT": "0"}
    environment = {**os.environ, **unlimited, "FRANCHISE_DATABASE_URL": database_url, **given}
    limited = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files else []
    process = subprocess.Popen(
        [*limited, sys.executable, "-m", "api", "serve", "--port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        assert line.startswith(START), line + (process.communicate()[1] if process.poll() is not None else "")
        url = line.removeprefix(START).partition("/v1")[0]
        until_it_answers(url)
        yield Server(process, url)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def client_of(url: str, **options: Any) -> httpx.Client:
    """A client of a server, which waits for answers also on a machine that is busy."""
    return httpx.Client(base_url=url, timeout=ANSWERED, **options)


def fetch(url: str, **options: Any) -> httpx.Response:
    """The answer to one request on a connection of its own."""
    return httpx.get(url, timeout=ANSWERED, **options)


def until_it_answers(url: str) -> None:
    """Wait for a server that has only just been started."""
    until(lambda: fetch(f"{url}/health/live", verify=False), httpx.TransportError)
