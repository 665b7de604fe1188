"""The copy of all events in docs/data.md: killed, restarted, and begun again after a restore, it equals the store's."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from uuid import UUID

from api.cli import main
from tests.api.people import People
from tests.api.server import client_of, running
from tests.store.clients import connected
from tests.support.documents import ROOT, blocks
from tests.support.waiting import until

PROGRAM = ROOT / "examples" / "copy_events.py"

Copied = dict[tuple[str, int], object]


def test_the_page_shows_the_program() -> None:
    assert [text for language, text in blocks("docs/data.md") if language == "python"] == [PROGRAM.read_text("utf-8")]


@contextmanager
def copying(server: str, file: Path) -> Iterator[None]:
    """Run the program, and kill it."""
    with subprocess.Popen([sys.executable, PROGRAM, server, file]) as process:
        try:
            yield
            assert process.poll() is None
        finally:
            process.kill()


def copied(file: Path) -> Copied:
    with sqlite3.connect(file, timeout=30) as database:
        try:
            rows = database.execute("SELECT game, version, event FROM events").fetchall()
        except sqlite3.OperationalError:  # it has just begun
            return {}
    return {(game, version): json.loads(event) for game, version, event in rows}


def truth(tables: list[People]) -> Copied:
    found: Copied = {}
    for table in tables:
        for event in table.seen("/events?view=full&limit=1000")["items"]:
            found[table.id, event["version"]] = event
    return found


def test_a_copy_that_is_killed_at_any_moment_misses_and_repeats_nothing(tmp_path: Path) -> None:
    url, file, random = f"sqlite:///{tmp_path}/games.db", tmp_path / "copy.db", Random(1)
    with running(url, log_level="error") as server, client_of(server.url) as client:
        People(client, private=True)
        tables = [People(client, undo="free") for _ in range(3)]
        for _ in range(8):
            with copying(server.url, file):
                for table in tables:
                    table.play(random.randint(0, 3), seed=random.randint(0, 99))
                    table.post("/undo", table.host)
                if random.random() < 0.5:
                    until(lambda: copied(file))
        with copying(server.url, file):
            until(lambda: copied(file) == truth(tables))
            with connected(url) as operator:
                removed = operator.wait(operator.service.remove(UUID(tables[0].id)))
            until(lambda: (tables[0].id, 1) not in copied(file))
        left = copied(file)
        (announced,) = (event for (game, _), event in left.items() if game == tables[0].id)
        assert isinstance(announced, dict)
        assert (announced["type"], announced["at"]) == ("game_removed", removed)
        assert {key: event for key, event in left.items() if key[0] != tables[0].id} == truth(tables[1:])


def test_a_copy_begins_again_after_a_restore(tmp_path: Path) -> None:
    url, file, backup = f"sqlite:///{tmp_path}/games.db", tmp_path / "copy.db", tmp_path / "backup.db"
    with running(url, log_level="error") as server, client_of(server.url) as client:
        table = People(client)
        assert main(["backup", str(backup), "--database", url]) == 0
        later = [table, People(client)]
        with copying(server.url, file):
            until(lambda: copied(file) == truth(later))
            assert main(["restore", str(backup), "--database", url]) == 0
            table.play(2)
            until(lambda: copied(file) == truth([table]))
