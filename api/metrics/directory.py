"""The directory in which the Prometheus client of each process keeps its values, made by the parent of all."""

import os
import shutil
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which the client finds the directory, when it is loaded."""

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - only as the parent of a directory with a random name
SUFFIX = ".worker"


def metrics_home() -> str | None:
    """Return a place in memory for the directory, None if there is none but that for other temporary files.

    The client maps files without reserving their space: the system kills who then writes to them on a full disk.
    """
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None


def remove_directory() -> None:
    """Remove the directory, if there is one whose parent cannot do it any more; what is open there stays usable."""
    if directory := os.environ.get(VARIABLE):
        shutil.rmtree(directory, ignore_errors=True)


def register_worker() -> None:
    """Leave the id of this process, as the name of an empty file, if there is a directory."""
    if directory := os.environ.get(VARIABLE):
        Path(directory, f"{os.getpid()}{SUFFIX}").touch()


def registered_workers(directory: Path) -> dict[int, Path]:
    """Return the ids that processes have left, with the files."""
    return {int(file.stem): file for file in directory.glob(f"*{SUFFIX}")}
