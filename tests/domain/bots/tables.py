"""Games that bots play."""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from random import Random

from domain.bots import BOTS, Bot, positions
from domain.decide import decide
from domain.game import Game
from domain.modules import Action


def seated(players: int, first: int) -> list[Bot]:
    """Return bots for a table, alternating all kinds."""
    return list(islice(cycle(BOTS.values()), first, first + players))


def play(game: Game, bots: Sequence[Bot], seed: int, budget: int) -> Iterator[tuple[Game, Action]]:
    """Play to the end; yield each position with the bot's choice."""
    luck = Random(seed)
    while game.to_play is not None:
        action = bots[game.to_play].choose(game, luck, positions(budget))
        yield game, action
        game = decide(game, action).game


def result(game: Game, bots: Sequence[Bot], seed: int, budget: int) -> Game:
    """Return the position after the last choice."""
    *_, (last, action) = play(game, bots, seed, budget)
    return decide(last, action).game
