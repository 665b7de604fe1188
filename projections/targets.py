"""The targets of an action on the map."""

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.game import Game
from domain.modules import Action
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import PlaceCityTile, PlaceRegionTile


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
