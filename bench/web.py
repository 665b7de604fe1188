"""The server over HTTP: durable moves beside single-row commits, views beside litestar with ready-made bytes."""

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice, repeat
from pathlib import Path

import msgspec

from bench.floors import RawCommits, temporary_folder
from bench.games import scripts
from bench.load import MAX_SECONDS, Outcome, send
from bench.progress import report_progress
from bench.report import Result, compare
from bench.rounds import ROUNDS, interleave
from bench.servers import Server, Table, franchise_server, get, move, move_parts, ready_made_server
from bench.usage import usage_of

PART = "http"
CLIENTS = (1, 16, 64)
MANY_CLIENTS = CLIENTS[-1]

COMMITS = 4000
MOVES = 100
GAMES_A_CLIENT = {1: 12, 16: 2, 64: 1}
VIEW_REQUESTS = {1: 4000, 16: 9600, 64: 9600}
MOVE_STATUS = 200
"""The status of the answer to a stored move."""

MOVES_BEFORE_VIEWS = 60
"""The number of moves after which views are measured."""

READY = "litestar, ready-made bytes"
MOVES_AT_LEAST, KEYED_AT_LEAST, P99_AT_MOST = 0.55, 0.48, 3.0
VIEWS_AT_LEAST = 0.82
VIEWS = ("board", "state", "scores", "legal-moves", "history", "events", "board.svg")

STATE_CLIENTS = (1, MANY_CLIENTS)
STATE_AT_LEAST = 0.75
SCREEN = ("board", "scores", "legal-moves", "history")
"""What a screen asked for after a move, before moves answered with the state."""

STORED_GAMES = 4
STORED_AT_MOST = 1.3
KEY_BYTES = 16


def measure() -> Iterator[Result]:
    """Measure moves, then views, then the bytes that keyed moves take on the disk."""
    with temporary_folder() as path, franchise_server(f"sqlite:///{path / 'games.sqlite'}") as server:
        raw = RawCommits(path / "floor.sqlite")
        yield from _moves(server, raw)
        raw.close()
        yield from _views(server)
    yield _bytes_on_disk()


class LoadSubject:
    """A subject that sends prepared requests and keeps the outcome of each round."""

    def __init__(self, prepare: Callable[[], tuple[int, Sequence[Sequence[bytes]]]], status: int = 200) -> None:
        self._prepare = prepare
        self._status = status
        self._outcomes: list[Outcome] = []

    def __call__(self, _: int) -> float:
        """Measure answers a second."""
        port, clients = self._prepare()
        outcome = send(port, clients, self._status)
        self._outcomes.append(outcome)
        return outcome.rate

    def milliseconds(self, fraction: float) -> list[float]:
        """Return the time within which this fraction of the answers came, for each round."""
        return [outcome.percentile(fraction) * 1000 for outcome in self._outcomes[-ROUNDS:]]


class MovesWithProcessor:
    """Moves of some clients, and the microseconds of processor time that the processes of the server take for each."""

    def __init__(self, server: Server, clients: int = MANY_CLIENTS, *, keyed: bool = False) -> None:
        self._server = server
        self._prepare = prepare_moves(server, clients, keyed=keyed)
        self.microseconds: list[float] = []

    def __call__(self, _: int) -> float:
        """Measure moves a second."""
        port, clients = self._prepare()
        before = usage_of(self._server.pid)
        outcome = send(port, clients, MOVE_STATUS)
        after = usage_of(self._server.pid)
        if before and after:
            self.microseconds.append((after.seconds - before.seconds) / len(outcome.times) * 1e6)
        return outcome.rate


# --- moves -----------------------------------------------------------------------------------------------------


