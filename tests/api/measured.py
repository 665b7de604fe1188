"""A server with metrics, and a client that counts its requests and responses."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.api.server import STOPPED, Server, client_of, fetch, running
from tests.support.waiting import until

START = "The metrics are at "
GAME = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ANYWHERE = "127.0.0.1:0"

Series = dict[tuple[str, ...], float]


class Metrics:
    def __init__(self, server: Server) -> None:
        assert server.process.stdout is not None
        server.process.stdout.readline()  # the address of the page
        line = server.process.stdout.readline()
        assert line.startswith(START), line
        self.url = line.removeprefix(START).strip()

    def series(self, name: str) -> Series:
        """The samples of a metric by the values of their labels, in the alphabetical order of the labels."""
        text = fetch(self.url).raise_for_status().text
        return {
            tuple(value for _, value in sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == f"franchise_{name}"
        }

    def value(self, name: str, *labels: str) -> float:
        return self.series(name)[labels]

    def until(self, name: str, value: float, act: Callable[[], Any] = lambda: None) -> None:
        """Repeat an action until a sample has a value."""

        def reached() -> bool:
            act()
            return self.value(name) == value

        until(reached)


class Counted:
    """A client that opens a connection for each request, so that any process responds, and counts the responses."""

    def __init__(self, url: str) -> None:
        self.requests: Counter[tuple[str, ...]] = Counter()
        self.problems: Counter[tuple[str, ...]] = Counter()
        new = httpx.Limits(max_keepalive_connections=0)
        self.client = client_of(url, limits=new, event_hooks={"response": [self._count]})

    def _count(self, response: httpx.Response) -> None:
        route = GAME.sub("{game_id}", response.request.url.path)
        self.requests[response.request.method, route, str(response.status_code)] += 1
        if response.is_error:
            response.read()
            self.problems[(response.json()["code"],)] += 1


@contextmanager
def measured(tmp_path: Path, **changed: str) -> Iterator[tuple[Server, Metrics, Counted]]:
    """A server with two processes, its metrics and a client."""
    given: dict[str, Any] = {"workers": "2", "metrics": ANYWHERE, "log_level": "error"} | changed
    with running(f"sqlite:///{tmp_path}/games.db", **given) as server:
        counted = Counted(server.url)
        with counted.client:
            yield server, Metrics(server), counted
        server.process.terminate()
        server.process.wait(STOPPED)


def a_worker_of(server: Server) -> int:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text(encoding="ascii")
    return int(children.split()[0])
