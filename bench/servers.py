"""Servers in separate processes on 127.0.0.1, stopped at the end of a measurement."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
JSON = {"content-type": "application/json"}

REPOSITORY = Path(__file__).parent.parent


class Table(msgspec.Struct, frozen=True):
    """A game on a server, with a token for each seat and the host's."""

    id: str
    tokens: tuple[str, ...]
    host_token: str


class Server:
    """A running server, with a connection for requests that are not measured as load."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self.pid = pid
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)
        self._used = time.monotonic()

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **more: str) -> bytes:
        """Send a request and return the body of the answer; raise for a status of 300 or more."""
        headers = {**JSON, **({"authorization": f"Bearer {token}"} if token else {})}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        encoded = None if body is None else msgspec.json.encode(body)
        if time.monotonic() - self._used > IDLE_SECONDS:
            self._connection.close()  # the server may have closed it; the next request connects again
        self._connection.request(method, path, encoded, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self._used = time.monotonic()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path} was answered {answer.status}: {content[:500]!r}")
        return content

    def open(self, script: Script) -> Table:
        """Open a new game without moves."""
        table = {"seats": PLAYERS, "players": NAMES[:PLAYERS], "options": chosen(script.options)}
        opened = msgspec.json.decode(self.ask("POST", "/v1/games", table))
        tokens = tuple(seat["token"] for seat in opened["seats"])
        return Table(opened["game"]["id"], tokens, opened["host_token"])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def chosen(options: GameOptions) -> dict[str, Any]:
    """Return the options that are not defaults, so that an older server knows all of them."""
    defaults = msgspec.structs.asdict(GameOptions())
    return {name: value for name, value in msgspec.structs.asdict(options).items() if value != defaults[name]}


def get(path: str, **headers: str) -> bytes:
    """Return a request for a view."""
    return _request("GET", path, headers)


def move(table: Table, taken: Move, query: str = "", **headers: str) -> bytes:
    """Return a request for a move."""
    path, action, token = move_parts(table, taken)
    return post(path + query, token, msgspec.json.encode(action), **headers)


def move_parts(table: Table, taken: Move) -> tuple[str, Any, str]:
    """Return the path, the body and the token of a request for a move."""
    seat, action = taken
    return f"/v1/games/{table.id}/moves", action, table.tokens[seat]


def post(path: str, token: str, body: bytes, **headers: str) -> bytes:
    """Return a request with a body and a token."""
    given = {"authorization": f"Bearer {token}", **JSON, "content-length": str(len(body)), **headers}
    return _request("POST", path, given) + body


def _request(method: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"host: {HOST}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


@contextmanager
def franchise_server(database_url: str, folder: Path = REPOSITORY, /, **more: int) -> Iterator[Server]:
    """Run the server of this folder as `make run` does; its limits count requests and bytes but refuse none."""
    given = {"database_url": database_url, "rate_limit": 10**9, "storage_limit": 10**15, "workers": 1} | more
    settings = {f"FRANCHISE_{name.upper()}": str(value) for name, value in given.items()}
    settings |= code_path(folder)
    with _running([sys.executable, "-m", "api", "serve", "--port"], "/health/ready", settings, folder=folder) as server:
        yield server


def code_path(folder: Path) -> dict[str, str]:
    """Return the setting with which Python, run in this folder, imports the code of this folder and of no other."""
    return {"PYTHONPATH": str(folder)}


@contextmanager
def ready_made_server(bodies: dict[str, bytes]) -> Iterator[Server]:
    """Run litestar on uvicorn with these answers."""
    given = msgspec.msgpack.encode(bodies)
    with _running([sys.executable, "-m", "bench.ready"], f"/ready/{next(iter(bodies))}", {}, given) as server:
        yield server


@contextmanager
def broadcast_server() -> Iterator[Server]:
    """Run the bare server that writes what is published to all who watch."""
    with _running([sys.executable, "-m", "bench.broadcast"], "/", {}) as server:
        yield server


@contextmanager
def _running(
    command: Sequence[str], health: str, settings: dict[str, str], given: bytes = b"", folder: Path | None = None
) -> Iterator[Server]:
    port = free_port()
    environment = {**os.environ, **settings}
    process = subprocess.Popen(
        [*command, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        _wait_for(process, port, health)
        server = Server(port, process.pid)
        yield server
        server.close()
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int, health: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        server = Server(port, process.pid)
        try:
            server.ask("GET", health)
        except (OSError, http.client.HTTPException, RuntimeError) as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start: {process.args!r}") from error
            time.sleep(0.05)
        else:
            return
        finally:
            server.close()