def _moves(server: Server, raw: RawCommits) -> Iterator[Result]:
    moves = {clients: LoadSubject(prepare_moves(server, clients), MOVE_STATUS) for clients in CLIENTS}
    keyed = LoadSubject(prepare_moves(server, MANY_CLIENTS, keyed=True), MOVE_STATUS)
    states = {clients: LoadSubject(prepare_moves(server, clients, "?include=state")) for clients in STATE_CLIENTS}
    subjects = (*moves.values(), *states.values(), keyed)
    *rates, with_keys, floor = interleave("http, moves", *subjects, lambda _: raw.rate(COMMITS))
    rates, with_state = rates[: len(moves)], rates[len(moves) :]
    beside, unit = "SQLite, single-row commits", "moves/s"
    for clients, rate in zip(CLIENTS, rates, strict=True):
        at_least = MOVES_AT_LEAST if clients == MANY_CLIENTS else None
        name = f"durable moves, {label_clients(clients)}"
        yield compare(PART, name, unit, rate, beside=beside, theirs=floor, at_least=at_least)
    name = f"the same, {MANY_CLIENTS} clients with keys"
    yield compare(PART, name, unit, with_keys, beside=beside, theirs=floor, at_least=KEYED_AT_LEAST)
    for clients, rate in zip(STATE_CLIENTS, with_state, strict=True):
        name = f"moves with include=state, {label_clients(clients)}"
        without = rates[CLIENTS.index(clients)]
        at_least = STATE_AT_LEAST if clients == 1 else None
        yield compare(PART, name, unit, rate, beside="moves without", theirs=without, at_least=at_least)
    for clients, subject in moves.items():
        yield _tail_latency(
            f"durable moves, {label_clients(clients)}: p99", subject, P99_AT_MOST if clients == MANY_CLIENTS else None
        )


def prepare_moves(
    server: Server, clients: int, query: str = "", *, keyed: bool = False
) -> Callable[[], tuple[int, Sequence[Sequence[bytes]]]]:
    """Return a function that opens new games for a round; each client plays some, one after the other."""
    each = GAMES_A_CLIENT[clients]

    def prepare() -> tuple[int, Sequence[Sequence[bytes]]]:
        prepared = scripts(clients * each, MOVES)
        tables = [server.open(script) for script in prepared]
        games = [
            [move(table, taken, query, **_key(keyed=keyed)) for taken in script.actions]
            for table, script in zip(tables, prepared, strict=True)
        ]
        return server.port, [list(chain(*games[first::clients])) for first in range(clients)]

    return prepare


def _key(*, keyed: bool) -> dict[str, str]:
    return {"idempotency_key": secrets.token_hex(KEY_BYTES)} if keyed else {}


# --- views -----------------------------------------------------------------------------------------------------


def _views(server: Server) -> Iterator[Result]:
    tables = half_played_games(server)
    yield from _screens(server)
    bodies = {name: server.ask("GET", f"/v1/games/{tables[0].id}/{name}") for name in VIEWS}
    with ready_made_server(bodies) as floor:
        for clients in CLIENTS:
            yield from _view("board", clients, server, floor, tables)
        for name in VIEWS[1:]:
            yield from _view(name, MANY_CLIENTS, server, floor, tables)
        yield from _without_path_parameter(server, floor, tables)


def _screens(server: Server) -> Iterator[Result]:
    """Compare the bytes of a screen after a move: one compressed answer beside five as they are."""
    ours, theirs = [], []
    for script in scripts(ROUNDS, MOVES):
        table = server.open(script)
        *most, last = (move_parts(table, taken) for taken in script.actions[:MOVES_BEFORE_VIEWS])
        for path, body, token in most:
            server.ask("POST", path, body, token)
        path, body, token = last
        ours.append(float(len(server.ask("POST", f"{path}?include=state", body, token, accept_encoding="gzip"))))
        server.ask("POST", f"/v1/games/{table.id}/undo", {}, table.host_token)
        before = [server.ask("POST", path, body, token)]
        before += [server.ask("GET", f"/v1/games/{table.id}/{name}") for name in SCREEN]
        theirs.append(float(sum(map(len, before))))
    yield compare(PART, "a screen after a move", "bytes", ours, beside="5 answers, not compressed", theirs=theirs)


def half_played_games(server: Server) -> list[Table]:
    """Open a game for each of many clients, and play until views are measured."""
    report_progress(f"http: {MANY_CLIENTS} games of {MOVES_BEFORE_VIEWS} moves")
    prepared = scripts(MANY_CLIENTS, MOVES)
    tables = [server.open(script) for script in prepared]
    games = zip(tables, prepared, strict=True)
    moves = [[move(table, one) for one in script.actions[:MOVES_BEFORE_VIEWS]] for table, script in games]
    send(server.port, moves, MOVE_STATUS, seconds=MAX_SECONDS)
    return tables


