"""A relay of TCP connections that cuts some of them, like a bad network."""

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler
from threading import Thread
from urllib.parse import urlsplit

from tests.support.web_server import listening

CHUNK = 65536

BytesThrough = Callable[[bytes], int]
"""Returns the number of response bytes before a connection is cut, given its first bytes."""


@contextmanager
def relaying(server: str, bytes_through: BytesThrough) -> Iterator[str]:
    """Run a relay to a server, and yield its address."""
    target = urlsplit(server)

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            client: socket.socket = self.request
            with suppress(OSError), socket.create_connection((target.hostname or "", target.port or 0)) as upstream:
                begun = client.recv(CHUNK)
                upstream.sendall(begun)
                Thread(target=pump, args=(client, upstream, sys.maxsize), daemon=True).start()
                pump(upstream, client, bytes_through(begun))

    with listening(Handler) as url:
        yield url


def pump(source: socket.socket, sink: socket.socket, most: int) -> None:
    """Pass data on; close the connection at its end or after this many bytes."""
    with suppress(OSError):
        while received := source.recv(CHUNK):
            sink.sendall(received[:most])
            most -= len(received)
            if most <= 0:
                break
        for end in (source, sink):
            end.shutdown(socket.SHUT_RDWR)
