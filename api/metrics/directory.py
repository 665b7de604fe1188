"""The directory where the Prometheus client of each process stores its values; the parent creates it."""

import os
import shutil
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that the client reads when it is imported."""

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - used as the parent of a directory with a random name
SUFFIX = ".worker"


def metrics_home() -> str | None:
    """Return the parent of the directory, in memory if possible, None for the default.

    The client maps files without reserving space, so on a full disk the system would kill a writing process.
    """
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None


def remove_directory() -> None:
    """Remove the directory for a parent that was killed; open files stay usable."""
    if directory := os.environ.get(VARIABLE):
        shutil.rmtree(directory, ignore_errors=True)


def register_worker() -> None:
    """Create an empty file in the directory, named after the id of this process."""
    if directory := os.environ.get(VARIABLE):
        Path(directory, f"{os.getpid()}{SUFFIX}").touch()


def registered_workers(directory: Path) -> dict[int, Path]:
    """Return the ids of registered processes, with their files."""
    return {int(file.stem): file for file in directory.glob(f"*{SUFFIX}")}
