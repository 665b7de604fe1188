"""The program of a process that thinks for bots: it answers one request after the other until there are no more."""

import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from time import monotonic

import msgspec

from api.bots.requests import read_request
from domain.bots import BOTS
from domain.bots.bot import Bot, OutOfTime

NICENESS = 5
"""By how much thinking gives way to other programs, above all to the server that answers people."""


def think(bots: Mapping[str, Bot]) -> None:
    """Read requests and write actions, a line of JSON for each; the program that asks decides when to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    with suppress(EOFError, BrokenPipeError):  # nobody asks any more, or nobody waits for the answer
        while True:
            request = read_request(sys.stdin.buffer)
            action = bots[request.bot].choose(request.game, Random(), _seconds(request.seconds))
            os.write(sys.stdout.fileno(), msgspec.json.encode(action) + b"\n")


def _seconds(seconds: float) -> OutOfTime:
    """Return a budget of so many seconds from now on."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end


if __name__ == "__main__":
    think(BOTS)
