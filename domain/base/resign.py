"""Resigning (R13.1)."""

from msgspec.structs import replace

from domain.base.game_end import count_final, end_if_nobody_expands
from domain.facts import Resigned, TurnTakenBack
from domain.game import DecisionBuilder, Folds, Game


def resign(builder: DecisionBuilder, seat: int) -> None:
    """Take back the player's unfinished turn. End the game if one player is left or all others have passed."""
    builder.append(Resigned(seat))
    game = builder.game
    alone = len(game.playing()) == 1
    active = seat == game.turn.seat
    if game.turn.number and (alone or active):
        _take_back_turn(builder)
    if alone:
        count_final(builder, "resigned")
    elif game.turn.number and active:
        end_if_nobody_expands(builder)


def _take_back_turn(builder: DecisionBuilder) -> None:
    turn, places = builder.game.turn, builder.game.board.places
    markers = tuple(places[place].id for place in turn.markers)
    centre = tuple(places[place].id for place in turn.centre)
    builder.append(TurnTakenBack(turn.seat, markers, centre))


def _resigned(game: Game, fact: Resigned) -> Game:
    player = replace(game.players[fact.seat], resigned=True)
    return replace(game, players=game.with_player(fact.seat, player))


def _turn_taken_back(game: Game, fact: TurnTakenBack) -> Game:
    player = game.players[fact.seat]
    players = game.with_player(fact.seat, replace(player, supply=player.supply + len(fact.centre)))
    return replace(game, players=players, turn=replace(game.turn, markers=(), centre=()))


FOLDS: Folds = {Resigned: _resigned, TurnTakenBack: _turn_taken_back}
