"""Functions that commands without a server share."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any, TypeVar

import msgspec
from rich.console import Console
from rich.progress import Progress, track

from api.settings import read_settings
from domain.store import GameService, open_service, sqlite_file

R = TypeVar("R")
T = TypeVar("T")


class CommandFailed(Exception):
    """A command cannot be done; the message says why."""


def require_file(file: Path) -> None:
    if not file.is_file():
        raise CommandFailed(f"{file}: this file does not exist")


def with_service(task: Callable[[GameService], Awaitable[T]], *, creating: bool = False) -> T:
    """Run a task on the configured database, which is created only if ``creating`` is set."""
    url = read_settings().database_url
    if not creating and (file := sqlite_file(url)):
        require_file(file)

    async def run() -> T:
        async with open_service(url) as service:
            return await task(service)

    return asyncio.run(run())


def with_progress(work: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Show a progress bar if the standard error is a terminal."""
    console = Console(stderr=True)
    return track(work, what, total, console=console, disable=not console.is_terminal)


@contextmanager
def progress_bar(what: str, total: int) -> Generator[Callable[[int], None]]:
    """Show a progress bar if the standard error is a terminal; return the function that moves it."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda completed: progress.update(task, completed=completed)


def on_all_cores(task: Callable[[T], R], work: Sequence[T]) -> Iterator[R]:
    """Yield the results of a task in the order of the work, computed by a process for each core."""
    ctrl_c = signal(SIGINT, SIG_IGN)  # the processes of the pool inherit this
    with get_context("spawn").Pool() as pool:
        signal(SIGINT, ctrl_c)
        yield from pool.imap(task, work)


def require_consent(question: str, otherwise: str) -> None:
    """Ask for confirmation at the terminal; raise ``CommandFailed`` unless it is given."""
    if not sys.stdin.isatty():
        raise CommandFailed(f"{otherwise}. Use --yes if there is no terminal to confirm at.")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandFailed(f"{otherwise}.")


def print_json(facts: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(facts).decode() + "\n")
