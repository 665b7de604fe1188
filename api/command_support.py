"""The parts that commands without a server share."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import msgspec
from rich.console import Console
from rich.progress import track

from api.settings import read_settings
from domain.store import GameService, open_service

T = TypeVar("T")


class CommandFailed(Exception):
    """A command that cannot be done; the message says why."""


def with_service(task: Callable[[GameService], Awaitable[T]]) -> T:
    """Run a task on the games of the database that the settings name."""

    async def run() -> T:
        async with open_service(read_settings().database_url) as service:
            return await task(service)

    return asyncio.run(run())


def with_progress(work: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Return the work, with a progress bar if somebody looks on."""
    console = Console(stderr=True)
    return track(work, what, total, console=console, disable=not console.is_terminal)


def print_json(facts: dict[str, Any]) -> None:
    """Print facts as a line of JSON."""
    sys.stdout.write(msgspec.json.encode(facts).decode() + "\n")
