"""The beginning of a turn, and the action that ends it (R2.1, R6.1)."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain.actions import ActionBase, EndTurn
from domain.base.refusals import outside_of
from domain.facts import TurnStarted
from domain.game import Consequences, DecisionBuilder, Folds, Game, Refusals
from domain.legal import Legal
from domain.phase_names import OWN_TURN
from domain.refused import IllegalAction
from domain.state import Turn

END_TURN = Legal(EndTurn(), "R6")


def active_seat(game: Game) -> int:
    return game.turn.seat


def start_turn(builder: DecisionBuilder) -> None:
    """Begin the turn of the next player who has not resigned (R2.1)."""
    game = builder.game
    seat = game.next_playing(game.turn.seat) if game.turn.number else game.playing()[0]
    builder.append(TurnStarted(seat, game.turn.number + 1))


def end_of_turn(game: Game) -> Iterable[Legal[ActionBase]]:
    """List the action that ends the turn (R6)."""
    return (END_TURN,)


def _end_turn(builder: DecisionBuilder, seat: int, action: EndTurn) -> None:
    """Add no facts: the phases that follow are automatic (R6, R7)."""


def _refuse_end(game: Game, action: EndTurn) -> Iterator[IllegalAction]:
    yield from outside_of(game, OWN_TURN, "R6.1")


def _turn_started(game: Game, fact: TurnStarted) -> Game:
    player = game.players[fact.seat]
    bonus = player.turns > 0 and player.bonus_tiles > 0
    players = game.with_player(fact.seat, replace(player, turns=player.turns + 1))
    return replace(game, turn=Turn(fact.seat, fact.turn, bonus), players=players)


CONSEQUENCES: Consequences = {EndTurn: _end_turn}
REFUSALS: Refusals = {EndTurn: _refuse_end}
FOLDS: Folds = {TurnStarted: _turn_started}
