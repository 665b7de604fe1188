"""The reasons why no action is possible at a place or a region."""

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Annotated, cast, get_args

import msgspec
from msgspec import Meta

from domain.actions import ActionBase, ChooseTown, Double, Expand, ExpandAgain, Increase
from domain.base.expand import Expansion, refuse_expansion_to
from domain.base.phases import phase_order_of
from domain.decide import legal_actions, refusal
from domain.game import Game
from domain.modules import Action, Had, Needed, Reason
from domain.modules.boom import MoveBoom, PlaceBoom
from domain.modules.expert import CITY_TILES, REGION_TILES, ExpertVariant, PlaceCityTile, PlaceRegionTile
from domain.modules.region_tiles import RegionTiles
from domain.paths import cheapest_paths
from domain.phase_names import OWN_TURN
from domain.refused import IllegalAction
from domain.timeline import Timeline
from projections.names import player_names
from projections.targets import targets
from projections.versions import ViewVersion
from projections.words import en

ActionType = Annotated[
    str,
    Meta(
        description="The `type` of an action.",
        extra_json_schema={"enum": [str(kind.__struct_config__.tag) for kind in get_args(Action)]},
    ),
]


class RefusedAction(msgspec.Struct, frozen=True):
    """A kind of action, and the most basic reason why it is illegal."""

    action: ActionType
    text: Annotated[str, Meta(description="The reason in a sentence.")]
    rule: Annotated[str, Meta(description="The number of the rule that forbids the action; `/rules` has the text.")]
    reason: Reason
    needed: Needed
    had: Had


class Refusals(msgspec.Struct, frozen=True):
    """The reasons why the player who has to decide has no legal action at a place or a region."""

    version: ViewVersion
    items: Annotated[
        tuple[RefusedAction, ...],
        Meta(
            description="One item for each kind of action in this phase that targets the place or region; empty if "
            "there is a legal move."
        ),
    ]


def refusals(timeline: Timeline, game: Game, target: str) -> Refusals:
    players = player_names(timeline.table)
    legal = chain.from_iterable(targets(game, legal.action) for legal in legal_actions(game))
    refused = () if target in legal else _refused(game, target)
    return Refusals(timeline.version, tuple(_in_words(players, kind, why) for kind, why in refused))


def _in_words(players: Mapping[int, str], kind: type[ActionBase], why: IllegalAction) -> RefusedAction:
    needed, had = cast(Needed, why.needed), cast(Had, why.had)  # including the fields of modules
    text = en.refusal_text(players, why)
    return RefusedAction(str(kind.__struct_config__.tag), text, why.rule, why.reason or "", needed, had)


def _refused(game: Game, target: str) -> Iterator[tuple[type[ActionBase], IllegalAction]]:
    """Yield the refusal of each kind of action. A region and a place may have the same id."""
    if target not in game.board.number or (game.phase == REGION_TILES and target in game.board.region_number):
        tile = next((tile.id for tile in game.region_pool), "")
        yield PlaceRegionTile, refusal(game, PlaceRegionTile(target, tile))
        return
    phases = phase_order_of(game).phases
    names = next((names for names in _TOGETHER if game.phase in names), (game.phase,))
    in_phase = {kind for name in names for kinds in phases[name].actions.values() for kind in kinds}
    for kind, refuse in _AT_PLACE.items():
        if kind in in_phase:
            yield kind, refuse(game, target)


_TOGETHER = (OWN_TURN, (CITY_TILES, REGION_TILES))
"""The phases that refuse each other's actions."""


def _refuse_city_tile(game: Game, city: str) -> IllegalAction:
    """Refuse a city tile of the right group if one is left."""
    place = game.board.places[game.board.number[city]]
    group = game.board.group_of(place.spaces) if place.kind == "city" else ()
    value = next((value for value in ExpertVariant.of(game).city_pool if value in group), place.spaces)
    return refusal(game, PlaceCityTile(city, value))


def _refuse_expansion(game: Game, kind: type[Expansion], target: str) -> IllegalAction:
    """Refuse an expansion over the cheapest link; with a usable Development tile, over the cheapest path."""
    tiles, place = RegionTiles.find(game), game.board.number[target]
    if tiles and tiles.development_ready and not 1 << place & game.active.reach:
        origins, free_link = game.active.present, tiles.route_ready
        paths = cheapest_paths(game.board, origins, game.closed, sys.maxsize, free_link=free_link)
        found = min((path for (end, _), path in paths.items() if end == place), default=None)
        if found is not None and found.links > 1:
            path = tuple(game.board.places[number].id for number in found.places)
            return refusal(game, kind(path, found.free_link))
    return next(refuse_expansion_to(game, kind, target))


_AT_PLACE: Mapping[type[ActionBase], Callable[[Game, str], IllegalAction]] = {
    PlaceCityTile: _refuse_city_tile,
    ChooseTown: lambda game, town: refusal(game, ChooseTown(town)),
    PlaceBoom: lambda game, city: refusal(game, PlaceBoom(city)),
    MoveBoom: lambda game, city: refusal(game, MoveBoom(city)),
    Expand: lambda game, place: _refuse_expansion(game, Expand, place),
    ExpandAgain: lambda game, place: _refuse_expansion(game, ExpandAgain, place),
    Increase: lambda game, city: refusal(game, Increase(city)),
    Double: lambda game, city: refusal(game, Double(city)),
}
"""By kind of action that targets a place, the function that refuses it."""
