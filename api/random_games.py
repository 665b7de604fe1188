"""Games with random moves."""

from random import Random

from domain.boards import load_region_tiles
from domain.decide import decide, legal_actions
from domain.modules import Fact, GameOptions, Modules
from domain.store import commands
from domain.timeline import follow

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve")


def random_game(seed: int, players: int | None = None) -> list[Fact]:
    """Return the facts of a whole game; by default the number of players is random."""
    random = Random(seed)
    seats = random.randint(2, len(NAMES)) if players is None else players
    options = GameOptions(seed=seed, modules=_modules(random))
    facts = commands.open_table(seats, NAMES[:seats], options, load_region_tiles())
    game = follow(None, facts).game
    while game is not None and game.to_play is not None:
        outcome = decide(game, random.choice(legal_actions(game)).action)
        facts += outcome.facts
        game = outcome.game
    return facts


def _modules(random: Random) -> Modules:
    return Modules(
        milestones=random.random() < 0.3,
        boom=random.random() < 0.3,
        region_tiles=random.choice((None, None, "mixed", "new")),
    )
