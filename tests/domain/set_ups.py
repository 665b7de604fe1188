"""Every set-up of a game: starts, layouts of the tiles, and expansions."""

from itertools import product
from random import Random
from typing import Any, Literal

from domain.modules import GameOptions, Modules
from domain.modules.expert import Draft, Expert, ExplicitLayout, RandomLayout
from domain.modules.region_tiles import ChosenTiles
from tests.domain.positions import BOARD, NEW_TILES

Start = Literal["standard", "introductory"]

STARTS: tuple[Start, ...] = ("standard", "introductory")
LAYOUTS = ("printed", "draft", "random", "explicit")
TILES = [tile.id for tile in (*BOARD.printed_tiles, *NEW_TILES)]
CHOSEN = ChosenTiles(("florida", *TILES[-9:]))
TILE_CHOICES: tuple[Any, ...] = (None, "mixed", "new", CHOSEN)
MODULES = [
    Modules(milestones, boom, tiles) for milestones, boom, tiles in product((False, True), (False, True), TILE_CHOICES)
]
BASE_GAME = Modules()
EVERYTHING = Modules(milestones=True, boom=True, region_tiles="mixed")


def agreed(players: int, modules: Modules, luck: Random) -> ExplicitLayout:
    """Return a layout that players could agree on."""
    closed = BOARD.closed_regions[players]
    cities: dict[str, int] = {}
    for group in BOARD.expert_groups:
        places = [p.id for p in BOARD.places if p.kind == "city" and p.spaces in group and p.region not in closed]
        tiles = [tile for tile in BOARD.city_tiles if tile in group]
        cities |= dict(zip(places, luck.sample(tiles, len(places)), strict=True))
    pools = {None: TILES[:10], "mixed": TILES, "new": TILES[10:], CHOSEN: list(CHOSEN.chosen)}
    regions = [region.id for region in BOARD.regions if region.id not in closed]
    return ExplicitLayout(
        cities, dict(zip(regions, luck.sample(pools[modules.region_tiles], len(regions)), strict=True))
    )


def options(layout: str, players: int, opening: Start, modules: Modules, seed: int = 1) -> GameOptions:
    """Return the options of a game with this layout of the tiles."""
    layouts: dict[str, Expert] = {
        "draft": Draft(),
        "random": RandomLayout(),
        "explicit": agreed(players, modules, Random(seed)),
    }
    return GameOptions(start=opening, expert=layouts.get(layout), modules=modules)
