"""The bot ``greedy``."""

from random import Random

from domain.bots.bot import Bot, OutOfTime, without_limit
from domain.bots.turns import plans
from domain.bots.weights import BY_EYE
from domain.game import Game
from domain.modules import Action

WIDTH = 3


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose the first action of the best turn. The budget does not matter."""
    return plans(game, BY_EYE, WIDTH, luck, without_limit)[0].actions[0]


GREEDY = Bot(
    "greedy",
    "Compares whole turns by the position after them, without the replies of the others. Chooses in milliseconds, and "
    "beats random nearly always.",
    _choose,
)
