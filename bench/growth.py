"""The growth of costs: moves and views with the length of a game's history, lists with the number of games."""

import time
from collections.abc import Iterator, Sequence
from statistics import median
from uuid import UUID

import msgspec

from bench.floors import folder
from bench.games import PLAYERS, Move, scripts
from bench.players import Players, rendered, together
from bench.progress import tell
from bench.report import Found, Growth
from bench.servers import Server, Table, ours
from domain.modules import Options

CYCLES = 200
LENGTHS = {10: CYCLES, 100: 40, 1_000: 4, 10_000: 1}
"""How many games of each length: few enough to make, enough for their length to stay about the same."""

VIEWS = ("board", "scores", "legal-moves", "history")

GAMES = (1_000, 10_000, 100_000)
ASKED = 200
PAGES = 19


class Watch:
    """A client that notes how long each answer took, by the name of the request and the size of the data."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seconds: dict[str, dict[int, list[float]]] = {}

    def ask(self, name: str, size: int, method: str, path: str, *, body: object = None, token: str = "") -> bytes:
        """Ask the server and note the time."""
        began = time.perf_counter()
        answer = self._server.ask(method, path, body, token)
        self._seconds.setdefault(name, {}).setdefault(size, []).append(time.perf_counter() - began)
        return answer

    def growth(self, size: str) -> Iterator[Growth]:
        """Return the median cost for each size, in microseconds."""
        for name, by_size in self._seconds.items():
            yield Growth(name, size, {number: median(seconds) * 1e6 for number, seconds in by_size.items()})


def measure() -> Iterator[Found]:
    """Measure all costs, over HTTP, for one client."""
    for by_size in (_by_length, _by_number):
        with folder() as path:
            url = f"sqlite:///{path / 'games.sqlite'}"
            with ours(url) as server, Players(url) as players:
                yield from by_size(server, players)


# --- the length of the history ---------------------------------------------------------------------------------


def _by_length(server: Server, players: Players) -> Iterator[Found]:
    """Measure the same first move in games of every length, the views after it, and its undo."""
    script = scripts(1, 1)[0]
    first = script.actions[0]
    games: dict[int, list[Table]] = {}
    for length, number in LENGTHS.items():
        tell(f"growth: {number} games of {length:,} events")
        games[length] = [server.open(script) for _ in range(number)]
        players.run(together(players.lengthen(UUID(table.id), first, length) for table in games[length]))
        for table in games[length]:
            server.ask("GET", f"/v1/games/{table.id}")
    tell("growth: moves and views")
    watch = Watch(server)
    for cycle in range(CYCLES):
        for length, tables in games.items():
            _cycle(watch, length, tables[cycle % len(tables)], first)
    yield from watch.growth("events")


def _cycle(watch: Watch, length: int, table: Table, first: Move) -> None:
    """Move, read every view, take it back."""
    seat, action = first
    game = f"/v1/games/{table.id}"
    moved = watch.ask("move", length, "POST", f"{game}/moves", body=action, token=table.tokens[seat])
    version = msgspec.json.decode(moved)["version"]
    for view in VIEWS:
        watch.ask(f"{view}, just changed", length, "GET", f"{game}/{view}")
    watch.ask("board, unchanged", length, "GET", f"{game}/board")
    watch.ask("the last 10 events", length, "GET", f"{game}/events?view=full&after={version - 10}")
    watch.ask("undo", length, "POST", f"{game}/undo", body={}, token=table.host_token)


# --- the number of games ---------------------------------------------------------------------------------------


def _by_number(server: Server, players: Players) -> Iterator[Found]:
    """Measure pages of the list of games."""
    watch = Watch(server)
    opened = 0
    for number in GAMES:
        tell(f"growth: {number:,} games")
        players.run(together(_open_table(players, which) for which in range(opened, number)))
        opened = number
        watch.ask("the first list once they are there", number, "GET", "/v1/games?limit=50")
        tell(f"growth: lists of {number:,} games")
        deep = _cursor(server)
        for asked in range(ASKED):
            for name, query in _queries(number, asked, deep):
                watch.ask(name, number, "GET", f"/v1/games?limit=50{query}")
    yield from watch.growth("games")


def _queries(number: int, asked: int, deep: str) -> Sequence[tuple[str, str]]:
    return (
        ("the first 50 games", ""),
        (f"50 games, {PAGES} pages on", f"&cursor={deep}"),
        ("50 games that are playing", "&status=playing"),
        ("the games of a player", f"&player=Ann{asked * 7919 % number}"),
    )


def _cursor(server: Server) -> str:
    """Return the cursor of the last page that exists with the fewest games."""
    cursor = ""
    for _ in range(PAGES):
        cursor = msgspec.json.decode(server.ask("GET", f"/v1/games?limit=50{cursor and f'&cursor={cursor}'}"))["next"]
    return cursor


async def _open_table(players: Players, number: int) -> None:
    """Open a table; at every tenth play begins."""
    names = (f"Ann{number}", f"Bob{number}")
    await players.service.open_table(2 if number % 10 == 0 else PLAYERS, names, Options(), rendered)
