"""Pictures over HTTP: right after a move and once more, beside the state of the same game, and their bytes."""

import time
from collections.abc import Iterator
from statistics import median

from bench.floors import temporary_folder
from bench.games import scripts
from bench.report import Result, compare
from bench.rounds import ROUNDS, interleave
from bench.servers import Server, Table, franchise_server, move_parts

PART = "pictures"
MOVES = 60
"""The number of moves of a round; a picture is asked for after each of the last ones."""

PICTURES_A_ROUND = {"board.svg": 40, "scores.svg": 40, "board.png": 4}


def measure() -> Iterator[Result]:
    """Measure how long pictures take, then how large they are."""
    with temporary_folder() as path, franchise_server(f"sqlite:///{path / 'games.sqlite'}") as server:
        yield from _times(server)
        yield from _bytes(server)


def _times(server: Server) -> Iterator[Result]:
    state = _Waiting(server, "state", 40)
    names = list(PICTURES_A_ROUND)
    changed = [_Waiting(server, name, number) for name, number in PICTURES_A_ROUND.items()]
    again = [_Waiting(server, name, number, again=True) for name, number in PICTURES_A_ROUND.items()]
    floor, *waited = interleave("pictures, one client", state, *changed, *again)
    beside = "the state, just changed"
    for name, times, repeated in zip(names, waited[: len(names)], waited[len(names) :], strict=True):
        yield compare(PART, f"{name}, just changed", "ms", times, beside=beside, theirs=floor)
        yield compare(PART, f"{name}, again", "ms", repeated, beside=beside, theirs=floor)


class _Waiting:
    """The time that a client waits for a view after each of the last moves of a game."""

    def __init__(self, server: Server, name: str, number: int, *, again: bool = False) -> None:
        self._server = server
        self._name = name
        self._number = number
        self._again = again

    def __call__(self, number: int) -> float:
        """Return the median in milliseconds."""
        script = scripts(ROUNDS + 1, MOVES)[number]
        table = self._server.open(script)
        times: list[float] = []
        for count, taken in enumerate(script.actions):
            path, body, token = move_parts(table, taken)
            self._server.ask("POST", path, body, token)
            if count >= MOVES - self._number:
                times.append(self._wait(table))
        return median(times)

    def _wait(self, table: Table) -> float:
        path = f"/v1/games/{table.id}/{self._name}"
        if self._again:
            self._server.ask("GET", path)
        began = time.perf_counter()
        self._server.ask("GET", path)
        return (time.perf_counter() - began) * 1000


def _bytes(server: Server) -> Iterator[Result]:
    """Compare the bytes of a picture, compressed and as it is, at the end of some games."""
    tables = []
    for script in scripts(ROUNDS, MOVES):
        table = server.open(script)
        for path, body, token in (move_parts(table, taken) for taken in script.actions):
            server.ask("POST", path, body, token)
        tables.append(table)
    for name in ("board.svg", "scores.svg"):
        paths = [f"/v1/games/{table.id}/{name}" for table in tables]
        sent = [float(len(server.ask("GET", path, accept_encoding="gzip"))) for path in paths]
        plain = [float(len(server.ask("GET", path))) for path in paths]
        yield compare(PART, f"{name}, compressed", "bytes", sent, beside="as it is", theirs=plain)
