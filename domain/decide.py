"""The legal actions of a game, and the facts that follow from an action."""

from typing import cast

import msgspec

from domain.actions import ActionBase, Resign
from domain.base import CONSEQUENCES, REFUSALS
from domain.base.phases import START, PhaseOrder, phase_order_of
from domain.base.refusals import module_refusals
from domain.base.resign import resign
from domain.evolve import evolve
from domain.field_types import ActedBy
from domain.game import DecisionBuilder, Game, Phase
from domain.legal import Legal
from domain.modules import Action, ActionTaken, GameFact, PhaseBegan
from domain.refused import IllegalAction, Refused


class Decision(msgspec.Struct, frozen=True):
    """The facts of a decision in order, and the game after them."""

    facts: tuple[GameFact, ...]
    game: Game


def decision_of(builder: DecisionBuilder) -> Decision:
    return Decision(cast("tuple[GameFact, ...]", tuple(builder.facts)), builder.game)


def legal_actions(game: Game) -> tuple[Legal[Action], ...]:
    """Return every legal action of the player who has to decide, always in the same order.

    Two kinds of legal actions are not included: resigning (R13.1), and longer paths than the cheapest ones (R12.5).
    """
    known: tuple[Legal[Action], ...] | None = vars(game).get("legal_actions")
    if known is None:
        known = vars(game)["legal_actions"] = cast("tuple[Legal[Action], ...]", tuple(_legal_actions(game)))
    return known


def find_legal(game: Game, action: ActionBase) -> Legal[ActionBase] | None:
    """Return the action with its rule and cost if it is legal, else None."""
    known: tuple[Legal[ActionBase], ...] | None = vars(game).get("legal_actions")
    for legal in _legal_actions(game, type(action)) if known is None else known:
        if legal.action == action:
            return legal
    permits = (module.permits(game, action) for module in game.modules)
    return next((legal for legal in permits if legal is not None), None)


def decide(game: Game, action: ActionBase, seat: int | None = None, by: ActedBy = "seat") -> Decision:
    """Return the facts that follow from an action, and the game after them; raise ``Refused`` if it is not allowed.

    Without a seat the action is taken by the player who has to decide.
    """
    seat = check_seat(game, action, seat)
    builder = DecisionBuilder(game, evolve)
    if isinstance(action, Resign):
        builder.append(ActionTaken(seat, action, by))
        _resign(builder, seat)
    elif find_legal(game, action) is None:
        raise refusal(game, action)
    else:
        builder.append(ActionTaken(seat, cast(Action, action), by))
        _play(builder, seat, action)
    return decision_of(builder)


def advance(builder: DecisionBuilder, order: PhaseOrder, phase: Phase) -> None:
    """Play from the beginning of a phase until a player has to decide or the game is over."""
    while builder.game.ending is None:
        if phase.automatic is not None:
            phase.automatic(builder)
        elif phase.chooser is not None and (seat := phase.chooser(builder.game)) is not None:
            if (phase.name, seat) != (builder.game.phase, builder.game.to_play):
                builder.append(PhaseBegan(phase.name, seat))
            return
        phase = order.following[phase]


def check_seat(game: Game, action: ActionBase, seat: int | None) -> int:
    """Return the seat that takes an action; raise ``Refused`` if it may not act now."""
    if game.ending is not None:
        raise Refused("game_over", "R8.1", {"status": "playing"}, {"status": "finished"})
    seat = game.to_play if seat is None else seat
    if seat is None or not 0 <= seat < len(game.players):
        raise Refused("unknown_seat", "R2.1", {"seat": list(game.seats)}, {"seat": seat}, values={"seat": seat})
    if game.players[seat].resigned:
        raise Refused("resigned", "R13.1", {"resigned": False}, {"resigned": True}, values={"player": seat})
    if seat != game.to_play and not isinstance(action, Resign):
        to_play = game.to_play
        raise Refused("not_your_turn", "R2.1", {"seat": to_play}, {"seat": seat}, values={"player": to_play})
    return seat


def refusal(game: Game, action: ActionBase) -> IllegalAction:
    """Return the most basic reason why an action is illegal."""
    refusals = REFUSALS.get(type(action), module_refusals)
    played = [type(module).__name__ for module in game.modules]
    unknown = IllegalAction("no_such_action", "R13.2", {"module": "one with this action"}, {"modules": played})
    return next(refusals(game, action), unknown)


def _legal_actions(game: Game, kind: type[ActionBase] | None = None) -> list[Legal[ActionBase]]:
    """List the legal actions of the phase. With a kind, skip the lists that have no action of it."""
    found: list[Legal[ActionBase]] = []
    if game.to_play is not None:
        for actions, kinds in phase_order_of(game).phases[game.phase].actions.items():
            if kind is None or kind in kinds:
                found += actions(game)
        for module in game.modules:
            found += module.legal_actions(game)
    return found


def _play(builder: DecisionBuilder, seat: int, action: ActionBase) -> None:
    """Add the consequences of a legal action, and play until a player has to decide."""
    order = phase_order_of(builder.game)
    phase = order.phases[builder.game.phase]
    consequences = CONSEQUENCES.get(type(action), _module_consequences)
    consequences(builder, seat, action)
    advance(builder, order, order.following[phase] if isinstance(action, phase.ends_with) else phase)


def _module_consequences(builder: DecisionBuilder, seat: int, action: ActionBase) -> None:
    for module in builder.game.modules:
        facts = module.consequences(builder.game, seat, action)
        if facts is not None:
            builder.extend(facts)


def _resign(builder: DecisionBuilder, seat: int) -> None:
    """Remove a player from the game; the others continue with the set-up or with the next turn (R13.1)."""
    order = phase_order_of(builder.game)
    phase, turn = order.phases[builder.game.phase], builder.game.turn
    resign(builder, seat)
    if not turn.number:
        advance(builder, order, phase)
    elif seat == turn.seat:
        advance(builder, order, START)
