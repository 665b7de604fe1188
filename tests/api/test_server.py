"""The server as a process: start, stop, log, settings, and an unavailable storage."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from api.cli import main
from api.http.log import open_log
from api.settings import PREFIX, SettingError, Settings, read_settings, unknown_settings
from tests.api.people import People, problem, serving
from tests.api.server import RESPONSE_SECONDS, ROOT, Server, client_of, fetch, running
from tests.deploy.certificates import self_signed
from tests.support.logged import logged
from tests.support.postgres import running_server
from tests.support.waiting import until

TILES = json.dumps(
    {"tiles": [{"id": f"ours-{number:02}", "kind": "influence", "values": [9, 5, 1]} for number in range(20)]}
).encode()
"""An operator's own region tiles."""


def watch(table: People, seconds: int) -> httpx.Response:
    return table.get("/events", params={"after": table.created["game"]["version"], "wait": seconds})


def watch_when_possible(table: People) -> httpx.Response:
    return until(lambda: None if (response := watch(table, 25)).status_code == 429 else response)


def play_until_disconnected(table: People, town: Any, seat: int) -> list[int]:
    """Repeat a move until the server is gone: it is legal once."""
    statuses = []
    while True:
        try:
            statuses.append(table.do(town, seat).status_code)
        except httpx.TransportError:
            return statuses


