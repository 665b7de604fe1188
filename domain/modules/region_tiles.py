"""Region tiles: twenty more, some of which bring dollars, bonus tiles, the Development or the Route tile (R12)."""

import random
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Literal, NamedTuple

from msgspec.structs import replace

from domain.actions import Action, Expand, ExpandAgain
from domain.board import Board, RegionTile, members
from domain.events import (
    BonusTileRegained,
    DevelopmentTileGained,
    Expanded,
    GameFact,
    RegionScored,
    RegionTilesDrawn,
    RouteTileGained,
    TurnStarted,
)
from domain.game import Game
from domain.modules.base import Legal, Module
from domain.offers import enterable, expansion_in_turn, price, with_scoring
from domain.options import ChosenTiles, ExplicitLayout, Options
from domain.refusals import Refused, no_money
from domain.tiles import city_tiles_as_printed, region_pool, region_tiles_laid, regions_in_play

Choice = Literal["mixed", "new"] | ChosenTiles
ExpansionKind = type[Expand | ExpandAgain]


class RegionTiles(Module, frozen=True):
    """Which tiles are played with, who holds the two special ones, and whether they may be used in this turn."""

    choice: Choice
    development: int | None = None
    development_ready: bool = False
    route: int | None = None
    route_ready: bool = False

    def check(self, options: Options, board: Board, players: int, tiles: tuple[RegionTile, ...]) -> None:
        """Chosen tiles are ten that exist; an agreed layout uses tiles of this game only."""
        source = {tile.id for tile in _source(self.choice, board, tiles)}
        if len(source) < len(board.regions):
            raise _bad_tiles(f"There are {len(source)} region tiles to draw from, {len(board.regions)} are needed.")
        if isinstance(self.choice, ChosenTiles):
            chosen = self.choice.chosen
            if unknown := sorted(set(chosen) - source):
                raise _bad_tiles(f"There is no region tile {', '.join(unknown)}.")
            if len(set(chosen)) != len(board.regions) or len(chosen) != len(board.regions):
                raise _bad_tiles(f"chosen names {len(board.regions)} different tiles.")
            source = set(chosen)
        if foreign := sorted(_agreed(options) - source):
            raise _bad_tiles(f"The agreed layout uses tiles that are not in this game: {', '.join(foreign)}.")

    def draw(self, game: Game) -> Sequence[GameFact]:
        """Ten tiles: those of an agreed layout or the chosen ones, else drawn (R12.1)."""
        started, board = game.started, game.board
        source = _source(self.choice, board, started.tiles)
        agreed = self.choice.chosen if isinstance(self.choice, ChosenTiles) else _agreed(started.options)
        fixed = [tile for tile in source if tile.id in agreed]
        others = [tile for tile in source if tile.id not in agreed]
        drawn = random.Random(f"{started.seed}/tiles").sample(others, len(board.regions) - len(fixed))
        return [RegionTilesDrawn(started.seed, (*fixed, *drawn))]

    def lay_tiles(self, game: Game) -> Sequence[GameFact]:
        """The ten tiles are dealt at random; those of closed regions go to the track (R12.1)."""
        seed = game.started.seed
        pool = region_pool(game)
        dealt = random.Random(f"{seed}/region tiles").sample(pool, len(pool))
        layout = dict(zip(regions_in_play(game), dealt, strict=False))
        return [city_tiles_as_printed(game), *region_tiles_laid(game, layout, seed)]

    def offers(self, game: Game) -> Iterator[Legal]:
        """Expansions with a link that costs nothing (R12.6), and those over several links (R12.5)."""
        kind = expansion_in_turn(game) if game.phase == "expand" else None
        if kind is None:
            return
        if self.route_ready:
            yield from _with_free_link(game, kind)
        if self.development_ready:
            yield from _over_several_links(game, kind, waive=self.route_ready)

    def permits(self, game: Game, action: Action) -> Legal | None:
        """Any path over several links that can be paid, not only the cheapest (R12.5)."""
        if not isinstance(action, Expand | ExpandAgain) or game.phase != "expand":
            return None
        in_turn = type(action) is expansion_in_turn(game)
        if not in_turn or not self._has_tiles_for(action) or not _is_way(game, action):
            return None
        cost = _cost(game, action)
        return _offer(game, action, "R12.5", cost) if cost <= game.active.money else None

    def _has_tiles_for(self, action: Expand | ExpandAgain) -> bool:
        return self.development_ready and len(action.path) > 2 and (action.free_link is None or self.route_ready)

    def refuse(self, game: Game, action: Action) -> Refused | None:
        """Why the Development or the Route tile cannot be used like this."""
        if not isinstance(action, Expand | ExpandAgain):
            return None
        if action.free_link is not None and not self.route_ready:
            return _no_tile("route", "R12.6", self.route, game.turn.seat)
        if len(action.path) == 2:
            return None
        if not self.development_ready:
            return _no_tile("development", "R12.5", self.development, game.turn.seat)
        target = action.path[-1]
        if 1 << game.board.number[target] & game.active.reach:
            detail = f"A direct link joins {target} to a place of the player."
            return Refused("directly_linked", "R12.5", detail, {"linked": False}, {"linked": True})
        return no_money(game, _cost(game, action), "R12.5")

    def evolve(self, game: Game, fact: GameFact) -> Game:
        """Who gets the special tiles, when they may be used, and when they are gone."""
        match fact:
            case RegionTilesDrawn():
                return replace(game, pooled_regions=fact.tiles)
            case BonusTileRegained():
                player = game.players[fact.seat]
                player = replace(player, bonus_tiles=player.bonus_tiles + 1, used_tiles=player.used_tiles - 1)
                return replace(game, players=game.with_player(fact.seat, player))
            case DevelopmentTileGained():
                return game.with_module(replace(self, development=fact.seat))
            case RouteTileGained():
                return game.with_module(replace(self, route=fact.seat))
            case TurnStarted():
                return game.with_module(
                    replace(self, development_ready=self.development == fact.seat, route_ready=self.route == fact.seat)
                )
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
        """Dollars instead of influence (R12.2); the number of tiles on the track plus or minus the entry (R12.4)."""
        match tile.kind:
            case "dollars":
                return 0, value
            case "regions":
                return max(0, len(game.track) + value), 0
            case _:
                return None

    def region_gains(self, game: Game, fact: RegionScored) -> Sequence[GameFact]:
        """What the first gains beside the entry of the tile (R12.3, R12.5, R12.6)."""
        first = fact.ranks[0].seat
        player = game.players[first]
        if player.resigned:
            return ()
        match fact.tile.kind:
            case "bonus_tile" if player.used_tiles:
                return [BonusTileRegained(first)]
            case "development":
                return [DevelopmentTileGained(first)]
            case "route":
                return [RouteTileGained(first)]
            case _:
                return ()


