"""HTTP on the wire: every request gets a complete response, and bodies stay bodies."""

import re
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.api.server import running


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with running() as server:
        found = urlsplit(server.url)
        yield str(found.hostname), int(found.port or 0)


def test_every_request_gets_a_complete_response(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=10) as connection:
        for request, status, has_body in (
            (b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n", b"200", True),
            (b"HEAD /health/live HTTP/1.1\r\nhost: x\r\n\r\n", b"200", False),
            (b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n", b"200", True),
            (b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n", b"404", True),
            (b"OPTIONS /v1/games HTTP/1.1\r\nhost: x\r\n\r\n", b"204", False),
            (b"GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", b"200", True),
        ):
            connection.sendall(request)
            head, body = _response(connection, has_body=has_body)
            assert head.split(b" ")[1] == status
            assert body.startswith(b"{") == has_body
        assert connection.recv(1) == b"", "the server has closed the connection"


def test_expect_continue_is_answered(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\nexpect: 100-continue\r\n\r\n")
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"seats":2}')
        head, body = _response(connection, has_body=True)
        assert head.startswith(b"HTTP/1.1 201 ")
        assert b'"host_token"' in body


UPGRADE = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n"
WEBSOCKET = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
OPENED = b'{"seats":2,"players":["Ann","Bob"]}'


@pytest.mark.parametrize("upgrade", [UPGRADE, WEBSOCKET])
@pytest.mark.parametrize("packets", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("framing", "body"),
    [
        (b"content-length: %d\r\n" % len(OPENED), OPENED),
        (
            b"transfer-encoding: chunked\r\n",
            b"5\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (OPENED[:5], len(OPENED) - 5, OPENED[5:]),
        ),
    ],
)
def test_upgrades_to_other_protocols_are_ignored(
    address: tuple[str, int], upgrade: bytes, packets: int, framing: bytes, body: bytes
) -> None:
    """In any packets, the body belongs to the request, and the bytes after it are the next request."""
    request = b"POST /v1/games HTTP/1.1\r\nhost: x\r\n" + framing + upgrade + b"\r\n" + body
    following = b"GET /health/live HTTP/1.1\r\nhost: x\r\n" + upgrade + b"\r\n"
    sent = request + following + b"GET /v1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with socket.create_connection(address, timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(sent), -(-len(sent) // packets)):
            connection.sendall(sent[start : start - (-len(sent) // packets)])
        responses = b""
        while more := connection.recv(65536):
            responses += more
    assert re.findall(rb"HTTP/1\.1 (\d+)", responses) == [b"201", b"200", b"200"]
    assert b'"host_token"' in responses


def test_expect_continue_with_a_large_body_closes_the_connection(address: tuple[str, int]) -> None:
    """Otherwise the next request would be taken for the body that was never sent."""
    head = b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 65537\r\nexpect: 100-continue\r\n\r\n"
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(head)
        head, body = _response(connection, has_body=True)
        assert head.startswith(b"HTTP/1.1 413 ")
        assert b"body_too_large" in body
        assert connection.recv(1) == b""


def test_a_request_hidden_in_a_body_is_ignored(address: tuple[str, int]) -> None:
    smuggled = b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx-request-id: smuggled\r\n\r\n"
    upgrade = b"connection: close, upgrade\r\nupgrade: h2c\r\n"
    head = b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n" + upgrade + b"\r\n"
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(head % len(smuggled))
        connection.sendall(smuggled)
        responses = b""
        while more := connection.recv(65536):
            responses += more
    assert responses.startswith(b"HTTP/1.1 400 ")
    assert responses.count(b"HTTP/1.1 ") == 1
    assert b"malformed_json" in responses


def _response(connection: socket.socket, *, has_body: bool) -> tuple[bytes, bytes]:
    """The next response, exactly as long as its headers say."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: ")]
    length = int(lengths[0].split(b" ")[1]) if has_body else 0
    while len(body) < length:
        body += connection.recv(65536)
    assert len(body) == length
    return head, body
