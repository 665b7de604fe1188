"""Players for random games: some play at random, others look for points."""

from collections.abc import Callable
from random import Random

from domain.actions import Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import legal_actions
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action
from domain.modules.boom import KeepBoom, MoveBoom

Chooser = Callable[[Game, Random], Legal[Action]]


def anything(game: Game, luck: Random) -> Legal[Action]:
    """Choose any action."""
    return luck.choice(legal_actions(game))


def keen(game: Game, luck: Random) -> Legal[Action]:
    """Choose the action that looks best, sometimes another: points, cheap links, room in the city."""
    legal = legal_actions(game)
    return max(legal, key=lambda each: _worth(game, each) + luck.random() * 2)


def _worth(game: Game, legal: Legal[Action]) -> float:
    """Estimate the value of an action."""
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
    """Choose the best action or a random one."""
    return keen(game, luck) if luck.random() < 0.6 else anything(game, luck)


def passive(game: Game, luck: Random) -> Legal[Action]:
    """Choose a random action, rarely an expansion."""
    legal = legal_actions(game)
    others = [each for each in legal if not isinstance(each.action, Expand | ExpandAgain)]
    return luck.choice(others or legal)


def crowding(game: Game, luck: Random) -> Legal[Action]:
    """Choose actions near the franchises of others, so that cities fill up without a majority."""
    return max(legal_actions(game), key=lambda each: _company(game, each) + luck.random() * 3)


def _company(game: Game, legal: Legal[Action]) -> float:
    """Count the franchises of others at the target of an action."""
    match legal.action:
        case Expand(path) | ExpandAgain(path):
            return 2 + len(game.spaces[game.board.number[path[-1]]])
        case Increase(city) | Double(city):
            others = [seat for seat in game.spaces[game.board.number[city]] if seat != game.turn.seat]
            return len(others) - game.spaces[game.board.number[city]].count(game.turn.seat)
        case _:
            return 1


def resourceful(game: Game, luck: Random) -> Legal[Action]:
    """Choose a random action, promising ones more often, so that regions close and every kind of tile is won."""
    legal = legal_actions(game)
    return luck.choices(legal, [_weight(game, each) for each in legal])[0]


def _weight(game: Game, legal: Legal[Action]) -> float:
    match legal.action:
        case Expand([*way, target], free_link) | ExpandAgain([*way, target], free_link):
            special = len(way) > 1 or free_link is not None
            return _attraction(game, target) * _promise(game, legal) * (4 if special else 1) / (1 + legal.cost / 4)
        case Increase() | Double():
            return 4 * _promise(game, legal)
        case EndTurn():
            return 2 if game.turn.expanded or (not game.turn.markers and _stuck(game)) else 0.02
        case TakeDollars():
            return 9 if game.active.money < 3 else 0.1
        case KeepBoom():
            return 2
        case MoveBoom(city):
            place = game.board.number[city]
            return 1 + game.free_spaces(place) if 1 << place & game.unscored & game.active.present else 0.2
        case _:
            return 1


def _stuck(game: Game) -> bool:
    return not any(isinstance(legal.action, Expand) for legal in legal_actions(game))


def _attraction(game: Game, place: str) -> float:
    """Prefer small cities and the last places that a region needs to score."""
    number = game.board.number[place]
    in_region = game.board.region_places[game.board.region_of[number]]
    gaps = (in_region & (game.unscored | game.board.towns & game.open)).bit_count()
    return 3 + 3 * (game.values[number] in (2, 3, 4)) + 12 * (gaps == 1)


def _promise(game: Game, legal: Legal[Action]) -> float:
    scoring = legal.would_score
    if scoring is None:
        return 1
    return 2 + scoring.influence if scoring.winner == game.turn.seat else 0.6
