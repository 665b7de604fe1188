"""Region tiles: twenty more; some give dollars, bonus tiles, the Development or the Route tile (R12)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.actions import ActionBase, Expand, ExpandAgain
from domain.base.expand import Expansion, enterable, expansion_in_turn, price, with_scoring
from domain.base.lay_tiles import city_tiles_as_printed, region_pool, region_tiles_laid, regions_in_play
from domain.base.refusals import no_money
from domain.board import Board, RegionTile, members
from domain.facts import Expanded, FactBase, RegionScored, SeatlessFact, TurnStarted
from domain.field_types import Id, Seed
from domain.game import Game, Module
from domain.legal import Legal
from domain.paths import cheapest_paths
from domain.phase_names import EXPAND
from domain.refused import BaseHad, BaseNeeded, IllegalAction, Refused, Value


class TileNeeded(BaseNeeded, total=False):
    """The requirements for the use of a special tile."""

    development_tile: Annotated[int, Meta(description="The seat that holds the Development tile.")]
    route_tile: Annotated[int, Meta(description="The seat that holds the Route tile.")]


class TileHad(BaseHad, total=False):
    """The actual holders of the special tiles."""

    development_tile: Annotated[
        int | None, Meta(description="The seat that holds the Development tile; null if nobody has it.")
    ]
    route_tile: Annotated[int | None, Meta(description="The seat that holds the Route tile; null if nobody has it.")]


class ChosenTiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Region tiles: the players have chosen ten tiles, which are dealt at random (R12.1)."""

    chosen: Annotated[
        tuple[Id, ...],
        Meta(description="The ids of ten different tiles. A tile of the base game has the id of its region."),
    ]


TilePool = Annotated[
    Literal["mixed", "new"],
    Meta(
        description="The tiles from which ten are drawn: all thirty (`mixed`), or the twenty of the expansion (`new`)."
    ),
]
TileSource = TilePool | ChosenTiles


class RegionTilesDrawn(SeatlessFact, frozen=True):
    """The ten region tiles of this game were drawn (R12.1)."""

    seed: Seed
    tiles: tuple[RegionTile, ...]


class BonusTileRegained(FactBase, frozen=True):
    """A player took back a used bonus tile (R12.3)."""

    seat: int


class DevelopmentTileGained(FactBase, frozen=True):
    """A player gained the Development tile (R12.5)."""

    seat: int


class RouteTileGained(FactBase, frozen=True):
    """A player gained the Route tile (R12.6)."""

    seat: int


