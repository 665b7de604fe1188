"""The server over HTTP: moves compared with raw commits, views with prepared bytes, large data with small data."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from statistics import median

import msgspec

from bench.floors import Database
from bench.games import PLAYERS, Players, run_concurrently, scripts
from bench.load import send
from bench.report import Comparison
from bench.rounds import ROUNDS, interleave, report_progress
from bench.servers import Server, Table, franchise_server, get, move, new_key, ready_made_server, temporary_folder
from domain.modules import GameOptions

MANY = 64
"""The number of clients in measurements with many."""

MOVES = 100
GAMES_A_CLIENT = {1: 12, MANY: 1}
VIEW_REQUESTS = {1: 4000, MANY: 9600}

MOVES_BEFORE_VIEWS = 60
"""The number of moves after which views are measured."""

READY = "litestar, ready-made bytes"
VIEWS_AT_LEAST = 0.82
VIEWS = ("state", "scores", "legal-moves", "history", "events", "board.svg")
SCREEN = ("board", "scores", "legal-moves", "history")
"""The views that a screen needs after a move without ``include=state``."""

STORED_GAMES = 4


def measure_http() -> Iterator[Comparison]:
    """Measure moves, views, and the bytes that keyed moves take on disk."""
    with franchise_server() as server:
        yield from _moves(server)
        yield from _views(server)
    yield _bytes_on_disk()


def label_clients(number: int) -> str:
    return "1 client" if number == 1 else f"{number} clients"


# --- moves -----------------------------------------------------------------------------------------------------


def _moves(server: Server) -> Iterator[Comparison]:
    def subject(clients: int, query: str = "", *, keyed: bool = False) -> Callable[[int], float]:
        return lambda _: send(server.port, prepare_moves(server, clients, query, keyed=keyed)).rate

    with temporary_folder() as path, closing(Database(path / "floor.sqlite")) as floor:
        one, many, one_state, many_states, keyed, commits = interleave(
            "http, moves",
            subject(1),
            subject(MANY),
            subject(1, "?include=state"),
            subject(MANY, "?include=state"),
            subject(MANY, keyed=True),
            lambda _: floor.commits_a_second(),
        )
    unit, floor_name, without = "moves/s", "raw commits", "moves without"
    yield Comparison("durable moves, 1 client", unit, one, floor_name, commits)
    yield Comparison(f"durable moves, {MANY} clients", unit, many, floor_name, commits, at_least=0.55)
    yield Comparison(f"the same, {MANY} clients with keys", unit, keyed, floor_name, commits, at_least=0.48)
    yield Comparison("moves with include=state, 1 client", unit, one_state, without, one, at_least=0.75)
    yield Comparison(f"moves with include=state, {MANY} clients", unit, many_states, without, many)


def prepare_moves(server: Server, clients: int, query: str = "", *, keyed: bool = False) -> list[list[bytes]]:
    """Open new games, and return the moves of each client, one game after the other."""
    prepared = scripts(clients * GAMES_A_CLIENT[clients], MOVES)
    games = []
    for script in prepared:
        table = server.open(script)
        games.append([move(table, taken, query, **(new_key() if keyed else {})) for taken in script.actions])
    return [list(chain(*games[first::clients])) for first in range(clients)]


# --- views -----------------------------------------------------------------------------------------------------


def _views(server: Server) -> Iterator[Comparison]:
    tables = half_played_games(server)
    yield _screens(server)
    bodies = {name: server.ask("GET", f"{tables[0].path}/{name}") for name in ("board", *VIEWS)}
    with ready_made_server(bodies) as floor:
        yield _view(server, floor, tables, "board", 1)
        yield _view(server, floor, tables, "board", MANY, VIEWS_AT_LEAST)
        for name in VIEWS:
            yield _view(server, floor, tables, name, MANY, VIEWS_AT_LEAST)
        views, ready = interleave(
            "http, board, no path parameter",
            lambda _: send(server.port, requests_of_views("board", MANY, tables)).rate,
            lambda _: send(floor.port, _repeated([get("/ready/board")], MANY)).rate,
        )
        yield Comparison(f"board, {MANY} clients", "views/s", views, f"{READY}, no path parameter", ready)


def _screens(server: Server) -> Comparison:
    """Compare the bytes of a screen after a move: one compressed response, and five uncompressed ones."""
    ours, theirs = [], []
    for script in scripts(ROUNDS, MOVES):
        table = server.open(script)
        *most, last = script.actions[:MOVES_BEFORE_VIEWS]
        server.play(table, most)
        ours.append(float(len(server.play(table, [last], "?include=state", accept_encoding="gzip"))))
        server.ask("POST", f"{table.path}/undo", {}, table.host_token)
        responses = [server.play(table, [last]), *(server.ask("GET", f"{table.path}/{name}") for name in SCREEN)]
        theirs.append(float(sum(map(len, responses))))
    return Comparison("a screen after a move", "bytes", ours, "5 responses, not compressed", theirs)


def half_played_games(server: Server) -> list[Table]:
    """Open a game for each of many clients, and play ``MOVES_BEFORE_VIEWS`` moves."""
    prepared = scripts(MANY, MOVES)
    tables = [server.open(script) for script in prepared]
    for table, script in zip(tables, prepared, strict=True):
        server.play(table, script.actions[:MOVES_BEFORE_VIEWS])
    return tables


def _view(
    server: Server, floor: Server, tables: Sequence[Table], name: str, clients: int, at_least: float | None = None
) -> Comparison:
    """Measure a view of each client's own game, compared with prepared bytes at the same kind of path."""
    requests, label = requests_of_views(name, clients, tables), f"{name}, {label_clients(clients)}"
    views, ready = interleave(
        f"http, {label}", lambda _: send(server.port, requests).rate, lambda _: send(floor.port, requests).rate
    )
    return Comparison(label, "views/s", views, READY, ready, at_least=at_least)


