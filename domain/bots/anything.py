"""The bot ``random``."""

from random import Random

from domain.bots.bot import Bot, OutOfTime
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose any listed action; resigning is never listed."""
    return luck.choice(legal_actions(game)).action


RANDOM = Bot("random", "Plays any legal action and never resigns: for tests, and the floor of the ladder.", _choose)
