"""The configuration of nginx, tested with a real nginx if installed, in front of a real server."""

import json
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from api.http.problems import CATALOGUE
from api.settings import Settings
from tests.api.people import People
from tests.api.server import RESPONSE_SECONDS, ROOT, Server, running
from tests.deploy.certificates import self_signed
from tests.support.ports import free_port
from tests.support.waiting import until

NGINX = shutil.which("nginx")
CONF = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
FEW = 20
"""The limit of connections for an address in the tests."""


def test_refusals_of_the_proxy_are_problems_of_the_catalogue() -> None:
    refusals = [json.loads(text) for text in re.findall(r"return \d+ '(\{.*\})';", CONF)]
    assert [refusal["code"] for refusal in refusals] == ["body_too_large", "too_many_requests", "storage_unavailable"]
    for refusal in refusals:
        entry = CATALOGUE[refusal["code"]]
        assert (refusal["status"], refusal["title"]) == (entry.status, entry.title)
        assert refusal["type"] == f"/problems/{refusal['code']}"


def test_the_limit_of_connections_is_above_the_limit_of_streams() -> None:
    found = re.search(r"limit_conn addresses (\d+);", CONF)
    assert found is not None
    assert int(found[1]) > Settings().watchers_per_client
    assert "limit_conn_status 429;" in CONF


class Proxy:
    """An nginx with this configuration on its own port."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port = port
        self.url = f"https://127.0.0.1:{port}"
        self._context = ssl.create_default_context(cafile=str(certificate))
        self._context.check_hostname = False

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, verify=self._context, timeout=RESPONSE_SECONDS)

    def connect(self) -> ssl.SSLSocket:
        connection = self._context.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), timeout=RESPONSE_SECONDS)
        )
        connection.settimeout(RESPONSE_SECONDS)
        return connection


@contextmanager
def proxy(folder: Path, upstream: str, **changes: str) -> Iterator[Proxy]:
    """Start nginx with addresses, paths and times changed for the test."""
    assert NGINX is not None
    port, plain = free_port(), free_port()
    _, certificate = self_signed(folder)
    conf = CONF.replace("/etc/nginx/tls/", f"{folder}/").replace("listen 443", f"listen 127.0.0.1:{port}")
    conf = conf.replace("listen 80", f"listen 127.0.0.1:{plain}").replace("172.30.57.11:8000", upstream)
    conf = conf.replace("    server 172.30.57.12:8000 max_fails=1 fail_timeout=2s;\n", "")
    conf = conf.replace("limit_conn addresses 200", f"limit_conn addresses {FEW}")
    for before, after in changes.items():
        conf, number = re.subn(rf"{before} \w+;", f"{before} {after};", conf)
        assert number, before
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = folder / "nginx.conf"
    whole.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;"
        f"events {{ worker_connections 512; }} http {{ access_log off; {temporary}\n{conf}\n}}",
        encoding="utf-8",
    )
    process = subprocess.Popen([NGINX, "-p", folder, "-c", whole], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:

        def listens() -> bool:
            assert process.poll() is None, process.communicate()[1]
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True

        until(listens, OSError)
        yield Proxy(port, certificate)
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(trusted_proxies="127.0.0.1", log_level="info") as server:
        yield server


def address_of(server: Server) -> str:
    return server.url.removeprefix("http://")


if NGINX is not None:

    def test_a_game_is_played_and_followed_through_the_proxy(server: Server, tmp_path: Path) -> None:
        """Events of a stream pass at once, although the proxy buffers other responses."""
        with proxy(tmp_path, address_of(server)) as through, through.client() as client:
            table = People(client)
            with client.stream("GET", f"{table.path}/stream") as stream:
                parts = stream.iter_text()
                assert "retry:" in next(parts)
                table.play(1)
                assert "action_taken" in next(parts)
            table.play(3)
            assert table.seen("/audit")["ok"]
            large = client.post("/v1/records", content=b" " * (5 << 20), headers={"content-type": "application/json"})
            assert (large.status_code, large.json()["code"]) == (413, "body_too_large")

    def test_too_many_connections_of_an_address_are_refused_with_a_problem(server: Server, tmp_path: Path) -> None:
        with proxy(tmp_path, address_of(server)) as through, ExitStack() as stack, through.client() as client:
            game = People(client).id
            request = f"GET /v1/games/{game}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            for _ in range(FEW):
                connection = stack.enter_context(through.connect())
                connection.sendall(request)
                assert b" 200 OK" in connection.recv(4096)
            late = client.get("/v1/bots")
            assert (late.status_code, late.json()["code"]) == (429, "too_many_requests")
            assert late.headers["retry-after"] == "5"
            assert late.headers["content-type"] == "application/problem+json"

    def test_slow_heads_and_bodies_end_at_the_proxy(server: Server, tmp_path: Path) -> None:
        times = {"client_header_timeout": "1s", "client_body_timeout": "1s"}
        with proxy(tmp_path, address_of(server), **times) as through:
            for begun in (
                b"GET /v1/bots HTTP/1.1\r\nHost: x\r\n",
                b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
            ):
                with through.connect() as connection:
                    connection.sendall(begun)
                    received = connection.recv(4096)
                    assert received == b"" or b" 408 " in received

    def test_the_server_sees_the_address_of_the_client_and_ignores_its_headers(tmp_path: Path) -> None:
        with running(trusted_proxies="127.0.0.1", log_level="info") as server:
            with proxy(tmp_path, address_of(server)) as through, through.client() as client:
                assert client.get("/v1/bots", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200
            _, logged = server.stop()
        clients = {json.loads(line).get("client") for line in logged.splitlines() if "/v1/bots" in line}
        assert clients == {"127.0.0.1"}

    def test_without_a_server_the_proxy_starts_and_responds_with_a_problem(tmp_path: Path) -> None:
        with proxy(tmp_path, f"127.0.0.1:{free_port()}") as through, through.client() as client:
            away = client.get("/v1/bots")
            assert (away.status_code, away.json()["code"]) == (503, "storage_unavailable")
            assert away.headers["retry-after"] == "2"
