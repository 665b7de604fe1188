"""The interface of bots, and the budgets of their searches."""

from collections.abc import Callable
from itertools import count
from random import Random

import msgspec

from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action

OutOfTime = Callable[[], bool]
"""Returns whether the budget is spent. A search calls it once per position."""

Choose = Callable[[Game, Random, OutOfTime], Action]
"""Chooses a legal action for the player who has to decide."""


class Bot(msgspec.Struct, frozen=True):
    """A kind of bot. The description says how it plays and how strong it is."""

    name: BotKind
    description: str
    choose: Choose


def positions(number: int) -> OutOfTime:
    """Return a budget of a number of positions. Unlike a time limit, it makes a search repeatable."""
    asked = count(1)
    return lambda: next(asked) > number


def without_limit() -> bool:
    """Return False: the budget is never spent."""
    return False
