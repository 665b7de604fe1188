"""The shape of a bot, and the budgets of its thinking."""

from collections.abc import Callable
from itertools import count
from random import Random

import msgspec

from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action

OutOfTime = Callable[[], bool]
"""Tells whether the budget is spent; asked once for each position that is looked at."""

Choose = Callable[[Game, Random, OutOfTime], Action]
"""Chooses a legal action for the player who decides."""


class Bot(msgspec.Struct, frozen=True):
    """A kind of bot: its name, a sentence on what it does and how strong it is, and its choice."""

    name: BotKind
    description: str
    choose: Choose


def positions(number: int) -> OutOfTime:
    """Return a budget of that many positions, by which a search is repeatable."""
    asked = count(1)
    return lambda: next(asked) > number


def without_limit() -> bool:
    """Return that the budget is never spent."""
    return False
