"""The parts of the game that can be left out, and which of them a game is played with (R13.2)."""

from collections.abc import Iterator

from domain.modules.base import Module
from domain.modules.boom import Boom
from domain.modules.expert import ExpertVariant
from domain.modules.milestones import Milestones
from domain.modules.region_tiles import RegionTiles
from domain.options import Options


def modules_for(options: Options) -> tuple[Module, ...]:
    """The modules that these options ask for, in the order in which they have their say."""
    return tuple(_modules_for(options))


def _modules_for(options: Options) -> Iterator[Module]:
    if options.expert is not None:
        yield ExpertVariant(options.expert)
    if options.modules.region_tiles is not None:
        yield RegionTiles(options.modules.region_tiles)
    if options.modules.milestones:
        yield Milestones()
    if options.modules.boom:
        yield Boom()
