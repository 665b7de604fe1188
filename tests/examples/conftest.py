"""The environment of the examples."""

import fcntl
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.documents import ROOT
from tests.support.make import make

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter of the examples; its packages are installed unless `make test` has done it."""
    with (ROOT / ".venv" / "examples.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make("examples", "--assume-old=.venv/made.stamp")  # never set up .venv while tests run in it
    return ROOT / "examples" / ".venv" / "bin" / "python"


@pytest.fixture(scope="session")
def run(python: Path) -> Run:
    """Run a program in that environment, with warnings as errors, in one thread."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "POLARS_MAX_THREADS": "1"}

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [python, *arguments]
        return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)

    return run
