"""The places and regions of actions and facts."""

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.facts import (
    CityScored,
    Doubled,
    Expanded,
    FranchisePlaced,
    Increased,
    RegionScored,
    TieBreakPlaced,
    TownFounded,
    TurnTakenBack,
)
from domain.game import Game
from domain.modules import Action, GameFact
from domain.modules.boom import Boom, BoomKept, BoomMoved, BoomPlaced, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import CityTilePlaced, PlaceCityTile, PlaceRegionTile, RegionTilePlaced


def targets(game: Game, action: Action) -> tuple[str, ...]:
    """Return the ids of the places and regions to click for an action."""
    match action:
        case ChooseTown():
            return (action.town,)
        case Expand() | ExpandAgain():
            return action.path[-1:]
        case PlaceCityTile() | PlaceBoom() | MoveBoom() | Increase() | Double():
            return (action.city,)
        case PlaceRegionTile():
            return (action.region,)
        case KeepBoom():
            city = Boom.of(game).city
            return () if city is None else (city,)
        case TakeDollars() | EndTurn() | Resign():
            return ()


def fact_targets(fact: GameFact) -> tuple[str, ...]:
    """Return the ids of the places and regions where a fact has changed something."""
    match fact:
        case TownFounded():
            return (fact.town,)
        case Expanded():
            return fact.path[-1:]
        case Increased() | Doubled() | CityScored() | CityTilePlaced() | BoomPlaced() | BoomMoved() | BoomKept():
            return (fact.city,)
        case FranchisePlaced():
            return (fact.place,)
        case TieBreakPlaced() | RegionScored() | RegionTilePlaced():
            return (fact.region,)
        case TurnTakenBack():
            return tuple(dict.fromkeys(fact.markers + fact.centre))
        case _:
            return ()
