"""Games prepared from seeds, so that only playing their moves is measured and not choosing them."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, islice

import msgspec

from domain.actions import EndTurn, Expand
from domain.bots import BOTS
from domain.bots.bot import without_limit
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Action, GameFact, GameOptions, Modules
from domain.modules.boom import KeepBoom
from domain.start import start

PLAYERS = 4
NAMES = ("Ann", "Bob", "Cid", "Dee", "Eve")

SEATED = 1 + PLAYERS
"""The number of events before the set-up: the table is opened and every seat is taken."""

DECISIONS_APART = 3
"""The distance of positions that are taken from games of bots."""

Move = tuple[int, Action]


class Script(msgspec.Struct, frozen=True):
    """A random game: its options, with a seed, and every action with the seat that takes it."""

    options: GameOptions
    actions: tuple[Move, ...]
    lengths: tuple[int, ...]
    """The length of the stream when the game begins, and after each action."""

    def up_to(self, events: int) -> tuple[Move, ...]:
        """Return the actions that make a stream this long."""
        return self.actions[: sum(length < events for length in self.lengths)]

    def facts(self, events: int) -> list[GameFact]:
        """Return the facts of the game itself for a stream of this length."""
        outcome = start(self.options, PLAYERS, self.options.seed or 0)
        facts = list(outcome.facts)
        for seat, action in self.up_to(events):
            outcome = decide(outcome.game, action, seat)
            facts += outcome.facts
        return facts


@cache
def scripts(number: int, actions: int) -> tuple[Script, ...]:
    """Return the first games with this many actions, each cut off there."""
    return tuple(islice(_long_enough(actions), number))


def _long_enough(actions: int) -> Iterator[Script]:
    for seed in count():
        script = write_script(seed, actions)
        if len(script.actions) == actions:
            yield script


def long_script(actions: int) -> Script:
    """Return a game that goes on for long: somebody expands when two have passed, and the Boom marker stays."""
    options = GameOptions(first_player=0, seed=1, modules=Modules(boom=True), undo="free")
    choice = random.Random(1).choice

    def choose(game: Game) -> Action:
        legal = [each.action for each in legal_actions(game)]
        expansions = [action for action in legal if isinstance(action, Expand) and len(game.passed) > 1]
        quiet = [action for action in legal if isinstance(action, EndTurn | KeepBoom)]
        return choice(expansions or quiet or legal)

    return _script(options, choose, actions)


def write_script(seed: int, actions: int = 1000) -> Script:
    """Return the game of a seed, with at most this many actions."""
    choice = random.Random(seed).choice
    options = GameOptions(first_player=0, seed=seed, undo="free")
    return _script(options, lambda game: choice(legal_actions(game)).action, actions)


def _script(options: GameOptions, choose: Callable[[Game], Action], actions: int) -> Script:
    assert options.seed is not None
    outcome = start(options, PLAYERS, options.seed)
    taken: list[Move] = []
    lengths = [SEATED + len(outcome.facts)]
    while outcome.game.to_play is not None and len(taken) < actions:
        action = choose(outcome.game)
        taken.append((outcome.game.to_play, action))
        outcome = decide(outcome.game, action)
        lengths.append(lengths[-1] + len(outcome.facts))
    return Script(options, tuple(taken), tuple(lengths))


@cache
def positions_of_bots(seed: int, number: int, options: GameOptions) -> tuple[Game, ...]:
    """Return positions with two or more choices from games of greedy bots, a few decisions apart."""
    return tuple(islice((game for game in _of_greedy_bots(seed, options) if len(legal_actions(game)) > 1), number))


def _of_greedy_bots(seed: int, options: GameOptions) -> Iterator[Game]:
    luck, greedy = random.Random(seed), BOTS["greedy"]
    while True:
        game = start(options, PLAYERS, luck.randrange(2**32)).game
        for number in count():
            if game.to_play is None:
                break
            if number % DECISIONS_APART == 0:
                yield game
            game = decide(game, greedy.choose(game, luck, without_limit)).game
