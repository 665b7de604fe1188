"""The engine against the reference: whole games, decision by decision (R2 to R13)."""

import random
from itertools import product
from random import Random
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from domain.actions import Resign
from domain.evolve import replay
from domain.modules import Action, GameFact, GameOptions, Modules
from tests.domain.choosers import Chooser, anything, crowding, keen, lively, resourceful
from tests.domain.set_ups import BASE_GAME, EVERYTHING, LAYOUTS, MODULES, STARTS, Start, options
from tests.domain.side_by_side import KINDS, BothGames
from tests.support.soak import soak_factor

CHOOSERS = (resourceful, anything, lively, keen, crowding)

_decode = msgspec.json.Decoder(GameFact).decode


def play(both: BothGames, luck: Random, chooser: Chooser, *, leave: float = 0.0) -> None:
    """Play a game to its end; at each decision a player may resign instead."""
    while both.game.ending is None:
        if luck.random() < leave:
            both.do(Resign(), luck.choice(both.game.playing()))
        else:
            both.do(chooser(both.game, luck).action)


def _no_luck(*_: object) -> None:
    raise AssertionError("a replay draws nothing")


@pytest.mark.parametrize(("layout", "players", "opening"), list(product(LAYOUTS, range(2, 6), STARTS)))
def test_r13_2_games_of_every_set_up_are_the_same(
    layout: str, players: int, opening: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R13.2: legal actions, pieces, dollars and points agree to the end; and the stored facts give the same game."""
    for seed, modules in enumerate(MODULES * soak_factor()):
        luck = Random(f"{layout} {players} {opening} {seed}")
        both = BothGames(options(layout, players, opening, modules, seed), players, seed)
        play(both, luck, luck.choice(CHOOSERS), leave=0.001)
        with monkeypatch.context() as patched:
            for source in ("Random", "SystemRandom", "random", "choice", "choices", "sample", "shuffle", "randrange"):
                patched.setattr(random, source, _no_luck)
            assert replay([_decode(msgspec.json.encode(fact)) for fact in both.facts]) == both.game


@pytest.mark.parametrize("chooser", [anything, lively, keen, crowding])
@pytest.mark.parametrize("opening", STARTS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_of_the_base_game_are_the_same(players: int, opening: Start, chooser: Chooser) -> None:
    """R2 to R9."""
    for seed in range(4 * soak_factor()):
        play(BothGames(GameOptions(start=opening), players, seed), Random(seed), chooser)


@pytest.mark.parametrize("layout", ["printed", "draft"])
@pytest.mark.parametrize("modules", [BASE_GAME, EVERYTHING], ids=["base", "expansions"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_with_resignations_are_the_same(players: int, modules: Modules, layout: str) -> None:
    """R13.1: players resign at any moment, also in the set-up."""
    for seed in range(8 * soak_factor()):
        both = BothGames(options(layout, players, "standard", modules), players, seed)
        play(both, Random(seed), lively, leave=0.01)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r8_1_games_of_rules_1_are_the_same(players: int) -> None:
    """R8.1, R13.1: sometimes the pass of a leaver ends one of them."""
    for seed in range(16 * soak_factor()):
        play(BothGames(GameOptions(start="introductory"), players, seed, rules=1), Random(seed), lively, leave=0.03)


@pytest.mark.parametrize("chooser", [lively, crowding])
@pytest.mark.parametrize("modules", [BASE_GAME, EVERYTHING], ids=["base", "expansions"])
@pytest.mark.parametrize("supply", [5, 6, 9, 14])
def test_games_with_a_small_supply_are_the_same(supply: int, modules: Modules, chooser: Chooser) -> None:
    """R1.6: with fewer franchises in the box, commitments and missing pieces matter all the time."""
    for seed in range(8 * soak_factor()):
        both = BothGames(options("printed", 4, "introductory", modules), 4, seed)
        both.reference.supply = [supply] * 4
        players = tuple(replace(player, supply=supply) for player in both.game.players)
        both.game = replace(both.game, players=players)
        play(both, Random(seed), chooser)


def test_the_reference_knows_every_kind_of_action() -> None:
    assert {*KINDS, Resign} == set(get_args(Action))
