"""Metrics for Prometheus: the sums over all processes, on a separate address."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.http.problems import CATALOGUE
from api.settings import VERSION, SettingError, Settings, metrics_address, read_settings
from tests.api.measured import ANYWHERE, START, Counted, Metrics, Series, a_worker_of, measured
from tests.api.people import NOWHERE, People, problem
from tests.api.server import ROOT, Server, fetch, running
from tests.api.sse import Stream
from tests.store.clients import connected
from tests.support.waiting import until

Site = tuple[Server, Metrics, Counted]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site for tests that only compare values before and after."""
    with measured(tmp_path_factory.mktemp("shared"), bot_seconds="0.02") as site:
        yield site


def directory_of(server: Server) -> Path:
    """The directory with a server's metrics, found among the mapped files of a worker."""
    maps = Path(f"/proc/{a_worker_of(server)}/maps").read_text(encoding="utf-8")
    (found,) = set(re.findall(r" (/\S+/franchise-metrics-[^/]+)/", maps))
    return Path(found)


def nonzero(series: Series) -> Series:
    return {labels: value for labels, value in series.items() if value}


def added(before: Series, after: Series) -> Series:
    return nonzero({labels: value - before.get(labels, 0) for labels, value in after.items()})


def read_by_both(table: People, metrics: Metrics) -> None:
    """Read a game until both processes have it in their caches."""
    metrics.until("cache_games", 2, table.get)


def test_requests_moves_and_refusals_of_all_processes_are_counted_exactly(tmp_path: Path) -> None:
    with measured(tmp_path) as (_, metrics, counted):
        table = People(counted.client)
        read_by_both(table, metrics)
        table.play(7)
        action, seat = table.moves()[0], table.to_play
        first, again = (table.do(action, seat, idempotency_key="once-and-not-twice-here") for _ in range(2))
        assert first.content == again.content
        problem(table.post("/moves", "nobody's", action), 401, "token_unknown")
        problem(table.do({"type": "end_turn"}, 1 - table.to_play), 409, "not_your_turn")
        problem(table.do({"type": "fly"}), 400, "invalid_body")
        for _ in range(3):
            problem(counted.client.get(f"/v1/games/{NOWHERE}"), 404, "game_not_found")
        assert counted.client.head(table.path).status_code == 200
        counted.client.options("/v1/games")

        requests = metrics.series("http_requests_total")
        assert {labels: value for labels, value in requests.items() if labels[1] != "/health/live"} == counted.requests
        durations = metrics.series("http_request_duration_seconds_count")
        assert durations["POST", "/v1/games/{game_id}/moves"] == 7 + 2 + 3
        assert durations == {
            key: sum(value for (method, route, _), value in requests.items() if (method, route) == key)
            for key in {(method, route) for method, route, _ in requests}
        }
        assert nonzero(metrics.series("refusals_total")) == counted.problems
        assert metrics.series("refusals_total").keys() == {(code,) for code in CATALOGUE}
        assert metrics.series("moves_total") == {("person",): 8, ("bot",): 0}
        assert metrics.value("commit_changes_sum") == 1 + 8, "the table and the moves"
        assert metrics.value("commit_changes_count") == metrics.value("commit_duration_seconds_count") <= 9
        assert metrics.value("database_errors_total") == 0
        assert metrics.series("build_info") == {(VERSION,): 1}
        assert metrics.value("workers") == 2


def test_the_first_read_of_a_game_is_a_miss_and_later_ones_are_hits(tmp_path: Path) -> None:
    with connected(f"sqlite:///{tmp_path}/games.db") as store:
        game = store.started().id
    with measured(tmp_path, workers="1") as (_, metrics, counted):
        problem(counted.client.get(f"/v1/games/{NOWHERE}"), 404, "game_not_found")
        for _ in range(3):
            assert counted.client.get(f"/v1/games/{game}").status_code == 200
        metrics.until("cache_hits_total", 2)
        assert metrics.value("cache_misses_total") == 1
        assert metrics.value("cache_games") == 1


def test_watchers_are_counted_while_they_are_connected(shared: Site) -> None:
    server, metrics, counted = shared
    table = People(counted.client)
    with ThreadPoolExecutor() as threads, ExitStack() as streams:
        for path in (f"{table.path}/stream", f"{table.path}/stream", "/v1/stream?list=true"):
            assert streams.enter_context(Stream(f"{server.url}{path}")).status == 200
        waiting = threads.submit(table.wait_beyond, table.version)
        metrics.until("watchers", 4)
        table.do(table.moves()[0])
        waiting.result()
        metrics.until("watchers", 3)
    metrics.until("watchers", 0)
    requests = metrics.series("http_requests_total")
    assert requests["GET", "/v1/games/{game_id}/stream", "200"] == 2
    assert requests["GET", "/v1/stream", "200"] == 1
    assert metrics.value("http_request_duration_seconds_count", "GET", "/v1/stream") == 1


def test_moves_of_bots_are_counted_separately(shared: Site) -> None:
    _, metrics, counted = shared
    before = metrics.series("moves_total")
    table = People(counted.client, bots=("random",))
    for _ in range(12):
        until(lambda: table.to_play in table.tokens)
        table.do(table.moves()[0])
    until(lambda: table.to_play in table.tokens)
    events = table.seen("/events", params={"view": "full", "limit": 1000})["items"]
    seats = Counter(event["seat"] for event in events if event["type"] == "action_taken")
    assert seats[0] == 12
    assert seats[1] > 0
    moves = {("person",): 12, ("bot",): seats[1]}  # a move is counted when it is stored
    until(lambda: added(before, metrics.series("moves_total")) == moves)


