"""A game of the engine beside the same game of the plain rules."""

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action
from tests.domain.naive import Move, NaiveGame


def as_move(action: Action) -> Move:
    """Return the move of the plain rules for an action."""
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
    """Check that both games are in the same position."""
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