class RegionTiles(Module, frozen=True):
    """The source of the tiles, the holders of the two special tiles, and whether they can be used in this turn."""

    source: TileSource
    development: int | None = None
    development_ready: bool = False
    route: int | None = None
    route_ready: bool = False

    reasons: ClassVar[tuple[str, ...]] = ("no_route_tile", "no_development_tile", "directly_linked")

    def check(self, board: Board, players: int, tiles: tuple[RegionTile, ...], modules: tuple[Module, ...]) -> None:
        """Check that there are enough tiles, that chosen tiles exist, and that the tiles of a layout are among them."""
        available, needed = {tile.id for tile in self._available(board, tiles)}, len(board.regions)
        if len(available) < needed:
            raise _bad_tiles("too_few_region_tiles", values={"available": len(available), "tiles": needed})
        if isinstance(self.source, ChosenTiles):
            chosen = self.source.chosen
            if unknown := set(chosen) - available:
                raise _bad_tiles("unknown_tiles", values={"tiles": board.tile_names(unknown)})
            if len(set(chosen)) != needed or len(chosen) != needed:
                raise _bad_tiles("wrong_choice_of_tiles", values={"tiles": needed})
            available = set(chosen)
        if foreign := _required(modules) - available:
            raise _bad_tiles("tiles_of_other_games", values={"tiles": board.tile_names(foreign)})

    def known_region_tiles(self, board: Board, tiles: tuple[RegionTile, ...]) -> tuple[RegionTile, ...]:
        return tiles

    def _available(self, board: Board, tiles: tuple[RegionTile, ...]) -> tuple[RegionTile, ...]:
        return tiles if self.source == "new" else board.printed_tiles + tiles

    def draw(self, game: Game) -> Sequence[FactBase]:
        """Draw ten tiles, including those that are chosen or required by a layout (R12.1)."""
        available = self._available(game.board, game.expansion_tiles)
        named = self.source.chosen if isinstance(self.source, ChosenTiles) else _required(game.modules)
        fixed = [tile for tile in available if tile.id in named]
        others = [tile for tile in available if tile.id not in named]
        drawn = random.Random(f"{game.seed}/tiles").sample(others, len(game.board.regions) - len(fixed))
        return [RegionTilesDrawn(game.seed, (*fixed, *drawn))]

    def lay_tiles(self, game: Game) -> Sequence[FactBase]:
        """Deal the ten tiles at random. The tiles of closed regions go to the track (R12.1)."""
        pool = region_pool(game)
        dealt = random.Random(f"{game.seed}/region tiles").sample(pool, len(pool))
        layout = dict(zip(regions_in_play(game), dealt, strict=False))
        return [city_tiles_as_printed(game), *region_tiles_laid(game, layout, game.seed)]

    def legal_actions(self, game: Game) -> Iterator[Legal[ActionBase]]:
        """List expansions with a free link (R12.6) and over several links (R12.5)."""
        kind = expansion_in_turn(game) if game.phase == EXPAND else None
        if kind is None:
            return
        if self.route_ready:
            yield from _with_free_link(game, kind)
        if self.development_ready:
            yield from _over_several_links(game, kind, free_link=self.route_ready)

    def permits(self, game: Game, action: ActionBase) -> Legal[ActionBase] | None:
        """Permit every path over several links that the player can pay for, not only the cheapest one (R12.5)."""
        if not isinstance(action, Expand | ExpandAgain) or game.phase != EXPAND:
            return None
        in_turn = type(action) is expansion_in_turn(game)
        if not in_turn or not self._has_tiles_for(action) or not _is_path(game, action):
            return None
        cost = _cost(game, action)
        return _legal(game, action, "R12.5", cost) if cost <= game.active.money else None

    def _has_tiles_for(self, action: Expansion) -> bool:
        return self.development_ready and len(action.path) > 2 and (action.free_link is None or self.route_ready)

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        """Return why the Development or the Route tile cannot be used."""
        if not isinstance(action, Expand | ExpandAgain):
            return None
        if action.free_link is not None and not self.route_ready:
            return _no_route_tile(self.route, game.turn.seat)
        if len(action.path) == 2:
            return None
        if not self.development_ready:
            return _no_development_tile(self.development, game.turn.seat)
        target = action.path[-1]
        if 1 << game.board.number[target] & game.active.reach:
            place, seat = game.board.place_names[target], game.turn.seat
            return IllegalAction(
                "directly_linked", "R12.5", {"linked": False}, {"linked": True}, values={"player": seat, "place": place}
            )
        return no_money(game, _cost(game, action), "R12.5")

    def fold(self, game: Game, fact: FactBase) -> Game:
        """Fold drawn, gained, usable and used tiles."""
        match fact:
            case RegionTilesDrawn():
                return replace(game, region_pool=fact.tiles)
            case BonusTileRegained():
                return _with_bonus_tile_regained(game, fact.seat)
            case DevelopmentTileGained():
                return game.with_module(replace(self, development=fact.seat))
            case RouteTileGained():
                return game.with_module(replace(self, route=fact.seat))
            case TurnStarted():
                ready = {"development_ready": self.development == fact.seat, "route_ready": self.route == fact.seat}
                return game.with_module(replace(self, **ready))
            case Expanded():
                return game.with_module(self._after_expansion(fact))
            case _:
                return game

    def _after_expansion(self, fact: Expanded) -> "RegionTiles":
        state = self
        if len(fact.path) > 2:
            state = replace(state, development=None, development_ready=False)
        if fact.free_link is not None:
            state = replace(state, route=None, route_ready=False)
        return state

    def award(self, game: Game, tile: RegionTile, value: int) -> tuple[int, int] | None:
        """Award dollars (R12.2), or influence for the number of tiles on the track plus the value (R12.4)."""
        match tile.kind:
            case "dollars":
                return 0, value
            case "regions":
                return max(0, len(game.track) + value), 0
            case _:
                return None

    def on_region_scored(self, game: Game, fact: RegionScored) -> Sequence[FactBase]:
        """Return the special tile that the first player gains (R12.3, R12.5, R12.6)."""
        first = fact.ranks[0].seat
        if game.players[first].resigned:
            return ()
        match fact.tile.kind:
            case "bonus_tile" if game.players[first].bonus_tiles_used:
                return [BonusTileRegained(first)]
            case "development":
                return [DevelopmentTileGained(first)]
            case "route":
                return [RouteTileGained(first)]
            case _:
                return ()


