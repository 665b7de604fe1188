"""The rules with all modules once more, worked out place by place, to compare the engine with."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.modules import Action
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import PlaceCityTile, PlaceRegionTile
from tests.domain.modules.plain_game import CITIES, LINKS, NEAR, PLACES, TILES, TOWNS, PlainGame
from tests.domain.positions import BOARD

BACKS = ({2, 3}, {4, 5, 6}, {7, 8})


def may(game: PlainGame, action: Action) -> bool:
    """Tell whether the rules allow an action of the player who decides, resigning aside."""
    return bool(_MAY[type(action)](game, action))


def _choose_town(game: PlainGame, action: ChooseTown) -> bool:
    return game.phase == "towns" and action.town in TOWNS and game.free(action.town) == 1


def _place_city_tile(game: PlainGame, action: PlaceCityTile) -> bool:
    bare = action.city in CITIES - game.closed and action.city not in game.value
    back = next((back for back in BACKS if bare and PLACES[action.city].spaces in back), set[int]())
    return game.phase == "city_tiles" and action.value in back and action.value in game.pool_cities


def _place_region_tile(game: PlainGame, action: PlaceRegionTile) -> bool:
    in_play = {place.region for place in BOARD.places if place.id not in game.closed}
    bare = action.region in in_play and action.region not in game.region_tile
    return game.phase == "region_tiles" and bare and action.tile in game.pool_regions


def _place_boom(game: PlainGame, action: PlaceBoom) -> bool:
    return game.phase == "place_boom" and action.city in CITIES - game.closed


def _move_boom(game: PlainGame, action: MoveBoom) -> bool:
    return game.phase == "boom" and action.city in _in_reach_of(game, game.boom)


def _in_reach_of(game: PlainGame, start: str) -> set[str]:
    found, edge = {start}, [start]
    while edge:
        new = NEAR[edge.pop()] - found - game.closed
        found |= new
        edge += [place for place in new if place not in game.value]
    return found & CITIES - {start}


def _keep_boom(game: PlainGame, action: KeepBoom) -> bool:
    return game.phase == "boom"


def _expand(game: PlainGame, action: Expand | ExpandAgain) -> bool:
    in_turn = not game.markers if isinstance(action, Expand) else len(game.markers) == 1 and game.usable
    if game.phase != "expand" or not in_turn or game.spare() < 1:
        return False
    if not _is_path(game, action.path) or not _is_target(game, action.path):
        return False
    links = [LINKS[frozenset(link)] for link in pairwise(action.path)]
    if action.free_link is not None:
        if not game.ready["route"] or action.free_link not in range(len(links)):
            return False
        links[action.free_link] = 0
    if len(links) > 1 and not (game.ready["development"] and not _is_near(game, action.path)):
        return False
    return sum(links) <= game.money[game.active]


def _is_path(game: PlainGame, path: tuple[str, ...]) -> bool:
    if len(path) < 2 or len(set(path)) < len(path) or not set(path) <= set(PLACES) - game.closed:
        return False
    origin, *_ = path
    return game.has(origin) and all(frozenset(link) in LINKS for link in pairwise(path))


def _is_target(game: PlainGame, path: tuple[str, ...]) -> bool:
    *_, target = path
    return game.free(target) > 0 and not game.has(target) and target not in game.markers


def _is_near(game: PlainGame, path: tuple[str, ...]) -> bool:
    *_, target = path
    return any(map(game.has, NEAR[target]))


def _may_increase(game: PlainGame, city: str) -> bool:
    in_phase = game.phase in ("expand", "increase") and city in CITIES and game.spare() > 0
    return in_phase and game.has(city) and game.free(city) > 0


def _increase(game: PlainGame, action: Increase) -> bool:
    return _may_increase(game, action.city) and action.city not in game.centre and game.money[game.active] > 0


def _double(game: PlainGame, action: Double) -> bool:
    increased = action.city in game.centre and game.free(action.city) > 1
    return game.usable and increased and _may_increase(game, action.city)


def _take_dollars(game: PlainGame, action: TakeDollars) -> bool:
    return game.usable and game.phase in ("boom", "expand", "increase")


def _end_turn(game: PlainGame, action: EndTurn) -> bool:
    return game.phase in ("expand", "increase")


_MAY: dict[type, Any] = {
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


def everything() -> Iterator[Action]:
    """Every action that can be written down with the names of the board, over direct links."""
    yield from (KeepBoom(), TakeDollars(), EndTurn())
    for town in TOWNS:
        yield ChooseTown(town)
    for city in CITIES:
        yield from (PlaceBoom(city), MoveBoom(city), Increase(city), Double(city))
        yield from (PlaceCityTile(city, value) for value in range(2, 9))
    for region in BOARD.regions:
        yield from (PlaceRegionTile(region.id, tile) for tile in TILES)
    for link in LINKS:
        for path in (tuple(link), tuple(link)[::-1]):
            yield from (Expand(path), ExpandAgain(path), Expand(path, 0), ExpandAgain(path, 0))


EVERYTHING = tuple(sorted(everything(), key=repr))
