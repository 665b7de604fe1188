"""The evaluation of a position: the expected influence of each player, and their chances of winning.

Expected influence is the influence gained so far and weighted estimates of: franchises in unscored cities (R6.3), ranks
in regions (R7.2), money and income (R3.1), bonus tiles, including those that can still be earned (R10.1), towns (R8.2),
and cheap links to free places (R4.1). Only public information is used; the seed of the game is not.
"""

from math import exp

from domain.base.game_end import DOLLARS_PER_INFLUENCE, INFLUENCE_PER_BONUS_TILE
from domain.base.income import income
from domain.board import RegionTile, members
from domain.bots.estimates import reach_worth, region_estimate
from domain.bots.weights import INVESTED, LONGEST, Weights
from domain.game import Game

SPECIAL = ("bonus_tile", "development", "route")
"""The kinds of region tiles that give the first player a special tile (R12.3, R12.5, R12.6)."""

PLAIN = ("influence", *SPECIAL)
"""The kinds of region tiles whose values are plain influence."""


def chances(game: Game, weights: Weights) -> tuple[float, ...]:
    """Return each player's chance of winning. In a finished game, winners share 1."""
    if game.ending is not None:
        winners = game.ending.winners
        return tuple((seat in winners) / len(winners) for seat in game.seats)
    lacking = steps_lacking(game)
    rounds = rounds_left(game, weights, lacking)
    expected = expected_influence(game, weights, lacking, min(int(rounds), LONGEST))
    best, spread = max(expected), weights.spread + weights.spread_per_round * rounds
    odds = [
        0.0 if player.resigned else exp((influence - best) / spread)
        for influence, player in zip(expected, game.players, strict=True)
    ]
    total = sum(odds)
    return tuple(each / total for each in odds)


def rounds_left(game: Game, weights: Weights, lacking: tuple[int, ...]) -> float:
    """Estimate the remaining turns of each player from the regions that are closest to their scoring (R8.1)."""
    unscored = sorted(steps for steps, region in zip(lacking, game.regions, strict=True) if region.tile is not None)
    regions = max(1, game.board.region_track.red_from - 1 - len(game.track))
    return sum(unscored[:regions]) / (weights.steps_per_turn * len(game.playing()))


def steps_lacking(game: Game) -> tuple[int, ...]:
    """Count the steps to the scoring of each region: one per town, two per city (R7.1)."""
    towns, cities = game.board.towns & game.open, game.unscored
    return tuple(
        (places & towns).bit_count() + 2 * (places & cities).bit_count() for places in game.board.region_places
    )


def expected_influence(game: Game, weights: Weights, lacking: tuple[int, ...], rounds: int) -> list[float]:
    """Return the expected influence of each player at the end, with this number of rounds left."""
    dollar = 1 / DOLLARS_PER_INFLUENCE + weights.dollar_per_round * min(rounds, weights.dollar_rounds)
    expected = [_of_player(game, weights, seat, dollar, rounds) for seat in game.seats]
    for number, region in enumerate(game.regions):
        if not region.closed and not region.scored:
            for seat, influence in enumerate(_of_region(game, weights, number, lacking[number], dollar, rounds)):
                expected[seat] += influence
    return expected


def _of_player(game: Game, weights: Weights, seat: int, dollar: float, rounds: int) -> float:
    """Return the expected influence of a player except from unscored cities and regions."""
    player, invested = game.players[seat], min(rounds, INVESTED)
    bonus_tile = INFLUENCE_PER_BONUS_TILE + weights.bonus_per_round * rounds
    expected = (
        player.influence
        + (player.present & game.board.towns).bit_count()
        + player.money * dollar
        + player.bonus_tiles * bonus_tile
    )
    if weights.reserve:
        to_earn = sum(module.bonus_tiles_to_earn(seat) for module in game.modules)
        expected += to_earn * weights.reserve * (1 if rounds else 0.5)
    if weights.income:
        expected += income(game, seat).dollars * dollar * weights.income * invested
    if weights.reach:
        targets = player.reach & game.open & ~player.present
        expected += weights.reach * invested * reach_worth(game.board, player.present, targets)
    return expected


def _of_region(
    game: Game, weights: Weights, number: int, lacking: int, dollar: float, rounds: int
) -> tuple[float, ...]:
    """Return the expected influence of each player from the cities and the ranks of a region."""
    region, places = game.regions[number], members(game.board.region_places[number])
    return region_estimate(
        weights,
        len(game.players),
        tuple(map(game.values.__getitem__, places)),
        tuple(map(game.spaces.__getitem__, places)),
        region.tie_break,
        None if region.tile is None else _ranks(game, weights, region.tile, dollar),
        lacking,
        rounds,
    )


def _ranks(game: Game, weights: Weights, tile: RegionTile, dollar: float) -> tuple[float, ...]:
    """Return the influence for the first, the second and every other rank of a region (R7.2, R7.3, R12)."""
    first, second, others = (
        tile.values if tile.kind in PLAIN else [_award(game, tile, value, dollar) for value in tile.values]
    )
    if tile.kind in SPECIAL:
        first += weights.special_tile
    return first, second if len(game.players) > 2 else others, others


def _award(game: Game, tile: RegionTile, value: int, dollar: float) -> float:
    """Return the worth of a value on a tile; modules may define it."""
    awards = (module.award(game, tile, value) for module in game.modules)
    influence, dollars = next((award for award in awards if award is not None), (value, 0))
    return influence + dollars * dollar
