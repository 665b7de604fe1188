"""Whole games between bots, and games with random options."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import cast

from domain.boards import load_region_tiles
from domain.bots import BOTS, OutOfTime, positions
from domain.decide import Decision, decide
from domain.field_types import ActedBy, BotKind
from domain.game import Game
from domain.modules import Fact, GameOptions, Modules
from domain.store import commands
from domain.table import NewPlayer
from domain.timeline import follow

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve")

POSITIONS = 200
"""The usual number of positions for each decision of a bot in a random game."""


def whole_game(
    game: Game, kinds: Sequence[BotKind], luck: Random, budget: Callable[[], OutOfTime], by: ActedBy = "bot"
) -> Iterator[Decision]:
    """Play a game to its end between bots of these kinds, one for each seat, with a budget for each decision."""
    while game.to_play is not None:
        bot = BOTS[kinds[game.to_play]]
        decision = decide(game, bot.choose(game, luck, budget()), by=by)
        game = decision.game
        yield decision


def random_game(
    seed: int, players: int | None = None, bots: Sequence[BotKind] = (), budget: int = POSITIONS
) -> list[Fact]:
    """Return the facts of a whole game; by default the number of players is random.

    The kinds of ``bots`` take the seats in turn, beginning with another kind for the next seed. Without bots people
    make random moves. The ``budget`` is the number of positions for each decision.
    """
    random = Random(seed)
    seats = random.randint(2, len(NAMES)) if players is None else players
    options = GameOptions(seed=seed, modules=_modules(random))
    choices = bots or ("random",)
    kinds: list[BotKind] = [choices[(seed + seat) % len(choices)] for seat in range(seats)]
    seated = [NewPlayer(None, bot=kind) for kind in kinds] if bots else NAMES[:seats]
    facts = commands.open_table(seats, seated, options, load_region_tiles())
    begun = cast(Game, follow(None, facts).game)  # the table is full
    by: ActedBy = "bot" if bots else "seat"
    for decision in whole_game(begun, kinds, random, lambda: positions(budget), by):
        facts += decision.facts
    return facts


def _modules(random: Random) -> Modules:
    return Modules(
        milestones=random.random() < 0.3,
        boom=random.random() < 0.3,
        region_tiles=random.choice((None, None, "mixed", "new")),
    )
