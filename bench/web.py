"""The whole way over HTTP: durable moves beside raw commits, views beside litestar with ready-made bytes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, repeat

from bench.floors import RawCommits, folder
from bench.games import scripts
from bench.load import MOST_SECONDS, Outcome, send
from bench.progress import tell
from bench.report import Found, compare
from bench.rounds import ROUNDS, interleave
from bench.servers import Server, Table, get, move, ours, ready_made

PART = "http"
CLIENTS = (1, 16, 64)
MOST = CLIENTS[-1]

COMMITS = 4000
MOVES = 100
GAMES_A_CLIENT = {1: 12, 16: 2, 64: 1}
VIEW_REQUESTS = {1: 4000, 16: 9600, 64: 9600}
MOVED = 200
"""The status of a move that was stored."""

MIDDLE = 60
"""Views are asked of games after so many moves."""

READY = "litestar, ready-made bytes"
VIEWS_AT_LEAST = 0.8
VIEWS = ("board", "scores", "legal-moves", "history", "events")


def measure() -> Iterator[Found]:
    """Moves, then views."""
    with folder() as path, ours(f"sqlite:///{path / 'games.sqlite'}") as server:
        raw = RawCommits(path / "floor.sqlite")
        yield from _moves(server, raw)
        raw.close()
        yield from _views(server)


class Sending:
    """A subject of rounds that keeps what became of its requests."""

    def __init__(self, prepare: Callable[[], tuple[int, Sequence[Sequence[bytes]]]], status: int = 200) -> None:
        self._prepare = prepare
        self._status = status
        self._outcomes: list[Outcome] = []

    def __call__(self, _: int) -> float:
        """Answers a second."""
        port, clients = self._prepare()
        outcome = send(port, clients, self._status)
        self._outcomes.append(outcome)
        return outcome.rate

    def milliseconds(self, part: float) -> list[float]:
        """The time within which this part of the answers came, round by round."""
        return [outcome.percentile(part) * 1000 for outcome in self._outcomes[-ROUNDS:]]


# --- moves -----------------------------------------------------------------------------------------------------


def _moves(server: Server, raw: RawCommits) -> Iterator[Found]:
    moves = {clients: Sending(_playing(server, clients), MOVED) for clients in CLIENTS}
    keyed = Sending(_playing(server, MOST, keyed=True), MOVED)
    *rates, with_keys, floor = interleave("http, moves", *moves.values(), keyed, lambda _: raw.rate(COMMITS))
    beside, unit = "SQLite, single-row commits", "moves/s"
    for clients, rate in zip(CLIENTS, rates, strict=True):
        at_least = 0.6 if clients == MOST else None
        name = f"durable moves, {_clients(clients)}"
        yield compare(PART, name, unit, rate, beside=beside, theirs=floor, at_least=at_least)
    name = f"the same, {MOST} clients with keys"
    yield compare(PART, name, unit, with_keys, beside=beside, theirs=floor)
    for clients, sending in moves.items():
        yield _tail(f"durable moves, {_clients(clients)}: p99", sending, 3.0 if clients == MOST else None)


def _playing(
    server: Server, clients: int, *, keyed: bool = False
) -> Callable[[], tuple[int, Sequence[Sequence[bytes]]]]:
    """New games for each round; each client plays some, one after the other."""
    each = GAMES_A_CLIENT[clients]

    def prepare() -> tuple[int, Sequence[Sequence[bytes]]]:
        prepared = scripts(clients * each, MOVES)
        tables = [server.open(script) for script in prepared]
        games = [
            [move(table, taken, **_key(table, number, keyed=keyed)) for number, taken in enumerate(script.actions)]
            for table, script in zip(tables, prepared, strict=True)
        ]
        return server.port, [list(chain(*games[first::clients])) for first in range(clients)]

    return prepare


def _key(table: Table, number: int, *, keyed: bool) -> dict[str, str]:
    return {"idempotency_key": f"{table.id}-{number}"} if keyed else {}


# --- views -----------------------------------------------------------------------------------------------------


def _views(server: Server) -> Iterator[Found]:
    tables = _games_in_the_middle(server)
    bodies = {name: server.ask("GET", f"/v1/games/{tables[0].id}/{name}") for name in VIEWS}
    with ready_made(bodies) as floor:
        for clients in CLIENTS:
            yield from _view("board", clients, server, floor, tables)
        for name in VIEWS[1:]:
            yield from _view(name, MOST, server, floor, tables)
        yield from _plainest(server, floor, tables)


def _games_in_the_middle(server: Server) -> list[Table]:
    tell(f"http: {MOST} games of {MIDDLE} moves")
    prepared = scripts(MOST, MOVES)
    tables = [server.open(script) for script in prepared]
    games = zip(tables, prepared, strict=True)
    moves = [[move(table, one) for one in script.actions[:MIDDLE]] for table, script in games]
    send(server.port, moves, MOVED, seconds=MOST_SECONDS)
    return tables


def _view(name: str, clients: int, server: Server, floor: Server, tables: Sequence[Table]) -> Iterator[Found]:
    """One view, each client asking for its own game, beside the same bytes ready-made at such an address."""
    paths = [f"/v1/games/{table.id}/{name}" for table in tables]
    view = Sending(lambda: (server.port, _asking(clients, paths)))
    ready = Sending(lambda: (floor.port, _asking(clients, paths)))
    rate, floor_rate = interleave(f"http, {name} for {_clients(clients)}", view, ready)
    label = f"{name}, {_clients(clients)}"
    yield compare(PART, label, "views/s", rate, beside=READY, theirs=floor_rate, at_least=VIEWS_AT_LEAST)
    yield _tail(f"{label}: p99", view)


def _plainest(server: Server, floor: Server, tables: Sequence[Table]) -> Iterator[Found]:
    """The board beside the plainest address there is, to see what a path parameter takes of the floor."""
    view = Sending(lambda: (server.port, _asking(MOST, [f"/v1/games/{table.id}/board" for table in tables])))
    ready = Sending(lambda: (floor.port, _asking(MOST, ["/ready/board"])))
    rate, floor_rate = interleave("http, board beside the plainest address", view, ready)
    label, beside = f"board, {_clients(MOST)}", f"{READY}, no path parameter"
    yield compare(PART, label, "views/s", rate, beside=beside, theirs=floor_rate)


def _asking(clients: int, paths: Sequence[str]) -> list[list[bytes]]:
    """As many requests for each client as there are for the round, each client for one path."""
    each = VIEW_REQUESTS[clients] // clients
    return [list(repeat(get(path), each)) for path in islice(chain.from_iterable(repeat(paths)), clients)]


def _tail(name: str, sending: Sending, at_most: float | None = None) -> Found:
    """How long the slowest take, beside the middle."""
    slow, middle = sending.milliseconds(0.99), sending.milliseconds(0.5)
    return compare(PART, name, "ms", slow, beside="p50 of the same", theirs=middle, at_most=at_most)


def _clients(number: int) -> str:
    return "1 client" if number == 1 else f"{number} clients"
