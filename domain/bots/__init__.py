"""The registry of the bots: players that choose their actions by themselves."""

from domain.bots.anything import RANDOM
from domain.bots.bot import Bot
from domain.bots.greedy import GREEDY
from domain.bots.planner import PLANNER

BOTS: dict[str, Bot] = {bot.name: bot for bot in (RANDOM, GREEDY, PLANNER)}
"""All kinds of bots by name, the weakest first."""