def _source(choice: Choice, board: Board, tiles: tuple[RegionTile, ...]) -> tuple[RegionTile, ...]:
    return tiles if choice == "new" else board.printed_tiles + tiles


def _agreed(options: Options) -> set[str]:
    """The tiles that an agreed layout names (R2.6)."""
    return set(options.expert.region_tiles.values()) if isinstance(options.expert, ExplicitLayout) else set()


def _bad_tiles(detail: str) -> Refused:
    return Refused("invalid_options", "R12.1", detail)


def _no_tile(tile: str, rule: str, holder: int | None, seat: int) -> Refused:
    detail = "from the turn after it was gained" if holder == seat else "by the player who holds it"
    return Refused(
        f"no_{tile}_tile",
        rule,
        f"The {tile.title()} tile can be used {detail}.",
        {f"{tile}_tile": seat},
        {f"{tile}_tile": holder},
    )


def _far(game: Game) -> int:
    """The places with a free space that no direct link joins to a place of the active player (R12.5)."""
    return enterable(game, game.board.towns | game.board.cities) & ~game.active.reach


def _with_free_link(game: Game, kind: ExpansionKind) -> Iterator[Legal]:
    """Every direct expansion, for nothing (R12.6)."""
    places, player = game.board.places, game.active
    for target in members(enterable(game, player.reach)):
        for origin in members(game.board.neighbours[target] & player.present):
            yield _offer(game, kind((places[origin].id, places[target].id), 0), "R12.6", 0)


