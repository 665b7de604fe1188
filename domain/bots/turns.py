"""Search for whole turns of a player: a beam search over actions."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from domain.actions import EndTurn, Expand, ExpandAgain, TakeDollars
from domain.bots.bot import OutOfTime
from domain.bots.evaluation import chances
from domain.bots.weights import Weights
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Action
from domain.modules.boom import MoveBoom
from domain.phase_names import OWN_TURN

NEARLY_EQUAL = 0.01
"""The difference of chances below which turns count as equal. Ties are broken at random, so that games differ."""


class Plan(msgspec.Struct, frozen=True):
    """The actions of a turn, the position after them, and the chances of all players there."""

    actions: tuple[Action, ...]
    after: Game
    chances: tuple[float, ...]


class _Begun(msgspec.Struct, frozen=True):
    """An unfinished turn, and the player's chance if it ended now."""

    game: Game
    actions: tuple[Action, ...] = ()
    chance: float = 0.0


def decider(game: Game) -> int:
    """Return the seat that has to decide; raise ``ValueError`` if the game is over."""
    if game.to_play is None:
        raise ValueError("the game is over")
    return game.to_play


def plans(game: Game, weights: Weights, width: int, luck: Random, out_of_time: OutOfTime) -> list[Plan]:
    """Return the turns that a beam of this width finds, best first. In the set-up, return single actions.

    Turns that are nearly equal come in random order. When the budget is spent, the search ends with the turns found so
    far.
    """
    seat = decider(game)
    found = list(
        _turns(game, weights, seat, width, out_of_time)
        if game.turn.number
        else _single_actions(game, weights, out_of_time)
    )
    return sorted(found, key=lambda plan: plan.chances[seat] + luck.random() * NEARLY_EQUAL, reverse=True)


def _single_actions(game: Game, weights: Weights, out_of_time: OutOfTime) -> Iterator[Plan]:
    for legal in legal_actions(game):
        if out_of_time():
            return
        after = decide(game, legal.action).game
        yield Plan((legal.action,), after, chances(after, weights))


def _turns(game: Game, weights: Weights, seat: int, width: int, out_of_time: OutOfTime) -> Iterator[Plan]:
    """Yield the turn that ends at once, then turns with one more action each."""
    if game.phase in OWN_TURN and not out_of_time():
        yield _ended(game, weights, ())
    beam, seen = [_Begun(game)], set[Any]()
    while beam:
        longer: list[_Begun] = []
        for begun in beam:
            for later, action in _one_more(begun.game, seen):
                if out_of_time():
                    return
                plan = _ended(later, weights, (*begun.actions, action))
                longer.append(_Begun(later, (*begun.actions, action), plan.chances[seat]))
                yield plan
        beam = sorted(longer, key=lambda begun: begun.chance, reverse=True)[:width]


def _ended(game: Game, weights: Weights, actions: tuple[Action, ...]) -> Plan:
    after = decide(game, EndTurn()).game
    return Plan((*actions, EndTurn()), after, chances(after, weights))


def _one_more(game: Game, seen: set[Any]) -> Iterator[tuple[Game, Action]]:
    """Yield each action worth trying with the position after it. Skip positions that were seen before."""
    for action in _worth_trying(game):
        later = decide(game, action).game
        commitments = _commitments(later)
        if commitments not in seen:
            seen.add(commitments)
            yield later, action


def _worth_trying(game: Game) -> Iterator[Action]:
    """Yield the legal actions except the end of the turn and those that are clearly worse than others."""
    listed = legal_actions(game)
    cheapest: dict[tuple[str, int | None], int] = {}
    for legal in listed:
        if isinstance(legal.action, Expand | ExpandAgain):
            way = legal.action.path[-1], legal.action.free_link
            cheapest[way] = min(legal.cost, cheapest.get(way, legal.cost))
    for legal in listed:
        if isinstance(legal.action, Expand | ExpandAgain):
            worth = cheapest[legal.action.path[-1], legal.action.free_link] == legal.cost
        else:
            worth = _may_bring_something(game, legal.action)
        if worth:
            yield legal.action


def _may_bring_something(game: Game, action: Action) -> bool:
    """Return False for the end of the turn, for early dollars, and for a Boom city without a franchise (R11.3)."""
    match action:
        case EndTurn():
            return False
        case TakeDollars():
            return game.phase in OWN_TURN
        case MoveBoom(city):
            return bool(1 << game.board.number[city] & game.active.present)
        case _:
            return True


def _commitments(game: Game) -> tuple[Any, ...]:
    """Return the part of a position that does not depend on the order of a turn's actions."""
    turn = game.turn
    return tuple(sorted(turn.markers)), tuple(sorted(turn.centre)), turn.bonus, game.active.money, game.modules
