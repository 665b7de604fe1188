"""The limit on the connections of one client, which the server itself does not count."""

import errno
import os
import socket
import stat
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from threading import Thread
from time import sleep

from api.http.limits import address_of, client_of
from api.http.request_log import Log

OPEN_FILES = Path("/dev/fd")
ROUND_SECONDS = 1.0


class ConnectionLimit:
    """Closes the newest connections of each client that has more than allowed.

    A server tells nobody of a new connection; so those of this process are looked up among its open files.
    """

    def __init__(self, most: int, trusted: Iterable[IPv4Network | IPv6Network] = ()) -> None:
        self._most = most
        self._trusted = tuple(trusted)
        self._listening_at: set[int] = set()
        self._clients: dict[int, str] = {}

    def enforce(self) -> Counter[str]:
        """Close what is too much now, and return how many connections that were of each client."""
        descriptors = _open_sockets()
        oldest_first = [inode for inode in self._clients if inode in descriptors]
        oldest_first += [inode for inode in descriptors if inode not in self._clients]
        self._clients = {
            inode: self._clients.get(inode) or self._client(inode, descriptors[inode]) for inode in oldest_first
        }
        had, closed = Counter[str](), Counter[str]()
        for inode, client in self._clients.items():
            had[client] += 1
            if client and had[client] > self._most:
                with suppress(OSError), _socket(inode, descriptors[inode]) as connection:
                    connection.shutdown(socket.SHUT_RDWR)
                    closed[client] += 1
        return closed

    def _client(self, inode: int, descriptor: int) -> str:
        """Return whose connection this is, nobody's if the server did not accept it or a trusted proxy opened it."""
        with suppress(OSError), _socket(inode, descriptor) as connection:
            address = connection.getsockname()
            if not isinstance(address, tuple):
                return ""
            port = address[1]
            if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                self._listening_at.add(port)
            elif port in self._listening_at and not self._is_trusted(peer := connection.getpeername()):
                return client_of(peer)
        return ""

    def _is_trusted(self, peer: tuple[str, int]) -> bool:
        address = address_of(peer)
        return any(address in network for network in self._trusted)


def limit_connections(limit: ConnectionLimit, log: Log) -> None:
    """Enforce a limit once a second, for as long as the process lives."""
    Thread(target=_enforce_always, args=(limit, log), name="connection-limit", daemon=True).start()


def _enforce_always(limit: ConnectionLimit, log: Log) -> None:
    while True:
        if closed := limit.enforce():
            client, number = closed.most_common(1)[0]
            log.warning("closed connections", connections=closed.total(), client=client, of_client=number)
        sleep(ROUND_SECONDS)


def _open_sockets() -> dict[int, int]:
    """Return the file descriptor of each open socket, by the number of its inode; none if no file can be opened."""
    found = {}
    with suppress(OSError):
        for file in OPEN_FILES.iterdir():
            with suppress(OSError):
                status = os.fstat(int(file.name))
                if stat.S_ISSOCK(status.st_mode):
                    found[status.st_ino] = int(file.name)
    return found


def _socket(inode: int, descriptor: int) -> socket.socket:
    """Return a second handle of an open socket, which can be closed alone; raise ``OSError`` if it is gone."""
    duplicate = os.dup(descriptor)
    if os.fstat(duplicate).st_ino != inode:
        os.close(duplicate)
        raise OSError(errno.EBADF, "another file has this descriptor now")
    return socket.socket(fileno=duplicate)