def _view(name: str, clients: int, server: Server, floor: Server, tables: Sequence[Table]) -> Iterator[Result]:
    """Measure a view, each client reading its own game, beside the same bytes ready-made at such a path."""
    paths = [f"/v1/games/{table.id}/{name}" for table in tables]
    view = LoadSubject(lambda: (server.port, _view_requests(clients, paths)))
    ready = LoadSubject(lambda: (floor.port, _view_requests(clients, paths)))
    rate, floor_rate = interleave(f"http, {name} for {label_clients(clients)}", view, ready)
    label = f"{name}, {label_clients(clients)}"
    at_least = VIEWS_AT_LEAST if clients == MANY_CLIENTS else None
    yield compare(PART, label, "views/s", rate, beside=READY, theirs=floor_rate, at_least=at_least)
    yield _tail_latency(f"{label}: p99", view)


def _without_path_parameter(server: Server, floor: Server, tables: Sequence[Table]) -> Iterator[Result]:
    """Measure the board beside a fixed path, to see what a path parameter costs the floor."""
    view = LoadSubject(
        lambda: (server.port, _view_requests(MANY_CLIENTS, [f"/v1/games/{table.id}/board" for table in tables]))
    )
    ready = LoadSubject(lambda: (floor.port, _view_requests(MANY_CLIENTS, ["/ready/board"])))
    rate, floor_rate = interleave("http, board beside a fixed path", view, ready)
    label, beside = f"board, {label_clients(MANY_CLIENTS)}", f"{READY}, no path parameter"
    yield compare(PART, label, "views/s", rate, beside=beside, theirs=floor_rate)


def _view_requests(clients: int, paths: Sequence[str]) -> list[list[bytes]]:
    """Return the requests of a round by client, each client with one path."""
    each = VIEW_REQUESTS[clients] // clients
    return [list(repeat(get(path), each)) for path in islice(chain.from_iterable(repeat(paths)), clients)]


def _tail_latency(name: str, subject: LoadSubject, at_most: float | None = None) -> Result:
    """Compare the 99th percentile with the median."""
    slow, middle = subject.milliseconds(0.99), subject.milliseconds(0.5)
    return compare(PART, name, "ms", slow, beside="p50 of the same", theirs=middle, at_most=at_most)


def label_clients(number: int) -> str:
    """Return the number of clients in words for a label."""
    return "1 client" if number == 1 else f"{number} clients"


# --- bytes on disk ---------------------------------------------------------------------------------------------


class StoredBytes(msgspec.Struct, frozen=True):
    """The size of a database without free pages, and the total length of the events in it."""

    size: int
    events: int


def _bytes_on_disk() -> Result:
    """Compare what a keyed move adds to the database with its events.

    The same moves without keys show what the database takes in any case, such as indexes: that does not count.
    """
    with temporary_folder() as path:
        keyed, plain = _play_and_stop(path / "keyed.sqlite", keyed=True), _play_and_stop(path / "plain.sqlite")
    moves = STORED_GAMES * MOVES
    ours, theirs = (keyed.events + keyed.size - plain.size) / moves, keyed.events / moves
    name, beside = "a keyed move with include=state: bytes on disk", "bytes of its events"
    return compare(PART, name, "bytes", [ours], beside=beside, theirs=[theirs], at_most=STORED_AT_MOST)


def _play_and_stop(path: Path, *, keyed: bool = False) -> StoredBytes:
    """Play some games on a server of its own, and measure its database when it has stopped."""
    query = "?include=state" if keyed else ""
    report_progress(f"http: {STORED_GAMES * MOVES} moves {'with' if keyed else 'without'} keys on a new database")
    with franchise_server(f"sqlite:///{path}") as server:
        for script in scripts(STORED_GAMES, MOVES):
            table = server.open(script)
            for taken in script.actions:
                url, body, token = move_parts(table, taken)
                server.ask("POST", url + query, body, token, **_key(keyed=keyed))
    return stored_bytes(path)


def stored_bytes(path: Path) -> StoredBytes:
    """Vacuum a database that nobody uses, and measure it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (events,) = connection.execute("SELECT SUM(LENGTH(state)) FROM stored_events").fetchone()
    return StoredBytes(path.stat().st_size, events)
