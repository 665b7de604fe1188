"""Phase 3, increase market share (R5)."""

from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace

from domain.actions import ActionBase, Increase
from domain.base.city_scoring import would_score
from domain.base.refusals import (
    city_scored,
    no_franchise,
    no_franchise_left,
    no_money,
    not_a_city,
    outside_of,
    unknown_place,
)
from domain.board import Board, members
from domain.facts import Increased
from domain.game import Consequences, DecisionBuilder, Folds, Game, Refusals
from domain.legal import Legal
from domain.phase_names import OWN_TURN
from domain.refused import IllegalAction

COST = 1


def active_once_increased(game: Game) -> int | None:
    """Return the active seat if an increase has ended phase 2, else None (R5.1)."""
    return game.turn.seat if game.turn.centre else None


def increases(game: Game) -> list[Legal[ActionBase]]:
    """List the cities where the player can still increase in this turn (R5.1)."""
    turn, player = game.turn, game.active
    if player.money < COST or game.spare(turn.seat) < 1:
        return []
    seat, values, spaces = turn.seat, game.values, game.spaces
    actions = _increases_of(game.board)
    found: list[Legal[ActionBase]] = []
    for city in members(player.present & game.open & game.unscored):
        if city not in turn.centre:
            here, value, legal = spaces[city], values[city], actions[city]
            if len(here) + 1 == value or (here.count(seat) + 1) * 2 > value:
                legal = Legal(legal.action, legal.rule, legal.cost, would_score(game, city))
            found.append(legal)
    return found


@cache
def _increases_of(board: Board) -> tuple[Legal[ActionBase], ...]:
    return tuple(Legal(Increase(place.id), "R5.1", COST) for place in board.places)


def _increase(builder: DecisionBuilder, seat: int, action: Increase) -> None:
    builder.append(Increased(seat, action.city, COST))


def _refuse_increase(game: Game, action: Increase) -> Iterator[IllegalAction]:
    yield from outside_of(game, OWN_TURN, "R5.1")
    yield from refuse_city(game, action.city, "R5.1")
    place = game.board.number[action.city]
    if place in game.turn.centre:
        name = game.board.places[place].name
        yield IllegalAction("already_increased", "R5.1", {"increases": 0}, {"increases": 1}, values={"place": name})
    yield from no_franchise_left(game)
    if game.active.money < COST:
        yield no_money(game, COST, "R5.1")


def refuse_city(game: Game, city: str, rule: str) -> Iterator[IllegalAction]:
    """Yield why the active player can never add a franchise to a city."""
    if city not in game.board.number:
        yield unknown_place(city)
    bit = 1 << game.board.number[city]
    if bit & (game.closed | game.board.towns):
        yield not_a_city(game, city, rule)
    if not bit & game.unscored:
        yield city_scored(game, city, rule)
    if not bit & game.active.present:
        yield no_franchise(game, city, rule)


def _increased(game: Game, fact: Increased) -> Game:
    turn = game.turn
    player = game.players[fact.seat]
    player = replace(player, money=player.money - fact.cost, supply=player.supply - 1)
    turn = replace(turn, centre=(*turn.centre, game.board.number[fact.city]))
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


CONSEQUENCES: Consequences = {Increase: _increase}
REFUSALS: Refusals = {Increase: _refuse_increase}
FOLDS: Folds = {Increased: _increased}
