"""The bot ``planner``."""

from random import Random
from statistics import mean

from domain.bots.bot import Bot, OutOfTime, without_limit
from domain.bots.greedy import WIDTH
from domain.bots.turns import Plan, decider, plans
from domain.bots.weights import FITTED
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Action
from domain.phase_names import TOWNS

CANDIDATES = 6
"""The number of turns that are followed, those that look best."""

TURNS = 4
"""The number of turns that a line of play goes on after a candidate: in whole rounds, one at least."""

MOST_LINES = 40
"""The number of lines after which a candidate is known well enough."""


class _Candidate:
    """A turn, the position in the line of play that follows it, and its player's chances along all lines so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._chances: list[float] = []
        self.begin_line()

    def begin_line(self) -> None:
        """Go back to the position right after the turn."""
        self._game, self._latest = self.plan.after, self.plan.chances

    def play_turn(self, seat: int, luck: Random, out_of_time: OutOfTime) -> bool:
        """Let whoever is to play take the turn that looks best to them; return false if there is no time for it."""
        if self._game.ending is None:
            found = plans(self._game, FITTED, WIDTH, luck, out_of_time)
            if out_of_time():
                return False
            self._game, self._latest = found[0].after, found[0].chances
        self._chances.append(self._latest[seat])
        return True

    @property
    def chance(self) -> float:
        """The chance of the player on average over the turns that followed."""
        return mean(self._chances)


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose by lines of play, and in the set-up, but for the towns, by the next position alone.

    What others will make of a tile that is laid is too far away to be played out.
    """
    if len(legal_actions(game)) == 1:
        return legal_actions(game)[0].action
    if not game.turn.number and game.phase != TOWNS:
        return plans(game, FITTED, WIDTH, luck, without_limit)[0].actions[0]
    return _best(game, luck, out_of_time).actions[0]


def _best(game: Game, luck: Random, out_of_time: OutOfTime) -> Plan:
    """Return the candidate after which the lines of play are best on average.

    All candidates are followed turn by turn. After each round the worse half is dropped, until two are left, which
    have lines for as long as the budget lasts. With a budget for less than a turn each it is the turn that looks best.
    """
    seat, players = decider(game), len(game.players)
    left = [_Candidate(plan) for plan in plans(game, FITTED, WIDTH, luck, _charged_only(out_of_time))[:CANDIDATES]]
    for _ in range(MOST_LINES):
        for candidate in left:
            candidate.begin_line()
        for turn in range(1, max(1, TURNS // players) * players + 1):
            if len({candidate.plan.actions[0] for candidate in left}) == 1:
                return left[0].plan
            if not all(candidate.play_turn(seat, luck, out_of_time) for candidate in left):
                return left[0].plan
            left.sort(key=lambda candidate: candidate.chance, reverse=True)
            if turn % players == 0:
                left = left[: max(2, (len(left) + 1) // 2)]
    return left[0].plan


def _charged_only(out_of_time: OutOfTime) -> OutOfTime:
    """Return a budget that is charged with each position and yet never spent."""
    return lambda: out_of_time() and False


PLANNER = Bot(
    "planner",
    "Compares whole turns as greedy does, by numbers fitted to many games, plays on from the best ones with such turns "
    "of everybody, as often as its time allows, and chooses the one that comes out best: far stronger than greedy.",
    _choose,
)
