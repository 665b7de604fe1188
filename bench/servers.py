"""Servers in processes of their own on 127.0.0.1, and requests to them."""

import http.client
import math
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from bench.games import NAMES, PLAYERS, Move, Script
from bench.load import HOST
from domain.modules import GameOptions
from tests.support.ports import free_port

START_SECONDS = 20
STOP_SECONDS = 10
IDLE_SECONDS = 2
KEY_BYTES = 16
JSON = {"content-type": "application/json"}
PROC = Path("/proc")
REPOSITORY = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder for databases on a disk; the system's temporary folder may be in memory."""
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="databases-", dir=RESULTS) as path:
        yield Path(path)


class Table(msgspec.Struct, frozen=True):
    """A game on a server with its tokens."""

    id: str
    tokens: tuple[str, ...]
    host_token: str

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"


class Server:
    """A running server, with a connection for requests outside the load."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self._pid = pid
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)
        self._used = time.monotonic()

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> bytes:
        """Send a request and return the body of the response; raise ``RuntimeError`` for a status of 300 or more."""
        given = {**JSON, **({"authorization": f"Bearer {token}"} if token else {}), **_named(headers)}
        encoded = None if body is None else msgspec.json.encode(body)
        if time.monotonic() - self._used > IDLE_SECONDS:
            self._connection.close()  # the server may have closed it; http.client reconnects
        self._connection.request(method, path, encoded, given)
        response = self._connection.getresponse()
        content = response.read()
        self._used = time.monotonic()
        if response.status >= 300:
            raise RuntimeError(f"{method} {path} got {response.status}: {content[:500]!r}")
        return content

    def open(self, script: Script) -> Table:
        table = {"seats": PLAYERS, "players": NAMES, "options": chosen(script.options)}
        opened = msgspec.json.decode(self.ask("POST", "/v1/games", table))
        tokens = tuple(seat["token"] for seat in opened["seats"])
        return Table(opened["game"]["id"], tokens, opened["host_token"])

    def play(self, table: Table, moves: Iterable[Move], query: str = "", **headers: str) -> bytes:
        """Make moves, and return the last response."""
        response = b""
        for seat, action in moves:
            response = self.ask("POST", f"{table.path}/moves{query}", action, table.tokens[seat], **headers)
        return response

    def processor_seconds(self, proc: Path = PROC) -> float:
        """Return the processor time of the process and its children; NaN without /proc."""
        stats = dict(_stats(proc))
        family = {self._pid} & set(stats)
        while found := {child for child, fields in stats.items() if int(fields[1]) in family} - family:
            family |= found
        ticks = sum(int(stats[member][11]) + int(stats[member][12]) for member in family)
        return ticks / os.sysconf("SC_CLK_TCK") if family else math.nan

    def close(self) -> None:
        self._connection.close()


def _stats(proc: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each process after its name, which may contain spaces."""
    for path in proc.glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended
            text = path.read_text(encoding="utf-8", errors="replace")
            yield int(path.parent.name), text.rpartition(")")[2].split()


def chosen(options: GameOptions) -> dict[str, Any]:
    """Return the options that differ from the defaults, so that older servers know them."""
    defaults = msgspec.structs.asdict(GameOptions())
    return {name: value for name, value in msgspec.structs.asdict(options).items() if value != defaults[name]}


# --- requests as bytes -----------------------------------------------------------------------------------------


def get(path: str) -> bytes:
    return _request("GET", path, {})


def move(table: Table, taken: Move, query: str = "", **headers: str) -> bytes:
    seat, action = taken
    return post(f"{table.path}/moves{query}", table.tokens[seat], msgspec.json.encode(action), **headers)


def post(path: str, token: str, body: bytes, **headers: str) -> bytes:
    given = {"authorization": f"Bearer {token}", **JSON, "content-length": str(len(body)), **_named(headers)}
    return _request("POST", path, given) + body


def new_key() -> dict[str, str]:
    """Return a header with a new key."""
    return {"idempotency_key": secrets.token_hex(KEY_BYTES)}


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _request(method: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"host: {HOST}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


# --- processes -------------------------------------------------------------------------------------------------


@contextmanager
def franchise_server(database_url: str = "", folder: Path = REPOSITORY, /, **more: int) -> Iterator[Server]:
    """Run the server of a folder as `make run` does, by default on a new SQLite database.

    Its limits are counted but never reached.
    """
    with temporary_folder() as path:
        url = database_url or f"sqlite:///{path / 'games.sqlite'}"
        given = {"database_url": url, "rate_limit": 10**9, "storage_limit": 10**15, "workers": 1} | more
        settings = {f"FRANCHISE_{name.upper()}": str(value) for name, value in given.items()} | code_path(folder)
        command = ["-m", "api", "serve", "--port"]
        with _running(command, "/health/ready", settings=settings, folder=folder) as server:
            yield server


def code_path(folder: Path) -> dict[str, str]:
    """Return the variable that makes Python import the code of this folder only."""
    return {"PYTHONPATH": str(folder)}


def ready_made_server(bodies: dict[str, bytes]) -> AbstractContextManager[Server]:
    given = msgspec.msgpack.encode(bodies)
    return _running(["-m", "bench.floors", "ready"], f"/ready/{next(iter(bodies))}", given=given)


def broadcast_server() -> AbstractContextManager[Server]:
    """Run the bare server that sends published bytes to all watchers."""
    return _running(["-m", "bench.floors", "broadcast"], "/")


@contextmanager
def _running(
    arguments: Sequence[str],
    health: str,
    *,
    settings: dict[str, str] | None = None,
    given: bytes = b"",
    folder: Path = REPOSITORY,
) -> Iterator[Server]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, *arguments, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(settings or {})},
        cwd=folder,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        server = Server(port, process.pid)
        _wait_for(process, server, health)
        yield server
        server.close()
    finally:
        _stop(process)


def _wait_for(process: subprocess.Popen[bytes], server: Server, health: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            server.ask("GET", health)
        except (OSError, http.client.HTTPException, RuntimeError) as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start: {process.args!r}") from error
            server.close()
            time.sleep(0.05)
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
