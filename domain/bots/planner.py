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
"""The number of best-looking turns that are compared."""

TURNS = 4
"""The number of turns after a candidate in a line of play, rounded down to whole rounds, but at least one round."""

MAX_LINES = 40
"""The number of lines after which a candidate is sufficiently known."""


class _Candidate:
    """A turn, the position in the current line of play after it, and the player's chances in all lines so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._chances: list[float] = []
        self.begin_line()

    def begin_line(self) -> None:
        """Return to the position right after the turn."""
        self._game, self._latest = self.plan.after, self.plan.chances

    def play_turn(self, seat: int, luck: Random, out_of_time: OutOfTime) -> bool:
        """Play the best-looking turn for the player to move; return False if the budget is spent."""
        if self._game.ending is None:
            found = plans(self._game, FITTED, WIDTH, luck, out_of_time)
            if out_of_time():
                return False
            self._game, self._latest = found[0].after, found[0].chances
        self._chances.append(self._latest[seat])
        return True

    @property
    def chance(self) -> float:
        """The player's average chance over all turns played so far."""
        return mean(self._chances)


def _choose(game: Game, luck: Random, out_of_time: OutOfTime) -> Action:
    """Choose by lines of play. In the set-up, except for the towns, choose by the next position only.

    Where others will lay their tiles cannot be predicted well enough to play it out.
    """
    if len(legal_actions(game)) == 1:
        return legal_actions(game)[0].action
    if not game.turn.number and game.phase != TOWNS:
        return plans(game, FITTED, WIDTH, luck, without_limit)[0].actions[0]
    return _best(game, luck, out_of_time).actions[0]


def _best(game: Game, luck: Random, out_of_time: OutOfTime) -> Plan:
    """Return the candidate with the best average over its lines of play.

    All candidates are played turn by turn. After each round the worse half is dropped until two are left. Their lines
    continue until the budget is spent. If the budget does not suffice for one turn each, the best-looking turn wins.
    """
    seat, players = decider(game), len(game.players)
    left = [_Candidate(plan) for plan in plans(game, FITTED, WIDTH, luck, _charged_only(out_of_time))[:CANDIDATES]]
    for _ in range(MAX_LINES):
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
    """Return a budget that counts each position, but is never spent."""
    return lambda: out_of_time() and False


PLANNER = Bot(
    "planner",
    "Compares whole turns like greedy, with weights fitted to many games. Then plays the best ones on with such turns "
    "for all players while its time allows, and chooses the turn with the best results. Far stronger than greedy.",
    _choose,
)