def test_the_cache_of_a_killed_process_no_longer_counts_but_its_work_does(tmp_path: Path) -> None:
    with measured(tmp_path, cache_bytes="1000000") as (server, metrics, counted):
        metrics.until("cache_limit_bytes", 2 * 750_000)  # of two processes; a quarter is for views
        table = People(counted.client)
        read_by_both(table, metrics)
        assert 2 * 4_000 < metrics.value("cache_bytes") < 2 * 100_000
        table.play(3)
        before = metrics.series("moves_total"), metrics.value("commit_changes_sum"), metrics.value("workers")
        killed = a_worker_of(server)
        os.kill(killed, signal.SIGKILL)
        metrics.until("cache_games", 1)
        metrics.until("workers", 2)
        assert (metrics.series("moves_total"), metrics.value("commit_changes_sum"), 2) == before
        read_by_both(table, metrics)
        _, logged = server.stop()
    lines = [json.loads(line) for line in logged.splitlines()]
    assert any(line["logger"] == "_granian" and line["level"] == "error" for line in lines), "the server reports it"


def test_requests_cannot_create_new_series(shared: Site) -> None:
    _, metrics, counted = shared
    before = metrics.series("http_requests_total")
    for number in range(30):
        counted.client.request(f"M{number}", f"/v1/games/{number}", headers={"origin": f"https://{number}.example"})
        counted.client.get(f"/nothing/{number}")
        counted.client.get(f"/v1/boards/{number}")
        counted.client.get("/v1/boards", params={f"q{number}": number})
    assert added(before, metrics.series("http_requests_total")) == {
        ("unknown", "unknown", "405"): 30,
        ("GET", "unknown", "404"): 30,
        ("GET", "/v1/boards/{board}", "404"): 30,
        ("GET", "/v1/boards", "400"): 30,
    }


def test_the_address_of_the_api_has_no_metrics(shared: Site) -> None:
    _, metrics, counted = shared
    problem(counted.client.get("/metrics"), 404, "not_found")
    assert metrics.url.removesuffix("/metrics") != str(counted.client.base_url)
    assert fetch(metrics.url).headers["content-type"].startswith("text/plain; version=")


def test_the_directory_and_the_address_end_with_the_server(tmp_path: Path) -> None:
    with measured(tmp_path, workers="1") as (server, metrics, _):
        directory = directory_of(server)
        assert directory.stat().st_mode & 0o777 == 0o700
        server.stop()
        assert not directory.exists()
    with measured(tmp_path) as (server, metrics, _):
        directory = directory_of(server)
        server.process.kill()
        server.process.wait()
        with pytest.raises(httpx.ConnectError):  # even while its workers still run
            fetch(metrics.url)
        server.process.communicate()  # wait for the last worker
        assert not directory.exists()


def test_without_the_setting_neither_metrics_nor_their_libraries_are_loaded() -> None:
    with running() as server:
        server.process.send_signal(signal.SIGTERM)
        printed, _ = server.process.communicate()
        assert START not in printed
    program = (
        "import sys, api.server; from api.settings import Settings; from litestar.testing import TestClient\n"
        "with TestClient(api.server.serve_app()) as client: assert client.get('/v1/games').status_code == 200\n"
        "print([name for name in sys.modules if 'prometheus' in name or 'psycopg' in name])"
    )
    environment = {**os.environ, "FRANCHISE_DATABASE_URL": "memory:"}
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert loaded.stdout == b"[]\n"


def test_an_address_is_a_host_with_a_port() -> None:
    assert metrics_address(Settings(metrics="127.0.0.1:9100")) == ("127.0.0.1", 9100)
    assert metrics_address(Settings(metrics="[::1]:9100")) == ("::1", 9100)
    assert metrics_address(read_settings({"FRANCHISE_METRICS": ANYWHERE, "PORT": "0"})) == ("127.0.0.1", 0)


@pytest.mark.parametrize(
    "wrong",
    ["9100", "127.0.0.1", ":9100", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "[::1]:70000", "localhost:8000"],
)
def test_an_invalid_address_is_refused(wrong: str) -> None:
    with pytest.raises(SettingError, match=f"^FRANCHISE_METRICS={re.escape(repr(wrong))}: [^\n]+$"):
        read_settings({"FRANCHISE_METRICS": wrong})


def test_an_unavailable_address_stops_the_start_with_one_line() -> None:
    program = (
        "import os, sys; from api.cli import main\n"
        "for os.environ['FRANCHISE_METRICS'] in sys.argv[1:]: assert main(['serve', '--port', '0']) == 1"
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wrong = ("127.0.0.1", f"127.0.0.1:{taken.getsockname()[1]}", "203.0.113.1:0", "nowhere.invalid:0")
        environment = {**os.environ, "FRANCHISE_DATABASE_URL": "memory:"}
        command = [sys.executable, "-c", program, *wrong]
        failed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (0, "")
    reported = re.findall(r"FRANCHISE_METRICS='?([^' ]+)'?: [^\n]+\n", failed.stderr)
    assert reported == list(wrong), failed.stderr
    assert failed.stderr.count("\n") == len(wrong)


def test_every_metric_is_documented(shared: Site) -> None:
    _, metrics, _ = shared
    text = fetch(metrics.url).text
    served = {
        family.name + {"counter": "_total", "info": "_info"}.get(family.type, "")
        for family in text_string_to_metric_families(text)
    }
    documented = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    assert served == set(re.findall(r"^\| `(franchise_\w+)` \|", documented, re.MULTILINE))
    for named in re.findall(r"franchise_[a-z_]+", documented):
        assert re.sub("_bucket$", "", named) in served, named
