"""The limit on the connections of one client, round by round."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_network

import pytest

from api.http.connection_limit import ConnectionLimit

FOUR = "127.0.0.1"

SERVER = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""


class Listener:
    """A server that accepts, and keeps what it accepted."""

    def __init__(self, stack: ExitStack, family: socket.AddressFamily, host: str) -> None:
        self._stack = stack
        self._socket = stack.enter_context(socket.create_server((host, 0), family=family))

    def accept(self, number: int, client: str) -> list[socket.socket]:
        """Return the clients' ends of new connections."""
        clients = []
        for _ in range(number):
            address = self._socket.getsockname()[:2]
            clients.append(self._stack.enter_context(socket.create_connection(address, source_address=(client, 0))))
            self._stack.enter_context(self._socket.accept()[0])
        return clients


@pytest.fixture
def listener() -> Iterator[Listener]:
    with ExitStack() as stack:
        yield Listener(stack, socket.AF_INET, FOUR)


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True


def test_the_newest_of_too_many_are_closed(listener: Listener) -> None:
    limit = ConnectionLimit(3)
    first = listener.accept(2, FOUR)
    limit.enforce()
    other = listener.accept(3, "127.0.0.2")
    late = listener.accept(4, FOUR)
    assert limit.enforce() == {FOUR: 3}
    assert all(map(is_open, first + other))
    assert sorted(map(is_open, late)) == [False, False, False, True]


def test_who_left_has_room_again(listener: Listener) -> None:
    limit = ConnectionLimit(3)
    for _ in range(5):
        with ExitStack() as stack:
            connections = Listener(stack, socket.AF_INET, FOUR).accept(3, FOUR)
            assert not limit.enforce()
            assert all(map(is_open, connections))


def test_connections_that_this_process_opened_are_left_alone() -> None:
    """Those to a database, above all."""
    with ExitStack() as stack:
        elsewhere = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert elsewhere.stdout is not None
        stack.enter_context(elsewhere)
        stack.callback(elsewhere.kill)
        port = int(elsewhere.stdout.readline())
        own = [stack.enter_context(socket.create_connection((FOUR, port))) for _ in range(5)]
        limit = ConnectionLimit(1)
        Listener(stack, socket.AF_INET, FOUR).accept(2, FOUR)
        assert limit.enforce() == {FOUR: 1}
        assert all(map(is_open, own))


def test_trusted_proxies_may_have_any_number(listener: Listener) -> None:
    limit = ConnectionLimit(1, [ip_network("127.0.0.0/30")])
    of_proxy, others = listener.accept(4, "127.0.0.3"), listener.accept(4, "127.0.0.5")
    assert limit.enforce() == {"127.0.0.5": 3}
    assert all(map(is_open, of_proxy))
    assert sum(map(is_open, others)) == 1


def test_ipv6_counts_by_the_network_of_a_subscriber() -> None:
    with ExitStack() as stack:
        listener = Listener(stack, socket.AF_INET6, "::1")
        listener.accept(4, "::1")
        assert ConnectionLimit(1).enforce() == {"::/64": 3}


def test_what_stands_for_ipv4_counts_as_ipv4() -> None:
    with ExitStack() as stack:
        both = stack.enter_context(socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True))
        for _ in range(4):
            port = both.getsockname()[1]
            stack.enter_context(socket.create_connection((FOUR, port), source_address=("127.0.0.4", 0)))
            stack.enter_context(both.accept()[0])
        assert ConnectionLimit(1).enforce() == {"127.0.0.4": 3}
        assert not ConnectionLimit(1, [ip_network("127.0.0.4/32")]).enforce()
