"""A crowd on PostgreSQL: moves and views over HTTP beside those on SQLite, several processes, and new processes."""

from collections.abc import Callable, Iterator
from itertools import repeat
from uuid import UUID

from bench.floors import temporary_folder
from bench.fresh import milliseconds
from bench.games import scripts
from bench.load import send
from bench.postgres import postgres_server
from bench.report import Result, compare
from bench.rounds import interleave
from bench.servers import Server, franchise_server, get, move_parts
from bench.web import MANY_CLIENTS, VIEW_REQUESTS, MovesWithProcessor, half_played_games

PART = "crowd"
SQLITE = "SQLite"
MOVES_AT_LEAST, PROCESSOR_AT_MOST, BOARD_AT_LEAST = 0.95, 1.6, 0.4
PROCESSES = (2, 4)
MOVES_OPENED, OPENING_AT_MOST = 200, 1.5


def measure() -> Iterator[Result]:
    """Measure one process on each database, then more of them on PostgreSQL."""
    with temporary_folder() as path, postgres_server(PART) as url:
        if url is None:
            return
        sqlite_url = f"sqlite:///{path / 'games.sqlite'}"
        with franchise_server(url) as postgres:
            with franchise_server(sqlite_url) as sqlite:
                yield from _moves(postgres, sqlite)
                yield from _boards(postgres, sqlite)
                for server, name, database in ((postgres, "PostgreSQL", url), (sqlite, SQLITE, sqlite_url)):
                    yield _opening(server, name, database)
            for processes in PROCESSES:
                with franchise_server(url, workers=processes) as several:
                    yield _several(processes, several, postgres)


def _moves(postgres: Server, sqlite: Server) -> Iterator[Result]:
    for what, keyed in (("moves", False), ("moves with keys", True)):
        ours, theirs = MovesWithProcessor(postgres, keyed=keyed), MovesWithProcessor(sqlite, keyed=keyed)
        rate, other = interleave(f"crowd, {what}", ours, theirs)
        name, least, most = f"{what}, {MANY_CLIENTS} clients", MOVES_AT_LEAST, PROCESSOR_AT_MOST
        yield compare(PART, name, "moves/s", rate, beside=SQLITE, theirs=other, at_least=None if keyed else least)
        if ours.microseconds:
            mine, others = ours.microseconds[-len(rate) :], theirs.microseconds[-len(rate) :]
            name, bound = f"processor of the {what}", None if keyed else most
            yield compare(PART, name, "us/move", mine, beside=SQLITE, theirs=others, at_most=bound)


def _boards(postgres: Server, sqlite: Server) -> Iterator[Result]:
    rate, other = interleave("crowd, boards", _board_subject(postgres), _board_subject(sqlite))
    name = f"board unchanged, {MANY_CLIENTS} clients"
    yield compare(PART, name, "views/s", rate, beside=SQLITE, theirs=other, at_least=BOARD_AT_LEAST)


def _board_subject(server: Server) -> Callable[[int], float]:
    each = VIEW_REQUESTS[MANY_CLIENTS] // MANY_CLIENTS
    requests = [list(repeat(get(f"/v1/games/{table.id}/board"), each)) for table in half_played_games(server)]
    return lambda _: send(server.port, requests).rate


def _several(processes: int, several: Server, one: Server) -> Result:
    rate, alone = interleave(f"crowd, {processes} processes", *map(MovesWithProcessor, (several, one)))
    return compare(PART, f"moves, {processes} processes", "moves/s", rate, beside="one process", theirs=alone)


def _opening(server: Server, name: str, url: str) -> Result:
    """Measure how long a process that has only just started takes to open a game."""
    (script,) = scripts(1, MOVES_OPENED)
    table = server.open(script)
    for taken in script.actions:
        path, body, token = move_parts(table, taken)
        server.ask("POST", path, body, token)
    ours, theirs = interleave(
        f"crowd, a new process on {name}",
        lambda _: milliseconds("service", url, UUID(table.id)),
        lambda _: milliseconds("bare", url, UUID(table.id)),
    )
    what = f"{name}: a new process opens {MOVES_OPENED} moves"
    return compare(PART, what, "ms", ours, beside="SELECT, decode, fold", theirs=theirs, at_most=OPENING_AT_MOST)
