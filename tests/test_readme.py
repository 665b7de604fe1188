"""The README keeps its word: its tour works as printed, and its table holds every setting."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_type_hints
from urllib.error import URLError

import msgspec
import pytest

from api.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = "\n".join(re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL))


@contextmanager
def running(database: Path) -> Iterator[str]:
    """A server of its own on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}
    environment |= {"PORT": str(port), PREFIX + "DATABASE_URL": f"sqlite:///{database}", PREFIX + "LOG_LEVEL": "error"}
    server = subprocess.Popen([sys.executable, "-m", "api", "serve"], cwd=ROOT, env=environment)
    try:
        wait_until_ready(f"http://127.0.0.1:{port}/health/ready", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except URLError:
            time.sleep(0.05)
    pytest.fail(f"the server stopped with {server.returncode}")


def test_the_tour_works_as_printed(tmp_path: Path) -> None:
    with running(tmp_path / "tour.db") as api:
        done = subprocess.run(
            ["bash", "-eu", "-c", TOUR],
            cwd=tmp_path,
            env=os.environ | {"API": api},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert '"rule":"R4.1"' in done.stdout, "the refusal names its rule"
    assert '"needed":' in done.stdout
    assert "Ann opens a franchise in Detroit" in done.stdout
    assert '"ok":true' in done.stdout, "the audit finds the game intact"


def test_every_setting_stands_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(FRANCHISE_\w+)` \| (.*) \|$", README, re.MULTILINE))
    assert rows == {PREFIX + name.upper(): row for name, row in settings_in_words()}


def settings_in_words() -> Iterator[tuple[str, str]]:
    """Each setting with its default and its description, as the table has them."""
    kinds = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        default = ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)
        shown = f"`{default}`" if default else ""
        yield field.name, f"{shown} | {kinds[field.name].__metadata__[-1].description}"