def _offer(game: Game, action: Expand | ExpandAgain, rule: str, cost: int) -> Legal:
    """The expansion, with the scoring that it would lead to in a city."""
    return with_scoring(game, Legal(action, rule, cost), game.board.number[action.path[-1]])


def _is_way(game: Game, action: Expand | ExpandAgain) -> bool:
    """Whether a path leads from an own place over links in play to a far place, through none twice (R12.5)."""
    path, board = action.path, game.board
    if len(set(path)) < len(path) or any(link not in board.costs for link in pairwise(path)):
        return False
    if action.free_link is not None and not 0 <= action.free_link < len(path) - 1:
        return False
    own, far = 1 << board.number[path[0]] & game.active.present, 1 << board.number[path[-1]] & _far(game)
    return bool(own and far and not board.set_of(path) & game.closed)


def _cost(game: Game, action: Expand | ExpandAgain) -> int:
    return price(game.board.link_costs(action.path), action.free_link)


def _over_several_links(game: Game, kind: ExpansionKind, *, waive: bool) -> Iterator[Legal]:
    """The expansion over the cheapest way to each far place, and over the cheapest with a link that costs nothing."""
    ways = _cheapest_ways(game, waive=waive)
    for target in members(_far(game)):
        for way in (ways.get((target, False)), ways.get((target, True))):
            if way is not None:
                path = tuple(game.board.places[place].id for place in way.path)
                yield _offer(game, kind(path, way.waived), "R12.5", way.cost)


class _Way(NamedTuple):
    """A way from an own place; of two the cheaper sorts first, then the shorter, then that of the first places."""

    cost: int
    links: int
    path: tuple[int, ...]
    number: int = -1

    @property
    def waived(self) -> int | None:
        """The number of the link that costs nothing, if there is one."""
        return self.number if self.number >= 0 else None

    def over(self, place: int, cost: int) -> "_Way":
        """The way with one link more."""
        return _Way(self.cost + cost, self.links + 1, (*self.path, place), self.number)

    def waiving(self, place: int) -> "_Way":
        """The way with one link more, for nothing."""
        return _Way(self.cost, self.links + 1, (*self.path, place), self.links)


def _cheapest_ways(game: Game, *, waive: bool) -> dict[tuple[int, bool], _Way]:
    """The cheapest way to each place that can be paid, with no link waived and, if one may be, with one."""
    edge = [_Way(0, 0, (own,)) for own in members(game.active.present)]
    cheapest: dict[tuple[int, bool], _Way] = {}
    while edge:
        way = heappop(edge)
        if (way.path[-1], way.waived is not None) not in cheapest:
            cheapest[way.path[-1], way.waived is not None] = way
            for longer in _one_link_more(game, way, waive=waive):
                heappush(edge, longer)
    return cheapest


def _one_link_more(game: Game, way: _Way, *, waive: bool) -> Iterator[_Way]:
    """The ways that go on outside closed regions, through no place twice, as long as they can be paid."""
    board, here = game.board, way.path[-1]
    for place in members(board.neighbours[here] & ~game.closed):
        if place not in way.path:
            longer = way.over(place, board.costs[board.places[here].id, board.places[place].id])
            if longer.cost <= game.active.money:
                yield longer
            if waive and way.waived is None:
                yield way.waiving(place)
