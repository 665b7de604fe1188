"""All finished games as lines of JSON: over HTTP, cut off and resumed, and by the command."""

import asyncio
import fcntl
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from httpx import Client

from api.app import create_app
from api.cli import main
from api.http.limits import RateLimit, allowance_used_up
from api.operations.events import PAGE_COST
from tests.api.people import People, client_at, problem, serving, settings
from tests.api.server import Server, client_of, running
from tests.api.sse import LocalStream, following
from tests.api.test_seat_limit import Costs
from tests.store.clients import connected
from tests.support.waiting import soon, until

PATH = "/v1/records"


@pytest.fixture(scope="module")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with five finished games, two of them with two endings."""
    url = f"sqlite:///{tmp_path_factory.mktemp('records')}/games.db"
    with serving(database_url=url) as client:
        for number in range(5):
            table = finished(client)
            if number < 2:
                assert table.post("/undo", table.host).is_success
                table.play()
        finished(client, private=True)
        People(client)
    return url


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Server]:
    with running(database_url, log_level="warning") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with client_of(server.url) as client:
        yield client


def finished(client: Client, **options: Any) -> People:
    table = People(client, undo="free", start="introductory", **options)
    seat = table.get(token=table.host).json()["to_play"]
    assert table.post("/moves", table.tokens[seat], {"type": "resign"}).is_success
    return table


def lines(client: Client, query: str = "", **headers: str) -> list[Any]:
    response = client.get(f"{PATH}{query}", headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.text.endswith("\n")
    return [json.loads(line) for line in response.text.splitlines()]


def cursor_of(record: Any) -> str:
    return f"{record['game']}-{record['events'][-1]['version']}"


def test_the_lines_are_the_records_of_all_endings(client: Client) -> None:
    *records, last = lines(client)
    assert len(records) == 7
    assert last == {"next": cursor_of(records[-1])}
    ends = [record["events"][-1]["at"] for record in records]
    assert ends == sorted(ends)
    game = records[-1]["game"]
    assert records[-1] == client.get(f"/v1/games/{game}/record").json()
    assert lines(client, "?status=finished") == [*records, last]


@pytest.mark.parametrize("limit", [1, 3, 7, 1000])
def test_every_record_comes_once_in_parts_of_any_length(client: Client, limit: int) -> None:
    *records, _ = lines(client)
    found: list[Any] = []
    after = ""
    while True:
        *part, last = lines(client, f"?limit={limit}{after}")
        found += part
        if not part:
            break
        after = f"&after={last['next']}"
        assert len(part) <= limit
    assert found == records
    assert last == {"next": cursor_of(records[-1])}


def test_every_line_is_a_cursor(client: Client) -> None:
    *records, last = lines(client)
    for number, record in enumerate(records, 1):
        assert lines(client, f"?after={cursor_of(record)}") == [*records[number:], last]


def test_lines_are_compressed_on_request(server: Server, client: Client) -> None:
    with httpx.stream("GET", f"{server.url}{PATH}", headers={"accept-encoding": "gzip"}) as response:
        assert response.headers["content-encoding"] == "gzip"
        compressed = b"".join(response.iter_raw())
    plain = client.get(PATH, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(compressed) == plain.content
    assert len(compressed) * 3 < len(plain.content)


def test_an_export_that_is_cut_off_resumes_after_the_last_complete_line(client: Client) -> None:
    whole = client.get(PATH).content
    for cut in range(1000, len(whole), len(whole) // 60):
        kept = whole[:cut].rpartition(b"\n")[0]
        after = f"?after={cursor_of(json.loads(kept.splitlines()[-1]))}" if kept else ""
        assert kept + b"\n" * bool(kept) + client.get(PATH + after).content == whole


def test_cursors_of_games_that_are_gone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        tables = [finished(client) for _ in range(3)]
        hidden = finished(client, private=True)
        *records, last = lines(client)
        with connected(url) as operator:
            operator.wait(operator.service.remove(UUID(tables[1].id)))
        for cursor in (cursor_of(records[1]), f"{hidden.id}-{hidden.get(token=hidden.host).json()['version']}"):
            problem(client.get(f"{PATH}?after={cursor}"), 410, "cursor_gone")
        assert lines(client, f"?after={cursor_of(records[0])}") == [records[2], last]
        problem(client.get(f"{PATH}?after={records[0]['game']}"), 400, "invalid_parameter")
        problem(client.get(f"{PATH}?status=open"), 400, "invalid_parameter")


def test_a_record_is_sent_as_soon_as_the_allowance_covers_it(
    database_url: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    records = len(lines(client)) - 1

    class RefusesFirst(RateLimit):
        """A limit that refuses each cost once."""

        def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
            happened.append("paid" if happened[-1:] == ["refused"] else "refused")
            if happened[-1] == "refused":
                raise allowance_used_up("requests", 1)

    async def send(_: LocalStream, message: Any) -> None:
        happened.extend(["line"] * bool(message.get("body")))

    async def scene() -> None:
        app = create_app(settings(database_url=database_url))
        async with app.lifespan():
            app.state["rate_limit"] = RefusesFirst(0)
            async with following(app, PATH):
                await soon(lambda: happened.count("line") > records)

    monkeypatch.setattr("api.operations.records.RETRY_SECONDS", 0.01)
    monkeypatch.setattr(LocalStream, "send", send)
    asyncio.run(scene())
    assert happened[: 3 * records] == ["refused", "paid", "line"] * records
    assert happened[-3:] == ["refused", "paid", "line"]


def test_an_export_that_waits_ends_without_a_cursor_when_the_server_stops(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    class Refuses(RateLimit):
        """A limit that refuses every cost, while the server stops."""

        def take(self, client: str, cost: float = 1, *, afterwards: bool = False) -> None:
            app.state["service"].close_streams()
            raise allowance_used_up("requests", 1)

    async def send(_: LocalStream, message: Any) -> None:
        sent.append(message)

    async def scene() -> None:
        async with app.lifespan():
            app.state["rate_limit"] = Refuses(0)
            async with following(app, PATH):
                await soon(lambda: sent and sent[-1].get("more_body") is False)

    app = create_app(settings(database_url=database_url))
    monkeypatch.setattr("api.operations.records.RETRY_SECONDS", 0.01)
    monkeypatch.setattr(LocalStream, "send", send)
    asyncio.run(scene())
    assert b'{"next"' not in b"".join(message.get("body", b"") for message in sent)


def test_an_export_pays_for_rows_without_a_record(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        People(client)

    async def charged() -> float:
        app = create_app(settings(database_url=url))
        async with app.lifespan(), client_at(app) as client:
            costs = app.state["rate_limit"] = Costs(0)
            assert (await client.get(PATH)).json() == {"next": None}
            return sum(costs.taken)

    assert asyncio.run(charged()) >= PAGE_COST


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A file for the exports of the database."""
    return tmp_path / "games.ndjson"


