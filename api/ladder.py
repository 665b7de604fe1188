"""The command ``ladder``: matches of bots that measure their strength.

One bot of a kind, the challenger, plays against bots of another kind and takes every seat in turn. As many games as
there are seats have the same set-up.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import sqrt
from random import Random
from statistics import mean
from time import monotonic

import msgspec

from api.command_support import on_all_cores, with_progress
from api.random_games import whole_game
from domain.boards import load_region_tiles
from domain.bots import OutOfTime, positions
from domain.field_types import BotKind
from domain.modules import GameOptions, Modules, Start
from domain.modules.expert import Draft
from domain.start import start

MODULES = ("milestones", "boom", "region_tiles", "draft")
"""The modules; the last one is the expert variant with a draft."""

NORMAL_QUANTILE = 1.96
"""The quantile of the normal distribution for 95 % intervals."""


class Conditions(msgspec.Struct, frozen=True):
    """The conditions of all games: players, options, seed, and the budget of a decision."""

    players: int
    options: GameOptions
    seed: int
    positions: int | None
    seconds: float


class Match(msgspec.Struct, frozen=True):
    """One game of a challenger against a field of another kind."""

    challenger: BotKind
    field: BotKind
    number: int
    conditions: Conditions


class Outcome(msgspec.Struct, frozen=True):
    """The challenger's share of the victory, its points, and the mean points of the others."""

    won: float
    points: int
    points_of_others: float


def ladder(arguments: Namespace) -> int:
    """Let bots play against each other, and print their wins.

    Uses all cores. Needs no database.

    Example:
      python -m api ladder planner greedy --games 200 --players 4
    """
    conditions = Conditions(
        arguments.players,
        options(arguments.modules, arguments.start),
        arguments.seed,
        arguments.positions,
        arguments.seconds,
    )
    both_ways = arguments.players > 2 and not arguments.one_way
    pairs = list(pairings((arguments.kind, *arguments.others), both_ways=both_ways))
    matches = [Match(*pair, number, conditions) for pair in pairs for number in range(arguments.games)]
    outcomes = list(with_progress(on_all_cores(play, matches), "Playing", len(matches)))
    for number, pair in enumerate(pairs):
        played = outcomes[number * arguments.games : (number + 1) * arguments.games]
        sys.stdout.write(f"{report(*pair, arguments.players, played)}\n")
    return 0


def options(modules: Sequence[str], opening: Start) -> GameOptions:
    return GameOptions(
        start=opening,
        expert=Draft() if "draft" in modules else None,
        modules=Modules("milestones" in modules, "boom" in modules, "mixed" if "region_tiles" in modules else None),
    )


def pairings(kinds: Sequence[BotKind], *, both_ways: bool) -> Iterator[tuple[BotKind, BotKind]]:
    """Yield each challenger with its field; with two players, A against B is the same as B against A."""
    for first, second in combinations(kinds, 2):
        yield first, second
        if both_ways:
            yield second, first


def play(match: Match) -> Outcome:
    conditions = match.conditions
    luck = Random(f"{conditions.seed}/{match.challenger}/{match.field}/{match.number}")
    layout, seat = divmod(match.number, conditions.players)
    game = start(conditions.options, conditions.players, conditions.seed + layout, load_region_tiles()).game
    kinds: list[BotKind] = [match.challenger if other == seat else match.field for other in game.seats]
    for decision in whole_game(game, kinds, luck, partial(_budget, conditions)):
        game = decision.game
    winners = game.ending.winners if game.ending else ()
    points = [player.influence for player in game.players]
    return Outcome((seat in winners) / len(winners), points.pop(seat), mean(points))


def _budget(conditions: Conditions) -> OutOfTime:
    if conditions.positions is not None:
        return positions(conditions.positions)
    end = monotonic() + conditions.seconds
    return lambda: monotonic() > end


def report(challenger: str, field: str, players: int, outcomes: Sequence[Outcome]) -> str:
    """Return the share of wins with its 95 % interval, and the mean points."""
    games, won = len(outcomes), sum(outcome.won for outcome in outcomes)
    low, high = wilson_interval(won, games)
    return (
        f"{challenger} against {players - 1} {field}: {won:.4g} of {games} won, {won / games:.1%} "
        f"({low:.1%} to {high:.1%}), {mean(outcome.points for outcome in outcomes):.1f} points, "
        f"the others {mean(outcome.points_of_others for outcome in outcomes):.1f}"
    )


def wilson_interval(won: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of wins."""
    share, square = won / games, NORMAL_QUANTILE**2
    middle = share + square / (2 * games)
    half = NORMAL_QUANTILE * sqrt(share * (1 - share) / games + square / (4 * games**2))
    return max(0.0, (middle - half) / (1 + square / games)), min(1.0, (middle + half) / (1 + square / games))