def test_a_stopping_server_responds_to_every_accepted_request(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with ExitStack() as stack:
        server = stack.enter_context(running(url, watchers="1"))
        client = stack.enter_context(client_of(server.url))
        threads = stack.enter_context(ThreadPoolExecutor(12))
        watched, *others = [People(client) for _ in range(8)]
        waiting = threads.submit(watch_when_possible, watched)
        moves = [(table, table.moves()[0], table.to_play) for table in others]
        moving = [threads.submit(play_until_disconnected, *move) for move in moves]
        until(lambda: watch(watched, 1).status_code == 429)
        status, _ = server.stop()
        assert waiting.result().json()["items"] == []
        statuses_of_tables = [statuses.result() for statuses in moving]
    assert status in (0, -signal.SIGTERM)
    assert all(set(statuses) <= {200, 409} for statuses in statuses_of_tables)
    with serving(database_url=url) as again:
        for table, statuses in zip(others, statuses_of_tables, strict=True):
            stored = again.get(table.path).json()["version"]
            assert (stored > table.created["game"]["version"]) == (200 in statuses)
            assert again.get(f"{table.path}/audit").json()["ok"]


def test_the_default_database_is_in_the_working_directory(tmp_path: Path) -> None:
    assert command("simulate", "1", cwd=tmp_path, PYTHONPATH=str(ROOT)).returncode == 0
    assert (tmp_path / "franchise.db").is_file()


def command(*arguments: str, cwd: Path = ROOT, **given: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program with only these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return subprocess.run(
        [sys.executable, "-m", "api", *arguments],
        cwd=cwd,
        env=kept | given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_server_stops_on_ctrl_c() -> None:
    with running() as server:
        status, _ = server.stop(signal.SIGINT)
    assert status in (0, -signal.SIGINT)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_workers_end_when_their_parent_is_killed(workers: str, tmp_path: Path) -> None:
    """The log ends when its last writer is gone."""
    with running(f"sqlite:///{tmp_path}/games.db", workers=workers) as server:
        status, _ = server.stop(signal.SIGKILL)
        assert status == -signal.SIGKILL
        with pytest.raises(httpx.ConnectError):
            fetch(f"{server.url}/health/live")


def test_request_ids_are_unique_across_workers(tmp_path: Path) -> None:
    with running(f"sqlite:///{tmp_path}/games.db", workers="2") as server:
        ids: list[str] = []
        while len(ids) < 40 or len({each.rpartition("-")[0] for each in ids}) < 2:  # until both workers have responded
            ids.append(fetch(f"{server.url}/health/live").headers["x-request-id"])
            assert len(ids) < 10_000
    assert len(set(ids)) == len(ids)


def test_each_request_is_logged_as_json_without_secrets() -> None:
    headers = {"x-request-id": "tracing-1", "x-forwarded-for": "203.0.113.9"}
    with running(log_level="info", trusted_proxies="127.0.0.1") as server:
        with client_of(server.url, headers=headers) as client:
            table = People(client)
            table.play(3)
            table.get("", "not-a-token")
        status, logged = server.stop()
    assert status in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in logged.splitlines()]
    requests = [line for line in lines if line["event"] == "request" and line["request_id"] == "tracing-1"]
    created = next(line for line in requests if line["path"] == "/v1/games")
    assert (created["method"], created["status"], created["level"]) == ("POST", 201, "info")
    assert {line["client"] for line in requests} == {"203.0.113.9"}
    assert created["ms"] >= 0
    assert created["at"].endswith("Z")
    for token in (table.host, *table.tokens.values(), "not-a-token"):
        assert token not in logged


def test_unexpected_errors_get_500_and_are_logged(capfd: pytest.CaptureFixture[str]) -> None:
    with serving() as client:
        client.app.state["boards"] = None  # type: ignore[attr-defined]
        broken = client.get("/v1/boards/usa-1960s", headers={"x-request-id": "broken-1"})
        details = problem(broken, 500, "internal_error")
        assert "NoneType" not in broken.text
        assert "Traceback" not in details["detail"]
    line = next(json.loads(line) for line in logged(capfd).splitlines() if "broken-1" in line)
    assert line["level"] == "error"
    assert "Traceback" in line["exception"]


def test_the_log_level_is_respected(capfd: pytest.CaptureFixture[str]) -> None:
    open_log("warning").info("not this")
    open_log("warning").warning("but this", extra={"facts": {"odd": object()}})
    assert [json.loads(line)["event"] for line in logged(capfd).splitlines()] == ["but this"]


def test_without_its_storage_the_server_is_live_and_reports_503() -> None:
    with ExitStack() as storage:
        url = storage.enter_context(running_server())
        with serving(database_url=url) as client:
            table = People(client)
            table.play(3)
            assert client.get("/health/ready").status_code == 200
            action, seat = table.moves()[0], table.to_play
            storage.close()
            assert client.get("/health/live").status_code == 200
            for response in (
                client.get("/health/ready"),
                client.get("/v1/games"),
                table.do(action, seat),
            ):
                problem(response, 503, "storage_unavailable")
                assert int(response.headers["retry-after"]) >= 1


def test_the_api_is_the_same_on_postgresql(postgres_database_url: str) -> None:
    with serving(database_url=postgres_database_url) as one, serving(database_url=postgres_database_url) as other:
        table = People(one, seats=3, undo="free")
        table.play(12)
        views = ("", "/board", "/scores", "/legal-moves", "/history", "/events", "/record")
        assert table.post("/undo", table.host, {}).status_code == 200
        for view in views:
            assert other.get(table.path + view).text == table.get(view).text
        assert other.get(f"{table.path}/audit").json()["ok"]
        first, again = (
            client.post("/v1/games", json={"seats": 2}, headers={"idempotency-key": "this-is-once-on-postgresql"})
            for client in (one, other)
        )
        assert first.content == again.content
        assert [game["id"] for game in other.get("/v1/games").json()["items"]] == [first.json()["game"]["id"], table.id]


def test_settings_come_from_the_environment() -> None:
    assert read_settings({}) == Settings()
    given = {
        "FRANCHISE_DATABASE_URL": "memory:",
        "FRANCHISE_RATE_LIMIT": "600",
        "FRANCHISE_CORS_ORIGINS": "https://a.example, https://b.example",
        "PORT": "9000",
        "OTHER": "x",
    }
    settings = read_settings(given)
    assert (settings.database_url, settings.rate_limit, settings.port) == ("memory:", 600, 9000)
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert read_settings(given | {"FRANCHISE_PORT": "9001"}).port == 9001
    assert unknown_settings(given | {"FRANCHISE_RATELIMIT": "1"}) == ["FRANCHISE_RATELIMIT"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRANCHISE_RATE_LIMIT", "many"),
        ("FRANCHISE_RATE_LIMIT", "-1"),
        ("FRANCHISE_PORT", "70000"),
        ("FRANCHISE_LOG_LEVEL", "loud"),
        ("FRANCHISE_CONNECTIONS", "0"),
        ("FRANCHISE_HTTP", "2"),
        ("FRANCHISE_HOST", ""),
        ("FRANCHISE_TRUSTED_PROXIES", "*"),
        ("FRANCHISE_TRUSTED_PROXIES", "proxy.example"),
        ("FRANCHISE_TRUSTED_PROXIES", "0.0.0.0/0"),
        ("FRANCHISE_TRUSTED_PROXIES", "10.0.0.1, ::/0"),
        ("FRANCHISE_WEBHOOK_ALLOW", "receiver.example"),
        ("FRANCHISE_WEBHOOK_ALLOW", "10.0.0.0/8, 0.0.0.0/0"),
    ],
)
def test_an_invalid_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name):
        read_settings({name: value})


def test_operators_can_use_their_own_region_tiles(tmp_path: Path) -> None:
    file = tmp_path / "tiles.json"
    file.write_bytes(TILES)
    with serving(region_tiles=str(file)) as client:
        table = People(client, seats=4, modules={"region_tiles": "new"})
        laid = [region["tile"]["id"] for region in table.seen("/board")["regions"]]
        assert all(tile.startswith("ours-") for tile in laid)
        assert "ours-19" in client.get("/v1/boards/usa-1960s").text


