"""The real server as a process, stopped by a signal."""

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
"""Timeout of a wait for the end of a server in seconds."""

RESPONSE_SECONDS = 60
"""Timeout of a request in seconds."""


class Server:
    """A running server process."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stop the server; return its exit status and its log."""
        self.process.send_signal(how)
        _, logged = self.process.communicate(timeout=STOPPED)
        return self.process.returncode, logged


@contextmanager
def running(
    database_url: str = "memory:", *, port: int = 0, files: int | None = None, module: str = "api", **settings: str
) -> Iterator[Server]:
    """Run a server on a port (0: a free one) with a limit of open files; kill it at the end if it still runs."""
    given = {f"FRANCHISE_{name.upper()}": value for name, value in settings.items()}
    unlimited = {"FRANCHISE_RATE_LIMIT": "0", "FRANCHISE_SEATS_LIMIT": "0"}
    environment = {**os.environ, **unlimited, "FRANCHISE_DATABASE_URL": database_url, **given}
    limited = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files else []
    process = subprocess.Popen(
        [*limited, sys.executable, "-m", module, "serve", "--port", str(port)],
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
        until_it_responds(url)
        yield Server(process, url)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def client_of(url: str, **options: Any) -> httpx.Client:
    """A client of a server, with a timeout that is long enough for a busy machine."""
    return httpx.Client(base_url=url, timeout=RESPONSE_SECONDS, **options)


def fetch(url: str, **options: Any) -> httpx.Response:
    """The response to one request on its own connection."""
    return httpx.get(url, timeout=RESPONSE_SECONDS, **options)


def until_it_responds(url: str) -> None:
    """Wait for a server that was just started."""
    until(lambda: fetch(f"{url}/health/live", verify=False), httpx.TransportError)
