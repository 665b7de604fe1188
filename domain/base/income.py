"""Phase 1, income (R3)."""

from domain.base.changes import with_money
from domain.board import members
from domain.facts import IncomeReceived
from domain.game import DecisionBuilder, Folds, Game


def income(game: Game, seat: int) -> IncomeReceived:
    """Return the income for the free spaces of all unscored cities with a franchise of the player (R3.1)."""
    places = game.board.places
    here = members(game.players[seat].present & game.unscored)
    cities = {places[place].id: game.free_spaces(place) for place in here}
    extra = sum(module.extra_free_spaces(game, seat) for module in game.modules)
    return IncomeReceived(seat, cities, extra, game.board.income_for(len(game.players), sum(cities.values()) + extra))


def pay_income(builder: DecisionBuilder) -> None:
    """Pay the income of the active player (R3.1)."""
    builder.append(income(builder.game, builder.game.turn.seat))


def _income_received(game: Game, fact: IncomeReceived) -> Game:
    return with_money(game, fact.seat, fact.dollars)


FOLDS: Folds = {IncomeReceived: _income_received}
