"""The whole turns that are open to a player, found by a beam over their actions."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from domain.actions import EndTurn, Expand, ExpandAgain, TakeDollars
from domain.bots.bot import OutOfTime
from domain.bots.evaluation import chances
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Action
from domain.modules.boom import BOOM, KeepBoom
from domain.phase_names import OWN_TURN

LENGTH = 10
"""The number of actions after which a turn is not made longer."""


class Plan(msgspec.Struct, frozen=True):
    """Actions up to the end of a turn, the position then, and the chance of the player to win from there."""

    actions: tuple[Action, ...]
    after: Game
    chance: float


class _Begun(msgspec.Struct, frozen=True):
    """A turn that is not ended yet, and the worth of ending it now."""

    actions: tuple[Action, ...]
    game: Game
    chance: float


def plans(game: Game, width: int, luck: Random, out_of_time: OutOfTime) -> list[Plan]:
    """Return the turns that a beam of this width finds, best first; in the set-up the single actions.

    Turns equally good come in random order. There is at least one, however small the budget is.
    """
    found = list(_turns(game, width, out_of_time) if game.turn.number else _single_actions(game, out_of_time))
    luck.shuffle(found)
    return sorted(found, key=_chance, reverse=True)


def _chance(plan: Plan | _Begun) -> float:
    return plan.chance


def _single_actions(game: Game, out_of_time: OutOfTime) -> Iterator[Plan]:
    for number, legal in enumerate(legal_actions(game)):
        if number and out_of_time():
            return
        after = decide(game, legal.action).game
        yield Plan((legal.action,), after, _chance_of(after, game))


def _chance_of(after: Game, before: Game) -> float:
    """Return the chance of the player who decides before."""
    return chances(after)[before.to_play or 0]


def _turns(game: Game, width: int, out_of_time: OutOfTime) -> Iterator[Plan]:
    """Yield the turn that ends at once, then those that one more action at a time leads to."""
    beam = [_Begun((), game, 0.0)]
    if game.phase in OWN_TURN:
        yield _ended(game, ())
    seen: set[Any] = set()
    for _ in range(LENGTH):
        begun: list[_Begun] = []
        for earlier in beam:
            for action in _worth_trying(earlier.game):
                later = decide(earlier.game, action).game
                if (key := _commitments(later)) in seen:
                    continue
                seen.add(key)
                if out_of_time() and beam[0].actions:
                    return
                plan = _ended(later, (*earlier.actions, action))
                begun.append(_Begun((*earlier.actions, action), later, plan.chance))
                yield plan
        if not begun:
            return
        beam = sorted(begun, key=_chance, reverse=True)[:width]


def _ended(game: Game, actions: tuple[Action, ...]) -> Plan:
    ends: tuple[Action, ...] = (KeepBoom(), EndTurn()) if game.phase == BOOM else (EndTurn(),)
    after = game
    for action in ends:
        after = decide(after, action).game
    return Plan((*actions, *ends), after, _chance_of(after, game))


def _worth_trying(game: Game) -> Iterator[Action]:
    """Yield the legal actions but the end of the turn, and of the ways to a place only the cheapest."""
    listed = legal_actions(game)
    cheapest: dict[tuple[str, int | None], int] = {}
    for legal in listed:
        if isinstance(legal.action, Expand | ExpandAgain):
            way = legal.action.path[-1], legal.action.free_link
            cheapest[way] = min(legal.cost, cheapest.get(way, legal.cost))
    for legal in listed:
        match legal.action:
            case EndTurn():
                pass
            case TakeDollars() if game.phase == BOOM:
                pass
            case Expand(path, free_link) | ExpandAgain(path, free_link):
                if cheapest[path[-1], free_link] == legal.cost:
                    yield legal.action
            case action:
                yield action


def _commitments(game: Game) -> tuple[Any, ...]:
    """Return what the order of a turn's actions does not change."""
    turn = game.turn
    return tuple(sorted(turn.markers)), tuple(sorted(turn.centre)), turn.bonus, game.active.money, game.modules
