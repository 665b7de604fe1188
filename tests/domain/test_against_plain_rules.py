"""The engine beside the same rules written down plainly: whole games, decision by decision (R2 to R9, R13)."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.actions import Action, ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.game import Game
from domain.rules import decide, legal_actions
from tests.domain.choosers import Chooser, anything, crowding, keen, lively
from tests.domain.naive import Move, NaiveGame
from tests.domain.positions import begin


def as_move(action: Action) -> Move:
    """The same thing to do, in the words of the plain rules."""
    match action:
        case ChooseTown(town):
            return ("town", town)
        case Expand((a, b), None):
            return ("expand", a, b)
        case ExpandAgain((a, b), None):
            return ("again", a, b)
        case Increase(city):
            return ("increase", city)
        case Double(city):
            return ("double", city)
        case TakeDollars():
            return ("dollars",)
        case EndTurn():
            return ("end",)
        case _:
            raise AssertionError(action)


def assert_same(game: Game, naive: NaiveGame) -> None:
    """The two tables look alike."""
    assert {as_move(legal.action) for legal in legal_actions(game)} == naive.moves()
    assert game.to_play == (None if naive.over else naive.seat)
    assert [player.supply for player in game.players] == naive.supply
    assert [player.money for player in game.players] == naive.money
    assert [player.influence for player in game.players] == naive.influence
    assert [player.bonus_tiles for player in game.players] == naive.bonus
    assert len(game.track) == naive.track
    for place, here, value in zip(game.board.places, game.spaces, game.values, strict=True):
        if place.id in naive.place:
            assert sorted(here) == sorted(naive.stands[place.id])
            assert value == naive.tile.get(place.id, 0)
            assert not value or list(here) == naive.stands[place.id]
    owners = {r.id: region.tie_break for r, region in zip(game.board.regions, game.regions, strict=True)}
    assert {region: owner for region, owner in owners.items() if owner is not None} == naive.tie_break
    if game.ending is not None:
        assert set(game.ending.winners) == naive.winners


@pytest.mark.parametrize("chooser", [anything, lively, keen, crowding])
@pytest.mark.parametrize("kind", ["standard", "introductory"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_are_the_same(players: int, kind: str, chooser: Chooser) -> None:
    """R2 to R9: every list of what is allowed, every supply, purse and score, to the end."""
    for seed in range(4):
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
    for seed in range(12):
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
    for seed in range(8):
        luck = Random(seed)
        game, naive = begin(4, start="introductory").game, NaiveGame(4, "introductory")
        game = replace(game, players=tuple(replace(player, supply=supply) for player in game.players))
        naive.supply = [supply] * 4
        while game.ending is None:
            action = lively(game, luck).action
            game = decide(game, action).game
            naive.play(as_move(action))
            assert_same(game, naive)
