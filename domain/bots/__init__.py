"""The registry of bots."""

from domain.bots.bot import Bot, OutOfTime, positions
from domain.bots.greedy import GREEDY
from domain.bots.planner import PLANNER
from domain.bots.random_bot import RANDOM

__all__ = ["BOTS", "Bot", "OutOfTime", "positions"]

BOTS: dict[str, Bot] = {bot.name: bot for bot in (RANDOM, GREEDY, PLANNER)}
"""All kinds of bots by name, from weak to strong."""
