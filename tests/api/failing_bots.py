"""Bots that fail, for tests: run as a program, it thinks as the one of the server does, but for these two."""

import os
import signal
from random import Random
from threading import Event

from api.bots.thinking import think
from domain.bots import BOTS
from domain.bots.bot import Bot, OutOfTime
from domain.game import Game
from domain.modules import Action


def _die(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Think as a process does that the machine kills."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("alive")


def _think_for_ever(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    Event().wait()
    raise AssertionError("eternity is over")


if __name__ == "__main__":
    think(
        {**BOTS, "random": Bot("random", "Dies.", _die), "planner": Bot("planner", "Never decides.", _think_for_ever)}
    )
