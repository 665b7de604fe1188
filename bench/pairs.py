"""Two servers in turns: this commit and another one, PostgreSQL and SQLite, several workers and one."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.http import MANY, half_played_games, label_clients, prepare_moves, requests_of_views
from bench.load import send
from bench.report import Comparison
from bench.rounds import interleave, report_progress
from bench.servers import REPOSITORY, Server, code_path, franchise_server
from tests.support.postgres import running_server

COMMIT = "41b9021"
"""The default commit to compare with; the environment variable COMMIT overrides it."""

WORKERS = (2, 4)


def _moves(what: str, clients: int, *servers: Server) -> tuple[list[list[float]], list[list[float]]]:
    """Return moves a second and microseconds of processor time for a move, by server and round."""

    def moves(server: Server) -> tuple[float, float]:
        requests = prepare_moves(server, clients)
        before = server.processor_seconds()
        outcome = send(server.port, requests)
        return outcome.rate, (server.processor_seconds() - before) / outcome.responses * 1e6

    results = interleave(what, *(lambda _, server=server: moves(server) for server in servers))
    return [[rate for rate, _ in rounds] for rounds in results], [[time for _, time in rounds] for rounds in results]


# --- this commit and another one -------------------------------------------------------------------------------


def measure_release() -> Iterator[Comparison]:
    """Measure moves of many clients and of one, on the servers of both commits."""
    commit = os.environ.get("COMMIT") or COMMIT
    if _git("rev-parse", "--quiet", "--verify", f"{commit}^{{commit}}").returncode:
        report_progress(f"release: skipped, the repository has no commit {commit}")
        return
    with worktree(commit) as folder, _server(REPOSITORY) as ours, _server(folder) as theirs:
        for clients, at_most in ((MANY, 0.72), (1, None)):
            label = label_clients(clients)
            (rate, other_rate), (time, other_time) = _moves(f"release, {label}", clients, ours, theirs)
            yield Comparison(f"processor time a move, {label}", "us", time, commit, other_time, at_most=at_most)
            yield Comparison(f"moves, {label}", "moves/s", rate, commit, other_rate)


@contextmanager
def _server(folder: Path) -> Iterator[Server]:
    """Run the server of a folder on a new database."""
    imported = imported_from(folder)
    if not imported.is_relative_to(folder.resolve()):
        raise RuntimeError(f"the server of {folder} would import {imported}")
    with franchise_server("", folder) as server:
        yield server


def imported_from(folder: Path) -> Path:
    """Return the file of ``api`` that a server in this folder imports."""
    command = [sys.executable, "-c", "import api; print(api.__file__)"]
    environment = {**os.environ, **code_path(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).resolve()


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check out a commit in a temporary folder during this context."""
    with tempfile.TemporaryDirectory(prefix="franchise-") as path:
        folder = Path(path) / "worktree"
        try:
            _git("worktree", "add", "--quiet", "--detach", str(folder), commit).check_returncode()
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=False)


# --- PostgreSQL and SQLite, several workers and one ------------------------------------------------------------


def measure_crowd() -> Iterator[Comparison]:
    """Measure one process on each database, then several processes on PostgreSQL."""
    with running_server() as url, franchise_server(url) as postgres:
        with franchise_server() as sqlite:
            yield from _databases(postgres, sqlite)
        for workers in WORKERS:
            with franchise_server(url, workers=workers) as several:
                (rate, alone), _ = _moves(f"crowd, {workers} workers", MANY, several, postgres)
            yield Comparison(f"moves, {workers} workers", "moves/s", rate, "one worker", alone)


def _databases(postgres: Server, sqlite: Server) -> Iterator[Comparison]:
    (rate, other_rate), (time, other_time) = _moves("crowd, moves", MANY, postgres, sqlite)
    yield Comparison(f"moves, {MANY} clients", "moves/s", rate, "SQLite", other_rate, at_least=0.95)
    yield Comparison(f"processor time a move, {MANY} clients", "us", time, "SQLite", other_time, at_most=1.6)
    of_postgres, of_sqlite = (requests_of_views("board", MANY, half_played_games(each)) for each in (postgres, sqlite))
    views, other_views = interleave(
        "crowd, boards",
        lambda _: send(postgres.port, of_postgres).rate,
        lambda _: send(sqlite.port, of_sqlite).rate,
    )
    yield Comparison(f"board, {MANY} clients", "views/s", views, "SQLite", other_views, at_least=0.4)
