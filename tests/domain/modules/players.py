"""Players who know what they want, now and then: good enough to close regions and to earn every kind of tile."""

import random

from domain.actions import Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import legal_actions
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action
from domain.modules.boom import KeepBoom, MoveBoom


def choose(game: Game, luck: random.Random) -> Action:
    """One of the actions that are listed, the promising ones more often."""
    listed = legal_actions(game)
    return luck.choices(listed, [_weight(game, legal) for legal in listed])[0].action


def _weight(game: Game, legal: Legal[Action]) -> float:
    match legal.action:
        case Expand([*way, target], free_link) | ExpandAgain([*way, target], free_link):
            special = len(way) > 1 or free_link is not None
            return _attraction(game, target) * _worth(game, legal) * (4 if special else 1) / (1 + legal.cost / 4)
        case Increase() | Double():
            return 4 * _worth(game, legal)
        case EndTurn():
            return 2 if game.turn.expanded or (not game.turn.markers and _stuck(game)) else 0.02
        case TakeDollars():
            return 9 if game.active.money < 3 else 0.1
        case KeepBoom() | MoveBoom():
            return _weight_of_boom(game, legal.action)
        case _:
            return 1


def _stuck(game: Game) -> bool:
    return not any(isinstance(legal.action, Expand) for legal in legal_actions(game))


def _attraction(game: Game, place: str) -> float:
    """Small cities are liked, and what is the last thing missing for a region to be scored."""
    return 3 + 3 * (game.values[game.board.number[place]] in (2, 3, 4)) + 12 * (_gaps(game, place) == 1)


def _gaps(game: Game, place: str) -> int:
    """Count what is missing for the region of a place to be scored."""
    places = game.board.region_places[game.board.region_of[game.board.number[place]]]
    return (places & (game.unscored | game.board.towns & game.open)).bit_count()


def _worth(game: Game, legal: Legal[Action]) -> float:
    scoring = legal.would_score
    if scoring is None:
        return 1
    return 2 + scoring.influence if scoring.winner == game.turn.seat else 0.6


def _weight_of_boom(game: Game, action: KeepBoom | MoveBoom) -> float:
    if isinstance(action, KeepBoom):
        return 2
    place = game.board.number[action.city]
    return 1 + game.free_spaces(place) if 1 << place & game.unscored & game.active.present else 0.2