def requests_of_views(name: str, clients: int, tables: Sequence[Table]) -> list[list[bytes]]:
    """Return the requests of a round by client."""
    return _repeated([get(f"{table.path}/{name}") for table in tables], clients)


def _repeated(requests: Sequence[bytes], clients: int) -> list[list[bytes]]:
    each = VIEW_REQUESTS[clients] // clients
    return [list(repeat(request, each)) for request in islice(chain.from_iterable(repeat(requests)), clients)]


# --- bytes on disk ---------------------------------------------------------------------------------------------


class StoredBytes(msgspec.Struct, frozen=True):
    """The size of a database without free pages, and the total length of its events."""

    size: int
    events: int


def _bytes_on_disk() -> Comparison:
    """Compare the bytes that a keyed move adds to the database with the bytes of its events.

    The same moves without keys give the overhead of the database, such as indexes, which is subtracted.
    """
    report_progress("http, bytes on disk")
    with temporary_folder() as path:
        keyed, plain = _play_and_stop(path / "keyed.sqlite", keyed=True), _play_and_stop(path / "plain.sqlite")
    moves = STORED_GAMES * MOVES
    ours, theirs = (keyed.events + keyed.size - plain.size) / moves, keyed.events / moves
    name = "a keyed move with include=state: bytes on disk"
    return Comparison(name, "bytes", [ours], "bytes of its events", [theirs], at_most=1.3)


def _play_and_stop(path: Path, *, keyed: bool = False) -> StoredBytes:
    """Play some games on a server, and measure its database after the server has stopped."""
    with franchise_server(f"sqlite:///{path}") as server:
        for script in scripts(STORED_GAMES, MOVES):
            table = server.open(script)
            for taken in script.actions:
                if keyed:
                    server.play(table, [taken], "?include=state", **new_key())
                else:
                    server.play(table, [taken])
    return stored_bytes(path)


