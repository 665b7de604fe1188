"""A server with its metrics, and a client that counts what it was answered."""

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
    """The page of a server."""

    def __init__(self, server: Server) -> None:
        assert server.process.stdout is not None
        line = server.process.stdout.readline()
        assert line.startswith(START), line
        self.url = line.removeprefix(START).strip()

    def series(self, name: str) -> Series:
        """The samples of this name, by the values of their labels in the order of the names of these."""
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
        """Do something again and again until a sample has a value."""

        def reached() -> bool:
            act()
            return self.value(name) == value

        until(reached)


class Counted:
    """A client that comes by a new connection each time, so that any process answers, and what it was answered."""

    def __init__(self, url: str) -> None:
        self.requests: Counter[tuple[str, ...]] = Counter()
        self.problems: Counter[tuple[str, ...]] = Counter()
        new = httpx.Limits(max_keepalive_connections=0)
        self.client = client_of(url, limits=new, event_hooks={"response": [self._count]})

    def _count(self, answer: httpx.Response) -> None:
        route = GAME.sub("{game_id}", answer.request.url.path)
        self.requests[answer.request.method, route, str(answer.status_code)] += 1
        if answer.is_error:
            answer.read()
            self.problems[(answer.json()["code"],)] += 1


@contextmanager
def measured(tmp_path: Path, **changed: str) -> Iterator[tuple[Server, Metrics, Counted]]:
    """Two processes that serve, with their page and a client."""
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
