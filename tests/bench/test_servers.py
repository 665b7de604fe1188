"""Requests to the servers of the benchmarks, and the resources counted for their processes and databases."""

import math
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from bench.games import random_script, scripts
from bench.http import stored_bytes
from bench.servers import Server, Table, chosen, get, move
from domain.modules import GameOptions


def test_requests_are_valid_http() -> None:
    assert get("/v1/games") == b"GET /v1/games HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    taken = random_script(0, 1).actions[0]
    table = Table("some-game", ("a", "b", "c", "d"), "h")
    head, _, body = move(table, taken, "?lang=de", idempotency_key="k").partition(b"\r\n\r\n")
    lines = head.decode().splitlines()
    assert lines[0] == "POST /v1/games/some-game/moves?lang=de HTTP/1.1"
    assert f"authorization: Bearer {'abcd'[taken[0]]}" in lines
    assert "idempotency-key: k" in lines
    assert f"content-length: {len(body)}" in lines
    assert body.startswith(b'{"type":"choose_town"')


def test_an_older_server_gets_only_options_other_than_defaults() -> None:
    options = scripts(1, 1)[0].options
    sent = chosen(options)
    assert set(sent) == {"first_player", "seed", "undo"}
    assert msgspec.convert(sent, GameOptions) == options


def stat(folder: Path, pid: int, parent: int, ticks: int) -> None:
    fields = ["S", str(parent), *["0"] * 9, str(ticks), str(ticks), *["0"] * 10]
    (folder / str(pid)).mkdir()
    (folder / str(pid) / "stat").write_text(f"{pid} (a (b) c) {' '.join(fields)}\n")


def test_a_process_is_counted_with_its_descendants(tmp_path: Path) -> None:
    stat(tmp_path, 10, 1, 100)
    stat(tmp_path, 11, 10, 50)
    stat(tmp_path, 12, 11, 25)
    stat(tmp_path, 13, 1, 999)
    assert Server(0, 10).processor_seconds(tmp_path) == 350 / os.sysconf("SC_CLK_TCK")
    assert math.isnan(Server(0, 14).processor_seconds(tmp_path))


def test_free_pages_of_a_database_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE stored_events (state BLOB)")
        connection.executemany("INSERT INTO stored_events VALUES (?)", [(bytes(10_000),), (bytes(90_000),)])
        connection.execute("DELETE FROM stored_events WHERE LENGTH(state) > 10000")
        connection.commit()
    found = stored_bytes(path)
    assert found.events == 10_000
    assert 10_000 < found.size < 40_000