def stored_bytes(path: Path) -> StoredBytes:
    """Vacuum an unused database and measure it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (events,) = connection.execute("SELECT SUM(LENGTH(state)) FROM stored_events").fetchone()
    return StoredBytes(path.stat().st_size, events)


# --- growth ----------------------------------------------------------------------------------------------------

EVENTS = 10_000
CYCLES = 25
"""The number of requests of each kind, and of new games, in a round."""

FEW_GAMES, MANY_GAMES = 1_000, 100_000
PAGES = 19


def measure_growth() -> Iterator[Comparison]:
    """Measure the latency for one client, by the length of a game and by the number of games."""
    yield from _by_length()
    yield from _by_number()


class Stopwatch:
    """A client that records the latency of each kind of request."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._times: dict[str, list[float]] = {}

    def ask(self, name: str, method: str, path: str, body: object = None, token: str = "") -> bytes:
        began = time.perf_counter()
        response = self._server.ask(method, path, body, token)
        self._times.setdefault(name, []).append((time.perf_counter() - began) * 1e6)
        return response

    def medians(self) -> dict[str, float]:
        """Return the median latency of each kind in microseconds."""
        return {name: median(times) for name, times in self._times.items()}


def _by_length() -> Iterator[Comparison]:
    """Measure the same first move in a long game and in new ones, the views after it, and its undo."""
    (script,) = scripts(1, 1)
    ((seat, action),) = script.actions

    def cycles(tables: Iterable[Table]) -> dict[str, float]:
        client = Stopwatch(server)
        for table in tables:
            moved = client.ask("move", "POST", f"{table.path}/moves", action, table.tokens[seat])
            for view in SCREEN:
                client.ask(f"{view}, just changed", "GET", f"{table.path}/{view}")
            client.ask("board, unchanged", "GET", f"{table.path}/board")
            client.ask("the last 10 events", "GET", f"{table.path}/events?view=full&after={_version(moved) - 10}")
            client.ask("undo", "POST", f"{table.path}/undo", {}, table.host_token)
        return client.medians()

    with franchise_server() as server:
        report_progress(f"growth, a game of {EVENTS:,} events")
        long = server.open(script)
        while _version(server.play(long, script.actions)) < EVENTS:
            server.ask("POST", f"{long.path}/undo", {}, long.host_token)
        server.ask("POST", f"{long.path}/undo", {}, long.host_token)
        results = interleave(
            "growth, by length",
            lambda _: cycles([long] * CYCLES),
            lambda _: cycles([server.open(script) for _ in range(CYCLES)]),
        )
    yield from _growth(f"a game of {EVENTS:,} events", "of 10 events", *results)


def _version(moved: bytes) -> int:
    version: int = msgspec.json.decode(moved)["version"]
    return version


def _growth(
    name: str, other: str, ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]
) -> Iterator[Comparison]:
    for kind in ours[0]:
        yield Comparison(f"{name}: {kind}", "us", [one[kind] for one in ours], other, [one[kind] for one in theirs])


def _by_number() -> Iterator[Comparison]:
    """Measure pages of the lobby with many games and with few."""
    with _lobby(MANY_GAMES) as many, _lobby(FEW_GAMES) as few:
        results = interleave("growth, by number", partial(_pages, many), partial(_pages, few))
    yield from _growth(f"a lobby of {MANY_GAMES:,} games", f"of {FEW_GAMES:,} games", *results)


@contextmanager
def _lobby(games: int) -> Iterator[Server]:
    """Run a server with this many open tables; every tenth game has started."""

    async def open_table(players: Players, number: int) -> None:
        names = (f"Ann{number}", f"Bob{number}")
        await players.service.open_table(2 if number % 10 == 0 else PLAYERS, names, GameOptions())

    report_progress(f"growth, {games:,} games")
    with temporary_folder() as path:
        url = f"sqlite:///{path / 'games.sqlite'}"
        with Players(url) as players:
            players.run(run_concurrently(open_table(players, number) for number in range(games)))
        with franchise_server(url) as server:
            yield server


def _pages(server: Server, round_number: int) -> dict[str, float]:
    path = "/v1/games?limit=50"
    cursor = ""
    for _ in range(PAGES):
        cursor = msgspec.json.decode(server.ask("GET", f"{path}{cursor and f'&cursor={cursor}'}"))["next"]
    client = Stopwatch(server)
    for request in range(CYCLES):
        player = (round_number * CYCLES + request) * 7919 % FEW_GAMES
        client.ask("the first 50", "GET", path)
        client.ask(f"50 after {PAGES} pages", "GET", f"{path}&cursor={cursor}")
        client.ask("50 at play", "GET", f"{path}&status=playing")
        client.ask("50 of a player", "GET", f"{path}&player=Ann{player}")
    return client.medians()
