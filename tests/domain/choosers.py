"""Players for random games: some only lively, some with an eye for points."""

from collections.abc import Callable
from random import Random

from domain.actions import Double, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import legal_actions
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action

Chooser = Callable[[Game, Random], Legal[Action]]


def anything(game: Game, luck: Random) -> Legal[Action]:
    """Choose any action at all."""
    return luck.choice(legal_actions(game))


def keen(game: Game, luck: Random) -> Legal[Action]:
    """Choose the best action at first sight, now and then another one: points, cheap links, room in the city."""
    legal = legal_actions(game)
    return max(legal, key=lambda each: _worth(game, each) + luck.random() * 2)


def _worth(game: Game, legal: Legal[Action]) -> float:
    """Estimate the worth of an action at first sight."""
    me, would = game.turn.seat, legal.would_score
    gain = 0.0
    if would is not None:
        gain = would.influence * (1 if would.winner == me else -0.6)
    match legal.action:
        case Expand() | ExpandAgain():
            hurry = 6 if len(game.passed) + 1 >= len(game.playing()) and not game.turn.expanded else 0
            return 3 + hurry + gain - legal.cost * 0.8
        case Increase():
            return 2.5 + gain
        case Double():
            return gain
        case TakeDollars():
            return 4 if game.active.money < 3 else -3
        case _:
            return 0.5


def lively(game: Game, luck: Random) -> Legal[Action]:
    """Choose the best action or any action by chance."""
    return keen(game, luck) if luck.random() < 0.6 else anything(game, luck)


def passive(game: Game, luck: Random) -> Legal[Action]:
    """Choose any action, expansions rarely."""
    legal = legal_actions(game)
    others = [each for each in legal if not isinstance(each.action, Expand | ExpandAgain)]
    return luck.choice(others or legal)


def crowding(game: Game, luck: Random) -> Legal[Action]:
    """Choose actions where the others are, so that cities fill up without a majority."""
    return max(legal_actions(game), key=lambda each: _company(game, each) + luck.random() * 3)


def _company(game: Game, legal: Legal[Action]) -> float:
    """Count the franchises of others where the action leads."""
    match legal.action:
        case Expand(path) | ExpandAgain(path):
            return 2 + len(game.spaces[game.board.number[path[-1]]])
        case Increase(city) | Double(city):
            others = [seat for seat in game.spaces[game.board.number[city]] if seat != game.turn.seat]
            return len(others) - game.spaces[game.board.number[city]].count(game.turn.seat)
        case _:
            return 1
