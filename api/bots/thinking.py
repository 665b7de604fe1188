"""The program of a bot process: it handles one request after the other until its input ends."""

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
"""The niceness of bot processes, so that the server goes first."""


def think(bots: Mapping[str, Bot]) -> None:
    """Read requests, and write each action as a line of JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    with suppress(EOFError, BrokenPipeError):  # the parent has closed a pipe
        while True:
            request = read_request(sys.stdin.buffer)
            action = bots[request.bot].choose(request.game, Random(), _seconds(request.seconds))
            os.write(sys.stdout.fileno(), msgspec.json.encode(action) + b"\n")


def _seconds(seconds: float) -> OutOfTime:
    end = monotonic() + seconds
    return lambda: monotonic() >= end


if __name__ == "__main__":
    think(BOTS)
