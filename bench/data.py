"""Data out: the events of all games and the records of finished ones, compared with rows that are only copied."""

import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from bench.floors import all_games, all_rows
from bench.games import Players, random_script
from bench.load import HOST, READ_BYTES
from bench.report import Comparison
from bench.rounds import interleave
from bench.servers import Server, franchise_server, get, temporary_folder
from domain.store import FinishedGames
from domain.store.application import open_application
from domain.store.database import Database
from domain.store.public_events import LONGEST_PAGE, read_page

GAMES = 100
LONGEST = 10_000
"""More actions than any game has."""

ENDING = b'"type":"game_ended"'


def measure_data() -> Iterator[Comparison]:
    """Measure reading and writing to a file, and the same over HTTP."""
    with temporary_folder() as folder:
        path, written = folder / "games.sqlite", folder / "written"
        scripts = [random_script(seed, LONGEST) for seed in range(GAMES)]
        with Players(f"sqlite:///{path}") as players:
            players.play_all(players.open(scripts), [script.actions for script in scripts])
        events = sum(script.lengths[-1] for script in scripts)
        with (
            closing(open_application(f"sqlite:///{path}")) as application,
            closing(sqlite3.connect(path)) as floor,
            franchise_server(f"sqlite:///{path}", rate_limit=0) as server,
        ):
            for figure, unit, number, lines, copies, address in (
                ("all events", "events/s", events, _all_events, all_rows, "/v1/events/stream?after=0"),
                ("records of finished games", "records/s", GAMES, _all_records, all_games, "/v1/records"),
            ):
                rounds = interleave(
                    f"data, {figure}",
                    partial(_write, written, partial(lines, application.recorder)),
                    partial(_write, written, partial(copies, floor)),
                    partial(_receive, server, address),
                )
                ours, copied, served = ([number / seconds for seconds in one] for one in rounds)
                yield Comparison(figure, unit, ours, "rows copied to a file", copied, at_least=0.5)
                yield Comparison(f"{figure} over HTTP", unit, served, "rows copied to a file", copied)


def _all_events(database: Database) -> Iterator[bytes]:
    after, page = -1, read_page(database, 0, LONGEST_PAGE)
    while page.next != after:
        for row in page.rows:
            yield row.text + b"\n"
        after, page = page.next, read_page(database, page.next, LONGEST_PAGE)


def _all_records(database: Database) -> Iterator[bytes]:
    finished = FinishedGames(database, None)
    while not finished.at_end:
        if record := finished.read_on():
            yield record + b"\n"


def _write(file: Path, lines: Callable[[], Iterator[bytes]], _: int) -> float:
    """Return the seconds until all lines are written."""
    began = time.perf_counter()
    with file.open("wb") as out:
        for line in lines():
            out.write(line)
    return time.perf_counter() - began


def _receive(server: Server, path: str, _: int) -> float:
    """Return the seconds until the endings of all games have arrived."""
    began, ended, tail = time.perf_counter(), 0, b""
    with socket.create_connection((HOST, server.port)) as connection:
        connection.sendall(get(path))
        while ended < GAMES:
            received = connection.recv(READ_BYTES)
            if not received:
                raise RuntimeError(f"{path} ended after {ended} games")
            text = tail + received
            ended += text.count(ENDING)
            tail = text[-len(ENDING) + 1 :]
    return time.perf_counter() - began
