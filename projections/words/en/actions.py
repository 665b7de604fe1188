"""Legal actions in English."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.base import bonus_tiles
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import PlaceCityTile, PlaceRegionTile
from projections.names import Names
from projections.words.en.grammar import listed, tile_text

ActionTexts = Mapping[type, Callable[[Names, Game, Any, int], str]]
"""By kind of action, the function that describes a legal action with its cost."""


def _choose_town(names: Names, game: Game, action: ChooseTown, cost: int) -> str:
    return f"Start in {names.places[action.town]}"


def _place_city_tile(names: Names, game: Game, action: PlaceCityTile, cost: int) -> str:
    return f"Lay a city tile of {action.value} on {names.places[action.city]}"


def _place_region_tile(names: Names, game: Game, action: PlaceRegionTile, cost: int) -> str:
    tile = next(tile for tile in game.region_pool if tile.id == action.tile)
    return f"Lay the region tile {tile_text(tile)} on {names.regions[action.region]}"


def _place_boom(names: Names, game: Game, action: PlaceBoom, cost: int) -> str:
    return f"Put the Boom marker at {names.places[action.city]}"


def _move_boom(names: Names, game: Game, action: MoveBoom, cost: int) -> str:
    return f"Move the Boom marker to {names.places[action.city]}"


def _keep_boom(names: Names, game: Game, action: KeepBoom, cost: int) -> str:
    city = Boom.of(game).city or ""
    return f"Leave the Boom marker at {names.places[city]}"


def _expand(names: Names, game: Game, action: Expand | ExpandAgain, cost: int) -> str:
    origin, *via, target = (names.places[place] for place in action.path)
    again = isinstance(action, ExpandAgain)
    used = ["a bonus tile"] * again + ["the Development tile"] * bool(via)
    used += ["the Route tile"] * (action.free_link is not None)
    way = f" via {listed(via)}" if via else ""
    tiles = f", using {listed(used)}" if used else ""
    return f"Expand {'again ' if again else ''}from {origin}{way} to {target} for ${cost}{tiles}"


def _increase(names: Names, game: Game, action: Increase, cost: int) -> str:
    return f"Increase in {names.places[action.city]} for ${cost}"


def _double(names: Names, game: Game, action: Double, cost: int) -> str:
    return f"Place a second franchise in {names.places[action.city]}, using a bonus tile"


def _take_dollars(names: Names, game: Game, action: TakeDollars, cost: int) -> str:
    return f"Take ${bonus_tiles.DOLLARS}, using a bonus tile"


def _end_turn(names: Names, game: Game, action: EndTurn, cost: int) -> str:
    return "End the turn"


ACTION_TEXTS: ActionTexts = {
    ChooseTown: _choose_town,
    PlaceCityTile: _place_city_tile,
    PlaceRegionTile: _place_region_tile,
    PlaceBoom: _place_boom,
    MoveBoom: _move_boom,
    KeepBoom: _keep_boom,
    Expand: _expand,
    ExpandAgain: _expand,
    Increase: _increase,
    Double: _double,
    TakeDollars: _take_dollars,
    EndTurn: _end_turn,
}


def action_text(names: Names, game: Game, legal: Legal[Action]) -> str:
    return ACTION_TEXTS[type(legal.action)](names, game, legal.action, legal.cost)
