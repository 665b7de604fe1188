"""Ports for servers that need one before they start."""

import socket
from random import SystemRandom

NOT_GIVEN_TO_CLIENTS = range(10_000, 32_768)
"""Ports below those that Linux assigns, so that no client gets one before the server starts."""


def free_port() -> int:
    """Return an unused port."""
    while True:
        port = SystemRandom().choice(NOT_GIVEN_TO_CLIENTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
