"""The floors: rows committed and folded in plain loops, prepared responses, and streams of a bare server.

The two servers are processes: ``python -m bench.floors ready PORT`` and ``broadcast PORT``.
"""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated, Any, cast
from uuid import UUID

import msgspec
import psycopg
import uvloop
from litestar import Litestar, MediaType, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, HeaderParameter

from bench.games import PLAYERS, Script, scripts
from bench.load import HOST, length_of
from bench.rounds import ROUND_SECONDS
from domain.evolve import evolve, new_game
from domain.modules import GameFact, GameStarted
from domain.start import start
from domain.stream import origin, write

# --- the store -------------------------------------------------------------------------------------------------

COMMITS = 4000
NOW = "2026-01-31T18:00:00.000000Z"

_STARTED = msgspec.json.Decoder(GameStarted)
_FACT = msgspec.json.Decoder(GameFact)


class Database:
    """A connection to a database with the minimal tables for a floor."""

    def __init__(self, target: Path | str) -> None:
        """Create an SQLite file, as durable as the store's, or connect to a PostgreSQL server."""
        self._connection: Any
        if isinstance(target, Path):
            self._connection, self._mark, binary = sqlite3.connect(target, isolation_level=None), "?", "BLOB"
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
        else:
            self._connection, self._mark, binary = psycopg.connect(target, autocommit=True), "%s", "BYTEA"
            self._connection.prepare_threshold = 0
        key = "PRIMARY KEY (game, version)"
        row_only = "WITHOUT ROWID" if binary == "BLOB" else ""
        self._connection.execute(f"CREATE TABLE event (game TEXT, version BIGINT, state {binary}, {key}) {row_only}")
        self._connection.execute(f"CREATE TABLE fact (game INTEGER, version INTEGER, state {binary}, {key})")
        self._versions = count(1)

    def commits_a_second(self) -> float:
        """Measure inserts of single rows, each in its own transaction."""
        execute, event = self._connection.cursor().execute, typical_event()
        insert = f"INSERT INTO event VALUES ('floor', {self._mark}, {self._mark})"
        began = now = time.perf_counter()
        done = 0
        while done < COMMITS and now < began + ROUND_SECONDS:
            execute(insert, (next(self._versions), event))
            done += 1
            now = time.perf_counter()
        return done / (now - began)

    def store(self, prepared: Sequence[Script], events: int) -> None:
        """Store the bare facts of some games."""
        rows = [
            (game, number, msgspec.json.encode(fact))
            for game, script in enumerate(prepared)
            for number, fact in enumerate(script.facts(events))
        ]
        cursor = self._connection.cursor()
        cursor.execute("BEGIN")
        cursor.executemany(f"INSERT INTO fact VALUES ({self._mark}, {self._mark}, {self._mark})", rows)
        cursor.execute("COMMIT")

    def load(self, game: int) -> None:
        """Read, decode and fold the facts of a game."""
        select = f"SELECT state FROM fact WHERE game = {self._mark} ORDER BY version"
        (first,), *rows = self._connection.execute(select, (game,)).fetchall()
        folded, decode = new_game(_STARTED.decode(first)), _FACT.decode
        for (state,) in rows:
            folded = evolve(folded, decode(state))

    def close(self) -> None:
        self._connection.close()


def typical_event() -> bytes:
    """Return a stored event of median length."""
    script = scripts(1, 20)[0]
    facts = start(script.options, PLAYERS, 0).facts
    events, _ = write(0, origin("floor"), NOW, facts)
    return sorted(events, key=len)[len(events) // 2]


# --- views: litestar on uvicorn, with ready-made bytes behind a typed handler ------------------------------------

Authorization = Annotated[str | None, HeaderParameter(name="Authorization")]
IfNoneMatch = Annotated[str | None, HeaderParameter(name="If-None-Match")]


def _serve_ready(port: int) -> None:
    """Read the responses from standard input, and serve them."""
    import uvicorn

    bodies = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=dict[str, bytes])
    handlers = [handler for name, body in bodies.items() for handler in _handlers(name, body)]
    application = Litestar(handlers, openapi_config=None, logging_config=None)
    options: dict[str, Any] = {"access_log": False, "log_level": "warning", "proxy_headers": False}
    uvicorn.run(application, host=HOST, port=port, server_header=False, **options)


def _handlers(name: str, body: bytes) -> list[HTTPRouteHandler]:
    """Return a handler with a fixed path, and one with a path like the API's."""

    @get(f"/ready/{name}", media_type=MediaType.JSON)
    async def ready() -> bytes:
        return body

    @get(f"/v1/games/{{game:uuid}}/{name}", media_type=MediaType.JSON)
    async def ready_for(
        game: FromPath[UUID], authorization: Authorization = None, if_none_match: IfNoneMatch = None
    ) -> bytes:
        return body

    return [ready, ready_for]


# --- streams: a bare asyncio server that writes published bytes to all watchers ---------------------------------

BACKLOG = 1024
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
BEGINNING = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
    b"d\r\nretry: 2000\n\n\r\n"
)


class Connection(asyncio.Protocol):
    """A connection: ``GET /stream`` starts watching, and the body of a POST goes to all watchers."""

    def __init__(self, watchers: set[asyncio.Transport]) -> None:
        self._watchers = watchers
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Respond to a request once it is complete."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end or len(body) < length_of(head):
            return
        self._received = b""
        if head.startswith(b"GET /stream "):
            self._transport.write(BEGINNING)
            self._watchers.add(self._transport)
            return
        self._transport.write(RESPONSE)
        if head.startswith(b"POST "):
            for watcher in self._watchers:
                watcher.write(body)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watchers.discard(self._transport)


async def _broadcast(port: int) -> None:
    watchers: set[asyncio.Transport] = set()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(watchers), HOST, port, backlog=BACKLOG)
    await server.serve_forever()


# --- data out: rows selected and written without any check ------------------------------------------------------

ROWS_AT_ONCE = 250
ROWS = "SELECT rowid, originator_id, state FROM stored_events WHERE rowid > ? ORDER BY rowid LIMIT ?"
GAMES = "SELECT originator_id FROM stored_events WHERE originator_version = 1 ORDER BY rowid"
GAME = "SELECT state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"


def all_rows(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Select all rows page by page, as JSON."""
    after = 0
    while rows := connection.execute(ROWS, (after, ROWS_AT_ONCE)).fetchall():
        for position, game, text in rows:
            yield b'{"position":%d,"game":"%b","events":[%b]}\n' % (position, game.encode(), text.replace(b"\n", b","))
        after = rows[-1][0]


def all_games(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Select all games, as JSON."""
    for (game,) in connection.execute(GAMES).fetchall():
        texts = [text.replace(b"\n", b",") for (text,) in connection.execute(GAME, (game,))]
        yield b'{"game":"%b","events":[%b]}\n' % (game.encode(), b",".join(texts))


if __name__ == "__main__":
    if sys.argv[1] == "ready":
        _serve_ready(int(sys.argv[2]))
    else:
        uvloop.run(_broadcast(int(sys.argv[2])))
