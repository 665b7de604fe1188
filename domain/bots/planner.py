"""The bot ``planner``."""

from collections.abc import Iterator
from random import Random
from statistics import mean

import msgspec

from domain.bots.bot import Bot, OutOfTime
from domain.bots.greedy import WIDTH
from domain.bots.turns import Plan, decider, plans
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action

CANDIDATES = 6
"""The number of turns that are followed, the best ones by greedy's measure."""

TURNS = 6
"""The number of turns that a line of play goes on after a candidate: in whole rounds, two at least."""

QUICK = 1
"""The width of the beam by which everybody plays in these lines."""

MOST_LINES = 40
"""The number of lines after which a candidate is known well enough."""


class _Candidate(msgspec.Struct, frozen=True):
    """A turn, and the chance of its player right after it and in each line of play that followed."""

    plan: Plan
    chances: tuple[float, ...]


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose the candidate after which the lines of play are best on average.

    One line is played for each candidate, then the worse half is dropped, and so on until two are left, which have
    lines for as long as the budget lasts. With a budget for less than a line each the choice is that of greedy.
    """
    if len(legal_actions(game)) == 1:
        return legal_actions(game)[0].action
    seat = decider(game)
    found = plans(game, WIDTH, luck, _charged_only(out_of_time))
    left = [_Candidate(plan, (plan.chances[seat],)) for plan in found[:CANDIDATES]]
    for _ in range(MOST_LINES):
        if len({candidate.plan.actions[0] for candidate in left}) == 1:
            break
        lines = list(_lines(left, seat, luck, out_of_time))
        if len(lines) < len(left):
            break
        left = _ranked(left, lines)[: max(2, len(left) // 2)]
    return left[0].plan.actions[0]


def _charged_only(out_of_time: OutOfTime) -> OutOfTime:
    """Return a budget that is charged with each position and yet never spent."""
    return lambda: out_of_time() and False


def _lines(candidates: list[_Candidate], seat: int, luck: Random, out_of_time: OutOfTime) -> Iterator[float]:
    """Yield the chance of a player in a line after each candidate, as far as the budget lasts."""
    for candidate in candidates:
        chance = _chance_in_a_line(candidate.plan, seat, luck, out_of_time)
        if chance is None:
            return
        yield chance


def _ranked(candidates: list[_Candidate], lines: list[float]) -> list[_Candidate]:
    """Return the candidates with a line more for each, best first."""
    followed = [
        _Candidate(candidate.plan, (*candidate.chances, chance))
        for candidate, chance in zip(candidates, lines, strict=True)
    ]
    return sorted(followed, key=lambda candidate: mean(candidate.chances), reverse=True)


def _chance_in_a_line(plan: Plan, seat: int, luck: Random, out_of_time: OutOfTime) -> float | None:
    """Return the chance of a player on average over rounds of greedy play by everybody, None if time is out before."""
    game, chances, after_rounds = plan.after, plan.chances, list[float]()
    for _ in range(max(2, TURNS // len(game.players))):
        for _ in game.players:
            if game.ending is None:
                found = plans(game, QUICK, luck, out_of_time)
                if not found:
                    return None
                game, chances = found[0].after, found[0].chances
        after_rounds.append(chances[seat])
    return mean(after_rounds)


PLANNER = Bot(
    "planner",
    "Takes the turns that greedy likes best, plays on from each with greedy turns of everybody, as often as its time "
    "allows, and chooses the one that comes out best: stronger than greedy from about a tenth of a second.",
    _choose,
)
