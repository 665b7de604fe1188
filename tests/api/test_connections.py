"""Connections of bad clients end in time, and other clients are served meanwhile."""

import re
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.api.server import Server, fetch, running
from tests.support.waiting import until

LONG = 60
"""Timeout of a wait for the server in seconds."""

GET = b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n"
CREATE = b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n"
UPLOAD = CREATE.replace(b"/games", b"/records")
HTTP_2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
IDLE = 400


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """A server with timeouts of one second."""
    with running(head_timeout="1", body_timeout="1", log_level="error") as server:
        yield server


def connect(server: Server, client: str = "127.0.0.1") -> socket.socket:
    address = urlsplit(server.url)
    return socket.create_connection((str(address.hostname), int(address.port or 0)), LONG, (client, 0))


def connect_many(server: Server, number: int, stack: ExitStack) -> list[socket.socket]:
    """Open this many connections without waiting until they are accepted."""
    address, connections = urlsplit(server.url), []
    for _ in range(number):
        connection = stack.enter_context(socket.socket())
        connection.setblocking(False)
        connection.connect_ex((str(address.hostname), int(address.port or 0)))
        connections.append(connection)
    return connections


def until_closed(connection: socket.socket) -> bytes:
    """Everything that the server sends until it closes the connection."""
    received = b""
    try:
        while more := connection.recv(65536):
            received += more
    except ConnectionResetError:
        pass
    return received


def status_of(connection: socket.socket) -> int:
    """Receive the head of a response, and return its status."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    return int(received.split(b" ")[1])


def serves(server: Server) -> None:
    assert fetch(f"{server.url}/health/live").status_code == 200


# --- heads and bodies that are too long or never complete ------------------------------------------------------------


@pytest.mark.parametrize("field", [b"x-long: " + b"a" * 1_000_000, b"x-field: y\r\n" * 100_000])
def test_an_endless_head_is_refused_early(strict: Server, field: bytes) -> None:
    with connect(strict) as connection:
        sent = 0
        try:
            for start in range(0, len(field), 8192):
                connection.sendall((GET[:-2] if not start else b"") + field[start : start + 8192])
                sent += 8192
        except ConnectionError:
            assert sent < len(field)
        assert until_closed(connection)[:13] in (b"HTTP/1.1 431 ", b"")
    serves(strict)


@pytest.mark.parametrize("sent", [b"", GET[:8], GET[:-2], HTTP_2])
def test_a_connection_without_a_complete_head_is_closed(strict: Server, sent: bytes) -> None:
    with connect(strict) as connection:
        connection.sendall(sent)
        assert until_closed(connection) == b""


def test_a_head_sent_byte_by_byte_gets_no_more_time(strict: Server) -> None:
    with connect(strict) as connection:
        connection.sendall(GET[:-2])
        assert not keeps_sending(connection, b"x-more: y\r\n")
    serves(strict)


@pytest.mark.parametrize("sent", [CREATE, CREATE + b"{"])
def test_half_a_body_gets_a_timeout(strict: Server, sent: bytes) -> None:
    with connect(strict) as connection:
        connection.sendall(sent)
        assert b"request_timeout" in until_closed(connection)


def test_a_body_sent_byte_by_byte_gets_no_more_time(strict: Server) -> None:
    slow = CREATE.replace(b"length: 11", b"length: 60000")
    with connect(strict) as connection:
        connection.sendall(slow)
        assert not keeps_sending(connection, b" ")
    serves(strict)


def keeps_sending(connection: socket.socket, data: bytes) -> bool:
    """Send data for a minute, or until the server closes the connection."""
    connection.settimeout(0.05)
    for _ in range(LONG * 20):
        try:
            connection.sendall(data)
            if not connection.recv(65536):
                return False
        except TimeoutError:
            continue
        except ConnectionError:
            return False
    return True


# --- many connections, and clients that do not read ------------------------------------------------------------------


def test_idle_connections_give_way_to_others() -> None:
    unlimited = running(head_timeout="1", connections="200", log_level="error")
    with unlimited as server, ExitStack() as stack:
        idle = connect_many(server, IDLE, stack)
        serves(server)
        assert len(idle) == IDLE


def test_connections_are_limited_by_the_setting() -> None:
    with running(connections="2", log_level="info", head_timeout="60") as server:
        with connect(server) as one, connect(server) as other, connect(server) as late:
            for connection in (one, other):
                connection.sendall(GET)
                assert status_of(connection) == 200
            late.sendall(GET.replace(b"\r\n\r\n", b"\r\nx-request-id: late\r\n\r\n"))
            for number in range(20):
                one.sendall(GET.replace(b"\r\n\r\n", b"\r\nx-request-id: early-%d\r\n\r\n" % number))
                assert status_of(one) == 200
            other.close()
            assert status_of(late) == 200
        _, logged = server.stop()
    asked = re.findall(r'"request_id":"(early-19|late)"', logged)
    assert asked == ["early-19", "late"]


def test_a_process_with_few_files_accepts_fewer_connections() -> None:
    with running(files=64, head_timeout="1") as server:
        for _ in range(2):
            with ExitStack() as stack:
                connect_many(server, 200, stack)
            serves(server)


def test_1000_requests_on_one_connection_are_answered_in_order(strict: Server) -> None:
    requests = [GET.replace(b"\r\n\r\n", b"\r\nx-request-id: %d\r\n\r\n" % number) for number in range(1000)]
    requests[-1] = requests[-1].replace(b"host: x", b"host: x\r\nconnection: close")
    with connect(strict) as connection:
        connection.sendall(b"".join(requests))
        responses = until_closed(connection)
    assert responses.count(b"HTTP/1.1 200 ") == 1000
    assert [int(number) for number in re.findall(rb"x-request-id: (\d+)", responses)] == list(range(1000))


def test_responses_wait_for_clients_that_do_not_read() -> None:
    """The next request on a connection waits until the response before it was sent."""
    large = b"GET /schema HTTP/1.1\r\nhost: x\r\n\r\n"
    with running(log_level="info") as server, ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(connect(server))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(large * 200)
        for _ in range(50):
            serves(server)
        stack.close()
        _, logged = server.stop()
    assert 0 < logged.count('"path":"/schema"') < 20 * 50


def test_uploads_of_records_are_limited_in_all_and_for_each_client() -> None:
    with (
        running(heavy_requests="2", heavy_requests_per_client="1") as server,
        connect(server) as first,
        connect(server, "127.0.0.2") as second,
    ):
        for connection in (first, second):
            connection.sendall(UPLOAD + b"{")
            serves(server)  # requests start in the order of their arrival
        assert [upload(server, client) for client in ("127.0.0.1", "127.0.0.2", "127.0.0.3")] == [429] * 3
        first.sendall(b" " * 10)
        assert status_of(first) == 400
        until(lambda: upload(server, "127.0.0.3") == 400)


def upload(server: Server, client: str) -> int:
    with connect(server, client) as connection:
        connection.sendall(UPLOAD + b"{}         ")
        return status_of(connection)


def test_http_2_is_available_by_a_setting() -> None:
    with running(http="auto") as server, connect(server) as connection:
        connection.sendall(HTTP_2)
        length, kind = struct.unpack(">xHB", connection.recv(4))
        assert kind == 4, "the first frame has the settings of the server"
        assert length % 6 == 0
