"""Bonus tiles: a second franchise, and dollars (R9.1, R9.3, R9.4). Expanding again is in ``expand``."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain.actions import ActionBase, Double, TakeDollars
from domain.base.changes import without_bonus_tile
from domain.base.city_scoring import would_score
from domain.base.increase import refuse_city
from domain.base.refusals import no_bonus_tile, no_franchise_left, outside_of, wrong_phase
from domain.facts import DollarsTaken, Doubled
from domain.game import Consequences, DecisionBuilder, Folds, Game, Refusals
from domain.legal import Legal
from domain.phase_names import OWN_TURN
from domain.refused import IllegalAction

DOLLARS = 10

TAKE_DOLLARS = Legal(TakeDollars(), "R9.4")


def bonus_actions(game: Game) -> Iterator[Legal[ActionBase]]:
    """List a second franchise in each city increased this turn (R9.3), and dollars (R9.4)."""
    turn = game.turn
    if not turn.bonus:
        return
    if game.spare(turn.seat) > 0:
        for city in turn.centre:
            if game.free_spaces(city) > 1:
                yield Legal(Double(game.board.places[city].id), "R9.3", 0, would_score(game, city, more=2))
    yield TAKE_DOLLARS


def bonus_dollars(game: Game) -> Iterable[Legal[ActionBase]]:
    """List dollars for a bonus tile, which may be used at any time of the player's turn (R9.4)."""
    return (TAKE_DOLLARS,) if game.turn.bonus else ()


def _double(builder: DecisionBuilder, seat: int, action: Double) -> None:
    builder.append(Doubled(seat, action.city))


def _take_dollars(builder: DecisionBuilder, seat: int, action: TakeDollars) -> None:
    builder.append(DollarsTaken(seat, DOLLARS))


def _refuse_double(game: Game, action: Double) -> Iterator[IllegalAction]:
    yield from outside_of(game, OWN_TURN, "R9.3")
    yield from no_bonus_tile(game, "R9.3")
    yield from refuse_city(game, action.city, "R9.3")
    place = game.board.number[action.city]
    name = game.board.places[place].name
    if place not in game.turn.centre:
        yield IllegalAction("not_increased", "R9.3", {"increases": 1}, {"increases": 0}, values={"place": name})
    free = game.free_spaces(place)
    if free < 2:
        yield IllegalAction(
            "no_free_space",
            "R9.3",
            {"free_spaces": 2},
            {"free_spaces": free},
            sentence="no_space_for_two",
            values={"place": name},
        )
    yield from no_franchise_left(game)


def _refuse_dollars(game: Game, action: TakeDollars) -> Iterator[IllegalAction]:
    if not game.turn.number:
        yield wrong_phase(game, OWN_TURN, "R9.4")
    yield from no_bonus_tile(game, "R9.4")


def _doubled(game: Game, fact: Doubled) -> Game:
    player = without_bonus_tile(game.players[fact.seat])
    player = replace(player, supply=player.supply - 1)
    turn = replace(game.turn, centre=(*game.turn.centre, game.board.number[fact.city]), bonus=False)
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


def _dollars_taken(game: Game, fact: DollarsTaken) -> Game:
    player = without_bonus_tile(game.players[fact.seat])
    player = replace(player, money=player.money + fact.dollars)
    return replace(game, players=game.with_player(fact.seat, player), turn=replace(game.turn, bonus=False))


CONSEQUENCES: Consequences = {Double: _double, TakeDollars: _take_dollars}
REFUSALS: Refusals = {Double: _refuse_double, TakeDollars: _refuse_dollars}
FOLDS: Folds = {Doubled: _doubled, DollarsTaken: _dollars_taken}