def test_pages_of_the_lobby_stay_stable_while_games_are_added() -> None:
    with serving() as client:
        games = [People(client, seats=3, players=1).id for _ in range(25)]
        seen: list[str] = []
        query: dict[str, str] = {"limit": "4"}
        while True:
            page = client.get("/v1/games", params=query).json()
            seen += [game["id"] for game in page["items"]]
            if page["next"] is None:
                break
            query["cursor"] = page["next"]
            People(client, seats=3, players=1)
    assert seen == games[::-1]


def test_an_incomplete_body_gets_400_when_the_server_stops() -> None:
    with running() as server:
        address = urlsplit(server.url)
        with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=30) as connection:
            connection.sendall(b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{")
            until_the_body_is_awaited(server)
            server.process.send_signal(signal.SIGTERM)
            response = b""
            while more := connection.recv(65536):
                response += more
        assert response.startswith(b"HTTP/1.1 400 ")
        assert b"The server stopped" in response
        assert server.process.wait() in (0, -signal.SIGTERM)


def until_the_body_is_awaited(server: Server) -> None:
    """Requests of one process start in the order of their arrival."""
    assert fetch(f"{server.url}/health/live").is_success


# --- TLS -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate, its key, and unsuitable files."""
    folder = tmp_path_factory.mktemp("pems")
    key, _ = self_signed(folder)
    (folder / "other").mkdir()
    self_signed(folder / "other")
    (folder / "garbage.pem").write_text("-----BEGIN CERTIFICATE-----\nno base64\n-----END CERTIFICATE-----\n")
    (folder / "empty.pem").touch()
    encrypt = f"openssl rsa -in {key} -aes128 -passout pass:secret -out {folder}/encrypted.pem"
    subprocess.run(encrypt.split(), check=True, capture_output=True)
    return folder


def test_only_tls_1_3_is_accepted(pems: Path) -> None:
    certificate, key = pems / "fullchain.pem", pems / "privkey.pem"
    context = ssl.create_default_context(cafile=str(certificate))
    context.check_hostname = False
    with running(tls_certificate=str(certificate), tls_key=str(key)) as server:
        address = urlsplit(server.url)

        def version() -> str | None:
            with (
                socket.create_connection(
                    (str(address.hostname), int(address.port or 0)), timeout=RESPONSE_SECONDS
                ) as plain,
                context.wrap_socket(plain) as connection,
            ):
                return connection.version()

        assert version() == "TLSv1.3"
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"):
            version()


@pytest.mark.parametrize(
    ("certificate", "key", "complaint"),
    [
        ("missing.pem", "privkey.pem", "missing.pem: No such file or directory"),
        ("fullchain.pem", "missing.pem", "missing.pem: No such file or directory"),
        (".", "privkey.pem", ": Is a directory"),
        ("garbage.pem", "privkey.pem", "PEM lib"),
        ("empty.pem", "privkey.pem", "PEM lib"),
        ("fullchain.pem", "empty.pem", "PEM lib"),
        ("fullchain.pem", "fullchain.pem", "PEM lib"),
        ("fullchain.pem", "other/privkey.pem", "key values mismatch"),
        ("fullchain.pem", "encrypted.pem", "without a passphrase: "),
        ("fullchain.pem", None, "FRANCHISE_TLS_CERTIFICATE and FRANCHISE_TLS_KEY belong together"),
    ],
)
def test_an_unusable_certificate_or_key_stops_the_start_with_one_line(
    pems: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    certificate: str,
    key: str | None,
    complaint: str,
) -> None:
    monkeypatch.setenv("FRANCHISE_DATABASE_URL", "memory:")
    monkeypatch.setenv("FRANCHISE_TLS_CERTIFICATE", str(pems / certificate))
    monkeypatch.setenv("FRANCHISE_TLS_KEY", str(pems / key) if key else "")
    assert main(["serve"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert complaint in printed.err
    assert printed.err.count("\n") == 1


def test_a_server_can_be_stopped_while_it_starts(tmp_path: Path) -> None:
    """A worker that reads its tiles from a pipe never finishes starting."""
    pipe = tmp_path / "tiles.json"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "api", "serve", "--port", "0"]
    given = {**os.environ, "FRANCHISE_DATABASE_URL": "memory:", "FRANCHISE_REGION_TILES": str(pipe)}
    with subprocess.Popen(command, cwd=ROOT, env=given, stderr=subprocess.PIPE, text=True) as server:
        with pipe.open("wb") as parent:
            parent.write(TILES)
        until(Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text)
        with pipe.open("wb"):  # when the worker reads
            server.send_signal(signal.SIGTERM)
            assert server.communicate()[1] == ""
        assert server.returncode == 0
