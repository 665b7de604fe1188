"""A move over HTTP, ours compared with that of another commit: its processor time, and moves a second."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.floors import temporary_folder
from bench.progress import report_progress
from bench.report import Result, compare
from bench.rounds import interleave
from bench.servers import REPOSITORY, Server, code_path, franchise_server
from bench.web import MANY_CLIENTS, MovesWithProcessor, label_clients

PART = "release"
COMMIT = "41b9021"
"""The commit to compare with, unless the environment variable COMMIT chooses another."""

CLIENTS = (MANY_CLIENTS, 1)
PROCESSOR_AT_MOST = 0.72


def measure() -> Iterator[Result]:
    """Measure moves of many clients and of one, on a server of each commit."""
    commit = os.environ.get("COMMIT") or COMMIT
    if not _is_known(commit):
        report_progress(f"{PART}: left out, the repository has no commit {commit}")
        return
    with worktree(commit) as folder, _server(REPOSITORY) as ours, _server(folder) as theirs:
        for clients in CLIENTS:
            yield from _moves(ours, theirs, clients, f"commit {commit}")


def _moves(ours: Server, theirs: Server, clients: int, beside: str) -> Iterator[Result]:
    mine, others = MovesWithProcessor(ours, clients), MovesWithProcessor(theirs, clients)
    rate, other_rate = interleave(f"{PART}, moves, {label_clients(clients)}", mine, others)
    if mine.microseconds:
        times, other_times = mine.microseconds[-len(rate) :], others.microseconds[-len(rate) :]
        name, at_most = f"processor time a move, {label_clients(clients)}", PROCESSOR_AT_MOST if clients > 1 else None
        yield compare(PART, name, "us", times, beside=beside, theirs=other_times, at_most=at_most)
    yield compare(PART, f"moves, {label_clients(clients)}", "moves/s", rate, beside=beside, theirs=other_rate)


@contextmanager
def _server(folder: Path) -> Iterator[Server]:
    """Run the server of this folder on a new database."""
    imported = imported_from(folder)
    if not imported.is_relative_to(folder.resolve()):
        raise RuntimeError(f"the server of {folder} would import {imported}")
    with temporary_folder() as path, franchise_server(f"sqlite:///{path / 'games.sqlite'}", folder) as server:
        yield server


def imported_from(folder: Path) -> Path:
    """Return the file that a server which is started in this folder imports."""
    command = [sys.executable, "-c", "import api; print(api.__file__)"]
    environment = {**os.environ, **code_path(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).resolve()


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check out a commit in a temporary folder, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="franchise-") as path:
        folder = Path(path) / "worktree"
        try:
            _git("worktree", "add", "--quiet", "--detach", str(folder), commit).check_returncode()
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def _is_known(commit: str) -> bool:
    try:
        return _git("rev-parse", "--quiet", "--verify", f"{commit}^{{commit}}").returncode == 0
    except OSError:
        return False  # there is no git here


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=False)
