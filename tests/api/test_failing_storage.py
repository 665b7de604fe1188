"""Storage that fails under a running server: it is reported, logged once, and used again when it works."""

import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.store import upkeep
from tests.api.measured import a_worker_of, measured
from tests.api.people import People, problem, serving
from tests.support.logged import logged
from tests.support.postgres import stoppable_server, thaw
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def _write_at_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, every readiness check writes."""
    monkeypatch.setattr(upkeep, "WRITE_SECONDS", 0)


def ready(client: httpx.Client) -> int:
    return client.get("/health/ready").status_code


def until_ready(client: httpx.Client, status: int = 200) -> None:
    """Repeat the check: a server tries to write only every few seconds."""
    until(lambda: ready(client) == status)


def errors(log: str, event: str = "the storage failed") -> list[Any]:
    return [line for line in map(json.loads, log.splitlines()) if line["event"] == event]


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """Stop a process from writing files, as on a full disk."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_reported_until_there_is_room_again(tmp_path: Path) -> None:
    with measured(tmp_path, workers="1") as (server, metrics, counted):
        table = People(counted.client)
        table.play(3)
        until_ready(counted.client)
        assert metrics.value("database_errors_total") == 0
        action, seat = table.moves()[0], table.to_play
        with full_disk(a_worker_of(server)):
            until_ready(counted.client, 503)
            for _ in range(5):
                problem(table.do(action, seat), 503, "storage_unavailable")
            problem(counted.client.get("/health/ready"), 503, "storage_unavailable")
            assert counted.client.get(table.path).status_code == 200, "stored games can be read"
        until_ready(counted.client)
        table.play(3)
        assert metrics.value("database_errors_total") >= 6
        assert table.seen("/audit")["ok"]
        _, logged = server.stop()
    first, *_ = errors(logged)
    assert first["level"] == "error"
    assert "disk" in first["error"]


def moved(file: Path) -> Callable[[], Any]:
    elsewhere = file.with_name("elsewhere")
    file.rename(elsewhere)
    return lambda: elsewhere.rename(file)


def replaced(file: Path) -> Callable[[], Any]:
    """Replace a file by a copy, like a restored backup."""
    undo = moved(file)
    file.write_bytes(file.with_name("elsewhere").read_bytes())
    return undo


@pytest.mark.parametrize("name", ["games.db", "games.db-wal", "games.db-shm"])
@pytest.mark.parametrize("happens", [moved, replaced])
def test_no_move_is_acknowledged_without_the_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], happens: Callable[[Path], Callable[[], Any]], name: str
) -> None:
    """SQLite would go on writing to the deleted file, which is lost when the server stops."""
    with serving(database_url=f"sqlite:///{tmp_path}/games.db", bot_workers=0) as client:
        table = People(client)
        action, seat = table.moves()[0], table.to_play
        assert ready(client) == 200
        undo = happens(tmp_path / name)
        for _ in range(3):
            problem(client.get("/health/ready"), 503, "storage_unavailable")
            problem(table.do(action, seat), 503, "storage_unavailable")
        undo()
        assert ready(client) == 200
        table.play(3)
        assert table.seen("/audit")["ok"]
    lines = errors(logged(capfd))
    assert len(lines) >= 3
    assert all(line["error"].startswith(f"{name} was deleted or replaced") for line in lines)


def test_a_truncated_file_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The readiness check also reads from the file."""
    file, url = tmp_path / "games.db", f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url, bot_workers=0) as client:
        People(client)
    with serving(database_url=url, bot_workers=0) as client:
        assert ready(client) == 200
        os.truncate(file, 4096)
        until_ready(client, 503)
    assert errors(logged(capfd))[0]["error"] == "database disk image is malformed"


def test_a_frozen_database_is_reported_until_it_continues(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        stoppable_server() as server,
        serving(database_url=server.url, database_timeout=3, bot_workers=0) as client,
    ):
        table = People(client)
        action, seat = table.moves()[0], table.to_play
        assert ready(client) == 200
        frozen = server.freeze()
        try:
            for _ in range(2):
                problem(client.get("/health/ready"), 503, "storage_unavailable")
                problem(table.do(action, seat), 503, "storage_unavailable")
            assert client.get(f"/play/{table.id}").content == client.get("/play").content, "without a preview"
        finally:
            thaw(frozen)
        until_ready(client)
    assert {line["error"] for line in errors(logged(capfd))} >= {"no response within 3 s"}
