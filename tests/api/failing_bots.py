"""A bot worker whose bots fail in the ways given as arguments, such as `random=dies`."""

import os
import signal
import sys
from random import Random
from threading import Event

from msgspec.structs import replace

from api.bots.thinking import think
from domain.actions import ChooseTown, Resign
from domain.bots import BOTS
from domain.bots.bot import Choose, OutOfTime
from domain.game import Game
from domain.modules import Action


def _die(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Die like a process that the machine kills."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("alive")


def _think_without_end(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    Event().wait()
    raise AssertionError("the wait has ended")


def _raise(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    raise RuntimeError("a mistake")


def _cheat(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    return ChooseTown("atlantis")


def _leave(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    return Resign()


def _shout(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Write far more than an action, and no end of the line."""
    for _ in range(100):
        os.write(sys.stdout.fileno(), bytes(10_000))
    return Resign()


FAILURES: dict[str, Choose] = {
    "dies": _die,
    "never_decides": _think_without_end,
    "raises": _raise,
    "cheats": _cheat,
    "leaves": _leave,
    "shouts": _shout,
}

if __name__ == "__main__":
    failing = dict(argument.split("=") for argument in sys.argv[1:])
    think(BOTS | {name: replace(BOTS[name], choose=FAILURES[how]) for name, how in failing.items()})