def write(file: Path, url: str, status: int = 0) -> None:
    assert main(["export", "--finished", str(file), "--database", url]) == status


def test_the_command_writes_the_same_lines(client: Client, database_url: str, export: Path) -> None:
    expected = client.get(PATH).content
    write(export, database_url)
    assert export.read_bytes() == expected
    for kept in (len(expected), len(expected) - 1, len(expected) // 2, expected.index(b"\n") + 1, 5000, 5, 0):
        export.write_bytes(expected[:kept])
        write(export, database_url)
        assert export.read_bytes() == expected


def test_a_killed_export_resumes(database_url: str, client: Client, export: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import sys, time\n"
        "from api import export_command\n"
        "from api.cli import main\n"
        "from domain.store import FinishedGames\n"
        "read_on = FinishedGames.read_on\n"
        "def slowly(finished):\n"
        "    time.sleep(0.2)\n"
        "    return read_on(finished)\n"
        "FinishedGames.read_on = slowly\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, str(slow), "export", "--finished", str(export), "--database", database_url]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": "."}) as process:
        until(lambda: export.exists() and export.stat().st_size)
        process.kill()
    assert b'{"next"' not in export.read_bytes()
    write(export, database_url)
    assert export.read_bytes() == client.get(PATH).content


def test_an_export_goes_on_after_a_record_that_was_erased(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/games.db", tmp_path / "games.ndjson"
    with serving(database_url=url) as client:
        tables = [finished(client) for _ in range(3)]
        write(file, url)
        *records, cursor = file.read_bytes().splitlines(keepends=True)
        before = [*records[:2], cursor, records[2]]  # two downloads, one after the other
        file.write_bytes(b"".join([*before, cursor]))
        with connected(url) as operator:
            operator.wait(operator.service.remove(UUID(tables[2].id)))
        later = finished(client)
        write(file, url)
    after = file.read_bytes().splitlines(keepends=True)
    assert after[:4] == before
    assert [json.loads(line)["game"] for line in after[4:-1]] == [later.id]


@pytest.mark.parametrize(
    "text",
    [
        "no lines",
        "no JSON\n",
        '{"a": 1}',
        '{"a": 1}\n',
        "[1]\n",
        '{"game": "chess", "events": [{"version": 1}]}\n',
        '{"game": "01a1f8bc-19b8-79a2-bf09-9f11c349a109", "events": []}\n',
        '{"next": "the rest of the shopping list"}\n',
        '{"a": 1}\n{"a": 2}\n',
        '{"next": null, "a": 1}\n',
        '{"format":"franchise-record"}\n',
        '{"format":"franchise-record","game":"3f2b8c1d-9a4e-4d7b-8c6f-1e2d3c4b5a69","events":[]}\n',
        '{"format":"franchise-record","game":"chess","events":[{"version":1}]}\n',
    ],
)
def test_other_files_are_not_touched(
    database_url: str, export: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    export.write_text(text)
    write(export, database_url, status=1)
    assert "this file has other lines than records" in capsys.readouterr().err
    assert export.read_text() == text


def test_one_export_at_a_time_writes_a_file(
    database_url: str, client: Client, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second one would cut off what the first one is writing."""
    lines = client.get(PATH).content
    export.write_bytes(lines[:-100])
    with export.open("rb") as written:
        fcntl.flock(written, fcntl.LOCK_EX)
        write(export, database_url, status=1)
    assert "another export is writing this file" in capsys.readouterr().err
    assert export.read_bytes() == lines[:-100]
    write(export, database_url)
    assert export.read_bytes() == lines


def test_a_single_record_is_not_overwritten(database_url: str, client: Client, export: Path) -> None:
    game = json.loads(client.get(PATH).content.splitlines()[0])["game"]
    assert main(["export", game, str(export), "--database", database_url]) == 0
    record = export.read_bytes()
    write(export, database_url, status=1)
    assert export.read_bytes() == record