def _with_bonus_tile_regained(game: Game, seat: int) -> Game:
    player = game.players[seat]
    tiles, used = player.bonus_tiles + 1, player.bonus_tiles_used - 1
    return replace(game, players=game.with_player(seat, replace(player, bonus_tiles=tiles, bonus_tiles_used=used)))


def _required(modules: tuple[Module, ...]) -> set[str]:
    return {tile for module in modules for tile in module.required_region_tiles()}


def _bad_tiles(sentence: str, values: Mapping[str, Value] | None = None) -> Refused:
    return Refused("invalid_options", "R12.1", sentence=sentence, values=values)


def _no_route_tile(holder: int | None, seat: int) -> IllegalAction:
    needed, had = TileNeeded(route_tile=seat), TileHad(route_tile=holder)
    if holder == seat:
        return IllegalAction("no_route_tile", "R12.6", needed, had, sentence="new_route_tile")
    return IllegalAction("no_route_tile", "R12.6", needed, had, values={"player": seat})


def _no_development_tile(holder: int | None, seat: int) -> IllegalAction:
    needed, had = TileNeeded(development_tile=seat), TileHad(development_tile=holder)
    if holder == seat:
        return IllegalAction("no_development_tile", "R12.5", needed, had, sentence="new_development_tile")
    return IllegalAction("no_development_tile", "R12.5", needed, had, values={"player": seat})


def _far(game: Game) -> int:
    """Return the places with a free space that are not directly linked to a place of the active player (R12.5)."""
    return enterable(game, game.board.towns | game.board.cities) & ~game.active.reach


def _with_free_link(game: Game, kind: type[Expansion]) -> Iterator[Legal[ActionBase]]:
    """List all direct expansions for nothing (R12.6)."""
    places, player = game.board.places, game.active
    for target in members(enterable(game, player.reach)):
        for origin in members(game.board.neighbours[target] & player.present):
            yield _legal(game, kind((places[origin].id, places[target].id), 0), "R12.6", 0)


def _legal(game: Game, action: Expand | ExpandAgain, rule: str, cost: int) -> Legal[ActionBase]:
    return with_scoring(game, Legal(action, rule, cost), game.board.number[action.path[-1]])


def _is_path(game: Game, action: Expansion) -> bool:
    """Return whether a path leads from a place of the player over links in play to a far place (R12.5)."""
    path, board = action.path, game.board
    if len(set(path)) < len(path) or any(link not in board.costs for link in pairwise(path)):
        return False
    if action.free_link is not None and not 0 <= action.free_link < len(path) - 1:
        return False
    own, far = 1 << board.number[path[0]] & game.active.present, 1 << board.number[path[-1]] & _far(game)
    return bool(own and far and not board.set_of(path) & game.closed)


def _cost(game: Game, action: Expansion) -> int:
    return price(game.board.link_costs(action.path), action.free_link)


def _over_several_links(game: Game, kind: type[Expansion], *, free_link: bool) -> Iterator[Legal[ActionBase]]:
    """List the cheapest expansion to each far place, without and with a free link."""
    player, places = game.active, game.board.places
    paths = cheapest_paths(game.board, player.present, game.closed, player.money, free_link=free_link)
    for target in members(_far(game)):
        for path in (paths.get((target, False)), paths.get((target, True))):
            if path is not None:
                action = kind(tuple(places[place].id for place in path.places), path.free_link)
                yield _legal(game, action, "R12.5", path.cost)
