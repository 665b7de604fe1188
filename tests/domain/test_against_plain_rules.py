"""The engine beside the same rules written down plainly: whole games, decision by decision (R2 to R9, R13)."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.actions import Resign
from domain.decide import decide
from tests.domain.choosers import Chooser, anything, crowding, keen, lively
from tests.domain.naive import NaiveGame
from tests.domain.positions import begin
from tests.domain.side_by_side import as_move, assert_same
from tests.support.soak import soak_factor


@pytest.mark.parametrize("chooser", [anything, lively, keen, crowding])
@pytest.mark.parametrize("kind", ["standard", "introductory"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_are_the_same(players: int, kind: str, chooser: Chooser) -> None:
    """R2 to R9: every list of what is allowed, every supply, purse and score, to the end."""
    for seed in range(4 * soak_factor()):
        luck = Random(seed)
        game, naive = begin(players, start=kind).game, NaiveGame(players, kind)
        assert_same(game, naive)
        while game.ending is None:
            action = chooser(game, luck).action
            game = decide(game, action).game
            naive.play(as_move(action))
            assert_same(game, naive)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_that_players_leave_are_the_same(players: int) -> None:
    """R13.1: anybody may leave at any moment, set-up included."""
    for seed in range(12 * soak_factor()):
        luck = Random(seed)
        game, naive = begin(players).game, NaiveGame(players, "standard")
        while game.ending is None:
            if luck.random() < 0.01:
                seat = luck.choice(game.playing())
                game = decide(game, Resign(), seat).game
                naive.resign(seat)
            else:
                action = lively(game, luck).action
                game = decide(game, action).game
                naive.play(as_move(action))
            assert_same(game, naive)


@pytest.mark.parametrize("supply", [6, 9, 14])
def test_games_with_a_small_supply_are_the_same(supply: int) -> None:
    """R1.6: with fewer franchises in the box, commitments and missing pieces come up all the time."""
    for seed in range(8 * soak_factor()):
        luck = Random(seed)
        game, naive = begin(4, start="introductory").game, NaiveGame(4, "introductory")
        game = replace(game, players=tuple(replace(player, supply=supply) for player in game.players))
        naive.supply = [supply] * 4
        while game.ending is None:
            action = lively(game, luck).action
            game = decide(game, action).game
            naive.play(as_move(action))
            assert_same(game, naive)
