"""The evaluation of a position: the influence that each player may expect, and the chances to win that follow.

Expected influence is what has been earned, and estimates of what is open: cities by the franchises there (R6.3),
regions by rank (R7.2), money and income by what a dollar may still bring (R3.1), bonus tiles and towns (R8.2), and the
cheap links to places that are free (R4.1). All are estimates by eye; BENCHMARKS.md says how well they play.
"""

from functools import cache, lru_cache
from math import exp
from operator import itemgetter
from typing import Any

from domain.base.game_end import DOLLARS_PER_INFLUENCE, INFLUENCE_PER_BONUS_TILE
from domain.board import Board, RegionTile, members
from domain.game import Game

CACHED = 1 << 15


def chances(game: Game) -> tuple[float, ...]:
    """Return the chance of each player to win; of a finished game the result."""
    if game.ending is not None:
        winners = game.ending.winners
        return tuple((seat in winners) / len(winners) for seat in game.seats)
    rounds = rounds_left(game)
    worth = expected_influence(game, rounds)
    best, spread = max(worth), 2.0 + 0.8 * rounds
    weights = [
        0.0 if player.resigned else exp((mine - best) / spread)
        for mine, player in zip(worth, game.players, strict=True)
    ]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def rounds_left(game: Game) -> float:
    """Estimate how many turns each player still has, from what the regions nearest to their scoring lack (R8.1)."""
    lacking = sorted(_lacking(game, number) for number in _open_regions(game))
    steps = sum(lacking[: max(1, game.board.region_track.red_from - 1 - len(game.track))])
    return steps / (1.2 * len(game.playing()))


def _open_regions(game: Game) -> list[int]:
    return [number for number, region in enumerate(game.regions) if region.tile is not None]


def _lacking(game: Game, region: int) -> int:
    """Count what a region lacks to be scored: a town is one step, a city two (R7.1)."""
    places = game.board.region_places[region]
    return (places & game.board.towns & game.open).bit_count() + 2 * (places & game.unscored).bit_count()


def expected_influence(game: Game, rounds: float) -> list[float]:
    """Return the influence that each player may expect at the end."""
    seats, horizon = len(game.players), min(int(rounds), 8)
    dollar = 1 / DOLLARS_PER_INFLUENCE + 0.07 * horizon
    worth, free = [0.0] * seats, [0] * seats
    for number, pick in enumerate(_pickers(game.board)):
        region = game.regions[number]
        if region.closed:
            continue
        entries = None if region.tile is None else _entries(game, region.tile, dollar)
        lacking = _lacking(game, number)
        gains, spaces = _region(
            seats, pick(game.values), pick(game.spaces), region.tie_break, entries, lacking, horizon
        )
        for seat in game.seats:
            worth[seat] += gains[seat]
            free[seat] += spaces[seat]
    for seat, player in enumerate(game.players):
        income = game.board.income_for(seats, free[seat] + sum(m.extra_free_spaces(game, seat) for m in game.modules))
        worth[seat] += (
            player.influence
            + player.money * dollar
            + income * dollar * 0.6 * min(horizon, 5)
            + player.bonus_tiles * (INFLUENCE_PER_BONUS_TILE + 0.1 * horizon)
            + (player.present & game.board.towns).bit_count()
            + _reach(game.board, player.present, player.reach & game.open & ~player.present) * 0.25 * min(horizon, 5)
        )
    return worth


@cache
def _pickers(board: Board) -> tuple[Any, ...]:
    """Return for each region the function that picks the entries of its places from a tuple by place."""
    return tuple(_picker(members(places)) for places in board.region_places)


def _picker(places: tuple[int, ...]) -> Any:
    return itemgetter(*places) if len(places) > 1 else lambda by_place: (by_place[places[0]],)


def _entries(game: Game, tile: RegionTile, dollar: float) -> tuple[float, ...]:
    """Return the worth of each rank of a region tile (R7.2, R7.3, R12)."""
    values: tuple[float, ...] = tile.values
    if tile.kind != "influence":
        awards = [next((a for m in game.modules if (a := m.award(game, tile, v))), (v, 0)) for v in tile.values]
        values = tuple(influence + dollars * dollar for influence, dollars in awards)
        if tile.kind in ("bonus_tile", "development", "route"):
            values = (values[0] + 3, *values[1:])
    return values if len(game.players) > 2 else (values[0], values[2], values[2])


@lru_cache(maxsize=CACHED)
def _region(
    seats: int,
    values: tuple[int, ...],
    spaces: tuple[tuple[int, ...], ...],
    tie_break: int | None,
    entries: tuple[float, ...] | None,
    lacking: int,
    horizon: int,
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the worth of a region's cities and ranks for each player, and the free spaces in their cities (R3.1)."""
    worth, free, strength = [0.0] * seats, [0] * seats, [0.0] * seats
    for value, here in zip(values, spaces, strict=True):
        if value:
            for seat, gain in enumerate(_city(seats, value, here, horizon)):
                worth[seat] += gain
        for seat in set(here):
            own = here.count(seat)
            free[seat] += value - len(here) if value else 0
            strength[seat] += 1 + 0.4 * (own - 1) if value else own
    if entries is not None:
        likely = (horizon + 1) / (horizon + 1 + 0.4 * lacking)
        sharpness = 0.4 + 2 / (1 + 0.3 * lacking)
        if tie_break is not None and strength[tie_break]:
            strength[tie_break] += 0.4
        for seat in range(seats):
            if strength[seat]:
                above = sum(
                    1 / (1 + exp(sharpness * (strength[seat] - other)))
                    for number, other in enumerate(strength)
                    if number != seat and other
                )
                worth[seat] += likely * _between(entries, above)
    return tuple(worth), tuple(free)


def _between(entries: tuple[float, ...], above: float) -> float:
    """Return the worth of a rank between those of a tile."""
    if above >= 2:
        return entries[2]
    rank = int(above)
    return entries[rank] + (entries[rank + 1] - entries[rank]) * (above - rank)


@lru_cache(maxsize=CACHED)
def _city(seats: int, value: int, here: tuple[int, ...], horizon: int) -> tuple[float, ...]:
    """Return the influence that each player may expect from a city that is not scored yet (R6.3)."""
    free, majority = value - len(here), value // 2 + 1
    present = set(here)
    claims = [0.0] * seats
    prizes = [0.0] * seats
    for seat in present:
        own = here.count(seat)
        needs = majority - own
        possible = needs <= free
        claims[seat] = own**1.6 * (1.0 if possible else 0.5)
        alone = 1 / (1 + 0.2 * needs * (len(present) - 1)) if possible else 0.0
        in_time = min(1.0, (horizon + 1) / max(1, needs))
        prize = value // 2 + (value - value // 2) * alone
        prizes[seat] = max(0.0, prize - 0.35 * (needs if possible else free)) * in_time
    everybody = sum(claims) + 0.5 * (seats > len(present)) * free / value
    return tuple(claim / everybody * prize for claim, prize in zip(claims, prizes, strict=True))


@lru_cache(maxsize=CACHED)
def _reach(board: Board, present: int, targets: int) -> float:
    """Return the worth of the links to places that are free, a cheap link being worth more."""
    places = board.places
    total = 0.0
    for target in members(targets):
        origins = members(board.neighbours[target] & present)
        total += 1 / (1 + min(board.costs[places[origin].id, places[target].id] for origin in origins))
    return total
