"""The progress bar of commands that take long."""

from collections.abc import Iterable
from typing import TypeVar

from rich.console import Console
from rich.progress import track

T = TypeVar("T")


def with_progress(work: Iterable[T], what: str, total: int) -> Iterable[T]:
    """Return the work, with a progress bar if somebody looks on."""
    console = Console(stderr=True)
    return track(work, what, total, console=console, disable=not console.is_terminal)
