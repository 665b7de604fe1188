"""Estimates of unscored cities, of ranks in regions and of reachable places.

Each estimate depends on few small values. Most of them are found in a cache.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import exp

from domain.board import Board, members
from domain.bots.weights import Weights

REMEMBERED = 1 << 15


@lru_cache(maxsize=REMEMBERED)
def region_estimate(
    weights: Weights,
    players: int,
    values: tuple[int, ...],
    spaces: tuple[tuple[int, ...], ...],
    tie_break: int | None,
    ranks: tuple[float, ...] | None,
    lacking: int,
    rounds: int,
) -> tuple[float, ...]:
    """Return the expected influence of each player from the cities and the ranks of a region.

    ``values`` and ``spaces`` belong to the places of the region. ``ranks`` is the influence for each rank, None once
    the region is scored.
    """
    expected = [0.0] * players
    for value, here in zip(values, spaces, strict=True):
        if value:
            for seat, influence in enumerate(city_estimate(weights, players, value, here, rounds)):
                expected[seat] += influence
    if ranks is not None:
        likely = (rounds + 1) / (rounds + 1 + weights.doubt * lacking)
        strengths = [_strength(weights, seat, values, spaces, tie_break) for seat in range(players)]
        for seat, ahead in _players_ahead(weights, strengths, lacking):
            expected[seat] += likely * _between(ranks, ahead)
    return tuple(expected)


def _strength(
    weights: Weights, seat: int, values: tuple[int, ...], spaces: tuple[tuple[int, ...], ...], tie_break: int | None
) -> float:
    """Return the weight of a player's franchises for a rank, 0 without any (R7.2)."""
    strength = 0.0
    for value, here in zip(values, spaces, strict=True):
        if own := here.count(seat):
            strength += 1 + weights.crowd * (own - 1) if value else own
    return strength + weights.tie_break if strength and seat == tie_break else strength


def _players_ahead(weights: Weights, strengths: list[float], lacking: int) -> Iterator[tuple[int, float]]:
    """Yield each player with a franchise, with the expected number of players ahead of them at the scoring."""
    sharpness = weights.sharpness + weights.sharpness_at_once / (1 + weights.sharpness_lost * lacking)
    there = [(seat, strength) for seat, strength in enumerate(strengths) if strength]
    for seat, strength in there:
        yield seat, sum(1 / (1 + exp(sharpness * (strength - other))) for rival, other in there if rival != seat)


def _between(ranks: tuple[float, ...], ahead: float) -> float:
    """Return the influence for a rank, which may lie between two whole ranks."""
    if ahead >= len(ranks) - 1:
        return ranks[-1]
    rank = int(ahead)
    return ranks[rank] + (ranks[rank + 1] - ranks[rank]) * (ahead - rank)


@lru_cache(maxsize=REMEMBERED)
def city_estimate(weights: Weights, players: int, value: int, here: tuple[int, ...], rounds: int) -> tuple[float, ...]:
    """Return the expected influence of each player from an unscored city, minus the remaining costs (R6.3)."""
    free, present = value - len(here), set(here)
    claims, prizes = [0.0] * players, [0.0] * players
    for seat in present:
        own = here.count(seat)
        needed = value // 2 + 1 - own
        claims[seat] = own**weights.claim_power * (1.0 if needed <= free else weights.late_claim)
        prizes[seat] = _prize(weights, value, needed, free, len(present) - 1) * min(1.0, (rounds + 1) / max(1, needed))
    newcomers = weights.newcomers * free / value if len(present) < players else 0.0
    total = sum(claims) + newcomers
    return tuple(weights.city * claim / total * prize for claim, prize in zip(claims, prizes, strict=True))


def _prize(weights: Weights, value: int, needed: int, free: int, rivals: int) -> float:
    """Return the influence for the winner of a city: all of it with a majority, else half, minus the costs."""
    majority = 1 / (1 + weights.rivals * needed * rivals) if needed <= free else 0.0
    influence = value // 2 + (value - value // 2) * majority
    return max(0.0, influence - weights.city_cost * min(needed, free))


@lru_cache(maxsize=REMEMBERED)
def reach_worth(board: Board, present: int, targets: int) -> float:
    """Return the worth of the free places to which a player can expand, each by its cheapest link (R4.1)."""
    return sum(1 / (1 + _cheapest(board, present, target)) for target in members(targets))


def _cheapest(board: Board, present: int, target: int) -> int:
    places = board.places
    origins = members(board.neighbours[target] & present)
    return min(board.costs[places[origin].id, places[target].id] for origin in origins)
