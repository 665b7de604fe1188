"""Every kind of bot plays whole games in every set-up with legal actions only."""

import pytest

from domain.bots import BOTS
from domain.modules import Modules
from domain.start import start
from tests.domain.bots.tables import result, seated
from tests.domain.positions import NEW_TILES
from tests.domain.set_ups import CHOSEN, LAYOUTS, STARTS, options
from tests.support.soak import soak_factor

MODULES = {
    "base": Modules(),
    "milestones": Modules(milestones=True),
    "boom": Modules(boom=True),
    "mixed-tiles": Modules(region_tiles="mixed"),
    "new-tiles": Modules(region_tiles="new"),
    "chosen-tiles": Modules(region_tiles=CHOSEN),
    "everything": Modules(milestones=True, boom=True, region_tiles="mixed"),
}
VARIATIONS = min(soak_factor(), len(LAYOUTS) * len(STARTS))
"""The number of layouts and starts that are tried with each number of players and each module."""

FEW = 40
"""The budget of a bot in positions."""


@pytest.mark.parametrize("modules", MODULES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_bot_plays_every_set_up_to_its_end(players: int, modules: str) -> None:
    number = list(MODULES).index(modules)
    for variation in range(VARIATIONS):
        layout = LAYOUTS[(number + players + variation) % len(LAYOUTS)]
        opening = STARTS[(number + players // 2 + variation // len(LAYOUTS)) % len(STARTS)]
        game = start(options(layout, players, opening, MODULES[modules]), players, variation, NEW_TILES).game
        for first in (0, 1) if players < len(BOTS) else (0,):
            ending = result(game, seated(players, first), variation, FEW).ending
            assert ending is not None
            assert ending.reason != "resigned"
