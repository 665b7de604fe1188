"""Ports for servers that have to be told one before they start."""

import socket
from random import SystemRandom

NOT_GIVEN_TO_CLIENTS = range(10_000, 32_768)
"""The ports below those that Linux gives away: nobody gets one between the question and the start of the server."""


def free_port() -> int:
    """Return a port that nobody has."""
    while True:
        port = SystemRandom().choice(NOT_GIVEN_TO_CLIENTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
