"""The growth of costs: moves and views by the length of a game's history, lists by the number of games."""

import time
from collections.abc import Iterator, Sequence
from statistics import median
from uuid import UUID

import msgspec

from bench.floors import temporary_folder
from bench.games import PLAYERS, Move, scripts
from bench.players import Players, run_concurrently
from bench.progress import report_progress
from bench.report import Growth, Result
from bench.servers import Server, Table, franchise_server
from domain.modules import GameOptions

CYCLES = 200
LENGTHS = {10: CYCLES, 100: 40, 1_000: 4, 10_000: 1}
"""The number of games of each length: few enough to prepare, and enough to keep their length about the same."""

VIEWS = ("board", "scores", "legal-moves", "history")

GAMES = (1_000, 10_000, 100_000)
LIST_REQUESTS = 200
PAGES = 19


class TimedClient:
    """A client that records how long each answer took, by the name of the request and the size of the data."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seconds: dict[str, dict[int, list[float]]] = {}

    def ask(self, name: str, size: int, method: str, path: str, *, body: object = None, token: str = "") -> bytes:
        """Send a request, record the time and return the answer."""
        began = time.perf_counter()
        answer = self._server.ask(method, path, body, token)
        self._seconds.setdefault(name, {}).setdefault(size, []).append(time.perf_counter() - began)
        return answer

    def growth(self, size: str) -> Iterator[Growth]:
        """Return the median cost for each size, in microseconds."""
        for name, by_size in self._seconds.items():
            yield Growth(name, size, {number: median(seconds) * 1e6 for number, seconds in by_size.items()})


def measure() -> Iterator[Result]:
    """Measure all costs, over HTTP, for one client."""
    for by_size in (_by_length, _by_number):
        with temporary_folder() as path:
            url = f"sqlite:///{path / 'games.sqlite'}"
            with franchise_server(url) as server, Players(url) as players:
                yield from by_size(server, players)


# --- the length of the history ---------------------------------------------------------------------------------


def _by_length(server: Server, players: Players) -> Iterator[Result]:
    """Measure the same first move in games of every length, the views after it, and its undo."""
    script = scripts(1, 1)[0]
    first = script.actions[0]
    games: dict[int, list[Table]] = {}
    for length, number in LENGTHS.items():
        report_progress(f"growth: {number} games of {length:,} events")
        games[length] = [server.open(script) for _ in range(number)]
        players.run(run_concurrently(players.lengthen(UUID(table.id), first, length) for table in games[length]))
        for table in games[length]:
            server.ask("GET", f"/v1/games/{table.id}")
    report_progress("growth: moves and views")
    client = TimedClient(server)
    for cycle in range(CYCLES):
        for length, tables in games.items():
            _cycle(client, length, tables[cycle % len(tables)], first)
    yield from client.growth("events")


def _cycle(client: TimedClient, length: int, table: Table, first: Move) -> None:
    """Make a move, read every view, and undo the move."""
    seat, action = first
    game = f"/v1/games/{table.id}"
    moved = client.ask("move", length, "POST", f"{game}/moves", body=action, token=table.tokens[seat])
    version = msgspec.json.decode(moved)["version"]
    for view in VIEWS:
        client.ask(f"{view}, just changed", length, "GET", f"{game}/{view}")
    client.ask("board, unchanged", length, "GET", f"{game}/board")
    client.ask("the last 10 events", length, "GET", f"{game}/events?view=full&after={version - 10}")
    client.ask("undo", length, "POST", f"{game}/undo", body={}, token=table.host_token)


# --- the number of games ---------------------------------------------------------------------------------------


def _by_number(server: Server, players: Players) -> Iterator[Result]:
    """Measure pages of the list of games."""
    client = TimedClient(server)
    opened = 0
    for number in GAMES:
        report_progress(f"growth: {number:,} games")
        players.run(run_concurrently(_open_table(players, index) for index in range(opened, number)))
        opened = number
        client.ask("the first list once they are there", number, "GET", "/v1/games?limit=50")
        report_progress(f"growth: lists of {number:,} games")
        cursor = _cursor(server)
        for request in range(LIST_REQUESTS):
            for name, query in _queries(number, request, cursor):
                client.ask(name, number, "GET", f"/v1/games?limit=50{query}")
    yield from client.growth("games")


def _queries(number: int, request: int, cursor: str) -> Sequence[tuple[str, str]]:
    return (
        ("the first 50 games", ""),
        (f"50 games, {PAGES} pages on", f"&cursor={cursor}"),
        ("50 games that are playing", "&status=playing"),
        ("the games of a player", f"&player=Ann{request * 7919 % number}"),
    )


def _cursor(server: Server) -> str:
    """Return the cursor of the last page that there is with the smallest number of games."""
    cursor = ""
    for _ in range(PAGES):
        cursor = msgspec.json.decode(server.ask("GET", f"/v1/games?limit=50{cursor and f'&cursor={cursor}'}"))["next"]
    return cursor


async def _open_table(players: Players, number: int) -> None:
    """Open a table; play begins at every tenth."""
    names = (f"Ann{number}", f"Bob{number}")
    await players.service.open_table(2 if number % 10 == 0 else PLAYERS, names, GameOptions())
