"""The bot ``planner``."""

from random import Random

import msgspec

from domain.bots.bot import Bot, OutOfTime
from domain.bots.evaluation import chances
from domain.bots.greedy import WIDTH
from domain.bots.turns import Plan, plans
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action

CANDIDATES = 8
"""The number of turns that are looked at more closely."""

ROUNDS = 6
"""The number of rounds around the table after which a line of play is not followed further."""

QUICK = 1
"""The width of the beam by which everybody plays in the lines that are looked at."""


class _Line(msgspec.Struct, frozen=True):
    """A candidate, the position that play from there has come to, and the chance of the player there."""

    plan: Plan
    game: Game
    chance: float


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose the candidate that is best after some rounds of greedy play by everybody.

    After each round the worse half is dropped. With a budget for not even one round the choice is that of greedy.
    """
    if len(legal_actions(game)) == 1:
        return legal_actions(game)[0].action
    seat = game.to_play or 0
    lines = [_Line(plan, plan.after, plan.chance) for plan in plans(game, WIDTH, luck, _counted(out_of_time))]
    lines = lines[:CANDIDATES]
    for _ in range(ROUNDS):
        if len({line.plan.actions[0] for line in lines}) == 1:
            break
        followed = [_follow(line, seat, luck, out_of_time) for line in lines]
        if out_of_time():
            break
        lines = sorted(followed, key=_chance, reverse=True)[: max(2, len(lines) // 2)]
    return lines[0].plan.actions[0]


def _chance(line: _Line) -> float:
    return line.chance


def _counted(out_of_time: OutOfTime) -> OutOfTime:
    """Return a budget that is charged and yet never spent."""
    return lambda: out_of_time() and False


def _follow(line: _Line, seat: int, luck: Random, out_of_time: OutOfTime) -> _Line:
    """Let everybody have a turn by greedy play, or an action in the set-up."""
    game = line.game
    for _ in game.players:
        if game.ending is None and not out_of_time():
            game = plans(game, QUICK, luck, out_of_time)[0].after
    return _Line(line.plan, game, chances(game)[seat])


PLANNER = Bot(
    "planner",
    "Follows the best turns of greedy for some rounds of greedy play by everybody, as far as its time allows: "
    "the strongest here.",
    _choose,
)
