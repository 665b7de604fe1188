"""The bot ``random``."""

from random import Random

from domain.bots.bot import Bot, OutOfTime
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose any legal action. Resigning is never in the list."""
    return luck.choice(legal_actions(game)).action


RANDOM = Bot(
    "random", "Plays random legal actions and never resigns. For tests, and as the lowest rung of the ladder.", _choose
)
